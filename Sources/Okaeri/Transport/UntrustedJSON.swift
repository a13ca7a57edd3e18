import Foundation
import OkaeriWire

/// JSON that came into the process: responses of the server, tokens of providers, what a vault kept. Its author must
/// not be able to crash the app: Foundation's decoder goes down as many levels as the text has, and Apple's worker threads
/// have a stack of 512 KiB.
enum UntrustedJSON {
    /// The longest text, 1 MiB. The server's own responses have a few hundred kilobytes at the most, with a theme's pictures.
    static let maximumBytes = 1024 * 1024
    /// How many arrays and objects may stand within each other. A user's fields have 16 (docs/api.md), and what is around
    /// them a few.
    static let maximumDepth = 32

    /// The longest record of a vault: it holds a user whom a response of the longest kind brought, with each character escaped.
    static let maximumRecordBytes = 8 * maximumBytes
    /// In a record a user stands a level deeper than in the response of its own.
    static let maximumRecordDepth = maximumDepth + 1

    /// - Throws: `JSONSyntaxError`, `DecodingError`, and whatever the type throws.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, maximumBytes: Int = UntrustedJSON.maximumBytes,
        maximumDepth: Int = UntrustedJSON.maximumDepth
    ) throws -> Value {
        try value(data, maximumBytes: maximumBytes, maximumDepth: maximumDepth).decoded(as: type)
    }

    /// Any value.
    ///
    /// - Throws: `JSONSyntaxError`.
    static func value(
        _ data: Data, maximumBytes: Int = UntrustedJSON.maximumBytes, maximumDepth: Int = UntrustedJSON.maximumDepth
    ) throws(JSONSyntaxError) -> JSONValue {
        guard data.count <= maximumBytes else { throw .unexpected(offset: maximumBytes) }
        return try JSONValue(parsing: Array(data), maximumDepth: maximumDepth)
    }
}

extension TransportResponse {
    /// The body as a value.
    ///
    /// - Throws: `OkaeriError.unexpectedResponse` when it is none.
    func decoded<Body: Decodable>(_ type: Body.Type) throws(OkaeriError) -> Body {
        do {
            return try UntrustedJSON.decode(type, from: body)
        } catch {
            throw .unexpectedResponse(status: status)
        }
    }

    /// Whether a response of success has no body, or one that begins as those of the API do.
    var mayBeOfAPI: Bool {
        guard let first = body.first(where: { $0 > UInt8(ascii: " ") }) else { return true }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The problem document; `nil` when the response holds none.
    var problem: Problem? {
        guard let type = headers.short("Content-Type"), type.lowercased().hasPrefix(Problem.mediaType)
        else { return nil }
        // Whatever is not a problem document did not come from the API: the status alone counts then.
        return try? UntrustedJSON.decode(Problem.self, from: body)
    }

    /// How long the server asks to wait, in its form as seconds (RFC 9110 §10.2.3); at most a day, whatever it asks.
    /// `nil` for anything but digits.
    var retryAfter: Duration? {
        guard let text = headers["Retry-After"], !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let day: Int64 = 86_400
        // More digits than 64 bits hold are more than a day too.
        return .seconds(min(Int64(text, radix: 10) ?? day, day))
    }

    /// Whether the same request may succeed a little later.
    var isTemporaryRefusal: Bool {
        [408, 429, 502, 503, 504].contains(status)
    }
}

extension HeaderFields {
    /// The longest value of a field that is compared or taken apart.
    private static let maximumBytes = 256

    /// The value of a field that is short and stream-safe, as those of servers are. To compare or to split what is marks without an
    /// end takes seconds.
    func short(_ name: String) -> String? {
        self[name].flatMap { $0.utf8.count <= Self.maximumBytes && StreamSafeText.contains($0) ? $0 : nil }
    }
}
