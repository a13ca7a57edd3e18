import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

@testable import HTTPSupport

/// Reads requests by the fast path's reader and by SwiftNIO's decoder, and compares.
public enum FastPathRequestComparison {
    private static let limits = FastPathRequest.Limits(headBytes: 16 * 1024, fields: 64)
    /// As those of a protocol are known beside the common ones.
    private static let names = HeaderNames([HTTPField.Name("X-Known")].compactMap(\.self))

    /// Takes as many whole requests from the beginning of some bytes as the fast path would.
    ///
    /// - Returns: in what the decoder reads one of them differently; `nil` for no difference, also when there is none to compare.
    public static func difference(in input: [UInt8]) -> String? {
        var bytes = ByteBuffer(bytes: input)
        while bytes.readableBytes > 0 {
            var rest = bytes
            guard case .request(let request) = FastPathRequest.take(from: &rest, limits, names) else { break }
            guard rest.readableBytes < bytes.readableBytes else { return "a request of no bytes" }
            let own = bytes.readSlice(length: bytes.readableBytes - rest.readableBytes) ?? ByteBuffer()
            guard let decoded = decoded(own) else { return "the decoder reads no single request" }
            if decoded.head != request.head { return "\(decoded.head) is read as \(request.head)" }
            if decoded.body != request.body { return "another body" }
        }
        return nil
    }

    /// How many whole requests the fast path would take.
    public static func count(in input: [UInt8]) -> Int {
        var (bytes, count) = (ByteBuffer(bytes: input), 0)
        while case .request = FastPathRequest.take(from: &bytes, limits, names) { count += 1 }
        return count
    }

    /// The one request that some bytes are; `nil` when they are anything else.
    private static func decoded(_ bytes: ByteBuffer) -> (head: HTTPRequest, body: ByteBuffer)? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        var head: HTTPRequest?
        var body = ByteBuffer()
        var ends = 0
        do {
            try channel.pipeline.syncOperations.addHandlers(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                HTTP1ToHTTPServerCodec(secure: false))
            try channel.writeInbound(bytes)
            while let part = try channel.readInbound(as: HTTPRequestPart.self) {
                switch part {
                case .head(let new):
                    guard head == nil else { return nil }
                    head = new
                case .body(let new): body.writeImmutableBuffer(new)
                case .end: ends += 1
                }
            }
        } catch {
            return nil
        }
        return head.flatMap { ends == 1 ? ($0, body) : nil }
    }
}
