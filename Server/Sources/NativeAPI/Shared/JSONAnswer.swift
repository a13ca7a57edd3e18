import HTTPSupport
import HTTPTypes
import Hummingbird

/// A body as JSON. The one place where answers are encoded.
struct JSONAnswer<Body: Encodable> {
    let body: Body
    var status: HTTPResponse.Status = .ok
    var mediaType = "application/json"
    var headers = HTTPFields()

    /// - Throws: when a number is not finite, which nothing that was read from JSON is.
    func response() throws -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: try JSONBytes.buffer(of: body)))
    }
}
