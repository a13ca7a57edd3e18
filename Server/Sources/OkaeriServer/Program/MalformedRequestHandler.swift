import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Waits for a request whose head cannot be read, and then puts our words in place of the empty 400 that Hummingbird
/// sends: no route sees such a request.
final class MalformedRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// The two answers, as bytes.
    struct Answers: Sendable {
        let malformed: ByteBuffer
        let tooLarge: ByteBuffer

        init(_ errors: any ErrorRenderer) async throws {
            malformed = try await errors.response(to: RequestError.headMalformed, requestId: "").lastBytes()
            tooLarge = try await errors.response(to: RequestError.headTooLarge, requestId: "").lastBytes()
        }
    }

    private let answers: Answers

    init(_ answers: Answers) {
        self.answers = answers
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError {
            var words = answers.malformed
            if case .headerOverflow = error { words = answers.tooLarge }
            do {
                try context.pipeline.syncOperations.addHandler(Replacement(words), position: .first)
            } catch {
                // The connection is gone already, and nobody waits for words.
            }
        }
        context.fireErrorCaught(error)
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
    fileprivate func lastBytes() async throws -> ByteBuffer {
        let collector = BodyCollector()
        try await body.write(collector)
        var head = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        var fields = headers
        fields[.connection] = "close"
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        for field in fields { head += "\(field.name.rawName): \(field.value)\r\n" }
        var bytes = ByteBuffer(string: head + "\r\n")
        bytes.writeImmutableBuffer(collector.bytes)
        return bytes
    }
}
