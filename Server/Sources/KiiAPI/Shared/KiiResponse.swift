import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import enum OkaeriWire.JSONValue

/// Answers in Kii's media types.
enum KiiResponse {
    static func response(
        _ members: [String: JSONValue], _ status: HTTPResponse.Status = .ok, _ mediaType: String = "application/json",
        _ headers: HTTPFields = HTTPFields()
    ) -> Response {
        do {
            return response(try JSONBytes.buffer(of: JSONValue.object(members)), status, mediaType, headers)
        } catch {
            // Only a number that is not finite cannot be written, and nothing that was read from JSON is one.
            return Response(status: .internalServerError)
        }
    }

    static func response(
        _ json: ByteBuffer, _ status: HTTPResponse.Status = .ok, _ mediaType: String,
        _ headers: HTTPFields = HTTPFields()
    ) -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: json))
    }

    /// 204: JavaScript 3.x parses everything else as JSON.
    static var nothing: Response { Response(status: .noContent) }

    static func mediaType(_ name: String) -> String { "application/vnd.kii.\(name)+json" }
}
