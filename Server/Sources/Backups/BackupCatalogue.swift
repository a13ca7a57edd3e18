import Domain
import OkaeriWire

/// The names of the files at a repository: `okaeri-20261123T041500.123Z.backup` is a backup, `okaeri-LINEAGE-NUMBER.revocations` a
/// segment of the revocation journal.
package struct BackupCatalogue {
    private static let beginning = "okaeri-"
    private static let backupEnding = ".backup"
    private static let segmentEnding = ".revocations"

    /// The names of the backups, the oldest first.
    package let backups: [String]
    /// The segments of the journal that were stored, by the names that they have in a data folder.
    package let segments: [String]

    package init(_ repository: any BackupRepository) throws(BackupFault) {
        let names = try repository.names().filter { $0.hasPrefix(Self.beginning) }
        backups = names.filter { $0.hasSuffix(Self.backupEnding) && Self.isPlain($0) }.sorted()
        segments = names.filter { $0.hasSuffix(Self.segmentEnding) && Self.isPlain($0) }.map {
            String($0.dropFirst(Self.beginning.count).dropLast(Self.segmentEnding.count))
        }
    }

    /// The backup that is meant: a name, or the newest when none is given.
    ///
    /// - Throws: `BackupFault` when there is none, or none of that name.
    package func backup(_ name: String?, at repository: any BackupRepository) throws(BackupFault) -> String {
        guard let newest = backups.last else {
            throw BackupFault("There is no backup at \(repository). “okaeri backup make --to \(repository)” makes one.")
        }
        guard let name else { return newest }
        guard backups.contains(name) else {
            throw BackupFault(
                "There is no backup \(name) at \(repository). “okaeri backup list --from \(repository)” shows those that there are."
            )
        }
        return name
    }

    /// The name of a backup that is made now; names sort by time.
    ///
    /// It is behind those that are there, also where a clock that was ahead gave them their names: the newest one is restored
    /// when none is named, and the others go before it.
    func newName(at time: Timestamp) -> String {
        let latest = backups.last.flatMap {
            Self.time(of: $0.dropFirst(Self.beginning.count).dropLast(Self.backupEnding.count))
        }
        guard let latest, latest > time else { return Self.name(at: time) }
        return Self.name(at: latest + .milliseconds(1))
    }

    static func name(at time: Timestamp) -> String { beginning + text(of: time) + backupEnding }

    /// A time as names have it: `20261123T041500.123Z`.
    static func text(of time: Timestamp) -> String {
        WireTime(millisecondsSince1970: time.milliseconds).description.filter { $0 != "-" && $0 != ":" }
    }

    /// The time that a name has; `nil` for a text of another form.
    static func time(of text: some StringProtocol) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 else { return nil }
        let parts = [0..<4, 4..<6, 6..<11, 11..<13, 13..<20].map { String(decoding: bytes[$0], as: UTF8.self) }
        return WireTime("\(parts[0])-\(parts[1])-\(parts[2]):\(parts[3]):\(parts[4])").map {
            Timestamp(milliseconds: $0.millisecondsSince1970)
        }
    }

    static func storedName(ofSegment name: String) -> String { beginning + name + segmentEnding }

    /// Only what a name of ours can have, because names become paths.
    static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }
}
