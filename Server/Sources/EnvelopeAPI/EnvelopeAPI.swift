package import Domain
package import HTTPSupport
import HTTPTypes

/// Accounts in the envelope `{status, success, message, data}`, as a family of seminar apps reads it. It only translates:
/// the rules are the domain's.
package struct EnvelopeAPI: ProtocolAdapter {
    let useCases: UseCases
    let gate: ForeignGate
    let readBody: BodyReader

    package init(useCases: UseCases, gate: ForeignGate, readBody: BodyReader) {
        self.useCases = useCases
        self.gate = gate
        self.readBody = readBody
    }

    package var surface: String { "envelope" }

    package var errors: any ErrorAnswers { EnvelopeErrors() }

    /// `/user/…`, or behind an application's own base path: `/app/user/…`.
    package func owns(path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.count == 3 && segments[1] == "user"
            || segments.count == 4 && segments[2] == "user" && !["v1", "api", "1", "parse"].contains(segments[1])
    }

    /// Every endpoint, at the root and behind a base path. Sibling servers of the same family write them in capitals too.
    package var routes: [Route] {
        ["/user", "/{base}/user"].flatMap { place in
            [
                Route(.post, place + "/signup", EnvelopeSignUpRoute(api: self)),
                Route(.post, place + "/signUp", EnvelopeSignUpRoute(api: self)),
                Route(.post, place + "/signin", EnvelopeSignInRoute(api: self)),
                Route(.post, place + "/signIn", EnvelopeSignInRoute(api: self)),
                Route(.get, place + "/me", EnvelopeProfileRoute(api: self)),
                Route(.post, place + "/signout", EnvelopeSignOutRoute(api: self)),
            ]
        }
    }
}
