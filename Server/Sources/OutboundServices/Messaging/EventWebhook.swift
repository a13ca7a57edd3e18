import Crypto
package import Domain
import Foundation
import OkaeriWire

/// Sends events as webhooks by the specification of Standard Webhooks: a `POST` of JSON with `webhook-id`,
/// `webhook-timestamp` and `webhook-signature`, which is HMAC-SHA256 over the three with points between, by each secret.
package struct EventWebhook: EventCarrier {
    /// A receiver has the 15 seconds that the specification recommends. More calls may be under way than `DeliverEvents`
    /// makes: one that waits for others could outlive the lease of its event.
    package static let limits = CurlStreams.Limits(silence: .seconds(15), whole: .seconds(15), transfers: 512)
    /// The status decides. Of a longer body no more is read.
    package static let maximumResponseBytes = 16 * 1024

    private let clock: any WallClock
    private let call: any WebCaller

    /// - Parameters:
    ///   - clock: The time of signatures.
    ///   - call: Asks public addresses, and those that the operator permits.
    package init(clock: any WallClock, call: any WebCaller) {
        self.clock = clock
        self.call = call
    }

    package func mayAsk(_ url: String) -> Bool { call.mayAsk(url) }

    package func deliver(_ request: EventRequest) async -> EventOutcome {
        guard
            var asked = WebCall.signed(
                EventBody(request), to: request.url, id: request.event.id.rawValue, at: clock.now, request.secrets)
        else { return .failed(reason: DeliveryFault.text(.notWritable)) }
        (asked.timeLimit, asked.application) = (Self.limits.whole, request.event.application)
        do throws(WebFault) {
            let answer = try await call(asked)
            switch answer.status {
            case 200..<300: return .delivered
            case 410: return .gone
            default:
                let asks = answer.status == 429 || answer.status == 503
                return .failed(
                    reason: DeliveryFault.text(.receiverAnswered, String(answer.status)),
                    retryAfter: asks ? RetryAfter.wait(answer.headers["retry-after"], at: clock.now) : nil)
            }
        } catch {
            return .failed(reason: Self.words(error))
        }
    }

    private static func words(_ fault: WebFault) -> String {
        switch fault {
        case .addressRefused: DeliveryFault.text(.receiverRefused)
        case .unreachable: DeliveryFault.text(.receiverSilent)
        case .tooBusy: SharedLanes.full
        }
    }

    /// `v1,` and the signature in Base64; `nil` for a secret in another form than `whsec_` and Base64.
    package static func signature(of body: String, id: String, at seconds: Int64, _ secret: Secret) -> String? {
        let text = secret.revealed
        guard text.hasPrefix("whsec_"), let key = Data(base64Encoded: String(text.dropFirst("whsec_".count))) else {
            return nil
        }
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(id).\(seconds).\(body)".utf8), using: SymmetricKey(data: key))
        return "v1,\(Data(code).base64EncodedString())"
    }
}

extension WebCall {
    /// A call by the specification of Standard Webhooks.
    ///
    /// - Parameters:
    ///   - body: What is sent, as JSON.
    ///   - url: Where to.
    ///   - id: Names the message.
    ///   - now: The time of signing.
    ///   - secrets: One signature is made by each.
    /// - Returns: `nil` for a body that cannot be written.
    static func signed(
        _ body: some Encodable, to url: String, id: String, at now: Timestamp, _ secrets: [Secret]
    ) -> WebCall? {
        guard let text = json(body) else { return nil }
        let seconds = now.milliseconds / 1000
        let signatures = secrets.compactMap { EventWebhook.signature(of: text, id: id, at: seconds, $0) }
        return WebCall(
            .post, url,
            headers: [
                (name: "Content-Type", value: "application/json"), (name: "webhook-id", value: id),
                (name: "webhook-timestamp", value: String(seconds)),
                (name: "webhook-signature", value: signatures.joined(separator: " ")),
            ], body: text)
    }
}

extension EventBody {
    fileprivate init(_ request: EventRequest) {
        let event = request.event
        self.init(
            id: event.id.rawValue, type: event.type.rawValue,
            timestamp: WireTime(millisecondsSince1970: event.at.milliseconds), position: event.position,
            data: Subject(
                user: event.position == nil ? nil : event.user.rawValue, leftUser: event.leftUser?.rawValue,
                details: event.details, profile: request.user.map(Profile.init(_:))))
    }
}

extension EventBody.Profile {
    init(_ user: EventUser) {
        self.init(isAnonymous: user.isAnonymous, isDisabled: user.isDisabled, fields: user.fields)
        displayName = user.displayName
        username = user.username
        email = user.email
        phone = user.phone
        locale = user.locale
    }
}

/// The header `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    private static let longestSeconds: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - text: Seconds, or a date in the form that is preferred (RFC 9110 §5.6.7).
    ///   - now: From when on.
    /// - Returns: how long the other server asks to wait, never below zero; `nil` for no text and for any other one.
    static func wait(_ text: String?, at now: Timestamp) -> Duration? {
        guard let text, text.utf8.count <= 40 else { return nil }
        if let seconds = Int64(text, radix: 10) { return seconds < 0 ? nil : .seconds(min(seconds, longestSeconds)) }
        let parts = text.pieces(at: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = MIMEText.months.firstIndex(of: String(parts[2])),
            let time = WireTime("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
        else { return nil }
        return max(.zero, Timestamp(milliseconds: time.millisecondsSince1970) - now)
    }
}
