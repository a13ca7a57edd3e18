import Domain
import Foundation
package import HTTPTypes
package import Hummingbird
import OkaeriWire

/// Headers of requests are read by these alone, never by the subscript: what is not stream-safe (`StreamSafeText`) counts
/// as not sent.
extension HTTPFields {
    /// The value of a header, as the subscript tells it; without making a new text when there is one header only.
    package func value(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return joinedValue(of: name) }
            found = field.value
        }
        guard let found, StreamSafeText.contains(found) else { return nil }
        return found
    }

    /// The values of a header that is sent more than once, each by itself.
    package func values(of name: HTTPField.Name) -> [String] {
        self[values: name].filter(StreamSafeText.contains)
    }

    /// The values of a header to which each proxy adds one of its own, hop by hop, the client's side first. They are read as bytes:
    /// a stranger writes the left ones, and what cannot be read there must not hide what a proxy wrote behind it.
    func hops(_ name: HTTPField.Name) -> [Substring] { self[values: name].flatMap { $0.pieces(at: ",") } }

    /// The last of these, which a listed proxy wrote: a scheme or a host, in ASCII.
    ///
    /// - Returns: `nil` when nothing was sent that can be either.
    package func lastHop(_ name: HTTPField.Name) -> String? {
        let last = hops(name).last?.withoutBlanks ?? ""
        return !last.isEmpty && last.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? last : nil
    }

    /// The pairs of the header `Cookie`. Those that are not ASCII are none of this server's: another host of the domain wrote them,
    /// and they hide no other pair.
    ///
    /// - Parameter maximumBytes: Longer headers are not read.
    /// - Returns: `NAME=VALUE` each, with spaces in front.
    package func cookiePairs(maximumBytes: Int) -> [Substring] {
        self[values: .cookie].filter { $0.utf8.count <= maximumBytes }
            .flatMap { header in header.pieces(at: ";").filter { pair in pair.utf8.allSatisfy { $0 < 0x80 } } }
    }

    private func joinedValue(of name: HTTPField.Name) -> String? {
        guard let joined = self[name], StreamSafeText.contains(joined) else { return nil }
        return joined
    }
}

/// The headers of a request whose names begin alike, found in one pass, for protocols that ask for many of them. Each value is
/// the one that `HTTPFields.value(of:)` has.
package struct HeaderGroup {
    private let fields: [(name: String, value: String)]

    /// - Parameters:
    ///   - headers: All headers of the request.
    ///   - prefix: What the names begin with, in small letters.
    package init(_ headers: HTTPFields, prefix: StaticString) {
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(headers.count)
        for field in headers where Self.begins(field.name.canonicalName, with: prefix) {
            fields.append((field.name.canonicalName, field.value))
        }
        self.fields = fields
    }

    private static func begins(_ name: String, with prefix: StaticString) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard bytes.count >= prefix.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
            return memcmp(start, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
        }
    }

    package func value(of name: HTTPField.Name) -> String? {
        let name = name.canonicalName
        guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
        var value = fields[first].value
        for field in fields[(first + 1)...] where field.name == name { value += ", \(field.value)" }
        return StreamSafeText.contains(value) ? value : nil
    }
}

extension Request {
    /// The host that the client asked for, with its port; empty when it named none, or nothing stream-safe.
    package var authority: String {
        guard let authority = head.authority, StreamSafeText.contains(authority) else { return "" }
        return authority
    }
}

extension Request {
    /// Whether the body is of one of some media types, which are in lower case and without parameters (RFC 9110 §8.3.1).
    package func hasMediaType(_ mediaTypes: [String]) -> Bool {
        guard let sent = headers.value(of: .contentType) else { return false }
        if mediaTypes.contains(sent) { return true }
        let essence = sent.before(";").withoutBlanks.lowercased()
        return mediaTypes.contains(essence)
    }
}

extension HTTPField.Name {
    /// A name that is known to be a token (RFC 9110 §5.1), so that it always makes a header name.
    package init(known name: StaticString) {
        guard let parsed = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is no header name") }
        self = parsed
    }

    /// The id under which the server logged the request.
    package static let requestId = HTTPField.Name(known: "Request-Id")
    /// The trace that a request belongs to (W3C Trace Context).
    package static let traceparent = HTTPField.Name(known: "traceparent")
    /// What other tracing systems say of that trace.
    package static let tracestate = HTTPField.Name(known: "tracestate")
    /// The addresses that a request passed on its way through proxies.
    package static let forwardedFor = HTTPField.Name(known: "X-Forwarded-For")
    /// The scheme that the client used.
    package static let forwardedProto = HTTPField.Name(known: "X-Forwarded-Proto")
    /// The host that the client asked for.
    package static let forwardedHost = HTTPField.Name(known: "X-Forwarded-Host")
}
