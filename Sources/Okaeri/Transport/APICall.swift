import Foundation
@_spi(PercentEncodedText) import OkaeriWire

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
    /// What the response, or a mail that it causes, may be written in; best first.
    var languages: [String] = []
    /// Whether the session has another token after it.
    var replacesToken = false
    /// Whether a log-in brings a user back that asked to be deleted.
    var restores = false
    /// An automatic log-in, of which the server may demand more.
    var firstLaunch: FirstLaunch?

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

extension String {
    /// The text as one segment of a path, or as a file's name: ASCII letters, digits, `-` and `_` stay.
    var pathSegment: String { PercentEncodedText.text(of: self, keeping: "-_") }

    /// The text as a name or a value of a form or a query.
    var percentEncoded: String { PercentEncodedText.text(of: self) }
}
