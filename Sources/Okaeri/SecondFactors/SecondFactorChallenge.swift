public import Foundation
package import OkaeriWire

/// A log-in that needs a second factor too. Nothing of it is stored: an app that ends here begins again. Printed, it hides
/// its ticket.
public struct SecondFactorChallenge: Hashable, Sendable {
    /// What can be shown, the best first. Empty for a user who adds an authenticator app first.
    public let factors: [SecondFactorKind]
    /// Until when.
    public let expiresAt: Date
    /// Whether the user has a passkey, which is two factors by itself and takes the place of a code. `nil` when the server
    /// does not say so.
    public let hasPasskey: Bool?
    let ticket: Secret
    /// `false` when the key that signed the log-in leads to another user.
    let joinsDevice: Bool?
    /// How the log-in began, and so how it ends.
    var start = LogInStart()

    /// What a log-in does on this device beside proving its user.
    struct LogInStart: Hashable, Sendable {
        /// The key that signed it, which signs its end too; `nil` without a key.
        var keySlot: Int?
        var rememberMe = RememberMe.automatic
        var device: DeviceBody?
        var provider: String?
        var restores = false
    }

    /// The most factors that are looked at.
    private static let maximumFactors = 16

    package init(_ body: SecondFactorChallengeBody) {
        factors = body.factors.prefix(Self.maximumFactors).map { SecondFactorKind(rawValue: String($0.prefix(64))) }
        expiresAt = Date(body.expiresAt)
        hasPasskey = body.hasPasskey
        joinsDevice = body.joinsDevice
        ticket = Secret(body.ticket)
    }
}

/// How a log-in with a second factor ended.
public struct SecondFactorLogIn: Hashable, Sendable {
    /// The user, with the time of the log-in before this one.
    public let welcome: Welcome
    /// After a log-in that added the first authenticator app; `nil` otherwise.
    public let recoveryCodes: RecoveryCodes?
}

extension OkaeriError {
    /// What finishes the log-in that failed with this; `nil` when nothing does.
    public var secondFactorChallenge: SecondFactorChallenge? {
        switch self {
        case .secondFactorRequired(let challenge), .secondFactorEnrolmentRequired(let challenge): challenge
        default: nil
        }
    }

    /// The same error, with a challenge that knows how its log-in began.
    func began(_ start: SecondFactorChallenge.LogInStart) -> OkaeriError {
        guard var challenge = secondFactorChallenge else { return self }
        challenge.start = start
        if case .secondFactorRequired = self { return .secondFactorRequired(challenge) }
        return .secondFactorEnrolmentRequired(challenge)
    }
}
