package import Domain
package import OkaeriWire
import PasswordHashes

/// The readers of records that the importers of services have, by the names of the commands: what fuzzers give made-up records to.
package enum ExportReaders {
    package typealias Read =
        @Sendable (
            _ record: JSONValue, _ application: Identifier<Application>, _ now: Timestamp
        ) throws -> ImportedUser

    /// A record that is no user makes them throw.
    package static let all: [(name: String, read: Read)] = [
        reader("users") { try RecordMapping.documented.user($0, of: $1, at: $2).imported },
        reader("firebase") { try FirebaseRecord(scrypt: nil).user($0, of: $1, at: $2) },
        reader("supabase") { try SupabaseRecord(identities: nil, takesAppMetadata: true).user($0, of: $1, at: $2) },
        reader("nakama") { try NakamaRecord.user($0, of: $1, at: $2) },
        reader("pocketbase") { try PocketBaseRecord.user($0, of: $1, at: $2) },
        reader("auth0") { try Auth0Record(takesAppMetadata: true).user($0, of: $1, at: $2) },
        reader("keycloak") { try KeycloakRecord.user($0, of: $1, at: $2) },
        reader("cognito") { try CognitoRecord.user($0, of: $1, at: $2) },
        reader("appwrite") { try AppwriteRecord(sha: .sha1).user($0, of: $1, at: $2) },
        reader("okaeri") { try OkaeriUserRecord.user($0, of: $1, at: $2, readsDigests: true) },
    ]

    private static func reader(_ name: String, _ read: @escaping Read) -> (name: String, read: Read) { (name, read) }

    /// A user whose parts a mapping names.
    ///
    /// - Parameters:
    ///   - mapping: The mapping, as its file has it.
    ///   - record: The record.
    ///   - application: Where the user comes to.
    ///   - now: The time of the import.
    /// - Returns: the user.
    /// - Throws: for a mapping that is none, and a record that is no user.
    package static func user(
        mapping: JSONValue, _ record: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws -> ImportedUser {
        try RecordMapping(mapping).user(record, of: application, at: now).imported
    }

    /// The first line of an export of this program.
    ///
    /// - Throws: for a line that is none.
    package static func application(_ line: [UInt8]) throws -> ExportedApplication {
        try OkaeriApplicationRecord.application(line)
    }
}
