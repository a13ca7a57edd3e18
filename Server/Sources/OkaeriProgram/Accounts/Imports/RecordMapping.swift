import Domain
import Foundation
import OkaeriWire
import PasswordHashes

/// Where the parts of a user stand in a service's record.
struct RecordMapping {
    /// A part of a user that is one value.
    enum Column: String, CaseIterable {
        case id, username, email, emailVerified, phone, phoneVerified, displayName, locale, createdAt, updatedAt
        case lastLogInAt, disabled, passwordHash
    }

    /// Paths of the parts that the record has.
    var columns: [Column: String]
    /// Paths of the names at providers.
    var providers: [String: String] = [:]
    /// Paths of the values that become custom fields.
    var fields: [String: String] = [:]
    /// Paths of objects whose members become custom fields.
    var metadata: [String] = []
    /// The path of an object of names at providers.
    var providerNames: String?
    var times = ExportedRecord.TimeUnit.milliseconds
    /// How hashes were made that do not say it themselves.
    var digest: DigestColumns?

    /// The documented form: each part under its own name, `providers` and `fields` as objects.
    static let documented = RecordMapping(
        columns: Column.allCases.reduce(into: [:]) { $0[$1] = $1.rawValue }, metadata: ["fields"],
        providerNames: "providers")
}

extension RecordMapping {
    /// Reads a mapping: an object with the parts' names and paths, `providers` and `fields` (names and paths), `metadata`
    /// (a list of paths), `times` (`milliseconds` or `seconds`) and `passwordDigest` (see `DigestColumns`).
    ///
    /// - Throws: `CommandFault` for anything else, so that a misspelt name does not lose a column.
    init(_ value: JSONValue) throws(CommandFault) {
        guard case .object(let members) = value else { throw .failed("The mapping is no JSON object.") }
        self.init(columns: [:])
        for (name, value) in members {
            switch name {
            case "providers": providers = try Self.paths(value, of: name)
            case "fields": fields = try Self.paths(value, of: name)
            case "metadata":
                guard case .array(let list) = value else { throw .failed("metadata of the mapping is no list.") }
                metadata = try list.map { path throws(CommandFault) in try Self.path(path, of: name) }
            case "times":
                guard let unit = ExportedRecord.TimeUnit(rawValue: try Self.path(value, of: name)) else {
                    throw .failed("times of the mapping is neither milliseconds nor seconds.")
                }
                times = unit
            case "passwordDigest": digest = try DigestColumns(value)
            default:
                guard let column = Column(rawValue: name) else {
                    throw .failed("The mapping names “\(ExportedRecord.printable(name))”, which no user has.")
                }
                columns[column] = try Self.path(value, of: name)
            }
        }
        guard columns[.id] != nil else { throw .failed("The mapping has no id.") }
    }

    private static func paths(_ value: JSONValue, of name: String) throws(CommandFault) -> [String: String] {
        guard case .object(let members) = value else { throw .failed("\(name) of the mapping is no object.") }
        var paths: [String: String] = [:]
        for (key, value) in members { paths[key] = try path(value, of: name) }
        return paths
    }

    private static func path(_ value: JSONValue, of name: String) throws(CommandFault) -> String {
        guard case .string(let path) = value, !path.isEmpty else {
            throw .failed("\(name) of the mapping holds something that is no path.")
        }
        return path
    }
}

extension RecordMapping {
    /// Makes a user of a record.
    ///
    /// - Parameters:
    ///   - value: The record.
    ///   - application: Where the user comes to.
    ///   - now: The time for users whose record tells none.
    /// - Returns: the user, with what the record holds and nobody can have as faults; and the record, for what the service
    ///   writes in a form of its own.
    /// - Throws: `ImportFault` for a record that is no user.
    func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> (imported: ImportedUser, record: ExportedRecord) {
        let idPath = columns[.id] ?? Column.id.rawValue
        var record = try ExportedRecord(value, idAt: idPath, unit: times)
        guard let id = record.text(idPath) else { throw record.fault("\(idPath) is missing") }
        func text(_ column: Column) -> String? { columns[column].flatMap(record.text) }
        let created = columns[.createdAt].flatMap { record.time($0) } ?? now
        var user = User(
            id: Identifier(rawValue: id), application: application, displayName: text(.displayName),
            locale: text(.locale), createdAt: created,
            updatedAt: columns[.updatedAt].flatMap { record.time($0) } ?? created)
        func wayIn(_ column: Column, _ field: String) -> String? {
            columns[column].flatMap { record.text($0, faultAt: field) }
        }
        user.username = wayIn(.username, "username")
        user.email = wayIn(.email, "email")
        user.phone = wayIn(.phone, "phone")
        let updated = user.updatedAt
        if user.email != nil {
            user.emailVerifiedAt = columns[.emailVerified].flatMap { record.since($0, otherwise: updated) }
        }
        if user.phone != nil {
            user.phoneVerifiedAt = columns[.phoneVerified].flatMap { record.since($0, otherwise: updated) }
        }
        user.lastLogInAt = columns[.lastLogInAt].flatMap { record.time($0) }
        user.disabledAt = columns[.disabled].flatMap { record.since($0, otherwise: updated) }
        for path in metadata { user.fields.merge(record.object(path)) { earlier, _ in earlier } }
        for (name, path) in fields { user.fields[name] = record.value(path) }
        var imported = ImportedUser(user: user)
        if let hash = wayIn(.passwordHash, "password"), !OldPasswordHash.isNone(hash) {
            imported.hash = digest.map { $0.hash(hash, in: record) } ?? OldPasswordHash.stored(hash)
            if digest != nil, imported.hash == nil { imported.add(.notATriableHash, at: "password") }
        }
        // Two columns may be of one provider.
        for (name, path) in providers.sorted(by: { $0.key < $1.key }) {
            let provider = Identity.Provider.named(name)
            let subject = record.text(path, faultAt: "identities.\(provider.rawValue)")
            if let subject { imported.link(provider, subject) }
        }
        if let providerNames {
            for (name, value) in record.object(providerNames).sorted(by: { $0.key < $1.key }) {
                guard case .string(let subject) = value, !subject.isEmpty else {
                    throw record.fault("\(providerNames).\(ExportedRecord.printable(name)) is no text")
                }
                imported.link(.named(name), subject)
            }
        }
        return (imported, record)
    }
}

extension ImportedUser {
    mutating func add(_ rule: ValidationError.Rule, at field: String) {
        faults.append(ValidationError(field: field, rule: rule))
    }
}

extension Identity.Provider {
    /// The provider that a service calls by a name of its own. A name that nobody knows stays, and is reported.
    static func named(_ name: String) -> Identity.Provider {
        switch name {
        case "google.com", "google-oauth2": .google
        case "apple.com", "Apple", "SignInWithApple": .apple
        case "facebook.com", "Facebook": .facebook
        case "twitter.com": .twitter
        case "Google": .google
        case "gc.apple.com": .gameCenter
        default: Identity.Provider(rawValue: ExportedRecord.printable(name))
        }
    }
}
