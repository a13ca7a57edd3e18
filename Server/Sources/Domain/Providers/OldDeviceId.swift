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

    /// Whether an identity stands for a device id that was used.
    static func wasUsed(
        _ identity: Identity, at now: Timestamp, in application: Identifier<Application>,
        of transaction: any Transaction
    ) throws(DomainError) -> Bool {
        guard identity.provider == .anonymous else { return false }
        return try transaction.wasUsed(mark(of: identity.subject, until: now), in: application)
    }

    /// Whether an identity stands for a device id that one of some keys has used: it leads to the user for this key alone.
    ///
    /// - Parameters:
    ///   - identity: One of the user's.
    ///   - keys: The thumbprints.
    ///   - user: Whose.
    ///   - transaction: What reads the marks.
    /// - Returns: `false` also for other identities.
    /// - Throws: `storageUnavailable`.
    static func isUsed(
        _ identity: Identity, byOneOf keys: [String], of user: User, in transaction: any Transaction
    ) throws(DomainError) -> Bool {
        guard identity.provider == .anonymous else { return false }
        // The end is no part of a mark's key.
        let used = Self.mark(of: identity.subject, until: user.updatedAt)
        guard try transaction.wasUsed(used, in: user.application) else { return false }
        for key in keys where try transaction.wasUsed(used.retry(by: key), in: user.application) { return true }
        return false
    }

    /// The mark that it was used.
    func mark(until end: Timestamp) -> UsedProof { Self.mark(of: subject, until: end) }

    private static func mark(of subject: String, until end: Timestamp) -> UsedProof {
        UsedProof(.providerToken, SecretDigest(of: "device id \(subject)".utf8), until: end)
    }
}
