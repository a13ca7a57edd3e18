/// Makes, seals and opens the keys of foreign protocols.
package struct ProtocolKeyring: Sendable {
    /// The longest key that can be brought along.
    package static let maximumKeyBytes = 255

    private let sealingKey: SealingKey
    private let hash: KeyedHash
    private let protocols: ProtocolRegistry
    private let randomness: any Randomness

    init(sealingKey: SealingKey, protocols: ProtocolRegistry, randomness: any Randomness) {
        self.sealingKey = sealingKey
        self.protocols = protocols
        hash = sealingKey.keyedHash(purpose: "okaeri protocol key")
        self.randomness = randomness
    }

    /// Keys as stored, and as they are shown this once.
    struct Made: Sendable {
        var set: ProtocolKeySet
        var issued: IssuedKeys

        /// Whether among them is one that makes an administrator: such a key is shown right after it was made or given.
        var issuesAdministrator: Bool {
            issued.profile.keys.contains { $0.keeping == .digested && issued.keys[$0.name] != nil }
        }
    }

    /// Takes the keys that an operator brings along and makes the others. Keys that are there already stay, unless
    /// another one is given.
    ///
    /// - Throws: `fieldsRefused` for a protocol that there is not, and for keys of a wrong form or that it does not have;
    ///   `secretUnreadable`.
    func make(
        _ name: Session.ProtocolName, given: [ProtocolKey: Secret], of application: Identifier<Application>,
        over before: ProtocolKeySet? = nil
    ) throws(DomainError) -> Made {
        let profile = try protocols.foreign(name)
        let faults = Self.faults(in: given, of: profile)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        var made = Made(
            set: before ?? ProtocolKeySet(application: application, protocolName: name, publicKey: ""),
            issued: IssuedKeys(profile: profile, keys: [:]))
        if let before { made.issued = try shown(before) }
        for known in profile.keys {
            let key = known.name
            if given[key] == nil, before != nil || !known.isMade || !given.isEmpty && !known.isNeeded { continue }
            let secret = given[key] ?? Secret(new(known.form, of: application))
            made.issued.keys[key] = secret
            switch known.keeping {
            case .open: made.set.publicKey = secret.revealed
            case .sealed:
                made.set.sealed[key] = try sealingKey.seal(
                    Array(secret.revealed.utf8), purpose: Self.purpose(key, name, application))
            case .digested: made.set.digests[key] = digest(of: secret.revealed, key, name, application)
            }
        }
        return made
    }

    /// The keys that can be shown again.
    ///
    /// - Throws: `secretUnreadable`.
    func shown(_ set: ProtocolKeySet) throws(DomainError) -> IssuedKeys {
        var keys = try opened(set)
        let profile = protocols[set.protocolName]
        if let key = profile.keys.first { keys[key.name] = Secret(set.publicKey) }
        return IssuedKeys(profile: profile, keys: keys)
    }

    /// The sealed keys.
    ///
    /// - Throws: `secretUnreadable`.
    func opened(_ set: ProtocolKeySet) throws(DomainError) -> [ProtocolKey: Secret] {
        var keys: [ProtocolKey: Secret] = [:]
        for (key, sealed) in set.sealed {
            let bytes = try sealingKey.open(sealed, purpose: Self.purpose(key, set.protocolName, set.application))
            keys[key] = Secret(String(decoding: bytes, as: UTF8.self))
        }
        return keys
    }

    /// What is kept of a key that makes an administrator.
    func digest(
        of text: String, _ key: ProtocolKey, _ name: Session.ProtocolName, _ application: Identifier<Application>
    ) -> SecretDigest {
        hash.digest(of: [Array(Self.purpose(key, name, application).utf8), Array(text.utf8)])
    }

    /// A code that only this installation can make, for tokens that need no record.
    func code(of parts: [String], for set: ProtocolKeySet) -> SecretDigest {
        // What the keys are goes in: other keys end all such tokens.
        let names = set.digests.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value.bytes)
        return hash.digest(
            of: [Array("token \(set.protocolName.rawValue) \(set.application)".utf8)] + names
                + parts.map { Array($0.utf8) })
    }

    static func purpose(
        _ key: ProtocolKey, _ name: Session.ProtocolName, _ application: Identifier<Application>
    ) -> String { "protocol key \(application) \(name.rawValue) \(key.rawValue)" }

    private static func faults(
        in given: [ProtocolKey: Secret], of profile: ProtocolProfile
    ) -> [ValidationError] {
        given.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { key, secret in
            let field = "\(profile.name.rawValue).\(key.rawValue)"
            guard let known = profile[key] else { return ValidationError(field: field, rule: .notListed) }
            let text = secret.revealed
            if case .path(let reserved) = known.form {
                return isBasePath(text, reserved) ? nil : ValidationError(field: field, rule: .notABasePath)
            }
            let isKey =
                (1...maximumKeyBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            return isKey ? nil : ValidationError(field: field, rule: .notAKey)
        }
    }

    /// `/`, or one segment that stands for no other protocol.
    private static func isBasePath(_ text: String, _ reserved: Set<String>) -> Bool {
        if text == "/" { return true }
        guard text.hasPrefix("/"), (2...64).contains(text.utf8.count) else { return false }
        let segment = text.dropFirst()
        return !reserved.contains(String(segment)) && segment.first != "."
            && segment.utf8.allSatisfy { Base62.alphabet.contains($0) || "-_.".utf8.contains($0) }
    }

    /// A new key in the form that the protocol's own service gave.
    private func new(_ form: ProtocolProfile.Key.Form, of application: Identifier<Application>) -> String {
        switch form {
        case .hexadecimal(let byteCount): Hexadecimal.text(of: randomness.bytes(byteCount))
        case .letters(let count): randomness.randomBase62(characterCount: count)
        case .path: "/\(application)"
        }
    }
}
