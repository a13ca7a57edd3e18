public import Foundation
package import OkaeriWire

/// What a user shows beside the first credential. An open set.
public struct SecondFactorKind: RawRepresentable, Hashable, Sendable {
    /// The word that the server sends.
    public let rawValue: String

    /// Makes a kind from its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code of an authenticator app.
    public static let totp = SecondFactorKind(rawValue: "totp")
    /// One of the recovery codes.
    public static let recoveryCode = SecondFactorKind(rawValue: "recovery-code")
}

/// An authenticator app of the user.
public struct SecondFactor: Identifiable, Hashable, Sendable {
    /// Names it at the server.
    public let id: String
    /// What it is.
    public let kind: SecondFactorKind
    /// What the user calls it.
    public let name: String
    /// When it was added.
    public let createdAt: Date
    /// When one of its codes was last used.
    public let lastUsedAt: Date?

    package init(_ body: SecondFactorBody) {
        id = body.id
        kind = SecondFactorKind(rawValue: String(body.type.prefix(64)))
        name = body.name
        createdAt = Date(body.createdAt)
        lastUsedAt = body.lastUsedAt.map(Date.init(_:))
    }
}

/// The user's second factors.
public struct SecondFactorList: Hashable, Sendable {
    /// Oldest first.
    public let factors: [SecondFactor]
    /// How many recovery codes were not used yet.
    public let recoveryCodesLeft: Int

    package init(_ response: SecondFactorListResponse) {
        factors = response.factors.map(SecondFactor.init(_:))
        recoveryCodesLeft = max(0, response.recoveryCodesLeft)
    }
}

/// A key for an authenticator app, which a code of the app confirms. Printed, it hides itself.
public struct TOTPOffer: Hashable, Sendable {
    /// The key as people type it into an app.
    public let secret: String
    /// The key as an address of the scheme `otpauth`, which opens an authenticator app.
    public let link: URL?
    /// A QR code of the address, as an SVG document; empty from servers that draw none.
    public let qrSVG: String
    /// Until when it can be confirmed.
    public let expiresAt: Date
    let ticket: Secret

    package init(_ response: TOTPOfferResponse) {
        secret = response.secret
        // An address of another scheme would open another app.
        link = URL(string: response.link).flatMap { $0.scheme?.lowercased() == "otpauth" ? $0 : nil }
        qrSVG = response.qrSVG ?? ""
        expiresAt = Date(response.expiresAt)
        ticket = Secret(response.ticket)
    }
}

extension TOTPOffer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the key.
    public var description: String { "TOTPOffer(<secret>)" }
    /// Never the key.
    public var debugDescription: String { description }
    /// The end of its life, never the key.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}

/// Codes for when the phone is gone; each counts once. The server shows them this once. Printed, they hide themselves.
public struct RecoveryCodes: Hashable, Sendable {
    /// The codes as they are shown.
    public let codes: [String]

    package init(_ codes: [String]) {
        self.codes = codes
    }
}

extension RecoveryCodes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the codes.
    public var description: String { "RecoveryCodes(<secret>)" }
    /// Never the codes.
    public var debugDescription: String { description }
    /// How many there are.
    public var customMirror: Mirror { Mirror(self, children: ["count": codes.count]) }
}

/// An authenticator app that was added.
public struct AddedSecondFactor: Hashable, Sendable {
    /// The app.
    public let factor: SecondFactor
    /// With the first one; `nil` with every other.
    public let recoveryCodes: RecoveryCodes?

    init(_ response: NewSecondFactorResponse) {
        factor = SecondFactor(response.factor)
        recoveryCodes = response.recoveryCodes.map(RecoveryCodes.init(_:))
    }
}

/// A code that a person typed. Printed, it hides itself.
public struct SecondFactorProof: Hashable, Sendable {
    let kind: SecondFactorKind
    let code: Secret

    /// What the authenticator app shows.
    public static func totp(_ code: String) -> SecondFactorProof {
        SecondFactorProof(kind: .totp, code: Secret(code))
    }

    /// A recovery code, with or without its hyphen.
    public static func recoveryCode(_ code: String) -> SecondFactorProof {
        SecondFactorProof(kind: .recoveryCode, code: Secret(code))
    }
}

/// Why a second factor came to nothing. An open set.
public struct SecondFactorRefusal: RawRepresentable, Hashable, Sendable {
    /// The server's word.
    public let rawValue: String

    /// Makes a reason from its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code is wrong, or was used.
    public static let codeInvalid = SecondFactorRefusal(rawValue: "second_factor_invalid")
    /// The ticket of the log-in or of the key is over: begin anew.
    public static let ticketInvalid = SecondFactorRefusal(rawValue: "second_factor_ticket_invalid")
    /// The application has no second factors, or the user is a guest.
    public static let notEnabled = SecondFactorRefusal(rawValue: "second_factors_not_enabled")
    /// The user has no such second factor.
    public static let unknown = SecondFactorRefusal(rawValue: "second_factor_unknown")
}
