import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTPTypes

/// Writes an answer's body piece by piece, none before its connection has taken the one before: of a body of any length,
/// memory holds one piece.
struct ResponseStreamer: ResponseBodyWriter, Sendable {
    /// Where an answer goes. Only the connection's loop may touch it.
    struct Connection {
        let handler: FastPathHandler
        let context: ChannelHandlerContext
    }

    private let connection: NIOLoopBound<Connection>
    private let channel: any Channel
    private let requestId: String?
    private let logger: Logger

    init(_ connection: NIOLoopBound<Connection>, on channel: any Channel, requestId: String?, logger: Logger) {
        self.connection = connection
        self.channel = channel
        self.requestId = requestId
        self.logger = logger
    }

    /// Makes the body, whose head was written. A connection that closes ends it with its next piece.
    func begin(_ body: ResponseBody) {
        // Nobody waits for it: it ends by finishing the answer. It prefers no loop, whose other connections would wait
        // while pieces are made.
        Task {
            do {
                try await body.write(self)
            } catch {
                note(error)
            }
            channel.eventLoop.execute {
                connection.value.handler.finishStream(connection.value.context)
            }
        }
    }

    func write(_ buffer: ByteBuffer) async throws { try await send(.body(buffer)) }

    func finish(_ trailingHeaders: HTTPFields?) async throws { try await send(.end(trailingHeaders)) }

    private func send(_ part: HTTPResponsePart) async throws {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let taken = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute {
            connection.value.handler.stream(part, connection.value.context, promise: taken)
        }
        try await taken.futureResult.get()
    }

    /// A reader may leave at any time; all else is a fault of the server's.
    private func note(_ error: any Error) {
        guard !(error is ChannelError), !(error is IOError) else { return }
        logger.error(
            "an answer broke off",
            metadata: ["request_id": .string(requestId ?? ""), "error": .string(String(describing: error))])
    }
}
