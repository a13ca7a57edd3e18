package import Foundation
package import Okaeri
package import OkaeriWire

/// What a model asks of the server.
package enum ScreenRequest: Hashable, Sendable {
    case logIn(identifier: String, password: Secret, RememberMe, restoring: Bool)
    /// Log in with what the person has saved on the system.
    case logInWithSaved(RememberMe, restoring: Bool)
    case signUp(AccountValues, RememberMe)
    case upgrade(AccountValues)
    case provider(Provider, ProviderUse)
    /// Log in with the device's key.
    case logInAutomatically
    /// Log in with another key than the device's own, which leads to nobody any more.
    case logInAsNewGuest
    /// Log in on the server's pages. What was typed is filled in there.
    case logInOnPages(identifier: String)
    case requestLogInCode(email: String)
    case logInWithCode(Secret, LogInCodeRequest, RememberMe, restoring: Bool)
    case requestPasswordReset(email: String)
    case resetPassword(token: Secret, newPassword: Secret)
    case requestEmailVerification
    case verifyEmail(code: Secret)
    case preview(MergeConflict)
    case resolve(MergeConflict, MergeChoice)
    case undoMerge(String)
    case issueTransferCode
    case withdrawTransferCode
    case redeemTransferCode(Secret)
    /// The devices that joined by a code and wait.
    case transferNotices
    case acknowledgeTransfer(Notice.ID)
    case undoTransfer(Notice.ID)
    case sessions
    case endSession(DeviceSession.ID)
    case endOtherSessions
    case deviceKeys
    case removeDeviceKey(RegisteredDeviceKey.ID)
    case removeOtherDeviceKeys
    /// Log in with a passkey that a sheet asks for.
    case logInWithPasskey(restoring: Bool)
    /// Log in with a passkey that the person has chosen above the keyboard.
    case logInWithChosenPasskey(PasskeyProof, restoring: Bool)
    case addPasskey
    case passkeys
    case renamePasskey(Passkey.ID, name: String)
    case removePasskey(Passkey.ID)
    case reauthenticateWithPasskey
    case logInWithSecondFactor(SecondFactorProof, SecondFactorChallenge)
    /// A key for an authenticator app: of a log-in, or of the user.
    case requestTOTP(SecondFactorChallenge?)
    case confirmTOTP(TOTPOffer, code: Secret, SecondFactorChallenge?)
    case secondFactors
    case removeSecondFactor(SecondFactor.ID)
    case replaceRecoveryCodes
    case reauthenticateWithSecondFactor(SecondFactorProof)
    case deleteUser
    case restoreUser
    case exportUser
    /// `nil` for an anonymous user, whom the device's key proves.
    case reauthenticate(password: Secret?)
    case reauthenticateWithCode(Secret, LogInCodeRequest)
}

extension ScreenRequest {
    /// What a request has to do with who is logged in.
    package enum Concern: Hashable, Sendable {
        /// Nothing.
        case nobody
        /// Somebody logs in by it, in the place of anybody who was logged in before.
        case logIn
        /// It shows what the user has who is logged in now: the screen is theirs from then on.
        case list
        /// It is done to the user whose screen it is, and to nobody else.
        case account
        /// So is this, and another user may be logged in afterwards.
        case change
    }

    /// What the request has to do with who is logged in.
    package var concern: Concern {
        switch self {
        case .requestLogInCode, .requestPasswordReset, .resetPassword: .nobody
        case .logIn, .logInWithSaved, .signUp, .logInAutomatically, .logInAsNewGuest, .logInOnPages, .logInWithCode,
            .redeemTransferCode, .logInWithPasskey, .logInWithChosenPasskey, .logInWithSecondFactor:
            .logIn
        case .provider(_, let use):
            switch use {
            case .logIn: .logIn
            case .link, .reauthenticate: .account
            }
        case .requestTOTP(let challenge): challenge == nil ? .account : .nobody
        case .confirmTOTP(_, _, let challenge): challenge == nil ? .account : .logIn
        case .transferNotices, .sessions, .deviceKeys, .passkeys, .secondFactors: .list
        case .upgrade, .requestEmailVerification, .verifyEmail, .preview, .issueTransferCode, .withdrawTransferCode,
            .acknowledgeTransfer, .undoTransfer, .endSession, .endOtherSessions, .removeDeviceKey,
            .removeOtherDeviceKeys, .addPasskey, .renamePasskey, .removePasskey, .reauthenticateWithPasskey,
            .removeSecondFactor, .replaceRecoveryCodes, .reauthenticateWithSecondFactor, .deleteUser, .exportUser,
            .reauthenticate, .reauthenticateWithCode:
            .account
        case .resolve, .undoMerge, .restoreUser: .change
        }
    }
}

/// What a provider's credential is for.
package enum ProviderUse: Hashable, Sendable {
    case logIn(restoring: Bool)
    case link
    case reauthenticate
}

/// What makes an account.
package struct AccountValues: Hashable, Sendable {
    package var username: String?
    package var email: String?
    package var phone: String?
    package var password: Secret
    package var displayName: String?
    package var fields: [String: JSONValue]

    package init(
        username: String? = nil, email: String? = nil, phone: String? = nil, password: Secret,
        displayName: String? = nil, fields: [String: JSONValue] = [:]
    ) {
        self.username = username
        self.email = email
        self.phone = phone
        self.password = password
        self.displayName = displayName
        self.fields = fields
    }
}

/// What the server answered.
package enum ScreenResponse: Hashable, Sendable {
    case welcome(Welcome)
    case loggedIn(Welcome, by: LogInMethod)
    case user(User)
    case codeRequest(LogInCodeRequest)
    case done
    case preview(MergePreview)
    case resolved(MergeResult)
    /// With the user to whom the device leads now; `nil` when nobody is logged in any more.
    case mergeUndone(User?)
    case transferCode(TransferCode)
    case transferred(TransferResult)
    case transferNotices([Notice])
    case sessions([DeviceSession])
    case deviceKeys([RegisteredDeviceKey])
    case passkeys([Passkey])
    case passkey(Passkey)
    /// With the user afterwards; `nil` when nobody is logged in any more.
    case passkeyAdded(Passkey, User?)
    case totpOffer(TOTPOffer)
    case secondFactorAdded(RecoveryCodes?)
    case secondFactorLogIn(SecondFactorLogIn)
    case secondFactors(SecondFactorList)
    case recoveryCodes(RecoveryCodes)
    case ended(count: Int)
    case erasedAt(Date)
    case export(Data)
}
