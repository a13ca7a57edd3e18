/// A line of the journal: what it says, and a checksum that tells a torn or damaged one.
package enum RevocationLine {
    package static func sealed(_ line: String) -> String { "\(line) \(checksum(line))" }

    /// What a line says; `nil` for one that is damaged.
    package static func opened(_ line: Substring) -> Substring? {
        guard let space = line.lastIndex(of: " ") else { return nil }
        let content = line[..<space]
        return line[line.index(after: space)...] == checksum(content) ? content : nil
    }

    /// FNV-1a with 64 bits: against accidents, not against people, who could write to the database too.
    private static func checksum(_ text: some StringProtocol) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
