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

    func damaged(_ name: String, _ what: String) -> BackupFault {
        switch self {
        case .backup:
            BackupFault(
                "The backup \(name) is damaged: \(what). Take another one; “okaeri backup list” shows those that there are."
            )
        case .export: BackupFault("The export \(name) is damaged: \(what). Copy it again, or make it again.")
        }
    }

    func foreign(_ name: String) -> BackupFault {
        switch self {
        case .backup:
            BackupFault(
                "\(name) is no backup of Okaeri. “okaeri backup list” shows the backups of a repository; a copy of a database "
                    + "is put into the data folder by hand.")
        case .export: BackupFault("\(name) is no export of Okaeri. “okaeri export” makes one.")
        }
    }

    func unknownFormat(_ name: String, _ version: UInt8, known: UInt8) -> BackupFault {
        let (noun, verb) = self == .backup ? ("backup", "Restore") : ("export", "Import")
        return BackupFault(
            "The \(noun) \(name) has format \(version), and this program knows \(known). \(verb) it with the Okaeri that made "
                + "it, or a newer one.")
    }

    func otherKey(_ name: String, needs: String, given: String) -> BackupFault {
        BackupFault(
            "The \(self == .backup ? "backup" : "export") \(name) is sealed to the key \(needs), and the secret key that was "
                + "given is of \(given). Name the file of the right one with --secret-key-file.")
    }
}
