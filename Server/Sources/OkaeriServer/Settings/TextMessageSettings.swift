package import Domain
import OutboundServices

extension ServerSettings {
    /// By which way text messages leave.
    func textDelivery(_ clock: any WallClock, _ call: any WebCaller) -> TextMessageDelivery {
        if let textMessages {
            return .carrier(
                TextMessageWebhook(url: textMessages.url, secret: textMessages.secret, clock: clock, call: call))
        }
        return isDevelopment ? .outbox : .none
    }
}

/// The operator's address that takes text messages.
package struct TextMessageSettings: Sendable {
    package var url: String
    package var secret: Secret

    private static let shortestSecret = 16

    /// - Returns: `nil` when neither is set.
    /// - Throws: `SettingFault` for values that break their rules alone or together.
    init?(_ reader: SettingReader) throws(SettingFault) {
        let url = try reader.optional(.textMessageWebhook) { EgressPolicy.isOperatorURL($0) ? $0 : nil }
        let secret = try reader.optional(.textMessageSecret) { text in
            text.count >= Self.shortestSecret ? Secret(text) : nil
        }
        guard url != nil || secret != nil else { return nil }
        guard let url, let secret else {
            let missing = url == nil ? Setting.textMessageWebhook : Setting.textMessageSecret
            throw SettingFault(missing: missing)
        }
        self.url = url
        self.secret = secret
    }
}
