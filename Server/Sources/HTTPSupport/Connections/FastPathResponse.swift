import Domain
import HTTPTypes
package import Hummingbird
package import NIOCore
import Synchronization

/// What the fast path writes to its connection.
enum FastPathResponse: Sendable {
    /// Everything at once.
    case complete(HTTPResponse, ByteBuffer)
    /// A body whose length is not known before it is made, or that is too long to be held.
    case streamed(HTTPResponse, ResponseBody)

    private static let maximumHeldBytes = 1024 * 1024

    /// Lets the pipeline of a route make the response.
    ///
    /// - Returns: `nil` when the body broke off, so that the connection is of no use.
    init?(to request: Request, _ context: ServerContext, _ pipeline: RoutePipeline, _ date: HTTPDate) async {
        let response = await pipeline.respond(to: request, context)
        var head = response.head
        head.headerFields.append(HTTPField(name: .date, value: date.now))
        let content = response.body
        guard let length = content.contentLength, length <= Self.maximumHeldBytes else {
            self = .streamed(head, content)
            return
        }
        let body = BodyCollector()
        do {
            try await content.write(body)
        } catch {
            // Its head was made: there is no other response to a fault of the body.
            return nil
        }
        self = .complete(head, body.bytes)
    }
}

extension HTTPRequest {
    /// Whether nothing is said of the connection but that it stays, as Apple's systems do (RFC 9110 §7.6.1).
    var keepsConnection: Bool {
        guard let options = headerFields.value(of: .connection) else { return !headerFields.contains(.connection) }
        return options.lowercased() == "keep-alive"
    }

    /// Whether its sender waits for a word before it sends the body (RFC 9110 §10.1.1). A body that is announced as too long
    /// is refused instead.
    var awaitsContinue: Bool {
        guard headerFields.value(of: .expect)?.lowercased() == "100-continue" else { return false }
        let announced = headerFields.value(of: .contentLength).flatMap { Int($0, radix: 10) }
        return announced.map { $0 <= BodyReader.maximumBytes } ?? true
    }

    /// Whether nothing behind it is a request: its sender says so (RFC 9112 §9.6), or the decoder expects another protocol
    /// there, and would keep all bytes that come.
    var endsConnection: Bool {
        if method == .connect || headerFields.contains(.upgrade) { return true }
        guard let options = headerFields.value(of: .connection) else { return false }
        return options.lowercased().pieces(at: ",").contains {
            $0.drop { $0 == " " }.before(" ") == "close"
        }
    }
}

/// Takes an answer's body as it is written.
package final class BodyCollector: ResponseBodyWriter, Sendable {
    private let collected = Mutex(ByteBuffer())

    package init() {}

    /// What was written so far.
    package var bytes: ByteBuffer { collected.withLock { $0 } }

    package func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { collected in
            if collected.readableBytes == 0 { collected = buffer } else { _ = collected.writeImmutableBuffer(buffer) }
        }
    }

    package func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Runs tasks on an event loop, so that a request needs no other thread than its connection's.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
