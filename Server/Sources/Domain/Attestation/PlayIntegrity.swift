import WebAuthn

extension AttestationRules {
    /// An app of Google Play whose attestations count.
    package struct PlayApp: Hashable, Sendable {
        /// What Google Play says of a device, from weak to strong.
        package enum Level: String, CaseIterable, Hashable, Sendable {
            case basic, device, strong

            fileprivate var verdict: PlayIntegrityToken.Level {
                switch self {
                case .basic: .basic
                case .device: .device
                case .strong: .strong
                }
            }
        }

        /// Its package and the certificates that sign it.
        package var app: PasskeyRules.AndroidApp
        /// What Google Play must say of the device.
        package var level: Level
        /// What opens and verifies its tokens; `nil` until an operator gives them.
        package var keys: PlayKeys?

        package init(_ app: PasskeyRules.AndroidApp, level: Level, keys: PlayKeys? = nil) {
            self.app = app
            self.level = level
            self.keys = keys
        }
    }

    /// The apps as people write them, one a line: package, level, and certificates, with spaces between. An app keeps the
    /// keys that its package has.
    package var playAppLines: [String] {
        get { playApps.map { ([$0.app.packageName, $0.level.rawValue] + $0.app.certificates).joined(separator: " ") } }
        set {
            set(
                newValue.compactMap { line in
                    let words = line.words
                    guard let package = words.first else { return nil }
                    let level = words.dropFirst().first.flatMap(PlayApp.Level.init(rawValue:))
                    let certificates = Array(words.dropFirst(level == nil ? 1 : 2))
                    return PlayApp(.init(packageName: package, certificates: certificates), level: level ?? .device)
                })
        }
    }

    /// Takes apps in the place of those before. An app without keys keeps those that its package has.
    package mutating func set(_ apps: [PlayApp]) {
        let known = playApps
        playApps = apps.map { app in
            var app = app
            app.keys = app.keys ?? known.first { $0.app.packageName == app.app.packageName }?.keys
            return app
        }
    }

    /// Takes the keys of an app. One that is not listed is refused with the rest, for want of certificates.
    package mutating func set(_ keys: PlayKeys, of package: String) {
        if let index = playApps.firstIndex(where: { $0.app.packageName == package }) {
            playApps[index].keys = keys
        } else {
            playApps.append(PlayApp(.init(packageName: package, certificates: []), level: .device, keys: keys))
        }
    }

    /// The formats of attestations that count.
    var formats: [String] {
        (appleApps.isEmpty ? [] : [AppAttestation.format]) + (playApps.isEmpty ? [] : [PlayIntegrityToken.format])
    }

    /// What breaks a rule of the list of apps.
    var playFaults: [ValidationError] {
        func fault(_ member: String, _ rule: ValidationError.Rule) -> [ValidationError] {
            [ValidationError(field: "attestation.playApps\(member)", rule: rule)]
        }
        if playApps.count > Self.maximumApps { return fault("", .tooManyFields(maximum: Self.maximumApps)) }
        guard playApps.allSatisfy(\.app.isWellFormed) else { return fault("", .notAnOrigin) }
        guard Set(playApps.map(\.app.packageName)).count == playApps.count else { return fault("", .notUnique) }
        guard playApps.allSatisfy({ $0.keys != nil }) else { return fault(".decryptionKey", .required) }
        return []
    }
}

/// What opens and verifies the tokens of an app of Google Play.
package struct PlayKeys: Hashable, Sendable {
    /// In DER.
    package var verificationKey: [UInt8]
    /// The decryption key, sealed.
    package var sealedKey: [UInt8]

    package init(verificationKey: [UInt8], sealedKey: [UInt8]) {
        self.verificationKey = verificationKey
        self.sealedKey = sealedKey
    }

    /// What the sealed key is bound to.
    static func purpose(_ package: String, _ application: Identifier<Application>) -> String {
        "play integrity \(application) \(package)"
    }
}

/// Seals the key of an app of Google Play, before the transaction that stores the settings.
package struct SealPlayKeys: Sendable {
    private let sealingKey: SealingKey

    package init(sealingKey: SealingKey) {
        self.sealingKey = sealingKey
    }

    /// - Parameters:
    ///   - decryptionKey: In base64, as the Play Console shows it.
    ///   - verificationKey: In base64, as the Play Console shows it.
    ///   - package: The app.
    ///   - application: Whose settings name it.
    /// - Returns: what the settings hold.
    /// - Throws: `fieldsRefused` for what is no such key; `secretUnreadable`, should the cryptographic library fail.
    package func callAsFunction(
        decryptionKey: Secret, verificationKey: String, of package: String, in application: Identifier<Application>
    ) throws(DomainError) -> PlayKeys {
        func refused(_ member: String) -> DomainError {
            .fieldsRefused([ValidationError(field: "attestation.playApps.\(member)", rule: .notAPlayKey)])
        }
        guard let key = Self.bytes(decryptionKey.revealed), key.count == PlayIntegrityToken.keyBytes else {
            throw refused("decryptionKey")
        }
        guard let verifies = Self.bytes(verificationKey), PlayIntegrityToken.isVerificationKey(verifies) else {
            throw refused("verificationKey")
        }
        return PlayKeys(
            verificationKey: verifies,
            sealedKey: try sealingKey.seal(key, purpose: PlayKeys.purpose(package, application)))
    }

    /// Base64 (RFC 4648 §4) with or without its padding.
    private static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 1000 else { return nil }
        var bytes = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        return Base64URL.bytes(of: bytes)
    }
}

/// Verifies tokens of Play Integrity for first launches.
struct VerifyPlayIntegrity: Sendable {
    /// How far Google's clock may be from ours.
    private static let leeway: Duration = .seconds(30)

    let sealingKey: SealingKey

    /// - Parameters:
    ///   - presented: The token, in `object`.
    ///   - hash: What the device was asked to attest.
    ///   - application: Whose settings name the apps.
    ///   - now: The time; a token is as old as its challenge at the most.
    /// - Throws: the first rule that is broken, by the app that comes furthest.
    func callAsFunction(
        _ presented: PresentedAttestation, hash: [UInt8], in application: Application, at now: Timestamp
    ) throws(PlayIntegrityFault) {
        let order = PlayIntegrityFault.allCases
        var furthest = PlayIntegrityFault.malformed
        for app in application.settings.attestation.playApps {
            do throws(PlayIntegrityFault) {
                return try verify(presented, hash, app, application.id, at: now)
            } catch {
                let (next, best) = (order.firstIndex(of: error) ?? 0, order.firstIndex(of: furthest) ?? 0)
                if next > best { furthest = error }
            }
        }
        throw furthest
    }

    private func verify(
        _ presented: PresentedAttestation, _ hash: [UInt8], _ app: AttestationRules.PlayApp,
        _ application: Identifier<Application>, at now: Timestamp
    ) throws(PlayIntegrityFault) {
        let package = app.app.packageName
        let purpose = PlayKeys.purpose(package, application)
        // A key that cannot be opened any more opens nothing.
        guard let keys = app.keys, let key = try? sealingKey.open(keys.sealedKey, purpose: purpose) else { throw .key }
        let token = try PlayIntegrityToken(
            opening: presented.object, decryptionKey: key, verificationKey: keys.verificationKey)
        let earliest = now - FirstLaunchChallenges.lifetime - Self.leeway
        try token.verify(
            nonce: hash, times: earliest.milliseconds...(now + Self.leeway).milliseconds,
            app: .init(package: package, certificates: app.app.digests, level: app.level.verdict))
    }
}
