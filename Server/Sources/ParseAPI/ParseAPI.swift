package import Domain
package import HTTPSupport
package import HTTPTypes

/// Users and sessions of Parse, as its SDKs speak it, old and new. It only translates: the rules are the domain's.
/// `docs/compatibility/parse.md` says where it differs, and what was chosen where nobody knows.
package struct ParseAPI: ProtocolAdapter {
    let requests: ParseRequests
    let operations: ParseOperations
    let pages: PagesController

    /// - Parameters:
    ///   - modules: The rules.
    ///   - gate: Finds applications and sessions.
    ///   - readBody: Reads bodies within limits.
    ///   - prefixes: Where the API is served: `/parse`, `/1`.
    ///   - clock: The time, for answers that tell it.
    ///   - upstream: Asks the Parse Servers that apps have of their own.
    package init(
        modules: Modules, gate: ProtocolAuthenticator, readBody: BodyReader, prefixes: [String], clock: any WallClock,
        upstream: any ParseUpstream
    ) {
        requests = ParseRequests(
            gate: gate, readBody: readBody, prefixes: prefixes, clock: clock, findSession: modules.sessions.findSession)
        operations = ParseOperations(modules, UpstreamController(modules, upstream))
        pages = PagesController(requests, modules)
    }

    package var surface: String { "parse" }

    package var errors: any ErrorRenderer { ParseErrors() }

    package var takesFinalSlash: Bool { true }

    package var requestHeaders: [HTTPField.Name] { ParseCredentials.headers }

    package func owns(path: String) -> Bool {
        requests.prefixes.contains { path == $0 || path.hasPrefix("\($0)/") }
    }

    /// Web pages of any origin may call (Fetch §3.2); the keys say for whom.
    package var crossOriginHeaders: [HTTPField] { Self.forOtherOrigins }

    private static let forOtherOrigins = [
        HTTPField(name: .accessControlAllowOrigin, value: "*"),
        HTTPField(name: .accessControlAllowMethods, value: "GET,PUT,POST,DELETE,OPTIONS"),
        HTTPField(
            name: .accessControlAllowHeaders,
            value: "X-Parse-Master-Key, X-Parse-REST-API-Key, X-Parse-Javascript-Key, X-Parse-Client-Key, "
                + "X-Parse-Windows-Key, X-Parse-Application-Id, X-Parse-Installation-Id, X-Parse-Client-Version, "
                + "X-Parse-Session-Token, X-Requested-With, X-Parse-Revocable-Session, X-Parse-Request-Id, "
                + "X-Parse-Cloud-Context, Authorization, Content-Type, Pragma, Cache-Control"),
        HTTPField(
            name: .accessControlExposeHeaders,
            value: "X-Parse-Job-Status-Id, X-Parse-Push-Status-Id, Location, Retry-After"),
    ]
}
