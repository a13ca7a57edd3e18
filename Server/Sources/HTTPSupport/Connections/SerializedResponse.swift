import HTTPTypes
import NIOCore
import NIOHTTP1

/// A response whose length is known, as the bytes that SwiftNIO's encoder would write (RFC 9112 §4 and §6).
enum SerializedResponse {
    private static let newLine: StaticString = "\r\n"
    private static let separator: StaticString = ": "
    /// What most heads need, so that the memory of one rarely has to grow.
    private static let headBytes = 640

    /// - Parameters:
    ///   - head: The head, which says how long the body is.
    ///   - body: All of the body.
    /// - Returns: `nil` for a response that has no body by its status, or whose head says something else of it: the encoder
    ///   knows what to do.
    static func bytes(_ head: HTTPResponse, _ body: ByteBuffer) -> ByteBuffer? {
        let status = head.status
        guard status.code >= 200, status != .noContent, status != .resetContent, status != .notModified else {
            return nil
        }
        var bytes = ByteBufferAllocator().buffer(capacity: headBytes + body.readableBytes)
        bytes.writeStaticString("HTTP/1.1 ")
        bytes.writeString(String(status.code))
        bytes.writeStaticString(" ")
        // Most of ours have a code alone; what it means is SwiftNIO's to say, as it is when its encoder writes.
        bytes.writeString(HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase).reasonPhrase)
        bytes.writeStaticString(newLine)
        var hasLength = false
        for field in head.headerFields {
            if field.name == .contentLength {
                guard !hasLength, Int(field.value, radix: 10) == body.readableBytes else { return nil }
                hasLength = true
            } else if field.name == .transferEncoding || field.name == .connection {
                return nil
            }
            bytes.writeString(field.name.rawName)
            bytes.writeStaticString(separator)
            bytes.writeString(field.value)
            bytes.writeStaticString(newLine)
        }
        guard hasLength else { return nil }
        bytes.writeStaticString(newLine)
        bytes.writeImmutableBuffer(body)
        return bytes
    }
}
