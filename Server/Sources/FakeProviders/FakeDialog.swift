import Domain
import Synchronization

/// A provider that sends people back from its dialog with authorization codes.
package protocol FakeDialogProvider: FakeProvider {
    /// Whom a code stands for.
    associatedtype Grant: Sendable

    var dialog: FakeDialog<Grant> { get }

    /// Answers as long as nothing is out of order.
    func endpoint(_ request: FakeRequest) -> FakeResponse
}

extension FakeDialogProvider {
    /// Every request that came.
    package var calls: [FakeRequest] { dialog.calls }

    /// Answers everything like this from now on; `nil` for as usual.
    package func fail(with answer: FakeResponse?) { dialog.fail(with: answer) }

    package func answer(_ request: FakeRequest) async -> FakeResponse {
        dialog.outage(at: request) ?? endpoint(request)
    }
}

/// What such a provider remembers: codes with PKCE (RFC 7636), tokens, requests, and whether it is down.
package final class FakeDialog<Grant: Sendable>: Sendable {
    private struct Code {
        var grant: Grant
        var redirectURI: String
        var challenge: String
    }

    private struct State {
        var codes: [String: Code] = [:]
        var tokens: [String: Grant] = [:]
        var outage: FakeResponse?
        var calls: [FakeRequest] = []
        var count = 0

        mutating func next(_ kind: String) -> String {
            count += 1
            return "\(kind)-\(count)"
        }
    }

    private let state = Mutex(State())

    init() {}

    fileprivate var calls: [FakeRequest] { state.withLock { $0.calls } }

    fileprivate func fail(with answer: FakeResponse?) { state.withLock { $0.outage = answer } }

    /// Notes a request; what it is answered with when nothing works.
    fileprivate func outage(at request: FakeRequest) -> FakeResponse? {
        state.withLock { state in
            state.calls.append(request)
            return state.outage
        }
    }

    /// A new code, as the dialog sends it back.
    func code(for grant: Grant, redirectURI: String, challenge: String) -> String {
        state.withLock { state in
            let code = state.next("code")
            state.codes[code] = Code(grant: grant, redirectURI: redirectURI, challenge: challenge)
            return code
        }
    }

    /// Every code has expired.
    package func expireCodes() { state.withLock { $0.codes = [:] } }

    /// Whom a code stands for, where the provider has no PKCE. It is good once, with the state that it was sent back with.
    func redeem(code: String?, state returned: String?) -> Grant? {
        let code = state.withLock { state in code.flatMap { state.codes.removeValue(forKey: $0) } }
        guard let code, code.challenge == returned else { return nil }
        return code.grant
    }

    /// Whom the code of a token request stands for. It is good once, with its own address and verifier.
    func redeem(_ form: [String: String]) -> Grant? {
        guard let code = state.withLock({ state in form["code"].flatMap { state.codes.removeValue(forKey: $0) } }),
            code.redirectURI == form["redirect_uri"],
            code.challenge == PKCE.s256(of: form["code_verifier"] ?? "")
        else { return nil }
        return code.grant
    }

    /// A new token.
    func token(for grant: Grant) -> String {
        state.withLock { state in
            let token = state.next("token")
            state.tokens[token] = grant
            return token
        }
    }

    /// Whose a token is.
    func grant(of token: String) -> Grant? { state.withLock { $0.tokens[token] } }
}
