import ArgumentParser
import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// `okaeri events tail`
struct TailEventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Show the events of an application, one a line, oldest first.",
        discussion: """
            Without a position it begins with the events that come from now on, and with the oldest one without \
            “--follow”. With --json each line is an object.

            Examples:
              okaeri events tail --application 00VHj9mrbT8wn7Qk
              okaeri events tail --application 00VHj9mrbT8wn7Qk --follow --json
              okaeri events tail --application 00VHj9mrbT8wn7Qk --after 1200 --limit 50
            """)

    @Option(help: ArgumentHelp("Show the events behind this position.", valueName: "position"))
    var after: Int64?

    @Option(
        help: ArgumentHelp("How many events to show, from 1 to \(ReadEvents.maximumPageSize).", valueName: "number"))
    var limit = 100

    @Flag(help: "Go on with what happens, until the command is stopped.")
    var follow = false

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...ReadEvents.maximumPageSize).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(ReadEvents.maximumPageSize), not \(limit).")
        }
    }

    func run() async throws {
        let id = application.id
        try await storage.perform(.readEvents, in: id) { modules, _ throws(DomainError) in
            let known = try await modules.applications.findApplication(id)
            if !known.settings.events.isRecorded, !output.isJSON {
                Console.write("No events are recorded: the application has no endpoint, and its stream is off.")
            }
            var position: Int64
            if let after {
                position = after
            } else {
                position = follow ? try await modules.events.readEvents.end(of: id) : 0
            }
            while true {
                let page = try await modules.events.readEvents(in: id, after: position, limit: limit)
                for event in page.events { show(event) }
                guard follow else { return }
                if page.next == position {
                    // Only the end of the process interrupts the wait.
                    try? await Task.sleep(for: .seconds(1))
                }
                position = page.next
            }
        }
    }

    private func show(_ event: Event) {
        guard !output.isJSON else { return Console.write(jsonLine: EventBody(event)) }
        let details = event.details.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        Console.write(
            ([String(event.position ?? 0), event.at.localText, event.type.rawValue, event.user.rawValue] + details)
                .joined(separator: "  "))
    }
}

/// `okaeri events replay`
struct ReplayEventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Let a server send events to an endpoint again.",
        discussion: """
            Without a position it is the events that were given up; with one it is all events behind it. The server \
            sends them within seconds.

            Examples:
              okaeri events replay 00VHjC2mXa7Kq1Zb --application 00VHj9mrbT8wn7Qk
              okaeri events replay 00VHjC2mXa7Kq1Zb --application 00VHj9mrbT8wn7Qk \\
                --after 1200
            """)

    @Argument(help: ArgumentHelp("The endpoint's id.", valueName: "endpoint"))
    var endpoint: String

    @Option(help: ArgumentHelp("Send all events behind this position.", valueName: "position"))
    var after: Int64?

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, target, after) = (application.id, Identifier<EventEndpoint>(rawValue: endpoint), after)
        let count: Int
        do throws(CommandFault) {
            count = try await storage.perform(.replayEvents, in: id) { modules, who throws(DomainError) in
                if let after {
                    return try await modules.events.replayEvents(after: after, to: target, in: id, by: who)
                }
                return try await modules.events.replayEvents(givenUpOf: target, in: id, by: who)
            }
        } catch {
            throw error.saying(
                "There is no such application, or no such endpoint in it. “okaeri application list” shows applications; the "
                    + "dashboard, and GET /v1/admin/applications/\(id)/event-endpoints, the endpoints of one.",
                of: .adminResourceUnknown)
        }
        guard !output.isJSON else { return Console.write(json: Output(count: count)) }
        Console.write(count == 1 ? "1 event waits to be sent again." : "\(count) events wait to be sent again.")
    }

    private struct Output: Encodable {
        let count: Int
    }
}
