package import Hummingbird
package import NIOCore
import Synchronization

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
