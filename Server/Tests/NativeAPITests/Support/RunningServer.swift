import Domain
import Foundation
import Logging
import NIOCore
import NIOPosix
import OkaeriServer
import Testing

/// The real program on a free port, with a database in a folder of its own.
struct RunningServer: Sendable {
    let listening: ServerProgram.Listening
    let composition: Composition
    let application: Domain.Application
    let folder: String

    /// Runs the program while `body` lasts, then stops it gracefully.
    static func run(
        _ settings: [String: String] = [:], logger: Logger = TestServer.silence,
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer {
            // The folder is the test's own; what stays of it harms nobody.
            try? FileManager.default.removeItem(atPath: folder)
        }
        // What no test is about has time: a crowded machine would cut it short.
        let defaults = [
            "listen": "127.0.0.1:0", "data": folder, "write-timeout": "600", "search-time": "60000",
            "search-time-per-address": "3600", "search-time-per-application": "3600",
        ]
        let settings = try ServerSettings(commandLine: defaults.merging(settings) { $1 }, environment: [:])
        let (started, start) = AsyncStream<(ServerProgram.Listening, Composition)>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { start.finish() }
                try await ServerProgram(settings: settings, logger: logger, providers: nil).run {
                    start.yield(($0, $1))
                }
            }
            group.addTask {
                guard let (listening, composition) = await started.first(where: { _ in true }) else {
                    throw Missing(description: "the server did not start")
                }
                defer { listening.stop() }
                let application = try await composition.modules.applications.createApplication(name: "Test", by: .local)
                    .application
                try await body(
                    RunningServer(
                        listening: listening, composition: composition, application: application, folder: folder))
            }
            try await group.waitForAll()
        }
    }

    /// Sends bytes piece by piece and reads until the server hangs up.
    ///
    /// - Parameters:
    ///   - pieces: What to send, with a pause after each.
    ///   - pause: The pause.
    ///   - port: Where to; without it where the API is.
    ///   - endsInput: Whether nothing is sent after them, and the server knows it.
    /// - Returns: everything that the server sent.
    /// - Throws: when the server cannot be reached.
    func exchange(
        _ pieces: [String], pause: Duration = .zero, port: Int? = nil, endsInput: Bool = false
    ) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // Hundreds of tests share the event loops, on a crowded machine for longer than the ten seconds of before.
            .connectTimeout(.minutes(2))
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port ?? listening.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask {
                    var bytes = ByteBuffer()
                    do {
                        for try await part in inbound { bytes.writeImmutableBuffer(part) }
                    } catch is IOError {
                        // The server hung up with bytes unread: what came before it counts.
                    }
                    return String(buffer: bytes)
                }
                group.addTask {
                    do {
                        for piece in pieces {
                            try await outbound.write(ByteBuffer(string: piece))
                            try await Task.sleep(for: pause)
                        }
                        if endsInput { outbound.finish() }
                    } catch {
                        // The server hung up while this was still sending, as it may.
                    }
                    return nil
                }
                while let result = try await group.next() {
                    guard let text = result else { continue }
                    group.cancelAll()
                    return text
                }
                return ""
            }
        }
    }

    /// A request without a body after which the server hangs up.
    func lastHead(_ line: String) -> String { head(line, "Connection: close") + "\r\n" }

    /// The head of a request of the application, without the empty line.
    func head(_ line: String, _ headers: String...) -> String {
        (["\(line) HTTP/1.1", "Host: 127.0.0.1", "Okaeri-Application: \(application.id.rawValue)"] + headers)
            .map { $0 + "\r\n" }.joined()
    }
}
