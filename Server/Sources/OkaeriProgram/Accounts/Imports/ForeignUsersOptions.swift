import ArgumentParser
import Domain
import Foundation
import OkaeriWire

/// What each import of another service's users asks for.
struct ForeignUsersOptions: ParsableArguments {
    @OptionGroup var users: ImportUsersOptions

    @Flag(help: "User names that differ in capitals alone are two users' names.")
    var caseSensitiveNames = false

    @Flag(help: "Take in users to whom nothing leads: no name, address, number or provider.")
    var anonymous = false

    @Option(
        help: ArgumentHelp(
            "What a provider of the export is called here, such as corp=oidc:corp; may be repeated.",
            valueName: "theirs=ours"))
    var provider: [String] = []

    func validate() throws {
        guard provider.allSatisfy({ Self.names($0) != nil }) else {
            throw ValidationError(
                "--provider must be two names and an equals sign between them, such as corp=oidc:corp.")
        }
    }

    /// The two names of one `--provider`.
    private static func names(_ text: String) -> (theirs: String, ours: String)? {
        let names = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else { return nil }
        return (String(names[0]), String(names[1]))
    }

    /// What providers are called here, by what the export calls them.
    private var renamed: [Identity.Provider: Identity.Provider] {
        provider.compactMap(Self.names).reduce(into: [:]) {
            $0[.named($1.theirs)] = Identity.Provider(rawValue: $1.ours)
        }
    }

    /// Takes the users of the export in, prints the report, and fails when one was refused.
    ///
    /// - Parameters:
    ///   - list: The member of a document around everything that holds the users.
    ///   - translate: What a record makes, at the time of the import.
    /// - Throws: `CommandFault`; exit status 1.
    func run(
        list: RecordFile.List = .results,
        _ translate: @escaping (JSONValue, Identifier<Application>, Timestamp) throws(ImportFault) -> ImportedUser
    ) async throws {
        let (takesAnonymous, renamed) = (anonymous, renamed)
        try await users.run(of: .native, list: list, takesTwins: caseSensitiveNames) {
            value, application, now throws(ImportFault) in
            var imported = try translate(value, application, now)
            let names = imported.providerNames.sorted { $0.key.rawValue < $1.key.rawValue }
            imported.providerNames = [:]
            for (theirs, subject) in names { imported.link(renamed[theirs] ?? theirs, subject) }
            let user = imported.user
            guard takesAnonymous || !user.typedIdentifiers.isEmpty || !imported.providerNames.isEmpty else {
                throw ImportFault(
                    id: user.id.rawValue, sentence: "nothing leads to the user; --anonymous takes it in all the same")
            }
            return imported
        }
    }

    /// Reads a small JSON file that belongs to an import, such as a mapping.
    ///
    /// - Throws: `CommandFault` when it cannot be read, is longer than 64 KiB, or is not JSON.
    static func smallFile(_ path: String) throws(CommandFault) -> JSONValue {
        try json(smallFileBytes(path), of: path)
    }

    /// The value of a small file that was read.
    ///
    /// - Throws: `CommandFault` when it is not JSON.
    static func json(_ bytes: [UInt8], of path: String) throws(CommandFault) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: bytes)
        } catch {
            throw .failed("\(path) \(error.reason(in: bytes, of: "the file")).")
        }
    }

    /// Reads a small file of any form.
    ///
    /// - Throws: `CommandFault` when it cannot be read, or is longer than 64 KiB.
    static func smallFileBytes(_ path: String) throws(CommandFault) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemFault) {
            bytes = try FileReader(path: path).readAll(upTo: 65_537)
        } catch {
            throw .failed("\(path) cannot be read: \(error).")
        }
        guard bytes.count <= 65_536 else { throw .failed("\(path) is longer than 64 KiB.") }
        return bytes
    }
}

/// The option of services that keep apart what users may change and what the app alone may.
struct AppMetadataOption: ParsableArguments {
    @Flag(help: "Take app metadata (app_metadata, raw_app_meta_data) in as custom fields too.")
    var appMetadata = false
}

extension RecordFile.List {
    /// `{…, "users": […]}`
    static let users = RecordFile.List("users", mayFollow: true)
}

extension ImportedUser {
    /// Takes the user's name at a provider in. A user has one at each: a second one is a fault, and is what the user comes without.
    mutating func link(_ provider: Identity.Provider, _ subject: String) {
        guard let first = providerNames[provider] else { return providerNames[provider] = subject }
        if first != subject { add(.notUnique, at: "identities.\(provider.rawValue)[1]") }
    }

    mutating func link(_ accounts: [ExportedRecord.Account]) {
        for account in accounts { link(.named(account.provider), account.subject) }
    }

    /// Adds what the record holds and nobody can have.
    func with(_ record: ExportedRecord) -> ImportedUser {
        var imported = self
        imported.faults += record.times.faults + record.faults
        return imported
    }
}
