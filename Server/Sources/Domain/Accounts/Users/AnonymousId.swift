/// An id that a client made up for a user without a name, as some foreign protocols have it. Who knows it can log in, so
/// that it is treated as a secret: only its digest is kept (requirement 24).
package struct AnonymousId: Hashable, Sendable {
    /// The subject of the identity.
    package let subject: String

    /// `nil` unless the text has the form of a UUID: all the SDKs make those, and nothing that is easier to guess gets
    /// in. Upper and lower case make two ids, as they always did.
    package init?(_ text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ group in group.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 } })
        else { return nil }
        subject = Base64URL.text(of: SecretDigest(of: text.utf8).bytes)
    }

    /// Takes the subject of an identity for the id.
    package init(subject: String) {
        self.subject = subject
    }
}
