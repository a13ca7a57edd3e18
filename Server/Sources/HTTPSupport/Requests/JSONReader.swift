import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore

/// Reads JSON bodies strictly: a misspelt or malformed request is told, never guessed at.
package struct JSONReader: Sendable {
    private let readBody: BodyReader

    package init(_ readBody: BodyReader) {
        self.readBody = readBody
    }

    /// The request's body.
    ///
    /// - Parameters:
    ///   - type: What the body is read as.
    ///   - request: The request.
    ///   - context: What travels with it.
    ///   - mediaTypes: What `Content-Type` may be, in lower case.
    /// - Returns: `nil` when there is no body.
    /// - Throws: `HTTPFault`, and what `Body` itself throws.
    package func callAsFunction<Body: Decodable & Sendable>(
        _ type: Body.Type, of request: Request, _ context: ServerContext, mediaTypes: [String] = ["application/json"]
    ) async throws -> Body? {
        let buffer = try await readBody(request, context)
        guard buffer.readableBytes > 0 else { return nil }
        guard let sent = request.headers[.contentType], mediaTypes.contains(Self.essence(of: sent)) else {
            throw HTTPFault.mediaTypeUnsupported(accepted: mediaTypes)
        }
        return try Self.decode(type, from: buffer)
    }

    static func decode<Body: Decodable>(_ type: Body.Type, from buffer: ByteBuffer) throws -> Body {
        let bytes = Data(buffer.readableBytesView)
        // The decoder would take UTF-16 and UTF-32 too; RFC 8259 §8.1 knows UTF-8 alone.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
            throw HTTPFault.bodyMalformed(reason: "The body is not UTF-8.")
        }
        do {
            return try JSONDecoder().decode(type, from: bytes)
        } catch let error as DecodingError {
            throw HTTPFault(error)
        }
    }

    /// `application/json` of `Application/JSON; charset=utf-8`.
    private static func essence(of mediaType: String) -> String {
        mediaType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
}

extension HTTPFault {
    /// What a decoder found, without its words: they can repeat what was sent.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let place), .valueNotFound(_, let place):
            self = .membersInvalid([MemberFault(path: place.path, rule: .wrongType)])
        case .keyNotFound(let key, let place):
            let name = MemberFault.printable(key.stringValue)
            let path = place.path.isEmpty ? name : "\(place.path).\(name)"
            self = .membersInvalid([MemberFault(path: path, rule: .required)])
        case .dataCorrupted(let place) where place.codingPath.isEmpty:
            self = .bodyMalformed(reason: "The body is not JSON.")
        case .dataCorrupted(let place):
            self = .membersInvalid([MemberFault(path: place.path, rule: .malformed)])
        @unknown default:
            self = .bodyMalformed(reason: "The body cannot be read.")
        }
    }
}

extension DecodingError.Context {
    /// The place as `user.fields.list.0`.
    fileprivate var path: String {
        MemberFault.printable(
            codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."))
    }
}
