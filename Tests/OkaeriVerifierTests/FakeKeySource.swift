import Foundation
import OkaeriVerifier
import Testing

/// A server's answers, one after the other; the last one again and again.
actor FakeKeySource: KeySetSource {
    enum Answer: Sendable {
        case keys(Data, cacheControl: String? = nil)
        case failure
    }

    static let url = URL(fileURLWithPath: "/.well-known/jwks.json")

    private var answers: [Answer]
    /// How often it was asked.
    private(set) var asked = 0
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []

    init(_ answers: [Answer]) { self.answers = answers }

    /// Lets requests wait until `release`.
    func hold() { isHeld = true }

    func release() {
        isHeld = false
        for waiting in held { waiting.resume() }
        held = []
    }

    func keySet(at url: URL) async throws -> KeySetAnswer {
        asked += 1
        let answer = answers.count > 1 ? answers.removeFirst() : answers.first
        if isHeld { await withCheckedContinuation { held.append($0) } }
        guard case .keys(let body, let cacheControl)? = answer else { throw URLError(.cannotConnectToHost) }
        return KeySetAnswer(body: body, cacheControl: cacheControl)
    }
}
