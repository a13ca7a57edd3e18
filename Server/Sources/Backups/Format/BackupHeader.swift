import Domain
import Foundation

/// What stands in clear at the beginning of each file that a backup is made of.
package struct BackupHeader: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
        /// A whole database.
        case database
        /// What `pg_dump` made of a shared database, in its own format.
        case dump
        /// A segment of the revocation journal.
        case revocations
        /// A copy of the database from which a replica goes on.
        case replicaBase = "replica-base"
        /// An application with its users. How long it is and its digest are not known when the header is written; the
        /// encryption guards each piece, and the end.
        case application
        /// Frames of the write-ahead log and lines of the revocation journal.
        case replicaPart = "replica-part"
    }

    /// What a part of a replica is.
    package struct Part: Codable, Hashable, Sendable {
        /// Its name, by which it is known when its file has another one.
        package var name: String
        /// How far each segment of the revocation journal is in this part and those before it, in bytes.
        package var journal: [String: Int]
    }

    package var kind: Kind
    /// Milliseconds since 1970.
    package var madeAt: Int64
    /// The version of the program.
    package var program: String
    /// The version of the database's schema.
    package var schemaVersion: Int
    /// The segment of the revocation journal that begins with this backup, or that this is.
    package var segment: String
    /// Rows of some tables.
    package var rows: [String: Int]
    /// How long the content is.
    package var byteCount: Int64
    /// SHA-256 of the content, in Base64URL.
    package var digest: String
    /// The id of the key that it is sealed to.
    package var key: String
    /// The ids of the sealing keys that the database needs; `nil` for what holds no database, and in older backups.
    package var sealingKeys: [String]?
    /// `nil` for what belongs to no replica.
    package var part: Part?
}

/// The frame of a sealed file: mark and version, header, sealed data key, stream header; then pieces of the content,
/// compressed and encrypted, each with its length; at the end the SHA-256 of all bytes before it.
enum BackupFrame {
    static let mark = Array("okaeri backup\n".utf8)
    static let version: UInt8 = 1
    static let maximumHeaderBytes = 65_536
    /// Content in one piece, after compression.
    static let pieceBytes = 262_144
    static let digestBytes = 32

    static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(clamping: number).bigEndian) { Array($0) }
    }

    static func number(_ bytes: some Collection<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int(truncatingIfNeeded: $1) }
    }
}
