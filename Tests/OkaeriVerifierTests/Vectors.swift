import Foundation
import OkaeriVerifier
import OkaeriWire
import Testing

/// `Examples/verifying/vectors.json`: the same as the examples for Node and Python are run on.
struct Vectors: Decodable, Sendable {
    struct Token: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let token: String
        let error: String?
        var testDescription: String { name }
    }

    struct Webhook: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let secrets: [String]
        let headers: [String: String]
        let body: String
        let error: String?
        var testDescription: String { name }
    }

    struct Request: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let authorization: String
        let dpop: String?
        let method: String
        let url: URL
        let error: String?
        var testDescription: String { name }
    }

    let now: Int64
    let issuer: String
    let audience: String
    let keySet: JSONValue
    let claims: [String: JSONValue]
    let tokens: [Token]
    let webhooks: [Webhook]
    let requests: [Request]

    static let all: Vectors = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Examples/verifying/vectors.json").standardizedFileURL
        do {
            return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        } catch {
            preconditionFailure("\(file.path): \(error)")
        }
    }()

    static var clock: StillClock { StillClock(now: Date(timeIntervalSince1970: TimeInterval(all.now))) }

    /// The body of the key set.
    static func keyBody() throws -> Data { try JSONEncoder().encode(all.keySet) }

    static func tokenVerifier() throws -> TokenVerifier {
        let keys = KeySet(url: FakeKeySource.url, source: FakeKeySource([.keys(try keyBody())]), clock: clock)
        return TokenVerifier(issuer: all.issuer, audiences: ["unused", all.audience], keys: keys, clock: clock)
    }
}

/// A clock that stands still.
struct StillClock: VerifierClock {
    let now: Date
}

/// The name of what an attempt was refused for; `nil` when it was taken.
func refusal(_ attempt: () async throws -> Void) async -> String? {
    do {
        try await attempt()
        return nil
    } catch {
        return (error as? VerificationError)?.rawValue ?? "\(error)"
    }
}
