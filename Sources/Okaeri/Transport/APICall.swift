import Foundation
import OkaeriWire

/// One call of the API, before it is addressed and signed.
struct APICall: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case put = "PUT"
        case delete = "DELETE"
    }

    let method: Method
    let path: String
    var body: Data?
    /// What the body is.
    var mediaType = "application/json"
    var idempotencyKey: String?
    /// Whether a proof by the device's key goes with it in any case.
    var isProven = false
    /// What the answer, or a mail that it causes, may be written in; best first.
    var languages: [String] = []
    /// Whether a log-in brings a user back that asked to be deleted.
    var restores = false

    init(_ method: Method, _ path: String) {
        self.method = method
        self.path = path
    }

    /// A call with a JSON body.
    ///
    /// - Throws: `OkaeriError.invalidValues` when the values hold a number that JSON does not have.
    init(
        _ method: Method, _ path: String, body: some Encodable, idempotencyKey: String? = nil
    ) throws(OkaeriError) {
        self.init(method, path)
        self.idempotencyKey = idempotencyKey
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            self.body = try encoder.encode(body)
        } catch {
            let problem = FieldProblem(field: "", code: "wrong_type", detail: "JSON has no infinite number and no NaN.")
            throw .invalidValues([problem])
        }
    }
}

extension TransportResponse {
    /// The body as a value.
    ///
    /// - Throws: `OkaeriError.unexpectedAnswer` when it is none.
    func decoded<Body: Decodable>(_ type: Body.Type) throws(OkaeriError) -> Body {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw .unexpectedAnswer(status: status)
        }
    }

    /// The problem document; `nil` when the answer holds none.
    var problem: Problem? {
        guard headers["Content-Type"]?.lowercased().hasPrefix(Problem.mediaType) == true else { return nil }
        // Whatever is not a problem document did not come from the API: the status alone counts then.
        return try? JSONDecoder().decode(Problem.self, from: body)
    }

    /// How long the server asks to wait, in its form as seconds (RFC 9110 §10.2.3).
    var retryAfter: Duration? {
        headers["Retry-After"].flatMap { Int($0) }.flatMap { $0 >= 0 ? .seconds($0) : nil }
    }

    /// Whether the same request may succeed a little later.
    var isTemporaryRefusal: Bool {
        [408, 429, 502, 503, 504].contains(status)
    }
}
