import Foundation
import OkaeriVerifier
import OkaeriWire
import Testing

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

@Suite("The question of a hook")
struct HookQuestionTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let body = """
        {"data": {"application": "a", "later": 1, "profile": {"email": "hana@example.com", "fields": {}, "isAnonymous": false, \
        "isDisabled": false}, "providers": ["google"], "user": "u", "way": "provider"}, "id": "q", \
        "timestamp": "2026-11-23T06:00:00.000Z", "type": "hook.sign-up"}
        """

    private static func headers(of body: String) throws -> [String: String] {
        let key = try #require(Data(base64Encoded: String(secret.dropFirst(6))))
        let seconds = Vectors.all.now
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("q.\(seconds).\(body)".utf8), using: SymmetricKey(data: key))
        return [
            "webhook-id": "q", "webhook-timestamp": String(seconds),
            "webhook-signature": "v1,\(Data(code).base64EncodedString())",
        ]
    }

    @Test("is read when its signature is right")
    func right() throws {
        let verifier = try WebhookVerifier(secrets: [Self.secret], clock: Vectors.clock)
        let headers = try Self.headers(of: Self.body)
        let question = try verifier.verifyHook(Data(Self.body.utf8)) { headers[$0] }
        #expect(question.type == "hook.sign-up" && question.data.user == "u" && question.data.way == "provider")
        #expect(question.data.profile.email == "hana@example.com" && question.data.isTest == nil)
    }

    @Test("is refused when another one was signed, and when it is no question")
    func wrong() throws {
        let verifier = try WebhookVerifier(secrets: [Self.secret], clock: Vectors.clock)
        let headers = try Self.headers(of: Self.body)
        #expect(throws: VerificationError.signatureRefused) {
            try verifier.verifyHook(Data(Self.body.replacing("hana", with: "yuki").utf8)) { headers[$0] }
        }
        let other = try Self.headers(of: "{}")
        #expect(throws: VerificationError.malformed) { try verifier.verifyHook(Data("{}".utf8)) { other[$0] } }
    }

    @Test("has a response in the words of the server")
    func response() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = try encoder.encode(HookDecisionBody(decision: "refuse", message: "No."))
        #expect(String(decoding: body, as: UTF8.self) == #"{"decision":"refuse","message":"No."}"#)
    }
}
