package import HTTPTypes
package import Hummingbird
package import Logging
package import NIOCore
import Synchronization

/// What travels with a request from its connection to the answer.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The id under which the request is logged and answered.
    package var requestId = ""
    /// How far the body was read; `nil` when the request has none.
    package var body: BodyProgress?
    /// Headers for the answer, whatever it will be.
    package let responseHeaders = ResponseHeaders()
    /// The connection; `nil` when a test hands the request over without one.
    package let channel: (any Channel)?
    /// The request's body, when it came whole with the head.
    package let wholeBody: ByteBuffer?
    private let fixedPeer: SocketAddress?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        wholeBody = nil
        fixedPeer = nil
    }

    /// A context for a request that came whole.
    init(logger: Logger, channel: any Channel, wholeBody: ByteBuffer) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        self.channel = channel
        self.wholeBody = wholeBody
        fixedPeer = nil
    }

    /// A context without a connection.
    package init(logger: Logger, peer: SocketAddress?) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        channel = nil
        wholeBody = nil
        fixedPeer = peer
    }

    /// The other end of the connection: a client or a proxy. `nil` for a local socket.
    package var peer: SocketAddress? { channel.map(\.remoteAddress) ?? fixedPeer }

    /// Whether the connection is gone: an answer that waits for something waits for nobody.
    package var isAbandoned: Bool { channel.map { !$0.isActive } ?? false }
}

private struct LoggerSource: RequestContextSource {
    let logger: Logger
}

/// Headers that belong to an answer whatever it turns out to be, also when it becomes an error.
package final class ResponseHeaders: Sendable {
    private let fields = Mutex<[HTTPField]>([])

    package init() {}

    /// Adds a header in place of one of the same name.
    package func set(_ field: HTTPField) {
        fields.withLock { fields in
            fields.removeAll { $0.name == field.name }
            fields.append(field)
        }
    }

    /// All headers that were added.
    var all: [HTTPField] { fields.withLock { $0 } }
}

/// Which program this is.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
