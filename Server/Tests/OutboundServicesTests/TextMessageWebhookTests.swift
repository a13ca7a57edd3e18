import Crypto
import Domain
import Foundation
import OutboundServices
import Testing

@Suite("Text messages by the operator's webhook")
struct TextMessageWebhookTests {
    private struct Clock: WallClock {
        var now: Timestamp { Timestamp(milliseconds: 1_800_000_000_123) }
    }

    private static let message = TextMessage(
        id: "m-1", recipient: "+819012345678", text: "App: 123 456 です / \"OK\"", language: "ja",
        purpose: "phone-verification")

    private func deliver(_ receiver: FakeWebCaller) async -> MailOutcome {
        await TextMessageWebhook(
            url: "https://sms.example.com/send", secret: Secret("a secret of both sides"), clock: Clock(),
            call: receiver
        ).deliver(Self.message)
    }

    @Test("are one signed POST of JSON, named so that a repetition is known")
    func request() async throws {
        let receiver = FakeWebCaller(.success(WebResponse(status: 202, body: [])))
        #expect(await deliver(receiver) == .delivered)
        let call = try #require(receiver.calls.first)
        #expect(receiver.calls.count == 1 && call.method == .post && call.url == "https://sms.example.com/send")
        let body = try #require(call.body)
        let members = try #require(JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String])
        #expect(
            members == [
                "id": "m-1", "to": "+819012345678", "text": Self.message.text, "language": "ja",
                "purpose": "phone-verification",
            ])
        let headers = Dictionary(uniqueKeysWithValues: call.headers.map { ($0.name, $0.value) })
        #expect(headers["Content-Type"] == "application/json" && headers["Idempotency-Key"] == "m-1")
        // As a receiver computes it.
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("1800000000.\(body)".utf8), using: SymmetricKey(data: Data("a secret of both sides".utf8)))
        let hexadecimal = code.map { String(format: "%02x", $0) }.joined()
        #expect(headers["Okaeri-Signature"] == "t=1800000000,v1=\(hexadecimal)")
    }

    @Test(
        "are given up when the receiver refuses them, and tried again when it cannot take them",
        arguments: [
            (200, "delivered"), (204, "delivered"), (400, "refused"), (410, "refused"), (422, "refused"),
            (301, "failed"), (401, "failed"), (404, "failed"), (429, "failed"), (500, "failed"), (503, "failed"),
        ])
    func outcomes(status: Int, expected: String) async {
        let outcome = await deliver(FakeWebCaller(.success(WebResponse(status: status, body: []))))
        let word =
            switch outcome {
            case .delivered: "delivered"
            case .refused: "refused"
            case .failed: "failed"
            case .unanswered: "unanswered"
            }
        #expect(word == expected)
    }

    @Test(
        "are tried again when nobody answers",
        arguments: [WebFault.unreachable(reason: "no"), .tooBusy, .addressRefused(reason: "x")])
    func faults(fault: WebFault) async {
        let outcome = await deliver(FakeWebCaller(.failure(fault)))
        guard case .failed(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(!reason.contains("+81") && !reason.contains("123"))
    }
}
