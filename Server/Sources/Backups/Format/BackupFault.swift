/// Why a backup could not be made, read or restored, in words for the person who asked for it.
package struct BackupFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    static func damaged(_ name: String, _ what: String) -> BackupFault {
        BackupFault(
            "The backup \(name) is damaged: \(what). Take another one; “okaeri backup list” shows those that there are."
        )
    }
}
