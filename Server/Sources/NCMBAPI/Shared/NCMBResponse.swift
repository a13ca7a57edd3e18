import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers with the headers that NCMB's SDKs insist on.
enum NCMBResponse {
    /// Android and Kotlin compare the text: no space, these capitals, on empty bodies too.
    static let mediaType = "application/json;charset=UTF-8"

    /// An answer to a caller, signed with the caller's client key over the bytes that are sent.
    static func signed(
        _ body: NCMBObject?, status: HTTPResponse.Status = .ok, for caller: NCMBCaller
    ) throws -> Response {
        signed(try body.map { try JSONBytes.buffer(of: $0) } ?? ByteBuffer(), status: status, for: caller)
    }

    /// An answer whose body is written already.
    static func signed(_ body: ByteBuffer, status: HTTPResponse.Status = .ok, for caller: NCMBCaller) -> Response {
        var response = plain(body, status: status)
        response.headers.append(HTTPField(name: .ncmbResponseSignature, value: caller.signature(over: body)))
        return response
    }

    /// An answer to nobody in particular.
    static func unsigned(_ body: NCMBObject, status: HTTPResponse.Status) -> Response {
        // Two texts always encode.
        plain((try? JSONBytes.buffer(of: body)) ?? ByteBuffer(), status: status)
    }

    private static func plain(_ body: ByteBuffer, status: HTTPResponse.Status) -> Response {
        var headers = HTTPFields()
        headers.reserveCapacity(12)
        headers.append(HTTPField(name: .contentType, value: mediaType))
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

extension HTTPField.Name {
    static let ncmbApplicationKey = HTTPField.Name(known: "X-NCMB-Application-Key")
    static let ncmbTimestamp = HTTPField.Name(known: "X-NCMB-Timestamp")
    static let ncmbSignature = HTTPField.Name(known: "X-NCMB-Signature")
    static let ncmbSessionToken = HTTPField.Name(known: "X-NCMB-Apps-Session-Token")
    static let ncmbSDKVersion = HTTPField.Name(known: "X-NCMB-SDK-Version")
    static let ncmbSystemVersion = HTTPField.Name(known: "X-NCMB-OS-Version")
    static let ncmbResponseSignature = HTTPField.Name(known: "X-NCMB-Response-Signature")
}
