/// What becomes of a record whose name, address, number or identity another user has.
package enum ImportDuplicates: Sendable {
    /// It is refused.
    case refuse
    /// It is taken in without what the other user has, as long as something leads to it: the first one keeps it.
    case first
    /// The same, but an address or a number that nobody has verified goes to the record of the export in which it is verified,
    /// wherever in the export that stands. Users who are there already keep what they have.
    case verified(VerifiedIdentifiers)

    var takesParts: Bool {
        if case .refuse = self { false } else { true }
    }

    /// What of a user's is another record's of the export.
    func lost(by user: User) -> [ValidationError] {
        guard case .verified(let identifiers) = self else { return [] }
        return user.typedIdentifiers.filter { !user.hasProved($0.kind) && identifiers.contains($0) }
            .map { ValidationError(field: $0.kind.rawValue, rule: .notUnique) }
    }
}

/// Addresses and numbers that an export says are verified, as 64-bit digests: about 16 MiB for a million.
package struct VerifiedIdentifiers: Sendable {
    /// The most that are kept; of more, the first ones.
    package static let maximum = 3_000_000

    private var digests: Set<Int> = []

    package init() {}

    /// Notes what of a record is verified.
    package mutating func note(_ imported: ImportedUser) {
        let user = imported.user
        // A user name is nobody's to verify.
        for identifier in user.typedIdentifiers where identifier.kind != .username && user.hasProved(identifier.kind) {
            guard digests.count < Self.maximum else { return }
            digests.insert(Self.digest(identifier))
        }
    }

    func contains(_ identifier: LogInIdentifier) -> Bool { digests.contains(Self.digest(identifier)) }

    /// By the hash function of the process, whose key nobody who writes an export knows.
    private static func digest(_ identifier: LogInIdentifier) -> Int {
        var hasher = Hasher()
        hasher.combine(identifier.kind)
        hasher.combine(identifier.folded)
        return hasher.finalize()
    }
}
