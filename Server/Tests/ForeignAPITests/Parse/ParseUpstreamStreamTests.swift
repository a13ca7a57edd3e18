import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OutboundServices
import ParseAPI
import Synchronization
import Testing

/// Stands in for an app's own Parse Server, with bodies that are longer than anything may hold.
private final class StreamingParseServer: Sendable {
    static let pieceBytes = 64 * 1024
    static let bodyBytes = 24 * 1024 * 1024

    /// What happens here, for tests that wait for it.
    let began = AsyncStream<Int>.makeStream()
    let left = AsyncStream<Void>.makeStream()
    /// How many uploads have reached it.
    let uploads = Atomic(0)
    /// What a test lets happen.
    let goesOn = AsyncStream<Void>.makeStream()

    static let piece = ByteBuffer(repeating: 7, count: pieceBytes)

    func respond(to request: Request) async -> Response {
        switch request.uri.path.split(separator: "/").last.map(String.init) {
        case "upload.bin":
            var count = 0
            uploads.add(1, ordering: .relaxed)
            do {
                for try await piece in request.body {
                    if count == 0 { began.continuation.yield(piece.readableBytes) }
                    count += piece.readableBytes
                }
            } catch {
                left.continuation.yield()
                return Response(status: .badRequest)
            }
            if let announced = request.headers[.contentLength], announced != String(count) {
                left.continuation.yield()
            }
            return Self.json(#"{"size":\#(count)}"#, .created)
        case "refused.bin": return Self.json(#"{"code":130,"error":"too large here"}"#, .badRequest)
        case "large.bin":
            return Self.file(Self.bodyBytes) { [goesOn] writer in
                for number in 0..<(Self.bodyBytes / Self.pieceBytes) {
                    // What is held on the way is far less than sixteen pieces, on the sockets too.
                    if number == 200 { _ = await goesOn.stream.first { _ in true } }
                    try await writer.write(Self.piece)
                }
                try await writer.finish(nil)
            }
        case "waiting.bin":
            // More than is held on the way of a response that nobody reads.
            return Self.file(8 * Self.pieceBytes) { writer in
                for _ in 0..<8 { try await writer.write(Self.piece) }
                try await writer.finish(nil)
            }
        case "broken.bin":
            return Self.file(Self.bodyBytes) { writer in
                try await writer.write(Self.piece)
                throw Missing(description: "the disk is gone")
            }
        case "endless.bin":
            return Self.file(nil) { [left] writer in
                do {
                    while true { try await writer.write(Self.piece) }
                } catch {
                    left.continuation.yield()
                    throw error
                }
            }
        case "silent.bin":
            _ = await goesOn.stream.first { _ in true }
            return Response(status: .ok)
        default: return Response(status: .notFound)
        }
    }

    private static func json(_ text: String, _ status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static func file(
        _ byteCount: Int?, _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: "image/png"],
            body: ResponseBody(contentLength: byteCount, write))
    }

    /// Serves until the process ends: nobody awaits it, and it holds nothing but its port.
    func start() async -> String {
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let application = Hummingbird.Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                await self.respond(to: request)
            },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 9) },
            logger: Logger(label: "parse server") { _ in SwiftLogNoOpLogHandler() })
        Task.detached { try await application.run() }
        return "http://127.0.0.1:\(await ports.first { _ in true } ?? 9)"
    }
}

/// Takes a response's body piece by piece.
private final class PieceReader: ResponseBodyWriter, Sendable {
    private let bytes = Atomic(0)
    private let take: @Sendable (_ total: Int) throws -> Void

    init(_ take: @escaping @Sendable (Int) throws -> Void = { _ in }) {
        self.take = take
    }

    var count: Int { bytes.load(ordering: .relaxed) }

