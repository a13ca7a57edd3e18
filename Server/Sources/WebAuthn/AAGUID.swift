@_spi(PercentEncodedText) import enum OkaeriWire.PercentEncodedText

/// The kind of an authenticator, as it says itself (WebAuthn §6.5.1): a UUID, all zero when it does not say.
package struct AAGUID: Hashable, Sendable {
    /// Lower-case hexadecimal digits in five groups.
    package let text: String

    private static let groups = [8, 4, 4, 4, 12]

    /// `nil` unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(truncatingIfNeeded: byte >> 4)], digits[Int(truncatingIfNeeded: byte & 0xf)]]
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// `nil` for what is no UUID.
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        let groups = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == Self.groups,
            groups.allSatisfy({ $0.utf8.allSatisfy { PercentEncodedText.digit($0) != nil } })
        else { return nil }
        self.text = groups.joined(separator: "-")
    }

    /// Whether the authenticator does not say what it is.
    package var isUnknown: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") } }
}
