import Domain
import Foundation
import HTTPTypes
import Logging
import OkaeriServer
import OutboundServices
import Synchronization
import Testing

@Suite("The copy of the audit log")
struct AuditStreamTests {
    /// Takes entries as long as the test lets it.
    private final class Receiver: AuditReceiver {
        private let state = Mutex(State())

        private struct State: Sendable {
            var lines: [String] = []
            var fault: String?
            /// What it takes at once.
            var most = Int.max
        }

        var lines: [String] { state.withLock { $0.lines } }

        func fail(_ fault: String?) { state.withLock { $0.fault = fault } }

        func take(atMost count: Int) { state.withLock { $0.most = count } }

        func send(_ lines: [AuditLine]) async -> String? {
            state.withLock { state in
                if lines.count > state.most { return "it takes too long" }
                if state.fault == nil { state.lines += lines.map(\.json) }
                return state.fault
            }
        }

        func close() async {}
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    private func stream(_ server: TestServer, _ receiver: Receiver, _ counts: AuditStreamCounts = AuditStreamCounts())
        throws -> AuditStream
    {
        try AuditStream(server.modules, to: receiver, folder: folder, counts: counts, logger: TestServer.silence)
    }

    private func numbers(_ receiver: Receiver, of application: Identifier<Domain.Application>) throws -> [Int] {
        try receiver.lines.compactMap { line in
            let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return members?["application"] as? String == application.rawValue ? members?["number"] as? Int : nil
        }
    }

    @Test("has every entry once and in order, also after a restart")
    func everything() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        let receiver = Receiver()
        let first = try stream(server, receiver)
        #expect(try await server.signUp("hana").status == 201)
        #expect(await first.round() == .seconds(5))
        let before = try numbers(receiver, of: server.application.id)
        #expect(!before.isEmpty && before == Array(1...before.count))
        #expect(await first.round() == .seconds(5))
        #expect(try numbers(receiver, of: server.application.id) == before)

        let second = try stream(server, receiver)
        #expect(try await server.logIn("hana", AccountTests.password).status == 200)
        _ = await second.round()
        let after = try numbers(receiver, of: server.application.id)
        #expect(after == Array(1...(before.count + 1)))
    }

