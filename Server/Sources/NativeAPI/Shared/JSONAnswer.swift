import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A body as JSON. The one place where answers are encoded.
struct JSONAnswer<Body: Encodable> {
    let body: Body
    var status: HTTPResponse.Status = .ok
    var mediaType = "application/json"
    var headers = HTTPFields()

    /// - Returns: the answer.
    /// - Throws: when a number is not finite, which nothing that was read from JSON is.
    func response() throws -> Response {
        let bytes = try JSONBytes.of(body)
        return JSONBytes.response(bytes, status: status, mediaType: mediaType, headers: headers)
    }
}

/// JSON as bytes.
enum JSONBytes {
    static func of(_ body: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        // A slash needs no escape, and paths read better without.
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(body)
    }

    static func response(
        _ bytes: some Sequence<UInt8>, status: HTTPResponse.Status = .ok, mediaType: String = "application/json",
        headers: HTTPFields = HTTPFields()
    ) -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
