import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import enum OkaeriWire.JSONValue

/// An answer, before it is bytes: a batch puts many into one.
struct ParseResponse: Sendable {
    enum Body: Sendable {
        case value(JSONValue)
        /// Written already.
        case bytes(ByteBuffer)
        /// Another server's, which comes while it is sent on.
        case pieces(byteCount: Int?, @Sendable () async throws -> ByteBuffer?)
    }

    var body: Body
    var status: HTTPResponse.Status
    var headers: HTTPFields

    init(_ members: [String: JSONValue], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        self.init(.value(.object(members)), status: status, headers: headers)
    }

    init(_ body: Body, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        self.body = body
        self.status = status
        self.headers = headers
    }

    /// The body as one value among others.
    var value: JSONValue {
        switch body {
        case .value(let value): value
        // Bytes were written here, from a value; there may be none.
        case .bytes(let bytes): (try? JSONValue(parsing: Array(bytes.readableBytesView))) ?? .null
        // Those of a batch are read whole.
        case .pieces: .null
        }
    }

    func response() throws -> Response {
        let content =
            switch body {
            case .value(let value): ResponseBody(byteBuffer: try JSONBytes.buffer(of: value))
            case .bytes(let bytes): ResponseBody(byteBuffer: bytes)
            case .pieces(let byteCount, let next):
                ResponseBody(contentLength: byteCount) { writer in
                    var left = byteCount ?? .max
                    while let piece = try await next() {
                        // What comes behind the announced end would be taken for the next response.
                        guard piece.readableBytes <= left else { throw ParseFault.unavailable }
                        left -= piece.readableBytes
                        try await writer.write(piece)
                    }
                    guard byteCount == nil || left == 0 else { throw ParseFault.unavailable }
                    try await writer.finish(nil)
                }
            }
        var headers = headers
        headers.reserveCapacity(16)
        if headers[.contentType] == nil {
            headers.append(HTTPField(name: .contentType, value: "application/json; charset=utf-8"))
        }
        return Response(status: status, headers: headers, body: content)
    }
}