    func write(_ buffer: ByteBuffer) async throws {
        try take(bytes.add(buffer.readableBytes, ordering: .relaxed).newValue)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Bodies are neither held nor bounded by what memory has (issue 20).
@Suite("Long bodies of an app's own Parse Server", .timeLimit(.minutes(20)))
struct ParseUpstreamStreamTests {
    private let server = StreamingParseServer()
    private let address: String
    private let world: ForeignWorld
    private static let policy = EgressPolicy(privateNetworks: IPNetwork.loopback, operatorURLs: [])
    private static let keys = [("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest")]

    init() async throws {
        address = await server.start()
        world = try await Self.world(at: address)
    }

    /// A server that leads to the other one. Bodies have the time that a crowded machine needs, but where it is what is tested.
    private static func world(at address: String, requestTimeout: Int = 600) async throws -> ForeignWorld {
        let world = try await ForeignWorld(
            server: [
                "rate-limits": "off", "request-timeout": "\(requestTimeout)", "trusted-proxies": "10.0.0.0/8",
            ], caller: .ofTests(private: IPNetwork.loopback))
        try await lead(world.application.id, to: address, in: world)
        return world
    }

    private func open(
        _ method: String, _ name: String, from peer: String = "192.0.2.1", of keys: [(String, String)] = Self.keys
    ) async throws -> Response {
        try await world.respond(
            method, "/parse/files/\(name)", keys, body: RequestBody(buffer: ByteBuffer()), byteCount: nil, peer: peer)
    }

    private static func lead(
        _ application: Identifier<Domain.Application>, to address: String, in world: ForeignWorld
    ) async throws {
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: application, to: ["upstream": .texts(["\(address)/parse"])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
    }

    @Test(
        "are passed on while they come: the other server has the first piece before the last is sent",
        arguments: [true, false])
    func upload(isAnnounced: Bool) async throws {
        let (body, source) = RequestBody.makeStream()
        let total = StreamingParseServer.bodyBytes
        let headers = Self.keys + (isAnnounced ? [] : [("Transfer-Encoding", "chunked")])
        async let response = world.respond(
            "POST", "/parse/files/upload.bin", headers + [("Content-Type", "image/png")], body: body,
            byteCount: isAnnounced ? total : nil)
        await source.yield(StreamingParseServer.piece)
        let first = await server.began.stream.first { _ in true }
        #expect(first != nil)
        for _ in 1..<(total / StreamingParseServer.pieceBytes) { await source.yield(StreamingParseServer.piece) }
        source.finish()
        let answered = try await response
        #expect(answered.status == .created)
        #expect(try await text(of: answered) == #"{"size":\#(total)}"#)
    }

    @Test("come back while they are made, with their length and type")
    func download() async throws {
        let response = try await open("GET", "large.bin")
        #expect(response.status == .ok && response.headers[.contentType] == "image/png")
        #expect(response.body.contentLength == StreamingParseServer.bodyBytes)
        // The other server makes the second half only when this client has something.
        let reader = PieceReader { [server] _ in server.goesOn.continuation.yield() }
        try await response.body.write(reader)
        #expect(reader.count == StreamingParseServer.bodyBytes)
    }

    @Test("that break off on their way back are no whole response")
    func brokenOff() async throws {
        let response = try await open("GET", "broken.bin")
        #expect(response.status == .ok)
        let reader = PieceReader()
        await #expect(throws: BytePipe.Broken.self) { try await response.body.write(reader) }
        #expect(reader.count < StreamingParseServer.bodyBytes)
    }

    @Test("are made no longer when the client has left")
    func left() async throws {
        try await leaveEarly()
        await dropped()
    }

    /// With its response the transfer ends.
    private func leaveEarly() async throws {
        let response = try await open("GET", "endless.bin")
        let reader = PieceReader { total in
            if total > 200_000 { throw ChannelError.ioOnClosedChannel }
        }
        await #expect(throws: ChannelError.self) { try await response.body.write(reader) }
    }

    private func dropped() async {
        let gone: Void? = await server.left.stream.first { _ in true }
        #expect(gone != nil)
    }

    @Test("are refused with the other server's words before all is sent, and in Parse's when this server refuses them")
    func refusals() async throws {
        let early = try await world.send(
            "POST", "/parse/files/refused.bin", Self.keys, bytes: [UInt8](repeating: 7, count: 3_000_000))
        #expect(early.status == 400 && early.parseCode == 130, "\(early.text)")
        let long = try await world.respond(
            "POST", "/parse/files/upload.bin", Self.keys, body: RequestBody(buffer: ByteBuffer()),
            byteCount: 1_000_000_000)
        #expect(long.status == .badRequest)
        #expect(try await text(of: long).contains(#""code":116"#))
    }

    @Test("that come too slowly are broken off on both sides")
    func slow() async throws {
        let world = try await Self.world(at: address, requestTimeout: 2)
        // On a busy machine a transfer can be broken off before the other server has heard of it.
        while server.uploads.load(ordering: .relaxed) == 0 {
            let (body, source) = RequestBody.makeStream()
            async let response = world.respond(
                "POST", "/parse/files/upload.bin", Self.keys, body: body, byteCount: StreamingParseServer.bodyBytes)
            await source.yield(StreamingParseServer.piece)
            let answer = try await text(of: try await response)
            #expect(answer.contains(#""code":124"#), "\(answer)")
            source.finish()
        }
        await dropped()
    }

    @Test("that do not come to their end are broken off on both sides")
    func short() async throws {
        let (body, source) = RequestBody.makeStream()
        async let response = world.respond(
            "POST", "/parse/files/upload.bin", Self.keys, body: body, byteCount: StreamingParseServer.bodyBytes)
        await source.yield(StreamingParseServer.piece)
        _ = await server.began.stream.first { _ in true }
        source.finish()
        #expect(try await response.status == .badRequest)
        await dropped()
    }

    @Test("that the other server does not take are too slow for the one who sends them, and no server's fault")
    func untaken() async throws {
        let world = try await Self.world(at: address, requestTimeout: 1)
        let (pieces, source) = AsyncStream<ByteBuffer>.makeStream()
        for _ in 0..<(StreamingParseServer.bodyBytes / StreamingParseServer.pieceBytes) {
            source.yield(StreamingParseServer.piece)
        }
        source.finish()
        // What waits for room leaves with the time that is over: the call ends before reading does.
        let response = try await world.respond(
            "POST", "/parse/files/silent.bin", Self.keys, body: RequestBody(asyncSequence: pieces),
            byteCount: StreamingParseServer.bodyBytes)
        let answer = try await text(of: response)
        #expect(answer.contains(#""code":124"#), "\(answer)")
    }

    private func text(of response: Response) async throws -> String {
        let reader = BodyCollector()
        try await response.body.write(reader)
        return String(buffer: reader.bytes)
    }

    @Test("wait no longer than they may for a server that says nothing, and no more than so many are under way")
    func silent() async throws {
        let streams = CurlStreams(limits: .init(whole: .seconds(1), transfers: 1), policy: Self.policy)
        await #expect(throws: WebFault.self) {
            _ = try await streams(WebCall(.get, "\(address)/parse/files/silent.bin"))
        }
        let none = CurlStreams(limits: .init(transfers: 0), policy: Self.policy)
        await #expect(throws: WebFault.tooBusy) {
            _ = try await none(WebCall(.get, "\(address)/parse/files/large.bin"))
        }
        await streams.close()
        await none.close()
        await #expect(throws: WebFault.tooBusy) {
            _ = try await streams(WebCall(.get, "\(address)/parse/files/large.bin"))
        }
    }

