import Domain
import Foundation
import HTTPSupport
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// What all connections of the process have in common: limits, time-outs, counters.
struct ConnectionRules: Sendable {
    /// How many connections the metrics' own listener has, out of the files that the process keeps for itself.
    private static let metricsConnections = 32

    private(set) var limiter: ConnectionLimiter
    let timeouts: ConnectionTimeouts
    let metrics: ConnectionMetrics
    let logger: Logger

    /// - Parameters:
    ///   - settings: The limits.
    ///   - metrics: Where connections are counted.
    ///   - logger: Where refused connections are logged.
    ///   - isLoopbackExempt: Whether this machine has no limit of its own: most proxies are there.
    init(
        _ settings: ServerSettings, metrics: ConnectionMetrics, logger: Logger, isLoopbackExempt: Bool = true
    ) {
        let all = OpenFiles.connections(settings.maximumConnections)
        if all < settings.maximumConnections {
            logger.warning(
                "the system gives this process too few files for all connections that it may have",
                metadata: [
                    "connections": .stringConvertible(all), "setting": .string(Setting.maximumConnections.variable),
                ])
        }
        let thisMachine = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) }
        limiter = ConnectionLimiter(
            .init(
                all: all, perAddress: settings.maximumConnectionsPerAddress,
                exempt: settings.trustedProxies + (isLoopbackExempt ? thisMachine : [])),
            metrics: metrics, logger: logger)
        timeouts = ConnectionTimeouts(
            .init(
                idle: TimeAmount(settings.idleTimeout), write: TimeAmount(settings.writeTimeout),
                proxies: settings.trustedProxies),
            metrics: metrics)
        self.metrics = metrics
        self.logger = logger
    }

    /// The same with connections apart, for a listener that only the operator reaches: its metrics are read most of all
    /// when strangers have taken every connection of the other one.
    var ofMetrics: ConnectionRules {
        var rules = self
        rules.limiter = ConnectionLimiter(
            .init(all: Self.metricsConnections, perAddress: Self.metricsConnections, exempt: []), metrics: metrics,
            logger: logger)
        return rules
    }
}

extension ServerSettings {
    /// How connections are served: a client that is slow, sends endless headers or does not read is cut off.
    func server(
        _ answers: MalformedRequestHandler.Answers, _ routes: RouteResponder, _ rules: ConnectionRules
    ) -> HTTPServerBuilder {
        let (timeouts, logger) = (rules.timeouts, rules.logger)
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                MalformedRequestHandler(answers), FastPathHandler(routes, timeouts: timeouts, logger: logger),
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: maximumHeaderBytes, maxHeaderListSize: maximumHeaderBytes,
                maxHeaderFieldCount: maximumHeaders))
        return HTTPServerBuilder { responder in
            LimitedHTTP1Channel(
                http1: HTTP1Channel(responder: responder, configuration: configuration), limiter: rules.limiter,
                limits: FastPathRequest.Limits(headBytes: maximumHeaderBytes, fields: maximumHeaders),
                names: routes.headerNames)
        }
    }
}

/// HTTP/1.1 on as many connections as there may be; all others are closed before a byte of them is read.
private struct LimitedHTTP1Channel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// `nil` for a connection that was refused.
        let http1: HTTP1Channel.Value?
    }

    let http1: HTTP1Channel
    let limiter: ConnectionLimiter
    let limits: FastPathRequest.Limits
    let names: HeaderNames

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard limiter.admits(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeSucceededFuture(Value(channel: channel, http1: nil))
        }
        do {
            try ConnectionTurn.bound(channel)
            try channel.pipeline.syncOperations.addHandlers(
                DecoderBackPressureHandler(), FastPathDecoder(limits, names), RequestLineMemory())
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return http1.setup(channel: channel, logger: logger).flatMapThrowing { connection in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let line = try pipeline.handler(type: RequestLineMemory.self)
            try pipeline.addHandler(RequestHeadCheck(line), position: .after(decoder))
            return Value(channel: channel, http1: connection)
        }
    }

    func handle(value: Value, logger: Logger) async {
        guard let connection = value.http1 else { return }
        await http1.handle(value: connection, logger: logger)
    }
}

