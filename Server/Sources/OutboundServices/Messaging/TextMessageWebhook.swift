import Crypto
package import Domain
import Foundation

/// Hands text messages to an address of the operator, who hands them to a carrier: a `POST` of JSON, signed so that the
/// receiver knows the sender.
///
/// `Okaeri-Signature: t=<seconds since 1970>,v1=<HMAC-SHA256 in hexadecimal>`, over the time, a point, and the body.
package struct TextMessageWebhook: TextMessageCarrier {
    private let url: String
    private let secret: Secret
    private let clock: any WallClock
    private let call: any WebCaller

    /// - Parameters:
    ///   - url: Where to.
    ///   - secret: What both sides know.
    ///   - clock: The time of signatures.
    ///   - call: Asks the address.
    package init(url: String, secret: Secret, clock: any WallClock, call: any WebCaller) {
        self.url = url
        self.secret = secret
        self.clock = clock
        self.call = call
    }

    private struct Body: Encodable {
        let id: String
        let to: String
        let text: String
        let language: String
        let purpose: String
    }

    package func deliver(_ message: TextMessage) async -> MailOutcome {
        let content = Body(
            id: message.id, to: message.recipient, text: message.text, language: message.language,
            purpose: message.purpose)
        guard let body = WebCall.json(content) else { return .refused(reason: DeliveryFault.text(.notWritable)) }
        let time = clock.now.milliseconds / 1000
        do throws(WebFault) {
            let answer = try await call(
                WebCall(
                    .post, url,
                    headers: [
                        (name: "Content-Type", value: "application/json"), (name: "Idempotency-Key", value: message.id),
                        (name: "Okaeri-Signature", value: Self.signature(of: body, at: time, secret)),
                    ], body: body))
            let answered = DeliveryFault.text(.webhookAnswered, String(answer.status))
            switch answer.status {
            case 200..<300: return .delivered
            // The receiver says that this message is no good; another try would be the same message.
            case 400, 410, 422: return .refused(reason: answered)
            default: return .failed(reason: answered)
            }
        } catch {
            return .failed(reason: Self.words(error))
        }
    }

    private static func words(_ fault: WebFault) -> String {
        switch fault {
        case .addressRefused: DeliveryFault.text(.webhookRefused)
        case .unreachable: DeliveryFault.text(.webhookSilent)
        case .tooBusy: SharedLanes.full
        }
    }

    /// What the receiver compares in constant time.
    package static func signature(of body: String, at seconds: Int64, _ secret: Secret) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(seconds).\(body)".utf8), using: SymmetricKey(data: Data(secret.revealed.utf8)))
        return "t=\(seconds),v1=\(Hexadecimal.text(of: code))"
    }
}
