/// An id of a device, by which a service knew an anonymous user: at Nakama a row of `user_device`. It leads to the user whom an
/// import took in, by adoption alone, for the device that presents it first.
package struct OldDeviceId: Hashable, Sendable {
    /// The most ids of one user.
    package static let maximumCount = 50
    /// How long an id counts as used, which has no end of its own.
    static let memory: Duration = .days(3650)
    /// Of 30 random digits fewer than six are different once in 10^11 ids.
    private static let minimumDifferentDigits = 6

    private let subject: String

    /// `nil` for what is easier to guess, which leads to nobody: another form, and fewer than six different digits, such as
    /// the zeros that iOS gives for an advertising id.
    ///
    /// - Parameter text: A UUID, or 32 to 64 hexadecimal digits: what Unity calls a device of Android or Windows.
    package init?(_ text: String) {
        let digits = text.utf8.count == 36 && AnonymousId(text) != nil ? text.filter { $0 != "-" } : text
        guard (32...64).contains(digits.utf8.count), digits.utf8.count == digits.count,
            digits.allSatisfy(\.isHexDigit), Set(digits.lowercased()).count >= Self.minimumDifferentDigits
        else { return nil }
        // Not the subject of such an id: the protocols that know those take no id of a device for one.
        subject = Base64URL.text(of: SecretDigest(of: "device \(text)".utf8).bytes)
    }

    /// What is stored of it. It goes when everything else that leads to the user is ended.
    ///
    /// - Parameter time: Since when it is there.
    /// - Returns: an identity without the id itself.
    package func identity(linkedAt time: Timestamp) -> Identity {
        Identity(provider: .anonymous, subject: subject, linkedAt: time)
    }

    /// The user to whom it leads.
    func owner(
        in application: Identifier<Application>, of transaction: any Transaction
    ) throws(DomainError) -> User? {
        try transaction.user(provider: .anonymous, subject: subject, in: application)
    }

    /// Those of some identities that stand for device ids which were used.
    ///
    /// - Throws: `storageUnavailable`.
    static func used(
        among identities: [Identity], at now: Timestamp, in application: Identifier<Application>,
        of transaction: any Transaction
    ) throws(DomainError) -> [Identity] {
        let anonymous = identities.filter { $0.provider == .anonymous }
        guard !anonymous.isEmpty else { return [] }
        let marks = anonymous.map { mark(of: $0.subject, until: now) }
        let used = Set(try transaction.used(among: marks, in: application))
        return zip(anonymous, marks).filter { used.contains($1) }.map(\.0)
    }

    /// Those of some identities that stand for device ids which one of some keys has used: they lead to the user for this
    /// key alone.
    ///
    /// - Parameters:
    ///   - identities: Of the user.
    ///   - keys: The thumbprints.
    ///   - user: Whose.
    ///   - transaction: What reads the marks.
    /// - Returns: in their order.
    /// - Throws: `storageUnavailable`.
    static func used(
        among identities: [Identity], byOneOf keys: [String], of user: User, in transaction: any Transaction
    ) throws(DomainError) -> [Identity] {
        // The end is no part of a mark's key.
        let end = user.updatedAt
        let used = try Self.used(among: identities, at: end, in: user.application, of: transaction)
        guard !used.isEmpty else { return [] }
        let retries = used.map { identity in keys.map { mark(of: identity.subject, until: end).retry(by: $0) } }
        let known = Set(try transaction.used(among: retries.flatMap { $0 }, in: user.application))
        return zip(used, retries).filter { !known.isDisjoint(with: $1) }.map(\.0)
    }

    /// The mark that it was used.
    func mark(until end: Timestamp) -> UsedProof { Self.mark(of: subject, until: end) }

    private static func mark(of subject: String, until end: Timestamp) -> UsedProof {
        UsedProof(.providerToken, SecretDigest(of: "device id \(subject)".utf8), until: end)
    }
}