    @Test(
        "that one address does not read are sixteen at the most, where it is one client's: those of other addresses come",
        arguments: [
            ("9.9.9.9", nil, true), ("2620:fe::fe", nil, true), ("10.0.0.1", "192.168.1.7", true),
            // Of a listed proxy that says nothing, of a proxy on this machine, of a container's gateway.
            ("10.0.0.1", nil, false), ("127.0.0.1", nil, false), ("172.17.0.1", "9.9.9.9", false),
        ] as [(String, String?, Bool)])
    func shareOfAddress(peer: String, forwarded: String?, isOneClient: Bool) async throws {
        let keys = Self.keys + (forwarded.map { [("X-Forwarded-For", $0)] } ?? [])
        var held: [Response] = []
        for _ in 0..<16 { held.append(try await open("GET", "waiting.bin", from: peer, of: keys)) }
        #expect(held.allSatisfy { $0.status == .ok })
        let next = try await open("GET", "waiting.bin", from: peer, of: keys)
        #expect(next.status == (isOneClient ? .serviceUnavailable : .ok))
        let other = try await open("GET", "waiting.bin", from: "9.9.9.10")
        #expect(other.status == .ok)
        let reader = PieceReader()
        try await other.body.write(reader)
        #expect(reader.count == 8 * StreamingParseServer.pieceBytes)
        withExtendedLifetime((held, next)) {}
    }

