import CryptoExtras
import Crypto
package import Domain

/// Game Center: what Apple signs for a player of an app (`GKLocalPlayer.fetchItems(forIdentityVerificationSignature:)`).
///
/// The application's audiences there are its bundle ids. There is no secret, no browser and no grant.
package struct GameCenterProvider: IdentityProvider {
    /// How long a signature counts: an app asks for one when it logs in.
    private static let life: Duration = .seconds(300)
    /// How far Apple's clock may be from ours.
    private static let skew: Duration = .seconds(60)
    private static let saltBytes = 1...64
    private static let signatureBytes = 256...1024
    /// A certificate that stood there in 2025, for `check`.
    private static let knownCertificate = "public-key/gc-prod-10.cer"

    private let certificates: GameCenterCertificates
    private let base: String
    private let clock: any WallClock

    /// - Parameters:
    ///   - certificates: The keys that count.
    ///   - base: Where certificates are.
    ///   - clock: The time.
    package init(certificates: GameCenterCertificates, base: String, clock: any WallClock) {
        self.certificates = certificates
        self.base = base
        self.clock = clock
    }

    package func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        settings.audiences.allSatisfy(Self.isBundleId)
            ? [] : [ValidationError(field: "audiences", rule: .notAnAppleId)]
    }

    package func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        guard let player = credential.player else { throw .providerTokenRefused(.malformed) }
        let now = clock.now
        let signedAt: Timestamp
        do throws(ProviderTokenFault) {
            signedAt = try check(player, configured.settings, at: now)
        } catch {
            throw .providerTokenRefused(error)
        }
        let key = try await certificates.key(at: player.publicKeyURL, for: configured.application, at: now)
        let signed =
            Array(player.playerId.utf8) + Array(player.bundleId.utf8)
            + (0..<8).map { UInt8(truncatingIfNeeded: player.timestamp >> (56 - 8 * $0)) } + player.salt
        let isValid = key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: player.signature), for: SHA256.hash(data: signed),
            padding: .insecurePKCS1v1_5)
        guard isValid else { throw .providerTokenRefused(.signature) }
        return ExternalIdentity(
            provider: .gameCenter, subject: player.playerId, audience: player.bundleId,
            replay: UsedProof(
                .providerToken, SecretDigest(of: signed), until: signedAt + Self.life + Self.skew + .seconds(1)))
    }

    /// Everything that costs no call.
    private func check(
        _ player: ProviderCredential.PlayerSignature, _ settings: ProviderSettings, at now: Timestamp
    ) throws(ProviderTokenFault) -> Timestamp {
        guard Self.saltBytes.contains(player.salt.count), Self.signatureBytes.contains(player.signature.count) else {
            throw .malformed
        }
        guard settings.audiences.contains(player.bundleId) else { throw .audience }
        guard Self.isPlayerId(player.playerId) else { throw .subject }
        guard let milliseconds = Int64(exactly: player.timestamp), let signedAt = Timestamp(exactly: milliseconds),
            signedAt <= now + Self.skew
        else { throw .issuedInFuture }
        guard now < signedAt + Self.life else { throw .expired }
        return signedAt
    }

    package func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        throw .fieldsRefused([ValidationError(field: "authorizationCode", rule: .notOffered)])
    }

    package func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError)
    {
        // There are no grants.
    }

    /// Whether Apple's certificates can be read and believed here: the settings themselves nobody can be asked about.
    package func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        do throws(DomainError) {
            _ = try await certificates.key(
                at: "\(base)/\(Self.knownCertificate)", for: configured.application, at: clock.now)
            return .accepted
        } catch {
            return error.code == .providerUnavailable
                ? .unreachable : .unexpected(answer: "a certificate that is not one of Apple's")
        }
    }

    /// A prefix that says which kind of id it is, a colon, and letters and digits. Player and app are signed side by side
    /// with nothing between them: no player's name may end with the beginning of another app's.
    private static func isPlayerId(_ id: String) -> Bool {
        let bytes = id.utf8
        return (4...128).contains(bytes.count) && bytes.dropFirst().first == UInt8(ascii: ":")
            && ["T", "A", "G"].contains(id.prefix(1))
            && bytes.dropFirst(2).allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x5f || byte == 0x2d
            }
    }

    private static func isBundleId(_ id: String) -> Bool {
        id.utf8.contains(UInt8(ascii: "."))
            && id.utf8.allSatisfy { byte in
                (0x2d...0x2e).contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                    || (0x61...0x7a).contains(byte)
            }
    }
}
