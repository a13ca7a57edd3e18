import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A collector of traces and metrics, or another receiver of messages, on a port of this machine.
final class FakeCollector: Sendable {
    private let kept = Mutex<[Message]>([])
    private let status: Mutex<HTTPResponse.Status>

    /// What was sent to it.
    struct Message: Sendable {
        var path: String
        var headers: HTTPFields
        var body: String
    }

    init(_ status: HTTPResponse.Status = .ok) {
        self.status = Mutex(status)
    }

    var messages: [Message] { kept.withLock { $0 } }

    func answer(_ status: HTTPResponse.Status) { self.status.withLock { $0 = status } }

    /// What was sent to a path, once there is something.
    func wait(for path: String, containing part: String = "") async throws -> Message {
        let end = ContinuousClock.now + .seconds(200)
        while ContinuousClock.now < end {
            if let found = messages.first(where: { $0.path == path && (part.isEmpty || $0.body.contains(part)) }) {
                return found
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Missing(description: "nothing came to \(path)")
    }

    /// Listens while `body` lasts.
    func run(_ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
        let router = Router()
        router.post("**") { [self] request, context in
            let bytes = try await request.body.collect(upTo: 1 << 22)
            kept.withLock {
                // JSON may write slashes with a backslash in front.
                let body = String(buffer: bytes).replacing(#"\/"#, with: "/")
                $0.append(Message(path: request.uri.path, headers: request.headers, body: body))
            }
            return Response(
                status: status.withLock { $0 }, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "{}")))
        }
        let (listening, listens) = AsyncStream<Int>.makeStream()
        let application = Hummingbird.Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in listens.yield(channel.localAddress?.port ?? 0) },
            logger: TestServer.silence)
        let services = ServiceGroup(services: [application], logger: TestServer.silence)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            group.addTask {
                let outcome: Result<Void, any Error>
                do {
                    let port = try #require(await listening.first { _ in true })
                    outcome = .success(try await body("http://127.0.0.1:\(port)"))
                } catch {
                    outcome = .failure(error)
                }
                await services.triggerGracefulShutdown()
                try outcome.get()
            }
            try await group.waitForAll()
        }
    }
}

/// Takes connections on a port of this machine, and never answers.
final class SilentServer: Sendable {
    private let descriptor: Int32
    let url: String

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Family, port and number of a `sockaddr_in` (Linux); its members are of whichever module was loaded first.
        var address: [UInt8] = [UInt8(AF_INET), 0, 0, 0, 127, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
        var length = socklen_t(address.count)
        let outcome = address.withUnsafeMutableBytes { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            // The system takes connections for a program that only listens.
            return bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                && getsockname(descriptor, pointer, &length) == 0
        }
        try #require(outcome, "\(String(cString: strerror(errno)))")
        self.descriptor = descriptor
        // `takeConnections` waits for none.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        url = "http://127.0.0.1:\(Int(address[2]) << 8 | Int(address[3]))"
    }

    deinit { close(descriptor) }

    /// Ends the connections that have come, also those whose client has gone.
    ///
    /// - Returns: how many they were.
    func takeConnections() -> Int {
        var count = 0
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return count }
            close(connection)
            count += 1
        }
    }
}
