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

    /// - Throws: when a number is not finite, which nothing that was read from JSON is.
    func response() throws -> Response {
        let encoder = JSONEncoder()
        // A slash needs no escape, and paths read better without.
        encoder.outputFormatting = .withoutEscapingSlashes
        let bytes = try encoder.encode(body)
        var headers = headers
        headers[.contentType] = mediaType
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
