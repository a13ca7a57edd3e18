import Domain
import Foundation
import HTTPTypes
import Logging
import NIOCore
import OkaeriServer
import OkaeriWire
import Synchronization
import Testing

@Suite("The program on a socket", .timeLimit(.minutes(5)))
struct LiveTests {
    @Test("answers over HTTP, with Date, and tells who it is in server.json while it runs")
    func serves() async throws {
        let device = ProofMaker()
        let folder = Mutex("")
        try await RunningServer.run { server in
            folder.withLock { $0 = server.folder }
            let proof = try device.proof(
                "POST", server.listening.url + "/v1/log-in/automatic",
                at: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
            let body = #"{"device": {"name": "Phone"}}"#
            let answer = try await server.exchange([
                "POST /v1/log-in/automatic HTTP/1.1\r\nHost: 127.0.0.1:\(server.listening.port)\r\n"
                    + "Okaeri-Application: \(server.application.id.rawValue)\r\nDPoP: \(proof)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                    + body
            ])
            #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\n"))
            #expect(answer.lowercased().contains("\r\ndate: "))
            #expect(ServerInfoFile.read(in: server.folder)?.url == server.listening.url)
            #expect(ServerInfoFile.read(in: server.folder)?.pid == getpid())
        }
        #expect(ServerInfoFile.read(in: folder.withLock { $0 }) == nil)
    }

    @Test("lets a command work beside the server, and sees at once what it changed")
    func commandBeside() async throws {
        try await RunningServer.run { server in
            let settings = try ServerSettings(commandLine: ["data": server.folder], environment: [:])
            let command = try await Composition(settings, role: .command)
            let made = try await command.modules.applications.createApplication(name: "Made beside", by: .local)
                .application
            await command.close()
            let found = try await server.composition.modules.applications.findApplication(made.id)
            #expect(found == made)
        }
    }

    @Test("tells a port in use from other faults")
    func portInUse() async throws {
        try await RunningServer.run { server in
            let folder = server.folder + "-second"
            defer {
                // The folder is the test's own; what stays of it harms nobody.
                try? FileManager.default.removeItem(atPath: folder)
            }
            let settings = try ServerSettings(
                commandLine: ["listen": "127.0.0.1:\(server.listening.port)", "data": folder], environment: [:])
            await #expect(throws: StartFault.addressInUse(host: "127.0.0.1", port: server.listening.port)) {
                try await ServerProgram(settings: settings, logger: TestServer.silence, providers: nil).run()
            }
        }
    }

    @Test("refuses a second server on the same data")
    func sameData() async throws {
        try await RunningServer.run { server in
            let settings = try ServerSettings(
                commandLine: ["listen": "127.0.0.1:0", "data": server.folder], environment: [:])
            let fault = await #expect(throws: StartFault.self) {
                try await ServerProgram(settings: settings, logger: TestServer.silence, providers: nil).run()
            }
            guard case .storage? = fault else {
                Issue.record("\(String(describing: fault))")
                return
            }
        }
    }

    @Test("makes a sealing key that only its owner can read, and keeps it")
    func sealingKey() async throws {
        try await RunningServer.run { server in
            let path = server.folder + "/sealing.key"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let key = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(key.count == 32)
            let settings = try ServerSettings(commandLine: ["data": server.folder], environment: [:])
            let command = try await Composition(settings, role: .command)
            #expect(try await command.modules.sessions.signingKeys().isEmpty == false)
            await command.close()
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == key)
        }
    }

    @Test("ends a request that is under way before it stops")
    func gracefulStop() async throws {
        try await RunningServer.run { server in
            let stream = StreamServer(port: server.listening.port) {}
            let client = try await stream.client()
            let head = server.head(
                "PATCH /v1/user", "Content-Type: application/json", "Expect: 100-continue", "Content-Length: 2")
            try await client.channel.writeAndFlush(ByteBuffer(string: head + "\r\n")).get()
            // The server has the head, and waits for the body.
            let invitation = String(decoding: await client.read(until: "\r\n\r\n"), as: UTF8.self)
            #expect(invitation == "HTTP/1.1 100 Continue\r\n\r\n")
            server.listening.stop()
            // It is about to end once it lets nobody in.
            while let other = try? await stream.client() { try? await other.channel.close() }
            try await client.channel.writeAndFlush(ByteBuffer(string: "{}")).get()
            let answer = String(decoding: await client.read(until: "never"), as: UTF8.self)
            #expect(answer.contains("401 Unauthorized") && answer.contains("session_required"), "\(answer)")
        }
    }

    @Test("logs no secrets, at any level")
    func logs() async throws {
        let log = LogBook()
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .trace
        let server = try await TestServer(logger: logger)
        let person = try await server.person()
        _ = try await person.send(.get, APIPath.user)
        _ = try await person.send(.get, "/v1/user?token=\(person.token)")
        await server.composition.close()
        _ = try await person.send(.get, APIPath.sessions)
        let lines = log.lines.withLock { $0 }
        #expect(lines.contains { $0.contains("request_id") && $0.contains("/v1/log-in/automatic") })
        #expect(lines.contains { $0.hasPrefix("error") && $0.contains("storageUnavailable") })
        for line in lines {
            #expect(!line.contains(person.token) && !line.contains("oks_") && !line.contains("eyJ"))
        }
    }
}

/// Keeps log lines.
private struct LogBook: LogHandler {
    let lines = LineBox()
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
    }
}

private final class LineBox: Sendable {
    private let lines = Mutex<[String]>([])

    func withLock<Value: Sendable>(_ body: (inout sending [String]) -> sending Value) -> Value {
        lines.withLock(body)
    }
}