    @Test("waits twice as long each time while its receiver is away, and misses nothing")
    func away() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        let (receiver, counts) = (Receiver(), AuditStreamCounts())
        let stream = try stream(server, receiver, counts)
        receiver.fail("away")
        var waits: [Duration] = []
        for _ in 0..<9 { waits.append(await stream.round()) }
        #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { Duration.seconds($0) })
        #expect(receiver.lines.isEmpty)
        receiver.fail(nil)
        #expect(await stream.round() == .seconds(5))
        #expect(try numbers(receiver, of: server.application.id).first == 1)
        let values = counts.families.flatMap(\.samples).map(\.value)
        #expect(values == [.count(UInt64(receiver.lines.count)), .count(9)])
    }

    @Test("sends more entries than one message has")
    func many() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        let receiver = Receiver()
        for number in 0..<130 {
            _ = try await server.modules.applications.createApplication(name: "App \(number)", by: .local)
        }
        _ = try await stream(server, receiver).round()
        #expect(receiver.lines.count > 130)
        #expect(Set(receiver.lines).count == receiver.lines.count)
    }

    @Test("comes to its end over a line that takes a few entries in the time of a message")
    func slow() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        let receiver = Receiver()
        receiver.take(atMost: 20)
        for number in 0..<250 {
            _ = try await server.modules.applications.createApplication(name: "App \(number)", by: .local)
        }
        let stream = try stream(server, receiver)
        for wait in [5, 10, 20] { #expect(await stream.round() == .seconds(wait)) }
        #expect(receiver.lines.isEmpty)
        // Twelve and one more each time, until it is too much again.
        #expect(await stream.round() == .seconds(5))
        #expect(receiver.lines.count == (12...20).reduce(0, +))
        #expect(await stream.round() == .seconds(5))
        #expect(receiver.lines.count > 250 && Set(receiver.lines).count == receiver.lines.count)
    }

    @Test("sends a part of what waits when the server stops, and the rest after the next start")
    func stopping() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        let receiver = Receiver()
        for number in 0..<250 {
            _ = try await server.modules.applications.createApplication(name: "App \(number)", by: .local)
        }
        try await stream(server, receiver).finish()
        #expect(receiver.lines.count == 200)
        _ = try await stream(server, receiver).round()
        #expect(receiver.lines.count > 250 && Set(receiver.lines).count == receiver.lines.count)
    }

    private func webhook(_ url: String, within time: Duration = .seconds(120)) -> AuditWebhook {
        AuditWebhook(
            url: url, secret: Secret("a secret of the receiver"), clock: StandingClock(),
            caller: CurlCaller(
                limits: CurlCaller.Limits(connecting: time, whole: time),
                policy: EgressPolicy(privateNetworks: [], operatorURLs: [url])))
    }

    @Test(
        "comes again as it was to a webhook that refuses it, sends it elsewhere, or is in trouble",
        .timeLimit(.minutes(5)), arguments: [202, 301, 307, 400, 401, 410, 413, 429, 500, 503])
    func refusingWebhook(_ status: Int) async throws {
        let folder = folder
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        let collector = FakeCollector(HTTPResponse.Status(code: status))
        try await collector.run { url in
            let (receiver, counts) = (webhook("\(url)/audit"), AuditStreamCounts())
            let stream = try AuditStream(
                server.modules, to: receiver, folder: folder, counts: counts, logger: TestServer.silence)
            _ = await stream.round()
            collector.answer(.ok)
            _ = await stream.round()
            let isTaken = status == 202
            #expect(collector.messages.map(\.path) == (isTaken ? ["/audit"] : ["/audit", "/audit"]))
            let bodies = Set(collector.messages.map(\.body))
            #expect(bodies.count == 1 && bodies.first?.contains(server.application.id.rawValue) == true)
            let values = counts.families.flatMap(\.samples).map(\.value)
            let lines = bodies.first?.split(separator: "\n").count ?? 0
            #expect(values == [.count(UInt64(lines)), .count(isTaken ? 0 : 1)])
            await receiver.close()
        }
    }

    @Test("waits for a webhook that takes the connection and never answers, for the time of a call alone")
    func silentWebhook() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (server, silent, counts) = (try await TestServer(), try SilentServer(), AuditStreamCounts())
        let receiver = webhook("\(silent.url)/audit", within: .seconds(1))
        let stream = try AuditStream(
            server.modules, to: receiver, folder: folder, counts: counts, logger: TestServer.silence)
        let begin = ContinuousClock.now
        for wait in [5, 10] { #expect(await stream.round() == .seconds(wait)) }
        await stream.finish()
        #expect(begin.duration(to: .now) < .seconds(120))
        #expect(counts.families.flatMap(\.samples).map(\.value) == [.count(0), .count(3)])
    }

    @Test("begins a log anew that is not the one that was sent, as after a restore", arguments: [1, 4711])
    func replaced(_ number: Int) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        let receiver = Receiver()
        let digest = Base64URL.text(of: [UInt8](repeating: 9, count: 32))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(#"{"\#(server.application.id.rawValue)": "\#(number):\#(digest)"}"#.utf8).write(
            to: URL(fileURLWithPath: folder).appendingPathComponent("audit-stream.json"))
        let stream = try stream(server, receiver)
        #expect(try await server.signUp("hana").status == 201)
        for _ in 0..<2 { _ = await stream.round() }
        let numbers = try numbers(receiver, of: server.application.id)
        #expect(!numbers.isEmpty && numbers == Array(1...numbers.count))
    }

    @Test(
        "does not begin anew in silence when its file cannot be read",
        arguments: ["half a fi", "[]", #"{"a": 1}"#, #"{"a": "1"}"#, #"{"a": "0:CQkJ"}"#, #"{"a": "1:!"}"#])
    func brokenFile(_ text: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TestServer()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(
            to: URL(fileURLWithPath: folder).appendingPathComponent("audit-stream.json"))
        let fault = #expect(throws: StartFault.self) { try stream(server, Receiver()) }
        #expect(fault?.description.contains("audit-stream.json") == true)
    }

    @Test("goes to a webhook over HTTP as signed lines of JSON while the server runs", .timeLimit(.minutes(5)))
    func live() async throws {
        let collector = FakeCollector()
        let secret = "a secret of the receiver"
        try await collector.run { url in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            let text = #"{"audit-stream": "\#(url)/audit", "audit-stream-secret": "\#(secret)"}"#
            try Data(text.utf8).write(to: file)
            try await RunningServer.run(["config": file.path]) { server in
                let message = try await collector.wait(for: "/audit", containing: server.application.id.rawValue)
                #expect(message.headers[.contentType] == "application/x-ndjson" && message.body.hasSuffix("}\n"))
                let header = try #require(message.headers.first { $0.name.rawName == "Okaeri-Signature" }?.value)
                let seconds = try #require(Int64(header.dropFirst(2).prefix { $0 != "," }))
                #expect(header == TextMessageWebhook.signature(of: message.body, at: seconds, Secret(secret)))
            }
        }
    }
}