    @Test("that one site of IPv6 does not read are as many as those of three of its networks: those of others come")
    func shareOfSite() async throws {
        var held: [Response] = []
        for number in 0..<48 {
            held.append(try await open("GET", "waiting.bin", from: "2620:fe:0:\(number / 16)::fe"))
        }
        #expect(held.allSatisfy { $0.status == .ok })
        #expect(try await open("GET", "waiting.bin", from: "2620:fe:0:3::fe").status == .serviceUnavailable)
        #expect(try await open("GET", "waiting.bin", from: "2620:fe:1::fe").status == .ok)
        withExtendedLifetime(held) {}
    }

    @Test("of one application are half of all, whatever its server is called: another's come, of that server too")
    func shareOfApplication() async throws {
        let keys = [("X-Parse-Application-Id", "app2"), ("X-Parse-REST-API-Key", "rest2")]
        let other = try await world.modules.applications.createApplication(
            name: "Other app", settings: ApplicationSettings(),
            protocols: [
                .parse: [
                    .applicationId: Secret("app2"), .restKey: Secret("rest2"), .javascriptKey: Secret("jskey2"),
                    .clientKey: Secret("client2"), .masterKey: Secret("master2"),
                ]
            ], by: .local
        ).application
        var held: [Response] = []
        for number in 0..<128 {
            if number == 64 {
                try await Self.lead(
                    world.application.id, to: address.replacing("127.0.0.1", with: "localhost"), in: world)
            }
            held.append(try await open("GET", "waiting.bin", from: "192.0.2.\(1 + number / 16)"))
        }
        #expect(held.allSatisfy { $0.status == .ok })
        #expect(try await open("GET", "waiting.bin", from: "192.0.2.99").status == .serviceUnavailable)
        for theirs in [address, await StreamingParseServer().start()] {
            try await Self.lead(other.id, to: theirs, in: world)
            #expect(try await open("GET", "waiting.bin", of: keys).status == .ok)
        }
        withExtendedLifetime(held) {}
    }

    @Test("are broken off when nobody has taken anything of them for as long as may be")
    func unread() async throws {
        let streams = CurlStreams(limits: .init(connecting: .seconds(60), unread: .zero), policy: Self.policy)
        let response = try await streams(WebCall(.get, "\(address)/parse/files/endless.bin"))
        await dropped()
        await #expect(throws: BytePipe.Broken.self) { while try await response.next() != nil {} }
        await streams.close()
    }

    /// A pipe holds 64 KiB and one piece of libcurl's more, and its taker takes all of it at once.
    @Test("wait for a client that takes 1000 bytes a second")
    func slowClient() {
        #expect(CurlStreams.Limits().unread > .milliseconds((64 + 16) * 1024))
    }

    @Test("have no length where there is none, and HEAD has the head alone")
    func head() async throws {
        let response = try await open("HEAD", "large.bin")
        #expect(response.status == .ok)
        let reader = PieceReader()
        try await response.body.write(reader)
        #expect(reader.count == 0)
    }
}
