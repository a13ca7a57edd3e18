import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Waits for a request whose head cannot be read, and then puts our words in place of the empty 400 that Hummingbird
/// sends: no route sees such a request.
final class MalformedRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// What is said of the two faults, as bytes: in the words of the protocol whose path the request begins with, which old SDKs
    /// insist on, and else in those of this server.
    struct Answers: Sendable {
        private struct Words: Sendable {
            let malformed: ByteBuffer
            let tooLarge: ByteBuffer
        }

        private let standard: Words
        private let owned: [(adapter: any ProtocolAdapter, words: Words)]

        /// - Parameters:
        ///   - errors: The words of this server.
        ///   - adapters: The protocols. The words of those count that apps of other origins speak, which are the old ones.
        /// - Throws: what a renderer's response throws while its bytes are made.
        init(_ errors: any ErrorRenderer, _ adapters: [any ProtocolAdapter] = []) async throws {
            standard = try await Self.words(of: errors)
            var owned: [(adapter: any ProtocolAdapter, words: Words)] = []
            for adapter in adapters where !adapter.crossOriginHeaders.isEmpty {
                owned.append((adapter, try await Self.words(of: adapter.errors, adapter.crossOriginHeaders)))
            }
            self.owned = owned
        }

        private static func words(of errors: any ErrorRenderer, _ fields: [HTTPField] = []) async throws -> Words {
            let malformed = errors.response(to: RequestError.headMalformed, requestId: "")
            let tooLarge = errors.response(to: RequestError.headTooLarge, requestId: "")
            return Words(
                malformed: try await malformed.lastBytes(fields), tooLarge: try await tooLarge.lastBytes(fields))
        }

        fileprivate func words(for error: HTTPParserError, at path: String?) -> ByteBuffer {
            let words = path.flatMap { path in owned.first { $0.adapter.owns(path: path) } }?.words ?? standard
            if case .headerOverflow = error { return words.tooLarge }
            return words.malformed
        }
    }

    private let answers: Answers

    init(_ answers: Answers) {
        self.answers = answers
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError {
            // A channel without it is one of a test.
            let line = try? context.pipeline.syncOperations.handler(type: RequestLineMemory.self)
            let words = answers.words(for: error, at: line?.path)
            do {
                try context.pipeline.syncOperations.addHandler(Replacement(words), position: .first)
            } catch {
                // The connection is gone already, and nobody waits for words.
            }
        }
        context.fireErrorCaught(error)
    }
}

/// Remembers how the request began that the decoder is reading, in case that nobody ever sees its head. Of a request that came in
/// one piece with the one before it knows nothing. What is made of it are words of a refusal alone.
final class RequestLineMemory: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let maximumBytes = 128

    private var beginning: [UInt8] = []
    private var isNext = true

    /// Says that the request was read to its end: what comes begins another one.
    func noteEnd() { isNext = true }

    /// The path as far as it is known, without the query; `nil` for what is no path.
    var path: String? {
        let parts = beginning.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ 0x21...0x7e ~= $0 })
        else { return nil }
        return String(decoding: parts[1].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isNext {
            beginning = Array(unwrapInboundIn(data).readableBytesView.prefix(Self.maximumBytes))
            isNext = false
        }
        context.fireChannelRead(data)
    }
}

