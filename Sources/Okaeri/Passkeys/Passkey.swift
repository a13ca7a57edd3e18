public import Foundation
package import OkaeriWire

/// A passkey of the user.
public struct Passkey: Identifiable, Hashable, Sendable {
    /// The credential's id, base64url.
    public let id: String
    /// What the user calls it.
    public let name: String
    /// The kind of the authenticator, as it says itself: a UUID, all zero when it does not say.
    public let aaguid: String
    /// Whether it can be on several devices, as those of the iCloud Keychain.
    public let isBackupEligible: Bool
    /// Whether it is backed up.
    public let isBackedUp: Bool
    /// When it was added.
    public let createdAt: Date
    /// When somebody last logged in by it.
    public let lastUsedAt: Date?

    package init(_ body: PasskeyBody) {
        id = body.id
        name = body.name
        aaguid = body.aaguid
        isBackupEligible = body.isBackupEligible
        isBackedUp = body.isBackedUp
        createdAt = Date(body.createdAt)
        lastUsedAt = body.lastUsedAt.map(Date.init(_:))
    }
}

/// Why a passkey came to nothing: the server's words, and those of this library.
public struct PasskeyRefusal: Hashable, Sendable {
    /// A stable word. An open set.
    public let code: String
    /// The rule of WebAuthn that the server found broken, such as `origin`, `challenge` or `signature_counter`; with
    /// ``code`` `passkey_invalid`.
    public let rule: String?

    package init(code: String, rule: String? = nil) {
        self.code = code
        self.rule = rule
    }

    /// The passkey leads to nobody here: it was removed, or belongs to another server.
    public static let unknown = PasskeyRefusal(code: "passkey_unknown")
    /// The application has no passkeys.
    public static let notEnabled = PasskeyRefusal(code: "passkeys_not_enabled")
    /// The device has no passkey for the application. Apple's systems do not tell this from a sheet that was closed.
    public static let notFound = PasskeyRefusal(code: "passkey_not_found")
    /// The device has a passkey of this user already.
    public static let alreadyThere = PasskeyRefusal(code: "passkey_already_there")
    /// The system does not do it: the app is not associated with the passkeys' domain (`webcredentials:`), or the
    /// device has no screen lock.
    public static let unavailable = PasskeyRefusal(code: "passkey_unavailable")
    /// The server's options make no sense.
    public static let optionsMalformed = PasskeyRefusal(code: "passkey_options_malformed")

    /// Refused by a rule of WebAuthn.
    public static func invalid(rule: String?) -> PasskeyRefusal {
        PasskeyRefusal(code: "passkey_invalid", rule: rule)
    }

    /// What a problem document says of a passkey.
    init(_ problem: Problem) {
        let rule = problem.code == .passkeyInvalid ? problem.errors?.first?.code : nil
        self.init(code: problem.code.rawValue, rule: rule.map { String($0.prefix(64)) })
    }
}
