import Domain
import Hummingbird
import PageSupport

/// Whether a person has to log in for an app's request (`prompt`, `max_age`; OpenID Connect Core 1.0 §3.1.2.1): one rule
/// for the page, its form, and the way back from a log-in. A log-in counts that is not older than the request. When that
/// began stands sealed in its query, which every page on the way hands on.
extension HostedPageRequest {
    static let beganParameter = "okaeri_began"
    /// A request that began longer ago begins anew; a log-in in the same request to this server counts nevertheless.
    private static let longestLogIn: Duration = .seconds(3600)

    /// - Parameters:
    ///   - who: Who the browser is.
    ///   - asked: The app's request.
    ///   - bySignUp: Whether a guest's account was made permanent just now.
    /// - Returns: whether the person has not logged in for this request, and has to.
    func needsLogIn(_ who: Authenticated, for asked: AuthorizationAsked, bySignUp: Bool = false) -> Bool {
        if let at = who.session.authenticatedAt, at >= sealedBeginning(of: asked) ?? arrivedAt { return false }
        return asked.prompts.contains("login") || asked.prompts.contains("create") && !bySignUp
            || asked.isTooOld(who, self)
    }

    /// To the page that logs a person in for an app's request; back to the app with one that no page hands on, whose answer it would
    /// wait for in vain.
    func sendToLogIn(for asked: AuthorizationAsked, _ query: String, page: String = "log-in") -> Response {
        let waiting = dated(query, asked)
        guard Self.isContinuation(waiting) else { return back(error: "invalid_request", to: asked) }
        let pairs = [(Self.continuationParameter, waiting)]
        let locales = FormValues(query: query)["ui_locales"].map { [("ui_locales", $0)] } ?? []
        return PageResponse.redirect(
            to: "/a/\(application.id.rawValue)/\(page)?\(FormValues.query(pairs + locales))", browser)
    }

    /// A request's query with the time at which it began, where the request asks for a log-in.
    func dated(_ query: String, _ asked: AuthorizationAsked) -> String {
        guard asked.demandsLogIn || asked.prompts.contains("create"), sealedBeginning(of: asked) == nil else {
            return query
        }
        let time = String(arrivedAt.milliseconds)
        let began = FormValues.query([
            (Self.beganParameter, "\(time).\(browser.seal(beginningParts(time, of: asked)))")
        ])
        guard asked.began != nil else { return "\(began)&\(query)" }
        // A name that is there twice makes the query unreadable.
        let rest = FormValues(query: query).without([Self.beganParameter]).all.map { ($0.name, $0.value) }
        return "\(began)&\(FormValues.query(rest))"
    }

    /// - Returns: `nil` when this server has sealed no such time for the request, or long ago.
    private func sealedBeginning(of asked: AuthorizationAsked) -> Timestamp? {
        guard let parts = asked.began?.pieces(at: ".", keepsEmpty: true), parts.count == 2,
            let began = Int64(parts[0], radix: 10).flatMap({ Timestamp(exactly: $0) }),
            began <= arrivedAt, arrivedAt - began <= Self.longestLogIn,
            browser.isSealed(beginningParts(String(parts[0]), of: asked), by: String(parts[1]))
        else { return nil }
        return began
    }

    /// The challenge names the request: each has one of its own (RFC 7636 §4.1).
    private func beginningParts(_ time: String, of asked: AuthorizationAsked) -> [String] {
        ["authorization request", application.id.rawValue, asked.request.challenge, time]
    }
}
