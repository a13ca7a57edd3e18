package import enum OkaeriWire.JSONValue
import Foundation

/// A request to a fake provider.
package struct FakeRequest: Sendable {
    package var method: String
    /// The path below the provider's own address.
    package var path: String
    package var query: [String: String]
    /// Names in lower case.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(
        method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The body as a form.
    var form: [String: String] { Self.fields(String(decoding: body, as: UTF8.self)) }

    /// The body as JSON; no members when it is none.
    var json: [String: JSONValue] {
        // A fake answers nonsense with its usual refusal.
        guard case .object(let members)? = try? JSONValue(parsing: body) else { return [:] }
        return members
    }

    /// Names and values of a form or a query.
    package static func fields(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { String($0).replacing("+", with: " ").removingPercentEncoding ?? String($0) }
            fields[decoded[0]] = decoded.count > 1 ? decoded[1] : ""
        }
        return fields
    }
}

/// What a fake provider answers.
package struct FakeResponse: Sendable {
    package var status: Int
    package var json: JSONValue?
    /// Something else than JSON.
    package var file: File?
    /// Where the answer sends to, with a status that says so.
    package var location: String?

    package init(_ status: Int = 200, _ json: JSONValue? = nil, location: String? = nil) {
        self.status = status
        self.json = json
        self.location = location
    }

    /// Bytes of another type.
    package struct File: Sendable {
        package var type: String
        package var bytes: [UInt8]
    }

    static func file(_ bytes: [UInt8], type: String) -> FakeResponse {
        var response = FakeResponse()
        response.file = File(type: type, bytes: bytes)
        return response
    }

    /// An error as token endpoints tell it (RFC 6749 §5.2).
    static func refusal(_ word: String, status: Int = 400, more: [String: JSONValue] = [:]) -> FakeResponse {
        FakeResponse(status, .object(["error": .string(word)].merging(more) { $1 }))
    }
}

/// Somebody who plays a provider.
package protocol FakeProvider: Sendable {
    func answer(_ request: FakeRequest) async -> FakeResponse
}
