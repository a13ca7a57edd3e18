import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import HTTPSupport

@Suite("Responses that are written past the encoder")
struct SerializedResponseTests {
    private static let statuses: [HTTPResponse.Status] = [
        .ok, .created, .accepted, .seeOther, .badRequest, .unauthorized, .forbidden, .notFound, .conflict,
        .contentTooLarge, .tooManyRequests, .internalServerError, .serviceUnavailable, .init(code: 299),
        .init(code: 401), .init(code: 413),
        .init(code: 420, reasonPhrase: "Odd"),
    ]

    @Test("have the bytes that the encoder would write", arguments: statuses)
    func bytes(status: HTTPResponse.Status) throws {
        for text in ["", "{}", String(repeating: "x", count: 100_000)] {
            let body = ByteBuffer(string: text)
            var fields: HTTPFields = [
                .contentLength: String(text.utf8.count), .contentType: "application/json", .date: "now",
                .vary: "Origin",
            ]
            fields.append(HTTPField(name: .setCookie, value: "a=1; Path=/"))
            fields.append(HTTPField(name: .setCookie, value: "b=\u{e9}"))
            let head = HTTPResponse(status: status, headerFields: fields)
            let own = try #require(SerializedResponse.bytes(head, body))
            #expect(String(buffer: own) == (try Self.encoded(head, body)))
        }
    }

    @Test("are none whose body the encoder must frame, or that have none")
    func other() {
        let none = ByteBuffer()
        for status in [HTTPResponse.Status.continue, .noContent, .resetContent, .notModified] {
            #expect(SerializedResponse.bytes(.init(status: status, headerFields: [.contentLength: "0"]), none) == nil)
        }
        for fields in [
            [:], [.contentLength: "1"], [.contentLength: "0", .transferEncoding: "chunked"],
            [.contentLength: "0", .connection: "close"],
        ] as [HTTPFields] {
            #expect(SerializedResponse.bytes(.init(status: .ok, headerFields: fields), none) == nil)
        }
    }

    private static func encoded(_ head: HTTPResponse, _ body: ByteBuffer) throws -> String {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(HTTPResponseEncoder(), HTTP1ToHTTPServerCodec(secure: false))
        try channel.writeOutbound(HTTPResponsePart.head(head))
        try channel.writeOutbound(HTTPResponsePart.body(body))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        var bytes = ByteBuffer()
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = data { bytes.writeImmutableBuffer(buffer) }
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
        return String(buffer: bytes)
    }
}
