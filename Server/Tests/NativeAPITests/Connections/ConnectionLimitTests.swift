import Domain
import Foundation
import HTTPSupport
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import OkaeriServer

@Suite("Limits on connections", .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    private static func limiter(
        all: Int = 1000, perAddress: Int = 3, exempt: [String] = [], metrics: ConnectionMetrics = ConnectionMetrics()
    ) -> ConnectionLimiter {
        ConnectionLimiter(
            .init(all: all, perAddress: perAddress, exempt: exempt.compactMap { IPNetwork($0) }),
            metrics: metrics, logger: TestServer.silence)
    }

    private static func channel(_ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 4711)
        return channel
    }

    private static func close(_ channels: [EmbeddedChannel]) throws {
        for channel in channels {
            try channel.close().wait()
            channel.embeddedEventLoop.run()
        }
    }

    @Test(
        "are counted for an IPv4 address or a /64 network of IPv6",
        arguments: [
            ("192.0.2.1", "192.0.2.1", false), ("192.0.2.1", "192.0.2.2", true),
            ("2001:db8::1", "2001:db8::ffff:2", false), ("2001:db8::1", "2001:db8:0:1::1", true),
            ("::ffff:192.0.2.1", "192.0.2.1", false), ("192.0.2.1", "::c000:201", true),
        ])
    func groups(first: String, second: String, isAdmitted: Bool) throws {
        let limiter = Self.limiter()
        let open = try (0..<3).map { _ in try Self.channel(first) }
        for channel in open { #expect(limiter.admits(channel)) }
        let next = try Self.channel(second)
        #expect(limiter.admits(next) == isAdmitted)
        withExtendedLifetime(open) {}
    }

    @Test("leave half of all to others, however many /64 networks of one /48 network come")
    func sites() throws {
        let limiter = Self.limiter(all: 20, perAddress: 2)
        let open = try (0..<10).map { try Self.channel("2001:db8:1:\($0)::1") }
        for channel in open { #expect(limiter.admits(channel)) }
        for network in 10..<30 { #expect(try !limiter.admits(Self.channel("2001:db8:1:\(network)::1"))) }
        let others = try ["2001:db8:2::1", "192.0.2.1"].map { try Self.channel($0) }
        for channel in others { #expect(limiter.admits(channel)) }
        #expect(limiter.open == 12)
        try Self.close(Array(open.prefix(1)))
        let again = try Self.channel("2001:db8:1:10::1")
        #expect(limiter.admits(again))
        try Self.close(Array(open.dropFirst()) + others + [again])
        #expect(limiter.open == 0)
    }

    @Test("are free again when a connection closes, and refused ones are not counted")
    func released() throws {
        let metrics = ConnectionMetrics()
        let limiter = Self.limiter(all: 5, perAddress: 3, metrics: metrics)
        let first = try (0..<3).map { _ in try Self.channel("192.0.2.1") }
        for channel in first { #expect(limiter.admits(channel)) }
        for _ in 0..<100 { #expect(try !limiter.admits(Self.channel("192.0.2.1"))) }
        let others = try (2..<4).map { try Self.channel("192.0.2.\($0)") }
        for channel in others { #expect(limiter.admits(channel)) }
        #expect(try !limiter.admits(Self.channel("192.0.2.9")))
        #expect(limiter.open == 5)
        try Self.close(first)
        #expect(limiter.open == 2)
        let again = try (0..<3).map { _ in try Self.channel("192.0.2.1") }
        for channel in again { #expect(limiter.admits(channel)) }
        let text = ServerMetrics(connections: metrics).text
        #expect(text.contains(#"okaeri_connections_refused_total{limit="address"} 100\#n"#))
        #expect(text.contains(#"okaeri_connections_refused_total{limit="all"} 1\#n"#))
        try Self.close(others + again)
        #expect(limiter.open == 0)
    }

    @Test("count proxies among all, and not by address")
    func proxies() throws {
        let limiter = Self.limiter(all: 20, perAddress: 1, exempt: ["10.0.0.0/8", "127.0.0.0/8"])
        let open = try (0..<10).flatMap { _ in [try Self.channel("10.1.2.3"), try Self.channel("127.0.0.1")] }
        for channel in open { #expect(limiter.admits(channel)) }
        #expect(try !limiter.admits(Self.channel("10.1.2.3")))
    }

    @Test("are logged once a minute, however many connections are refused")
    func log() {
        let lines = LineCollector()
        let notes = OccasionalLog(Logger(label: "test") { _ in lines })
        let start = ContinuousClock.now
        for millisecond in 0..<1000 {
            notes.warn("refused", ["peer": "192.0.2.1"], at: start.advanced(by: .milliseconds(millisecond)))
        }
        notes.warn("refused", [:], at: start.advanced(by: .seconds(61)))
        #expect(lines.lines.all == ["refused peer=192.0.2.1", "refused left_out=999"])
    }

    @Test("close what is above them at once, and serve everybody else", arguments: [true, false])
    func flood(isByAddress: Bool) async throws {
        let (limit, flood) = (20, 500)
        let settings =
            isByAddress ? ["maximum-connections-per-address": "\(limit)"] : ["maximum-connections": "\(limit)"]
        try await StreamServer.run(NumberedPieces(1), settings: settings, isLoopbackExempt: false) { server in
            var open: [SlowClient] = []
            for _ in 0..<limit {
                let client = try await server.client()
                try await client.ask("GET /short")
                #expect(String(decoding: await client.read(until: "short"), as: UTF8.self).contains("200 OK"))
                open.append(client)
            }
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<flood {
                    group.addTask {
                        // The server may hang up at any time.
                        guard let client = try? await server.client() else { return [] }
                        try? await client.ask("GET /short")
                        return await client.read(until: "never")
                    }
                }
                for try await answer in group { #expect(answer.isEmpty) }
            }
            // Those who were there are served as before, and one that leaves makes room.
            for client in open {
                try await client.ask("GET /short")
                #expect(String(decoding: await client.read(until: "short"), as: UTF8.self).contains("200 OK"))
            }
            try await open.removeLast().channel.close()
            while true {
                guard let client = try? await server.client() else { continue }
                try? await client.ask("GET /short")
                if await !client.read(until: "short").isEmpty {
                    try await client.channel.close()
                    break
                }
            }
            for client in open { try await client.channel.close() }
        }
    }

    /// How many connections the system lets wait for a server; 0 where it does not tell.
    private static var waitingConnections: Int {
        let bytes = FileManager.default.contents(atPath: "/proc/sys/net/core/somaxconn") ?? Data()
        return Int(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    @Test(
        "are below what comes at once: a crowd waits to be accepted, and nobody in it has to try again",
        .enabled(if: waitingConnections >= 1000))
    func crowd() async throws {
        try await StreamServer.run(NumberedPieces(1)) { server in
            let listener = try #require(server.listener)
            try await listener.setOption(.autoRead, value: false).get()
            // Beyond the queue a client's first packets are lost, and as long as nothing is accepted it does not connect.
            let clients = try await withThrowingTaskGroup(of: SlowClient.self) { group in
                for _ in 0..<600 { group.addTask { try await server.client() } }
                var clients: [SlowClient] = []
                for try await client in group { clients.append(client) }
                return clients
            }
            try await listener.setOption(.autoRead, value: true).get()
            for client in clients {
                try await client.ask("GET /short")
                #expect(String(decoding: await client.read(until: "short"), as: UTF8.self).contains("200 OK"))
                try await client.channel.close()
            }
        }
    }

    @Test("leave the metrics' own listener alone when all connections are taken")
    func metrics() async throws {
        let settings = ["maximum-connections": "3", "metrics-listen": "127.0.0.1:0"]
        try await RunningServer.run(settings) { server in
            let crowd = StreamServer(port: server.listening.port) {}
            var open: [SlowClient] = []
            for _ in 0..<3 {
                let client = try await crowd.client()
                try await client.ask("GET /health/live")
                #expect(await !client.read(until: "}").isEmpty)
                open.append(client)
            }
            // The server may hang up at any time.
            let refused = try? await server.exchange([server.lastHead("GET /health/live")])
            #expect((refused ?? "").isEmpty)
            let port = try #require(server.listening.metricsURL.flatMap { URL(string: $0)?.port })
            let metrics = try await server.exchange([server.lastHead("GET /metrics")], port: port)
            #expect(metrics.contains(#"okaeri_connections_refused_total{limit="all"} 1"# + "\n"), "\(metrics)")
            for client in open { try await client.channel.close() }
        }
    }

    @Test("leave the process its other files", arguments: [10, 300, 5000])
    func files(wanted: Int) {
        #expect(OpenFiles.connections(wanted) <= wanted && OpenFiles.connections(wanted) >= 1)
        #expect(OpenFiles.allow(wanted) >= OpenFiles.connections(wanted))
    }

    @Test("pause a server whose system has no more files, and do not end it")
    func noFiles() throws {
        let (reads, metrics) = (ReadCounter(), ConnectionMetrics())
        let behind = FaultCounter()
        let handler = AcceptFaultHandler(metrics, TestServer.silence)
        let channel = EmbeddedChannel(handlers: [reads, handler, behind])
        for _ in 0..<10 { channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept")) }
        channel.read()
        #expect(reads.count == 0 && behind.count == 0)
        channel.embeddedEventLoop.advanceTime(by: AcceptFaultHandler.pause)
        channel.read()
        #expect(reads.count == 1 && metrics.acceptFaults.value == 10)
        // A client that left before it was accepted is no reason to let others wait.
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        channel.read()
        #expect(reads.count == 2 && behind.count == 0)
    }

    private final class FaultCounter: ChannelInboundHandler, Sendable {
        typealias InboundIn = Never

        private let faults = Atomic(0)
        var count: Int { faults.load(ordering: .relaxed) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { faults.add(1, ordering: .relaxed) }
    }
}

/// Keeps the lines of a log.
struct LineCollector: LogHandler {
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    let lines = Lines()
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        lines.add("\(event.message)" + values.joined())
    }
}
