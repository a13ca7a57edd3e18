package import Domain
package import Logging
import OutboundServices

/// Plays identity providers beside a server for development. The program for use has none.
package protocol ProviderStandIn: Sendable {
    /// Plays while `body` lasts.
    ///
    /// - Parameters:
    ///   - clock: The time in the tokens of the fakes.
    ///   - logger: The log.
    ///   - body: Is given the addresses of the fakes.
    /// - Throws: what `body` throws, and `StartFault.cannotListen`.
    func run(
        clock: any WallClock, logger: Logger,
        _ body: @escaping @Sendable (_ fakes: FakeAddresses) async throws(StartFault) -> Void
    ) async throws(StartFault)
}

/// Where the fakes are, each below a path of its name: `apple`, `line`, `kakao`, `naver`, `yahoojapan`, `gamecenter`.
package struct FakeAddresses: Sendable {
    package var base: String
    /// The root of the fake Game Center's certificates, in DER.
    package var gameCenterRoot: [UInt8]
    /// The root of the fake App Attest's certificates, in DER.
    package var appAttestRoot: [UInt8]

    package init(base: String, gameCenterRoot: [UInt8], appAttestRoot: [UInt8]) {
        self.base = base
        self.gameCenterRoot = gameCenterRoot
        self.appAttestRoot = appAttestRoot
    }
}

extension ProviderAddresses {
    /// Asks the fakes instead of the providers that they play.
    mutating func use(_ fakes: FakeAddresses) {
        func address(_ name: String) -> String { "\(fakes.base)/\(name)" }
        apple = address("apple")
        (line, lineAPI, kakao, yahooJapan) = (address("line"), address("line"), address("kakao"), address("yahoojapan"))
        (naver, naverProfile) = (address("naver/oauth2.0"), address("naver/v1/nid/me"))
        (gameCenter, certificateIssuers) = (address("gamecenter"), address("gamecenter"))
        gameCenterRoots = [fakes.gameCenterRoot]
        appAttestRoots = [fakes.appAttestRoot]
    }
}
