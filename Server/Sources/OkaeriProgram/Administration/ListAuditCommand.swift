import ArgumentParser
import Domain
import HTTPSupport

/// `okaeri audit list`
struct ListAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show an application's audit log, newest first.",
        discussion: """
            When there are more, the last line tells how to go on; in JSON it is the member “next”. Without an \
            application it is the log of the server's own actions.

            Examples:
              okaeri audit list --application 00VHj9mrbT8wn7Qk
              okaeri audit list --application 00VHj9mrbT8wn7Qk \\
                --target user:00VHjA0kPq3ZsX1d --json
              okaeri audit list --application 00VHj9mrbT8wn7Qk --action session.ended \\
                --limit 1000
            """)

    @Option(help: ArgumentHelp("The application's id.", valueName: "id"))
    var application: String?

    @Option(help: ArgumentHelp("Only what this one did: user:ID, operator, server.", valueName: "actor"))
    var actor: String?

    @Option(help: ArgumentHelp("Only this kind of action.", valueName: "action"))
    var action: String?

    @Option(help: ArgumentHelp("Only what was done to this one: user:ID, session:ID.", valueName: "target"))
    var target: String?

    @Option(
        help: ArgumentHelp("How many entries to show, from 1 to \(ListAudit.maximumPageSize).", valueName: "number"))
    var limit = 100

    @Option(help: ArgumentHelp("Show the entries that are older than this one.", valueName: "id"))
    var before: String?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...ListAudit.maximumPageSize).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(ListAudit.maximumPageSize), not \(limit).")
        }
    }

    func run() async throws {
        let (id, limit) = (application.map(Identifier<Application>.init(rawValue:)), limit)
        let before = before.map(Identifier<AuditEntry>.init(rawValue:))
        let filter = AuditFilter(
            actor: actor.map(AuditEntry.Actor.init(rawValue:)), action: action.map(AuditEntry.Action.init(rawValue:)),
            target: target.map(AuditEntry.Target.init(rawValue:)))
        let (entries, hasMore) = try await storage.perform(.readAudit) { modules, who throws(DomainError) in
            if let id { _ = try await modules.applications.findApplication(id) }
            let log = id ?? AuditEntry.server
            let entries = try await modules.administration.audit.list(
                in: log, matching: filter, before: before, limit: limit, by: .export)
            guard entries.count == limit, let last = entries.last else { return (entries, false) }
            let next = try await modules.administration.audit.list(
                in: log, matching: filter, before: last.id, limit: 1, by: .export)
            return (entries, !next.isEmpty)
        }
        let next = hasMore ? entries.last?.id.rawValue : nil
        guard !output.isJSON else {
            return Console.write(json: Output(entries: entries.map(AuditEntryBody.init(_:)), next: next))
        }
        guard !entries.isEmpty else { return Console.write("The audit log has no such entries.") }
        var table = TextTable("WHEN", "WHO", "WHAT", "TO WHOM", "RESULT", "ADDRESS", "REQUEST")
        for entry in entries {
            table.add(
                entry.at.localText, entry.actor.rawValue, entry.action.rawValue, entry.target?.rawValue,
                entry.result.rawValue, entry.origin.address, entry.origin.requestId)
        }
        Console.write(table.text())
        if let next { Console.write("There are more: --before \(next)") }
    }

    private struct Output: Encodable {
        let entries: [AuditEntryBody]
        let next: String?
    }
}
