import ArgumentParser
import Backups
import Domain
import Foundation
import OkaeriWire

/// `okaeri import okaeri`
struct ImportOkaeriCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "okaeri",
        abstract: "Take an application and its users in from “okaeri export”.",
        discussion: """
            The application keeps its id, and is made. One that is there already takes users with --into-existing alone, and \
            its settings are left alone: a sealed file does not show who made it, and users come with their roles. Users are as they \
            were: ids, names, fields, access lists, passwords, device keys, providers, passkeys, authenticator apps, roles, \
            times. Apps log in by themselves again, once their address leads here. Recovery codes stay where the first sealing \
            key is the same.

            The whole file is checked before anything is written. An import that broke off is run again with --into-existing.

            Examples:
              okaeri import okaeri export.okaeri --secret-key-file okaeri-backup.secret \\
                --dry-run
              okaeri import okaeri export.okaeri --secret-key-file okaeri-backup.secret
              okaeri import okaeri export.jsonl
            """)

    @OptionGroup var source: ImportSourceOptions
    @OptionGroup var secret: BackupSecretKeyOption

    @Flag(help: "Add the users to an application that is there, or go on with an import that broke off.")
    var intoExisting = false

    func run() async throws {
        let (reader, exported, records) = try opened()
        let (id, isRehearsal, now) = (exported.application.id, source.dryRun, Timestamp.current)
        // Filled before the first record is read, in the same task.
        let (found, takesPresent) = (FoundApplication(), intoExisting)
        let rehearsal = isRehearsal ? ImportRehearsal() : nil
        let importer = Importer(application: id, isRehearsal: isRehearsal) { modules, who throws(DomainError) in
            let taken = try await modules.imports.importApplication(exported, isRehearsal: isRehearsal, by: who)
            found.taken = taken
            rehearsal?.application = taken.application
            guard taken.isPresent, !takesPresent else { return nil }
            return .failed(
                """
                The application \(id) is there already. A file is sealed to a public key, so it does not show who made it, and its \
                users come with their roles. If you know where it is from, or an import of it broke off, say --into-existing.
                """)
        } translate: { value throws(ImportFault) in
            try OkaeriUserRecord.user(value, of: id, at: now, readsDigests: found.taken?.readsDigests ?? false)
        } name: {
            $0.user.id.rawValue
        } takeIn: { users, modules throws(DomainError) in
            // Nothing is left out, and names that were two users' before are again.
            try await modules.imports.importUsers(
                users, into: id, of: .native, by: ImportUsers.Rules(takesTwins: true), isRehearsal: isRehearsal,
                rehearsal: rehearsal)
        }
        let report = try await source.run(importer, records, ofBytes: reader.byteCount)
        if let taken = found.taken { tell(taken) }
        try report.requireNoRefusals()
    }

    /// Checks the file, and reads its first line.
    ///
    /// - Throws: `CommandFault` for a file that is no export, is damaged, or needs another key.
    private func opened() throws(CommandFault) -> (
        reader: ExportFileReader, application: ExportedApplication, users: OkaeriUserRecords
    ) {
        // Of what is not there, or may not be asked about, the system says why when it is opened.
        guard FileStatus(of: source.file)?.isFile != false else {
            throw .usage(
                "An export is checked before it is read, which takes a file: \(source.file) is a folder or a pipe.")
        }
        do throws(SystemFault) {
            _ = try FileReader(path: source.file)
        } catch {
            throw .failed("\(source.file) cannot be read: \(error).")
        }
        let key = try secret.secretKey()
        let progress = StepProgress(isWanted: !source.output.isJSON)
        defer { progress.end() }
        let (reader, records): (ExportFileReader, any RecordSource)
        do throws(BackupFault) {
            reader = try ExportFileReader(path: source.file, key: key)
            try reader.check { progress.show("checking", $0, $1) }
            records = try reader.records()
        } catch {
            throw CommandFault(error)
        }
        do throws(RecordFile.Fault) {
            guard let first = try records.next(), first.fault == nil else {
                throw RecordFile.Fault(description: "\(source.file) has no first line that can be read")
            }
            do throws(ImportFault) {
                return (reader, try OkaeriApplicationRecord.application(first.bytes), OkaeriUserRecords(records))
            } catch {
                throw RecordFile.Fault(description: "\(source.file), line 1: \(error.sentence)")
            }
        } catch {
            throw .failed("\(error).")
        }
    }

    private func tell(_ taken: ImportApplication.Taken) {
        guard !source.output.isJSON else { return }
        let id = taken.application.id
        if taken.isPresent {
            Console.tell("The application \(id) was there: its settings are as they were.")
        } else if !source.dryRun {
            Console.tell("The application \(id) is made, with its settings.")
        }
        if !taken.leftOut.isEmpty {
            Console.tell(
                "It is without \(taken.leftOut.joined(separator: ", ")); docs/migrating/away-from-okaeri.md says what to set anew."
            )
        }
        if !taken.readsDigests {
            Console.tell("Recovery codes are not taken along, as the sealing key is another one: users make new ones.")
        }
    }
}

/// Carries what the beginning of an import found to the translation of its records.
private final class FoundApplication {
    var taken: ImportApplication.Taken?
}
