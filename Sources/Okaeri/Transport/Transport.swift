public import Foundation

/// What carries requests to the server and responses back.
public protocol Transport: Sendable {
    /// Sends one request, once.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The server's response, whatever its status.
    /// - Throws: `TransportError` when no response came.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// A request as it goes out. Its printed form hides tokens and proofs.
public struct TransportRequest: Sendable {
    /// The HTTP method, in capitals.
    public var method: String
    /// Where it goes.
    public var url: URL
    /// The header fields.
    public var headers: HeaderFields
    /// The body, if there is one.
    public var body: Data?
    /// How long to wait for the response.
    public var timeout: Duration

    /// Makes a request.
    public init(
        method: String, url: URL, headers: HeaderFields = [:], body: Data? = nil, timeout: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and address.
    public var description: String { "\(method) \(url.absoluteString)" }
    /// Method and address.
    public var debugDescription: String { description }
    /// Method, address and the redacted header fields.
    public var customMirror: Mirror { Mirror(self, children: ["request": description, "headers": headers]) }
}

/// A response as it came in. Its printed form hides the body, which may hold a token.
public struct TransportResponse: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The header fields.
    public var headers: HeaderFields
    /// The body; empty when there is none.
    public var body: Data

    /// Makes a response.
    public init(status: Int, headers: HeaderFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension TransportResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status and length.
    public var description: String { "\(status), \(body.count) bytes" }
    /// Status and length.
    public var debugDescription: String { description }
    /// Status, length and the redacted header fields.
    public var customMirror: Mirror { Mirror(self, children: ["response": description, "headers": headers]) }
}

/// Why no response came.
public enum TransportError: Error, Hashable, Sendable {
    /// The device has no network: the request was certainly not sent.
    case offline
    /// The server could not be reached, or the connection broke. The request may have had its effect.
    case unreachable(String)
    /// No response within the time allowed. The request may have had its effect.
    case timedOut
    /// The caller gave up.
    case cancelled
}

/// Header fields, whose names are compared without regard to case, that of ASCII. Printed, they hide what proves a user.
public struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private var values: [String: String] = [:]

    /// Takes names and values; of two names that differ only in case the later one counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Takes names and values; of two names that differ only in case one counts.
    public init(_ fields: [String: String]) {
        for (name, value) in fields { self[name] = value }
    }

    /// The value of a field, by its name in any case.
    public subscript(name: String) -> String? {
        get { values.first { Self.isSame($0.key, name) }?.value }
        set {
            values = values.filter { !Self.isSame($0.key, name) }
            values[name] = newValue
        }
    }

    /// All fields, with their names as they were given.
    public var all: [String: String] { values }

    /// Names are ASCII (RFC 9110 §5.1), and so are the letters whose case does not count.
    private static func isSame(_ name: String, _ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension HeaderFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let telling: Set<String> = [
        "accept", "cache-control", "content-length", "content-type", "date", "okaeri-application", "request-id",
        "retry-after", "user-agent",
    ]

    /// The fields by name; values only of those that are known to hold no secret.
    public var description: String {
        let fields = values.sorted { $0.key < $1.key }
            .map { "\($0.key): \(Self.telling.contains($0.key.lowercased()) ? $0.value : "<secret>")" }
        return "[\(fields.joined(separator: ", "))]"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description]) }
}
