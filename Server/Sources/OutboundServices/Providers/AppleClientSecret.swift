import Crypto
import Domain

/// The token by which a team proves itself to Apple (requirement 36): minted for each call and good for five minutes, so
/// that none can expire unnoticed (complaint 20).
struct AppleClientSecret {
    private static let lifetime: Duration = .seconds(300)

    private let key: P256.Signing.PrivateKey
    private let keyId: String
    private let teamId: String
    private let audience: String

    /// `nil` when team, key id or key are missing or the key is no P-256 key.
    ///
    /// - Parameters:
    ///   - configured: The application's settings, with the private key in the PEM form in which Apple hands it out.
    ///   - audience: Apple's issuer.
    init?(_ configured: ConfiguredProvider, audience: String) {
        guard let teamId = configured.settings.teamId, let keyId = configured.settings.keyId,
            let key = configured.secret.flatMap(Self.key)
        else { return nil }
        self.key = key
        self.keyId = keyId
        self.teamId = teamId
        self.audience = audience
    }

    static func key(_ secret: Secret) -> P256.Signing.PrivateKey? {
        // The error says that it is no key, and not why.
        try? P256.Signing.PrivateKey(pemRepresentation: secret.revealed)
    }

    /// - Throws: `providerMisconfigured`, should the cryptographic library fail.
    func minted(for clientId: String, at now: Timestamp) throws(DomainError) -> Secret {
        let seconds = now.milliseconds / 1000
        let header = #"{"alg":"ES256","kid":"\#(keyId)"}"#
        let claims =
            #"{"iss":"\#(teamId)","iat":\#(seconds),"exp":\#(seconds + Self.lifetime.components.seconds),"#
            + #""aud":"\#(audience)","sub":"\#(clientId)"}"#
        let signed = Base64URL.text(of: Array(header.utf8)) + "." + Base64URL.text(of: Array(claims.utf8))
        do {
            let signature = try key.signature(for: Array(signed.utf8)).rawRepresentation
            return Secret(signed + "." + Base64URL.text(of: signature))
        } catch {
            throw .providerMisconfigured
        }
    }
}
