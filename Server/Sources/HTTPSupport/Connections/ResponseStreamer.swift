import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTPTypes

/// Writes an answer's body piece by piece, none before its connection has taken the one before: of a body of any length,
/// memory holds one piece.
struct ResponseStreamer: ResponseBodyWriter, Sendable {
    /// Where an answer goes. Only the connection's loop may touch it.
    struct Place {
        let handler: FastPathHandler
        let context: ChannelHandlerContext
    }

    private let place: NIOLoopBound<Place>
    private let connection: any Channel
    private let requestId: String?
    private let logger: Logger

    init(_ place: NIOLoopBound<Place>, of connection: any Channel, requestId: String?, logger: Logger) {
        self.place = place
        self.connection = connection
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
            connection.eventLoop.execute {
                place.value.handler.finishStream(place.value.context)
            }
        }
    }

    func write(_ buffer: ByteBuffer) async throws { try await send(.body(buffer)) }

    func finish(_ trailingHeaders: HTTPFields?) async throws { try await send(.end(trailingHeaders)) }

    private func send(_ part: HTTPResponsePart) async throws {
        guard connection.isActive else { throw ChannelError.ioOnClosedChannel }
        let taken = connection.eventLoop.makePromise(of: Void.self)
        connection.eventLoop.execute {
            place.value.handler.stream(part, place.value.context, promise: taken)
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
