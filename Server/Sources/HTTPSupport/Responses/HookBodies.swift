package import Domain
import OkaeriWire

/// The hooks of an application, in the admin API and as commands print them.
package struct HooksBody: Encodable {
    let hooks: [HookSettingsBody]

    package init(_ hooks: [Hook]) {
        self.hooks = hooks.map { HookSettingsBody($0) }
    }
}

/// A hook. Its secret is shown once.
package struct HookSettingsBody: Encodable {
    let hook: String
    let url: String
    let timeoutMilliseconds: Int64
    let whenDown: String
    let asksGuests: Bool
    let isPaused: Bool
    /// From when to when it is asked, of the hook of log-ins.
    let from: WireTime?
    let until: WireTime?
    let createdAt: WireTime
    /// Until when the secret before signs too; of several, the last.
    let formerSecretUntil: WireTime?
    let secret: String?

    package init(_ hook: Hook, secret: Secret? = nil) {
        self.hook = hook.point.rawValue
        url = hook.url
        timeoutMilliseconds = hook.timeoutMilliseconds
        whenDown = hook.whenDown.rawValue
        asksGuests = hook.asksGuests
        isPaused = hook.isPaused
        from = hook.window.from?.wire
        until = hook.window.until?.wire
        createdAt = hook.createdAt.wire
        formerSecretUntil = hook.formerUntil?.wire
        self.secret = secret?.revealed
    }
}

/// What became of a test.
package struct HookTestBody: Encodable {
    /// What the hook decided; absent without a valid response.
    let decision: String?
    let message: String?
    let fields: [String: JSONValue]?
    let claims: [String: JSONValue]?
    /// Why there is no decision.
    let fault: String?

    package init(_ outcome: HookOutcome) {
        switch outcome {
        case .allowed(let fields, let claims):
            (decision, message, fault) = ("allow", nil, nil)
            self.fields = fields.isEmpty ? nil : fields
            self.claims = claims.isEmpty ? nil : claims
        case .refused(let message):
            (decision, fields, claims, fault) = ("refuse", nil, nil, nil)
            self.message = message
        case .malformed(let reason), .silent(let reason), .busy(let reason):
            (decision, message, fields, claims, fault) = (nil, nil, nil, nil, reason)
        }
    }
}
