/// Why a backup could not be made, read or restored, in words for the person who asked for it.
package struct BackupFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    static func damaged(_ name: String, _ what: String) -> BackupFault { SealedFileUse.backup.damaged(name, what) }
}

/// What a sealed file is for, in the words of faults.
package enum SealedFileUse: Sendable {
    case backup
    case export
    /// A part of the revocation journal, which is stored with the backups and read by every restore of one.
    case journal

    private static let withoutJournal =
        "Where the old data folder or database is left, name it with --revocations-of. To restore without the journal, take "
        + "that file out of the repository: all sessions, codes, log-ins of admins and their API keys end then."

    private var noun: String {
        switch self {
        case .backup: "backup"
        case .export: "export"
        case .journal: "part of the revocation journal"
        }
    }

    func damaged(_ name: String, _ what: String) -> BackupFault {
        switch self {
        case .backup:
            BackupFault(
                "The backup \(name) is damaged: \(what). Take another one; “okaeri backup list” shows those that there are."
            )
        case .export: BackupFault("The export \(name) is damaged: \(what). Copy it again, or make it again.")
        case .journal: BackupFault("The \(noun) \(name) is damaged: \(what). \(Self.withoutJournal)")
        }
    }

    func foreign(_ name: String) -> BackupFault {
        switch self {
        case .backup:
            BackupFault(
                "\(name) is no backup of Okaeri. “okaeri backup list” shows the backups of a repository; a copy of a database "
                    + "is put into the data folder by hand.")
        case .export: BackupFault("\(name) is no export of Okaeri. “okaeri export” makes one.")
        case .journal: BackupFault("\(name) is no \(noun) of Okaeri. \(Self.withoutJournal)")
        }
    }

    func unknownFormat(_ name: String, _ version: UInt8, known: UInt8) -> BackupFault {
        let verb = self == .export ? "Import" : "Restore"
        return BackupFault(
            "The \(noun) \(name) has format \(version), and this program knows \(known). \(verb) it with the Okaeri that made "
                + "it, or a newer one.")
    }

    func otherKey(_ name: String, needs: String, given: [String]) -> BackupFault {
        BackupFault(
            "The \(noun) \(name) is sealed to the key \(needs), and the secret key that was given is of "
                + "\(given.joined(separator: ", ")). Name the file of the right one with --secret-key-file. Where the keys were "
                + "changed between a backup and what was stored behind it, both stand in the file, each on a line.")
    }
}
