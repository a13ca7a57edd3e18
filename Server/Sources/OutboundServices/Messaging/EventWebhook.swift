import Crypto
package import Domain
import Foundation
import OkaeriWire

/// Sends events as webhooks by the specification of Standard Webhooks: a `POST` of JSON with `webhook-id`,
/// `webhook-timestamp` and `webhook-signature`, which is HMAC-SHA256 over the three with points between, by each secret.
package struct EventWebhook: EventCarrier {
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
        let body: String
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            body = String(decoding: try encoder.encode(EventBody(request)), as: UTF8.self)
        } catch {
            return .failed(reason: "it cannot be written as JSON")
        }
        let (id, seconds) = (request.event.id.rawValue, clock.now.milliseconds / 1000)
        let signatures = request.secrets.compactMap { Self.signature(of: body, id: id, at: seconds, $0) }
        do throws(WebFault) {
            let answer = try await call(
                WebCall(
                    .post, request.url,
                    headers: [
                        (name: "Content-Type", value: "application/json"), (name: "webhook-id", value: id),
                        (name: "webhook-timestamp", value: String(seconds)),
                        (name: "webhook-signature", value: signatures.joined(separator: " ")),
                    ], body: body))
            return (200..<300).contains(answer.status)
                ? .delivered : .failed(reason: "the receiver answered \(answer.status)")
        } catch {
            return .failed(reason: Self.words(error))
        }
    }

    private static func words(_ fault: WebFault) -> String {
        switch fault {
        case .addressRefused: "the address may not be asked"
        case .unreachable: "the receiver cannot be reached, or took too long"
        case .tooBusy: "too many calls are under way"
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
