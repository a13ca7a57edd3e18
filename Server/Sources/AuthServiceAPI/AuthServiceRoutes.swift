package import HTTPSupport
import HTTPTypes

extension AuthServiceAPI {
    /// Every endpoint, at the root and behind a base path. Sibling servers of the same family write them in capitals too.
    package var routes: [Route] {
        let account = AccountController(modules, gate: gate, readBody: readBody)
        return ["/user", "/{base}/user"].flatMap { base in
            [
                Route(.post, base + "/signup", .application, account.signUp),
                Route(.post, base + "/signUp", .application, account.signUp),
                Route(.post, base + "/signin", .application, account.signIn),
                Route(.post, base + "/signIn", .application, account.signIn),
                Route(.get, base + "/me", .session, account.profile),
                Route(.post, base + "/signout", .session, account.signOut),
            ]
        }
    }
}
