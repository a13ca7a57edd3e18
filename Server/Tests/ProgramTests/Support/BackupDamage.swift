import Foundation

/// What is wrong with a backup that nobody restores.
enum BackupDamage: CaseIterable {
    case altered, truncated, foreign, otherKey

    /// Changes the file of a backup.
    ///
    /// - Parameter file: Where it is.
    /// - Throws: what reading and writing throw.
    func apply(to file: URL) throws {
        var bytes = try Data(contentsOf: file)
        switch self {
        case .altered: bytes[bytes.count / 2] ^= 1
        case .truncated: bytes = bytes.prefix(bytes.count / 2)
        case .foreign: bytes = Data("PGDMP and what follows that in a dump of PostgreSQL".utf8)
        case .otherKey: break
        }
        try bytes.write(to: file)
    }

    /// Of the error.
    var words: String {
        switch self {
        case .altered, .truncated: "is damaged"
        case .foreign: "is no backup of Okaeri"
        case .otherKey: "is sealed to the key"
        }
    }
}