/// How much of a connection its event loop reads before it turns to the others.
///
/// All requests that came with it are answered before the loop looks at another connection, or takes a new one: of the
/// shortest ones these are a hundred. They were many times as many when a full read was followed by three more, and who
/// pipelined over all connections of an address let everybody else wait. Always as much, so that a request that is longer
/// than those before it comes whole: the fast path takes no other.
enum ConnectionTurn {
    static let mostBytes = 4 * 1024

    private static let reads: UInt = 1
    private static let readBuffer = FixedSizeRecvByteBufferAllocator(capacity: mostBytes)

    /// - Throws: when the connection is closed already.
    static func bound(_ channel: any Channel) throws {
        try channel.syncOptions?.setOption(.recvAllocator, value: readBuffer)
        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: reads)
    }
}

/// Sets a listening socket up for strangers.
enum ListeningSocket {
    /// What the system may hold of a connection's requests and of its answers. Without it a client that does not read
    /// makes the system hold megabytes, of which nobody knows how many it took.
    private static let receiveBytes: ChannelOptions.Types.SocketOption.Value = 128 * 1024
    private static let unsentBytes: ChannelOptions.Types.SocketOption.Value = 32 * 1024
    /// How many connections wait to be accepted, as far as the system lets them (`net.core.somaxconn`). One that finds no room
    /// is forgotten, and its client tries again after a second.
    private static let waitingConnections = 4096

    static func configuration(host: String, port: Int) -> ApplicationConfiguration {
        ApplicationConfiguration(address: .hostname(host, port: port), backlog: waitingConnections)
    }

    static func prepare(_ channel: any Channel, _ rules: ConnectionRules) async {
        do {
            // Accepted sockets are like the one that listens.
            try await channel.setOption(.socketOption(.so_rcvbuf), value: receiveBytes).get()
            try await channel.setOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: unsentBytes).get()
        } catch {
            rules.logger.warning(
                "the system does not bound what it holds of connections", metadata: ["error": "\(error)"])
        }
        do {
            try await channel.eventLoop.submit {
                let handler = AcceptFaultHandler(rules.metrics, rules.logger)
                try channel.pipeline.syncOperations.addHandler(handler, position: .first)
            }.get()
        } catch {
            // The server stops already, and accepts nothing.
        }
    }
}

/// Waits a second before the next connection is accepted when the system has no file for it. The connection stays in the
/// system's queue; to try at once, again and again, would take a whole processor.
final class AcceptFaultHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    static let pause = TimeAmount.seconds(1)
    /// What goes away when other connections and files are closed.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let metrics: ConnectionMetrics
    private let notes: OccasionalLog
    private var isPausing = false

    init(_ metrics: ConnectionMetrics, _ logger: Logger) {
        self.metrics = metrics
        notes = OccasionalLog(logger)
    }

    /// A listening socket that the rest of the pipeline heard of a fault of would be closed.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let fault = error as? IOError else { return context.fireErrorCaught(error) }
        metrics.acceptFaults.add()
        notes.warn("a connection cannot be accepted", ["error": "\(error)"])
        guard !isPausing, Self.shortages.contains(fault.errnoCode) else { return }
        isPausing = true
        let channel = context.channel
        setReading(false, channel)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPausing = false
            self.setReading(true, channel)
        }
    }

    func read(context: ChannelHandlerContext) {
        if !isPausing { context.read() }
    }

    private func setReading(_ isReading: Bool, _ channel: any Channel) {
        // Fails for a channel that is closed, which reads nothing.
        try? channel.syncOptions?.setOption(.autoRead, value: isReading)
    }
}
