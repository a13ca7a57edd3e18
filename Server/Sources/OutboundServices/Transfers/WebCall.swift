package import Domain
import Foundation

/// A request to somebody else's server.
package struct WebCall: Sendable {
    package var method: Method
    /// The whole address, with its query.
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: String?
    /// A body of any bytes, in the place of `body`.
    package var bytes: [UInt8]?
    /// How long the call may take, when that is less than its caller lets all calls take.
    package var timeLimit: Duration?
    /// Whose server is asked: what keeps a thread at work there holds up no other application.
    package var application: Identifier<Application>?

    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    package init(
        _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], body: String? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A form, as the token endpoints of OAuth 2.0 take it (RFC 6749 §4.1.3).
    package init(
        form: [(name: String, value: String)], to url: String, headers: [(name: String, value: String)] = []
    ) {
        let type = (name: "Content-Type", value: "application/x-www-form-urlencoded")
        self.init(.post, url, headers: headers + [type], body: Self.encoded(form))
    }

    /// A body as JSON, the same text for the same values; `nil` for one that cannot be written.
    static func json(_ body: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Why it cannot be written helps nobody.
        return (try? encoder.encode(body)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Names and values with `=` and `&` between them, percent-encoded.
    package static func encoded(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
}

/// What somebody else's server answered.
package struct WebResponse: Hashable, Sendable {
    package var status: Int
    package var body: [UInt8]
    /// By names in lower case; of several of one name the last.
    package var headers: [String: String] = [:]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Why there is no answer.
package enum WebFault: Error, Hashable, Sendable {
    /// The address is none that may be asked: by its form, or by where it leads.
    case addressRefused(reason: String)
    /// No connection, no valid certificate, no answer in time, or more bytes than are read.
    case unreachable(reason: String)
    /// As many calls as may wait are waiting.
    case tooBusy

    /// For the log; its caller learns none of it.
    var reason: String? {
        switch self {
        case .addressRefused(let reason): "it may not be asked: \(reason); see allow-private-networks"
        case .unreachable(let reason): reason
        case .tooBusy: nil
        }
    }
}

/// Asks other servers. A call is made once, without repetition.
package protocol WebCaller: Sendable {
    func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse
    /// Whether an address may be asked, as far as its text tells.
    func mayAsk(_ url: String) -> Bool
}