/// Refuses what the decoder takes and two readers could understand in two ways: a request of HTTP/1.1 that names no host, a request that
/// names two, or what cannot be one (RFC 9112 §3.2), a target of another form than a path, a body in another encoding than
/// chunks, and chunks in HTTP/1.0 (§6.1). A whole address as target becomes its path, so that all that is behind reads one and the same. The
/// fast path leaves all of them to the decoder.
///
/// A request of HTTP/1.0 is the last one of its connection, whatever it asks for: its client may read its response until the
/// connection ends (§9.3), knows no chunks (§7.1), and waits for no word before it sends a body (RFC 9110 §10.1.1).
final class RequestHeadCheck: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long `Connection` may be, over all its fields. Clients and proxies name a few options of a few letters each.
    private static let maximumConnectionBytes = 1024

    private let line: RequestLineMemory?
    /// Whether a request was refused: what comes behind it is none.
    private var hasRefused = false
    /// Whether the connection's last request came by HTTP/1.0.
    private var endsOutdated = false
    /// Whether the head of a response went out that has chunks by its own words, and its end has not.
    private var isHeadAlone = false

    /// - Parameter line: What remembers how each request began, when something does.
    init(_ line: RequestLineMemory?) {
        self.line = line
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        let part = unwrapInboundIn(data)
        if case .end = part { line?.noteEnd() }
        guard case .head(let head) = part else { return context.fireChannelRead(data) }
        if let fault = Self.fault(of: head) { return refuse(fault, context) }
        let target = head.uri.utf8
        let isPlain =
            target.first == UInt8(ascii: "/") || target.elementsEqual("*".utf8) || head.method == .CONNECT
        guard var plain = isPlain ? head : Self.withPath(head) else { return refuse(.invalidURL, context) }
        if Self.isOutdated(head) {
            endsOutdated = true
            plain.headers.replaceOrAdd(name: "Connection", value: "close")
            plain.headers.remove(name: "Expect")
        } else if isPlain {
            return context.fireChannelRead(data)
        }
        context.fireChannelRead(wrapInboundOut(.head(plain)))
    }

    /// The end of the connection is the end of a body whose length its head does not tell, where the client knows no chunks. A head
    /// that says itself that chunks follow is the response to `HEAD`, behind which not even their end may stand.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.headers.contains(name: "Transfer-Encoding"):
            isHeadAlone = true
            if endsOutdated, head.headers["Connection"] == ["close"] {
                head.headers.remove(name: "Transfer-Encoding")
                head.version = .http1_0
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head(var head)
        where endsOutdated && head.headers["Connection"] == ["close"] && !head.headers.contains(name: "Content-Length"):
            head.version = .http1_0
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isHeadAlone:
            isHeadAlone = false
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: promise)
        case .head, .body, .end: context.write(data, promise: promise)
        }
    }

    private static func isOutdated(_ head: HTTPRequestHead) -> Bool {
        head.version.major < 1 || head.version.major == 1 && head.version.minor < 1
    }

    private func refuse(_ fault: HTTPParserError, _ context: ChannelHandlerContext) {
        hasRefused = true
        context.fireErrorCaught(fault)
    }

    /// The same request with the path of its whole address as target, and the host in it as the one that is asked, whatever
    /// `Host` says (RFC 9112 §3.2.2).
    ///
    /// - Returns: `nil` for what is no address by http or https, and for one with a name in it.
    private static func withPath(_ head: HTTPRequestHead) -> HTTPRequestHead? {
        let target = Array(head.uri.utf8)
        guard let colon = target.firstIndex(of: UInt8(ascii: ":")), colon <= 5,
            target[colon...].starts(with: "://".utf8),
            ["http", "https"].contains(String(decoding: target[..<colon], as: UTF8.self).lowercased())
        else { return nil }
        let rest = target[(colon + 3)...]
        let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let name = String(decoding: host, as: UTF8.self)
        guard FastPathRequest.isHost(name) else { return nil }
        let path = String(decoding: rest[host.endIndex...], as: UTF8.self)
        var plain = head
        plain.uri = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        plain.headers.replaceOrAdd(name: "Host", value: name)
        return plain
    }

    private static func fault(of head: HTTPRequestHead) -> HTTPParserError? {
        let hosts = head.headers["Host"]
        let isOutdated = Self.isOutdated(head)
        let isNamed = hosts.first.map { FastPathRequest.isHost($0) || isOutdated && $0.isEmpty } ?? isOutdated
        guard hosts.count <= 1, isNamed else { return .invalidHeaderToken }
        // SwiftNIO takes it apart by characters, with the request and with its response: 15 KB of marks take twelve milliseconds.
        let options = head.headers["Connection"].reduce(0) { $0 + $1.utf8.count }
        guard options <= maximumConnectionBytes else { return .headerOverflow }
        let encodings = head.headers["Transfer-Encoding"]
        guard !encodings.isEmpty else { return nil }
        // By bytes: nobody has looked yet whether the text of a stranger is stream-safe, and this is an event loop.
        let isChunked = encodings.count == 1 && encodings[0].utf8.lazy.map { $0 | 0x20 }.elementsEqual("chunked".utf8)
        return isChunked && !isOutdated ? nil : .invalidHeaderToken
    }
}

/// Replaces the one empty 400.
private final class Replacement: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Longer than Hummingbird's empty 400, shorter than any answer of ours.
    private static let longestEmptyAnswer = 100

    private let words: ByteBuffer

    init(_ words: ByteBuffer) {
        self.words = words
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = unwrapOutboundIn(data), bytes.readableBytes <= Self.longestEmptyAnswer,
            bytes.readableBytesView.starts(with: "HTTP/1.1 400 ".utf8)
        {
            context.write(wrapOutboundOut(.byteBuffer(words)), promise: promise)
        } else {
            context.write(data, promise: promise)
        }
    }
}

extension Response {
    /// The answer as HTTP/1.1 bytes, the last on its connection.
    fileprivate func lastBytes(_ added: [HTTPField]) async throws -> ByteBuffer {
        let collector = BodyCollector()
        try await body.write(collector)
        var head = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        var fields = headers
        fields[.connection] = "close"
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        fields.append(contentsOf: added)
        for field in fields { head += "\(field.name.rawName): \(field.value)\r\n" }
        var bytes = ByteBuffer(string: head + "\r\n")
        bytes.writeImmutableBuffer(collector.bytes)
        return bytes
    }
}
