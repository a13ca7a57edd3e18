package import Domain
package import HTTPSupport

/// The member management of NCMB (ニフクラ mobile backend), as its SDKs speak it. It only translates: the rules are the
/// domain's. `docs/compatibility/ncmb.md` says where it differs, and what was chosen where nobody knows.
package struct NCMBAPI: ProtocolAdapter {
    let useCases: UseCases
    let proxies: TrustedProxies
    let readJSON: JSONReader
    let verify: SignatureVerifier

    /// - Parameters:
    ///   - useCases: The rules.
    ///   - proxies: Whose word on hosts and addresses is believed.
    ///   - publicURL: The server's address, when it was set: its host is one that signatures may name.
    ///   - readBody: Reads bodies within limits.
    ///   - clock: The time, for applications that want timestamps to be fresh.
    package init(
        useCases: UseCases, proxies: TrustedProxies, publicURL: String?, readBody: BodyReader, clock: any WallClock
    ) {
        self.useCases = useCases
        self.proxies = proxies
        readJSON = JSONReader(readBody)
        verify = SignatureVerifier(proxies: proxies, publicHost: publicURL.flatMap(Host.of(url:)), clock: clock)
    }

    package var errors: any ErrorAnswers { NCMBErrors() }

    package func owns(path: String) -> Bool { path == Self.base || path.hasPrefix("\(Self.base)/") }

    /// The version of the API, which all released SDKs have for their default.
    static let base = "/2013-09-01"
}
