import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

@Suite("Reading while a request is answered")
struct ReadAheadTests {
    @Test("happens once more, and then not before the answer to what came with it was made")
    func once() throws {
        let held = HeldAnswers()
        let reads = ReadCounter()
        let routes = StreamServer.serverRoutes([Route(.get, "/held", .nothing, held.respond)]).responder()
        let timeouts = ConnectionTimeouts(
            .init(idle: .seconds(30), write: .seconds(30)), metrics: ConnectionMetrics())
        let channel = EmbeddedChannel(
            handlers: [reads, FastPathHandler(routes, timeouts: timeouts, logger: TestServer.silence)])
        func ask() {
            let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/held")
            channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
            channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
            channel.pipeline.fireChannelReadComplete()
            channel.embeddedEventLoop.run()
        }
        func answers() throws -> Int {
            var count = 0
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                if case .head(let head) = part, head.status == .ok { count += 1 }
            }
            return count
        }

        ask()
        channel.read()
        #expect(reads.count == 1)
        ask()
        channel.read()
        channel.read()
        #expect(reads.count == 1)
        #expect(try answers() == 0)

        held.answerOldest()
        channel.embeddedEventLoop.run()
        #expect(try answers() == 1)
        #expect(reads.count == 1)
        held.answerOldest()
        channel.embeddedEventLoop.run()
        #expect(try answers() == 1)
        #expect(reads.count == 2)
    }
}
