package import Domain
package import HTTPSupport
import HTTPTypes

/// Accounts in the envelope `{status, success, message, data}`, as a family of seminar apps reads it. It only translates:
/// the rules are the domain's.
package struct AuthServiceAPI: ProtocolAdapter {
    let modules: Modules
    let gate: ProtocolAuthenticator
    let readBody: BodyReader

    package init(modules: Modules, gate: ProtocolAuthenticator, readBody: BodyReader) {
        self.modules = modules
        self.gate = gate
        self.readBody = readBody
    }

    package var surface: String { "envelope" }

    package var errors: any ErrorRenderer { AuthServiceErrors() }

    /// `/user/…`, or behind an application's own base path: `/app/user/…`.
    package func owns(path: String) -> Bool {
        let segments = path.pieces(at: "/", keepsEmpty: true)
        return segments.count == 3 && segments[1] == "user"
            || segments.count == 4 && segments[2] == "user" && !["v1", "api", "1", "parse"].contains(segments[1])
    }
}

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
