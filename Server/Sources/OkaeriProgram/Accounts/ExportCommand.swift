import ArgumentParser
import Backups
import Domain
import Foundation
import HTTPSupport
import OkaeriServer

/// `okaeri export`
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Take an application out, with its settings and all its users.",
        discussion: """
            The file is sealed to a public key, as backups are; “okaeri backup new-key” makes a pair. Beneath the seal it is JSON \
            lines in a documented form, with password hashes as PHC strings: “okaeri import okaeri” makes the same application \
            of it, and docs/migrating/away-from-okaeri.md says how another service reads it. With --no-secrets the file is open \
            and has neither hashes nor keys.

            A server may run meanwhile. The file has its name only when it is whole; an export that broke off is begun anew. \
            Sessions of apps of old protocols go along, the newest 100 of a user; other sessions, mails and the audit log are in \
            backups alone.

            Examples:
              okaeri export --application 00VHj9mrbT8wn7Qk --key okaeri-backup-key-1-…
              okaeri export --application 00VHj9mrbT8wn7Qk --key okaeri-backup-key-1-… \\
                --output app.okaeri --json
              okaeri export --application 00VHj9mrbT8wn7Qk --no-secrets \\
                --output users.jsonl
            """)

    @OptionGroup var application: ApplicationOption

    @Option(
        help: ArgumentHelp(
            "The file to write, which must not be there yet; otherwise ID.okaeri, or ID.jsonl with --no-secrets.",
            valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The public key, as “okaeri backup new-key” printed it. (\(BackupVariable.key))", valueName: "key"))
    var key: String?

    @Flag(help: "Leave hashes, keys and secrets out, and do not seal the file.")
    var noSecrets = false

    @OptionGroup var storage: StorageOptions
    @OptionGroup var form: OutputOptions

    func validate() throws {
        if noSecrets, key != nil { throw ValidationError("--key says nothing with --no-secrets.") }
    }

    func run() async throws {
        let id = application.id
        let publicKey = noSecrets ? nil : try BackupPublicKey.named(key)
        let path = output ?? "\(id.rawValue.filter { $0 != "/" }).\(noSecrets ? "jsonl" : "okaeri")"
        let now = Timestamp.current
        let file: ExportFileWriter
        do throws(BackupFault) {
            file = try ExportFileWriter(path: path, sealedTo: publicKey, program: ProgramVersion.current, at: now)
        } catch {
            throw CommandFault(error)
        }
        let takesSecrets = !noSecrets
        let progress = StepProgress(isWanted: !form.isJSON)
        defer { progress.end() }
        var (written, fault): (Int, CommandFault?) = (0, nil)
        try await storage.perform(.exportApplication, in: id) { modules, who throws(DomainError) in
            let export = modules.imports.exportApplication
            let begun = try await export.begin(id, takesSecrets: takesSecrets, by: who)
            var last: Identifier<User>?
            do throws(CommandFault) {
                try put(OkaeriApplicationRecord.firstLine(begun.application, at: now), in: file)
            } catch {
                return fault = error
            }
            while true {
                let page = try await export.users(of: begun.application, after: last)
                guard let end = page.last else { return }
                last = end.user.id
                do throws(CommandFault) {
                    try put(lines(of: page), in: file)
                } catch {
                    return fault = error
                }
                written += page.count
                progress.show("exporting", written, max(begun.users, written))
            }
        }
        if let fault { throw fault }
        let byteCount: Int
        try put(OkaeriApplicationRecord.lastLine(users: written), in: file)
        do throws(BackupFault) {
            byteCount = try file.finish()
        } catch {
            throw CommandFault(error)
        }
        progress.end()
        guard !form.isJSON else {
            return Console.write(
                json: Output(file: path, byteCount: byteCount, users: written, key: publicKey?.id))
        }
        let seal = publicKey.map { "sealed to \($0.id)" } ?? "open, without hashes and secrets"
        Console.write("\(path) has the application and its \(written.counted("user")): \(byteCount) bytes, \(seal).")
    }

    private struct Output: Encodable {
        let file: String
        let byteCount: Int
        let users: Int
        let key: String?
    }

    private func put(_ lines: [UInt8], in file: ExportFileWriter) throws(CommandFault) {
        do throws(BackupFault) {
            try file.put(lines)
        } catch {
            throw CommandFault(error)
        }
    }

    private func lines(of page: [ExportedUser]) throws(CommandFault) -> [UInt8] {
        var lines: [UInt8] = []
        for exported in page {
            let line = try OkaeriApplicationRecord.line(OkaeriUserRecord.members(of: exported))
            guard line.count <= ExportFileReader.longestLine else {
                throw .failed(
                    "The user \(exported.user.id) takes more than \(ExportFileReader.longestLine) bytes, which no import reads."
                )
            }
            lines += line
        }
        return lines
    }
}
