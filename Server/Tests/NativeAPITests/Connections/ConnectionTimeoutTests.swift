import Domain
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPSupport

@Suite("Time limits of connections")
struct ConnectionTimeoutTests {
    private func cuts(_ connection: EmbeddedConnection, _ cause: ConnectionTimeouts.Cause) -> Bool {
        ServerMetrics(connections: connection.metrics).text
            .contains(#"okaeri_connections_cut_total{cause="\#(cause.rawValue)"} 1\#n"#)
    }

    @Test("cut a connection that sends no request, never too early")
    func idle() throws {
        let connection = try EmbeddedConnection()
        connection.wait(.seconds(29))
        #expect(connection.channel.isActive && connection.metrics.open == 1)
        connection.wait(.seconds(4))
        #expect(!connection.channel.isActive && connection.metrics.open == 0)
        #expect(cuts(connection, .idle))
    }

    @Test("begin anew with each answer")
    func kept() throws {
        let connection = try EmbeddedConnection()
        for _ in 0..<5 {
            connection.wait(.seconds(29))
            connection.ask()
            connection.settle()
        }
        #expect(connection.channel.isActive)
        #expect(try connection.answers() == 5)
        connection.wait(.seconds(33))
        #expect(!connection.channel.isActive)
    }

    @Test("let a proxy keep its connection between two requests for longer than proxies do, and nobody else")
    func proxies() throws {
        let network = try #require(IPNetwork("192.0.2.0/24"))
        let limits = ConnectionTimeouts.Limits(idle: .seconds(30), write: .seconds(30), proxies: [network])
        let connection = try EmbeddedConnection(limits)
        for _ in 0..<2 {
            connection.wait(.seconds(619))
            connection.ask()
            connection.settle()
        }
        #expect(connection.channel.isActive)
        #expect(try connection.answers() == 2)
        connection.wait(.seconds(623))
        #expect(!connection.channel.isActive && cuts(connection, .idle))
        // A request that does not go on has the same time from everybody.
        let sender = try EmbeddedConnection(limits)
        let head = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1", path: "/short")
        sender.channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        sender.settle()
        sender.wait(.seconds(33))
        #expect(!sender.channel.isActive && cuts(sender, .idle))
        let other = try #require(IPNetwork("198.51.100.0/24"))
        let stranger = try EmbeddedConnection(.init(idle: .seconds(30), write: .seconds(30), proxies: [other]))
        stranger.wait(.seconds(33))
        #expect(!stranger.channel.isActive && cuts(stranger, .idle))
    }

    @Test("do not count what the server takes to answer")
    func slowServer() throws {
        let connection = try EmbeddedConnection()
        connection.ask("/held")
        connection.settle()
        connection.wait(.seconds(600))
        #expect(connection.channel.isActive)
        connection.held.answerOldest()
        connection.channel.embeddedEventLoop.run()
        connection.wait(.seconds(29))
        #expect(try connection.answers() == 1 && connection.channel.isActive)
    }

    @Test("cut a request whose body does not go on, and keep one that does")
    func body() throws {
        let connection = try EmbeddedConnection()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1", path: "/short")
        connection.channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        connection.settle()
        for _ in 0..<10 {
            connection.wait(.seconds(29))
            connection.channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(string: "x")))
            connection.settle()
            #expect(connection.channel.isActive)
        }
        connection.wait(.seconds(33))
        #expect(!connection.channel.isActive && cuts(connection, .idle))
    }

    @Test("cut a client that takes nothing of an answer, as many requests as it may still send")
    func reader() throws {
        let connection = try EmbeddedConnection(
            .init(idle: .seconds(300), write: .seconds(30)), socket: [StuckSocket()])
        connection.ask()
        connection.settle()
        connection.wait(.seconds(29))
        #expect(connection.channel.isActive)
        connection.wait(.seconds(4))
        #expect(!connection.channel.isActive && cuts(connection, .slowReader))
    }

    @Test("are five seconds while the server stops, for a client that reads nothing and for half a request")
    func stopping() throws {
        let reader = try EmbeddedConnection(
            .init(idle: .seconds(300), write: .seconds(300)), socket: [HalfClosedSocket(), StuckSocket()])
        reader.ask()
        let sender = try EmbeddedConnection(.init(idle: .seconds(300), write: .seconds(300)))
        let head = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1", path: "/short")
        sender.channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        let expected: [(EmbeddedConnection, ConnectionTimeouts.Cause)] = [(reader, .slowReader), (sender, .idle)]
        for (connection, cause) in expected {
            connection.settle()
            connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            connection.wait(.seconds(4))
            #expect(connection.channel.isActive)
            connection.wait(.seconds(4))
            #expect(!connection.channel.isActive && cuts(connection, cause))
        }
    }

    @Test("do not end a request that the server answers while it stops, and end its connection then")
    func answeredWhileStopping() throws {
        let connection = try EmbeddedConnection()
        connection.ask("/held")
        connection.settle()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        connection.wait(.seconds(15))
        #expect(connection.channel.isActive)
        connection.held.answerOldest()
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.answers() == 1 && !connection.channel.isActive)
    }

    /// A socket that stays open in one direction.
    private final class HalfClosedSocket: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = HTTPResponsePart

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if mode != .output { context.close(mode: mode, promise: promise) }
        }
    }

    @Test("cut a connection that its client keeps open after the server's last word")
    func lingering() throws {
        let connection = try EmbeddedConnection(socket: [HalfClosedSocket()])
        connection.channel.close(mode: .output, promise: nil)
        #expect(connection.channel.isActive)
        connection.ask()
        connection.settle()
        #expect(try connection.answers() == 0)
        connection.wait(.seconds(5))
        #expect(!connection.channel.isActive)
    }

    @Test("know a slow client from one that takes nothing", arguments: [(100, true), (999, true), (1001, false)])
    func rate(bytesPerSecond: Int, isStalled: Bool) {
        let limits = ConnectionTimeouts.Limits(idle: .seconds(30), write: .seconds(30))
        var progress = WriteProgress()
        var pending = 10_000_000
        var stalled = false
        for second in 0..<120 {
            let now = NIODeadline.uptimeNanoseconds(UInt64(second) * 1_000_000_000)
            stalled = progress.isStalled(at: now, pending: pending, writes: 1, limits)
            if stalled {
                #expect(second >= 30)
                break
            }
            pending -= bytesPerSecond
        }
        #expect(stalled == isStalled)
    }

    @Test("leave a client alone that took everything, or gets more because it took what was before")
    func progress() {
        let limits = ConnectionTimeouts.Limits(idle: .seconds(30), write: .seconds(1))
        var progress = WriteProgress()
        for second in 0..<10 {
            let now = NIODeadline.uptimeNanoseconds(UInt64(second) * 1_000_000_000)
            let isStalled = progress.isStalled(at: now, pending: 16_384, writes: second, limits)
            #expect(!isStalled)
        }
        let isStalled = progress.isStalled(at: .uptimeNanoseconds(20_000_000_000), pending: 0, writes: 9, limits)
        #expect(!isStalled)
    }

    @Test("cut who has left an answer unread for longest, when clients leave too much unread together")
    func unread() throws {
        let (loop, metrics) = (EmbeddedEventLoop(), ConnectionMetrics())
        let limits = ConnectionTimeouts.Limits(
            idle: .seconds(30), write: .seconds(30), unreadBytes: StuckSocket.answerBytes * 2)
        let timeouts = ConnectionTimeouts(limits, metrics: metrics)
        let routes = StreamServer.serverRoutes([
            Route(.get, "/short", .nothing, StreamServer.Short().respond)
        ]).responder()
        func set(isWritable: Bool, _ channel: EmbeddedChannel) {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
            loop.run()
        }
        let channels = try (0..<6).map { number in
            let handler = FastPathHandler(routes, timeouts: timeouts, logger: TestServer.silence)
            let channel = EmbeddedChannel(handlers: [StuckSocket(), handler], loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: number + 1)).wait()
            let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/short")
            channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
            channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
            channel.pipeline.fireChannelReadComplete()
            loop.run()
            return channel
        }
        for channel in channels[..<4] { set(isWritable: false, channel) }
        #expect(channels.map(\.isActive) == [false, false, true, true, true, true])
        #expect(metrics.open == 4)
        // One that was read makes room, and so does one whose client has left.
        set(isWritable: true, channels[2])
        set(isWritable: false, channels[4])
        #expect(channels.map(\.isActive) == [false, false, true, true, true, true])
        try channels[3].close().wait()
        loop.run()
        set(isWritable: false, channels[5])
        #expect(channels.map(\.isActive) == [false, false, true, false, true, true])
        // One that has taken its answer meanwhile leaves nothing unread, before its loop hears of it too.
        try channels[4].pipeline.syncOperations.context(handlerType: StuckSocket.self).flush()
        set(isWritable: false, channels[2])
        #expect(channels.map(\.isActive) == [false, false, true, false, true, true])
        #expect(
            ServerMetrics(connections: metrics).text
                .contains(#"okaeri_connections_cut_total{cause="slow_reader"} 2\#n"#))
    }

    @Test("are kept by all connections of a loop, in turns")
    func many() throws {
        let loop = EmbeddedEventLoop()
        let metrics = ConnectionMetrics()
        let timeouts = ConnectionTimeouts(.init(idle: .seconds(30), write: .seconds(30)), metrics: metrics)
        let routes = StreamServer.serverRoutes([]).responder()
        let channels = try (0..<2000).map { number in
            let channel = EmbeddedChannel(
                handlers: [FastPathHandler(routes, timeouts: timeouts, logger: TestServer.silence)], loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: number + 1)).wait()
            return channel
        }
        #expect(metrics.open == 2000)
        loop.advanceTime(by: .seconds(33))
        #expect(metrics.open == 0 && channels.allSatisfy { !$0.isActive })
    }
}
