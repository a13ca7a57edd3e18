import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// A body as JSON. All responses are encoded here.
struct JSONResponse<Body: Encodable> {
    let body: Body
    var status: HTTPResponse.Status = .ok
    var mediaType = "application/json"
    var headers = HTTPFields()

    /// - Returns: the answer.
    /// - Throws: when a number is not finite, which nothing that was read from JSON is.
    func response() throws -> Response {
        Response(json: try JSONBytes.buffer(of: body), status: status, mediaType: mediaType, headers: headers)
    }
}

extension Response {
    /// An answer of JSON that is written already.
    init(
        json: ByteBuffer, status: HTTPResponse.Status = .ok, mediaType: String = "application/json",
        headers: HTTPFields = HTTPFields()
    ) {
        var headers = headers
        headers[.contentType] = mediaType
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: json))
    }
}
