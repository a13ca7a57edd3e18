package import Domain
package import HTTPSupport
package import HTTPTypes

/// The member management of NCMB (ニフクラ mobile backend), as its SDKs speak it. It only translates: the rules are the
/// domain's. `docs/compatibility/ncmb.md` says where it differs, and what was chosen where nobody knows.
package struct NCMBAPI: ProtocolAdapter {
    let modules: Modules
    let requests: NCMBRequests

    /// - Parameters:
    ///   - modules: The rules.
    ///   - gate: Finds applications and sessions.
    ///   - proxies: Whose word on hosts is believed.
    ///   - publicURL: The server's address, when it was set: its host is one that signatures may name.
    ///   - readBody: Reads bodies within limits.
    ///   - clock: The time, for applications that want timestamps to be fresh.
    package init(
        modules: Modules, gate: ProtocolAuthenticator, proxies: TrustedProxies, publicURL: String?,
        readBody: BodyReader,
        clock: any WallClock
    ) {
        self.modules = modules
        requests = NCMBRequests(
            gate: gate, readBody: readBody,
            verify: SignatureVerifier(
                proxies: proxies, publicHost: publicURL.flatMap(Host.of(url:)), clock: clock))
    }

    package var surface: String { "ncmb" }

    package var errors: any ErrorRenderer { NCMBErrors() }

    package func owns(path: String) -> Bool { path == Self.base || path.hasPrefix("\(Self.base)/") }

    /// Apps of Monaca are web pages of other origins (Fetch §3.2).
    package var crossOriginHeaders: [HTTPField] {
        [
            HTTPField(name: .accessControlAllowOrigin, value: "*"),
            HTTPField(name: .accessControlExposeHeaders, value: "X-NCMB-Response-Signature"),
        ]
    }

    package var requestHeaders: [HTTPField.Name] {
        [
            .ncmbApplicationKey, .ncmbTimestamp, .ncmbSignature, .ncmbSessionToken, .ncmbSDKVersion, .ncmbSystemVersion,
        ]
    }

    package var preflightHeaders: [HTTPField] {
        [
            HTTPField(name: .accessControlAllowMethods, value: "GET, POST, PUT, DELETE, OPTIONS"),
            HTTPField(
                name: .accessControlAllowHeaders,
                value: "Content-Type, X-NCMB-Application-Key, X-NCMB-Timestamp, X-NCMB-Signature, "
                    + "X-NCMB-Apps-Session-Token, X-NCMB-SDK-Version, X-NCMB-OS-Version, Access-Control-Allow-Origin"),
            HTTPField(name: .accessControlMaxAge, value: "3600"),
        ]
    }

    /// The version of the API, which all released SDKs have for their default.
    static let base = "/2013-09-01"
}
