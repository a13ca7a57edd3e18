/// The keys of the string table; a theme's `texts` and the hosted pages use the same ones.
public enum TextKey: String, CaseIterable, Hashable, Sendable {
    /// “User name”
    case username = "field.username"
    /// “User name or mail address”
    case identifier = "field.identifier"
    /// “Mail address”
    case email = "field.email"
    /// “Phone number”
    case phone = "field.phone"
    /// “Password”
    case password = "field.password"
    /// “New password”
    case newPassword = "field.newPassword"
    /// “Name”
    case displayName = "field.displayName"
    /// “More about you”
    case additional = "field.additional"
    /// “Code from the mail”
    case code = "field.code"
    /// “Code from the mail”
    case token = "field.token"
    /// “Transfer code”
    case transferCodeField = "field.transferCode"
    /// “optional”
    case optional = "field.optional"
    /// “Show password”
    case showPassword = "field.showPassword"
    /// “Hide password”
    case hidePassword = "field.hidePassword"
    /// “Very weak”
    case strengthVeryWeak = "strength.veryWeak"
    /// “Weak”
    case strengthWeak = "strength.weak"
    /// “Fair”
    case strengthFair = "strength.fair"
    /// “Strong”
    case strengthStrong = "strength.strong"
    /// “Strength: {strength}”
    case strength = "strength.label"
    /// “Log In”
    case logInTitle = "logIn.title"
    /// “Log In”
    case logInButton = "logIn.button"
    /// “Forgot password?”
    case logInForgot = "logIn.forgot"
    /// “Log in automatically”
    case logInRemember = "logIn.remember"
    /// “Sign Up”
    case logInSignUp = "logIn.signUp"
    /// “Log in by mailed code”
    case logInCode = "logIn.code"
    /// “Enter a transfer code”
    case logInTransfer = "logIn.transfer"
    /// “Continue as guest”
    case logInGuest = "logIn.guest"
    /// “Start as a new guest”
    case logInNewGuest = "logIn.newGuest"
    /// “To come back you log in with your password, or in another way that you have set up.”
    case logOutRegistered = "logOut.registered"
    /// “You come back on this device only. Save your data first to find it on another one.”
    case logOutGuest = "logOut.guest"
    /// “Log in with the browser”
    case logInWeb = "logIn.web"
    /// “Log in with a passkey”
    case logInPasskey = "logIn.passkey"
    /// “Log in with {provider}”
    case logInWith = "logIn.with"
    /// “Last used”
    case logInLastUsed = "logIn.lastUsed"
    /// “Login Failed”
    case logInFailed = "logIn.failed"
    /// “The username and password you entered don't match”
    case logInMismatch = "logIn.mismatch"
    /// “Sign Up”
    case signUpTitle = "signUp.title"
    /// “Sign Up”
    case signUpButton = "signUp.button"
    /// “Sign Up Error”
    case signUpFailed = "signUp.failed"
    /// “The email address is invalid. Please enter a valid email.”
    case signUpEmailInvalid = "signUp.emailInvalid"
    /// “Please enter a username.”
    case signUpUsernameMissing = "signUp.usernameMissing"
    /// “Please enter a password.”
    case signUpPasswordMissing = "signUp.passwordMissing"
    /// “Please enter an email.”
    case signUpEmailMissing = "signUp.emailMissing"
    /// “The username '{name}' is taken. Please try choosing a different username.”
    case usernameTaken = "signUp.usernameTaken"
    /// “The email '{name}' is taken. Please try using a different email.”
    case emailTaken = "signUp.emailTaken"
    /// “Password must be at least {minimum} characters.”
    case passwordTooShort = "signUp.passwordTooShort"
    /// “Save your data”
    case upgradeTitle = "upgrade.title"
    /// “With an account you keep everything when you change or lose this device.”
    case upgradeIntroduction = "upgrade.introduction"
    /// “Save”
    case upgradeButton = "upgrade.button"
    /// “Continue with {provider}”
    case upgradeWith = "upgrade.with"
    /// “Reset Password”
    case resetTitle = "reset.title"
    /// “Please enter the email address for your account.”
    case resetIntroduction = "reset.introduction"
    /// “Send”
    case resetButton = "reset.button"
    /// “Password Reset”
    case resetSentTitle = "reset.sentTitle"
    /// “An email with reset instructions has been sent to '{name}'.”
    case resetSent = "reset.sent"
    /// “Password Reset Failed”
    case resetFailed = "reset.failed"
    /// “I have a code already”
    case resetHaveCode = "reset.haveCode"
    /// “Set new password”
    case resetNewButton = "reset.newButton"
    /// “Your password has been changed. Log in with the new one.”
    case resetDone = "reset.done"
    /// “Log in by code”
    case codeTitle = "code.title"
    /// “We mail you a code to log in with.”
    case codeIntroduction = "code.introduction"
    /// “Send code”
    case codeSendButton = "code.sendButton"
    /// “If there is an account for {name}, a code is on its way.”
    case codeSent = "code.sent"
    /// “Continue”
    case codeButton = "code.button"
    /// “Send again”
    case codeResend = "code.resend"
    /// “Send again in {seconds} s”
    case codeResendIn = "code.resendIn"
    /// “Use another address”
    case codeOtherAddress = "code.otherAddress"
    /// “Verify your address”
    case verificationTitle = "verification.title"
    /// “Enter the code that we mailed to {name}.”
    case verificationIntroduction = "verification.introduction"
    /// “You have two accounts”
    case conflictTitle = "conflict.title"
    /// “Choose which one to go on with.”
    case conflictIntroduction = "conflict.introduction"
    /// “Keep the account on this device”
    case conflictKeep = "conflict.keep"
    /// “Go on with the other account”
    case conflictSwitch = "conflict.switch"
    /// “Bring both together”
    case conflictMerge = "conflict.merge"
    /// “Continue”
    case conflictButton = "conflict.button"
    /// “Done. You can undo this for seven days.”
    case conflictDone = "conflict.done"
    /// “Undo”
    case conflictUndo = "conflict.undo"
    /// “Undone. Both accounts are as they were.”
    case conflictUndone = "conflict.undone"
    /// “To another device”
    case transferTitle = "transfer.title"
    /// “The code moves your account to another device. Never show it to anybody else.”
    case transferIntroduction = "transfer.introduction"
    /// “Make a code”
    case transferButton = "transfer.button"
    /// “Copy”
    case transferCopy = "transfer.copy"
    /// “Withdraw the code”
    case transferWithdraw = "transfer.withdraw"
    /// “Valid until {time}”
    case transferExpires = "transfer.expires"
    /// “The code is no longer valid. Make a new one.”
    case transferExpired = "transfer.expired"
    /// “QR code of the transfer code”
    case transferPicture = "transfer.picture"
    /// “From another device”
    case transferEntryTitle = "transferEntry.title"
    /// “Enter the code that the other device shows.”
    case transferEntryIntroduction = "transferEntry.introduction"
    /// “Take over”
    case transferEntryButton = "transferEntry.button"
    /// “Scan QR code”
    case transferEntryScan = "transferEntry.scan"
    /// “What this device had before is erased on {time}.”
    case transferEntryLeft = "transferEntry.left"
    /// “Was that you?”
    case transferNoticeTitle = "transferNotice.title"
    /// “"{name}" joined your account by a transfer code: {time}. Confirm only what you did yourself.”
    case transferNoticeIntroduction = "transferNotice.introduction"
    /// “That was me”
    case transferNoticeMine = "transferNotice.mine"
    /// “That was not me”
    case transferNoticeNotMine = "transferNotice.notMine"
    /// “Take "{name}" out of your account? It is logged out at once, and cannot come back without a new code.”
    case transferNoticeQuestion = "transferNotice.question"
    /// “Take it out”
    case transferNoticeUndo = "transferNotice.undo"
    /// “Confirmed. The other device can use everything now.”
    case transferNoticeConfirmed = "transferNotice.confirmed"
    /// “The other device is out of your account.”
    case transferNoticeUndone = "transferNotice.undone"
    /// “Where you are logged in”
    case sessionsTitle = "sessions.title"
    /// “This device”
    case sessionsCurrent = "sessions.current"
    /// “Unknown device”
    case sessionsUnknown = "sessions.unknown"
    /// “Last used {time}”
    case sessionsLastUsed = "sessions.lastUsed"
    /// “Log out”
    case sessionsEnd = "sessions.end"
    /// “Log out on {name}?”
    case sessionsEndQuestion = "sessions.endQuestion"
    /// “Log out everywhere else”
    case sessionsEndOthers = "sessions.endOthers"
    /// “Log out on all other devices?”
    case sessionsEndOthersQuestion = "sessions.endOthersQuestion"
    /// “Devices logged out: {count}”
    case sessionsEnded = "sessions.ended"
    /// “Your devices”
    case deviceKeysTitle = "deviceKeys.title"
    /// “These devices log in by themselves. Remove one that you no longer have.”
    case deviceKeysIntroduction = "deviceKeys.introduction"
    /// “Added {time}”
    case deviceKeysAdded = "deviceKeys.added"
    /// “Remove”
    case deviceKeysRemove = "deviceKeys.remove"
    /// “Remove {name}? It is logged out at once.”
    case deviceKeysRemoveQuestion = "deviceKeys.removeQuestion"
    /// “Remove all other devices”
    case deviceKeysRemoveOthers = "deviceKeys.removeOthers"
    /// “Remove all other devices? They are logged out at once.”
    case deviceKeysRemoveOthersQuestion = "deviceKeys.removeOthersQuestion"
    /// “Removed devices: {count}”
    case deviceKeysRemoved = "deviceKeys.removed"
    /// “Your passkeys”
    case passkeysTitle = "passkeys.title"
    /// “With a passkey you log in by finger, face or the device's code, on all your devices.”
    case passkeysIntroduction = "passkeys.introduction"
    /// “Add a passkey”
    case passkeysAdd = "passkeys.add"
    /// “The passkey has been added.”
    case passkeysAdded = "passkeys.added"
    /// “Name of the passkey”
    case passkeysName = "passkeys.name"
    /// “Rename”
    case passkeysRename = "passkeys.rename"
    /// “Remove the passkey {name}? You can no longer log in with it.”
    case passkeysRemoveQuestion = "passkeys.removeQuestion"
    /// “The passkey has been removed.”
    case passkeysRemoved = "passkeys.removed"
    /// “Code from the authenticator app”
    case totpField = "field.totp"
    /// “Recovery code”
    case recoveryCodeField = "field.recoveryCode"
    /// “Two-step verification”
    case secondFactorTitle = "secondFactor.title"
    /// “Enter the code that your authenticator app shows.”
    case secondFactorIntroduction = "secondFactor.introduction"
    /// “Enter one of your recovery codes. Each counts once.”
    case secondFactorRecoveryIntroduction = "secondFactor.recoveryIntroduction"
    /// “Continue”
    case secondFactorButton = "secondFactor.button"
    /// “Use a recovery code”
    case secondFactorUseRecoveryCode = "secondFactor.useRecoveryCode"
    /// “Use the authenticator app”
    case secondFactorUseApp = "secondFactor.useApp"
    /// “Add an authenticator app”
    case enrolmentTitle = "secondFactorEnrolment.title"
    /// “Scan the QR code with an authenticator app, or open the app on this device. Then enter the code that it shows.”
    case enrolmentIntroduction = "secondFactorEnrolment.introduction"
    /// “Open in the authenticator app”
    case enrolmentOpen = "secondFactorEnrolment.open"
    /// “QR code for the authenticator app”
    case enrolmentPicture = "secondFactorEnrolment.picture"
    /// “Copy the key”
    case enrolmentCopy = "secondFactorEnrolment.copy"
    /// “Add”
    case enrolmentButton = "secondFactorEnrolment.button"
    /// “Recovery codes”
    case recoveryCodesTitle = "recoveryCodes.title"
    /// “Each of these codes lets you in once when your phone is gone. They are shown this once.”
    case recoveryCodesIntroduction = "recoveryCodes.introduction"
    /// “Copy all”
    case recoveryCodesCopy = "recoveryCodes.copy"
    /// “I have kept them”
    case recoveryCodesKept = "recoveryCodes.kept"
    /// “Two-step verification”
    case secondFactorsTitle = "secondFactors.title"
    /// “With an authenticator app, nobody logs in with your password alone.”
    case secondFactorsIntroduction = "secondFactors.introduction"
    /// “Add an authenticator app”
    case secondFactorsAdd = "secondFactors.add"
    /// “Recovery codes left: {count}”
    case secondFactorsLeft = "secondFactors.left"
    /// “New recovery codes”
    case secondFactorsReplace = "secondFactors.replace"
    /// “Remove {name}? Its codes no longer count.”
    case secondFactorsRemoveQuestion = "secondFactors.removeQuestion"
    /// “The authenticator app has been removed.”
    case secondFactorsRemoved = "secondFactors.removed"
    /// “Delete account”
    case deletionTitle = "deletion.title"
    /// “You are logged out everywhere at once. Everything is erased some days later; until then you can come back.”
    case deletionIntroduction = "deletion.introduction"
    /// “Type {word} to confirm”
    case deletionConfirmation = "deletion.confirmation"
    /// “DELETE”
    case deletionWord = "deletion.word"
    /// “Delete my account”
    case deletionButton = "deletion.button"
    /// “Get my data first”
    case deletionExport = "deletion.export"
    /// “Your account is erased on {time}.”
    case deletionDone = "deletion.done"
    /// “Restore my account”
    case deletionRestore = "deletion.restore"
    /// “Your account is back.”
    case deletionRestored = "deletion.restored"
    /// “Is it still you?”
    case presenceTitle = "reauthentication.title"
    /// “For this, please prove once more who you are.”
    case presenceIntroduction = "reauthentication.introduction"
    /// “Confirm”
    case presenceButton = "reauthentication.button"
    /// “Confirm with {provider}”
    case presenceWith = "reauthentication.with"
    /// “Confirm with a passkey”
    case presencePasskey = "reauthentication.passkey"
    /// “Mail me a code”
    case presenceCode = "reauthentication.code"
    /// “This account has nothing to confirm with yet: no password, no linked account, no passkey and no verified mail address.
    /// Verify your mail address, or ask those who make the app.”
    case presenceNothing = "reauthentication.nothing"
    /// “Close”
    case dismiss = "common.dismiss"
    /// “Cancel”
    case cancel = "common.cancel"
    /// “One moment…”
    case working = "common.working"
    /// “Try again in {seconds} s”
    case retryIn = "common.retryIn"
    /// “Try again”
    case reload = "common.reload"
    /// “Please look at the marked fields.”
    case errorSummary = "common.errorSummary"
    /// “Please fill this in.”
    case faultRequired = "fault.required"
    /// “At least {minimum} characters.”
    case faultTooShort = "fault.tooShort"
    /// “At most {maximum} characters.”
    case faultTooLong = "fault.tooLong"
    /// “This is no mail address: hana@example.com.”
    case faultMailAddress = "fault.mailAddress"
    /// “Letters, digits and visible signs, without @ and without + in front.”
    case faultUserName = "fault.userName"
    /// “In international form: +81 90 1234 5678.”
    case faultPhoneNumber = "fault.phoneNumber"
    /// “This is no number.”
    case faultNumber = "fault.number"
    /// “A day as 2026-11-21.”
    case faultDate = "fault.date"
    /// “An address that begins with https://.”
    case faultAddress = "fault.address"
    /// “Please choose one.”
    case faultChoice = "fault.choice"
    /// “There are signs in it that cannot be seen.”
    case faultControlCharacter = "fault.controlCharacter"
    /// “Please agree to go on.”
    case faultNotAccepted = "fault.notAccepted"
    /// “Everybody tries this password first. Choose another.”
    case faultTooCommon = "fault.tooCommon"
    /// “This password is known from leaks of other services. Choose another.”
    case faultBreached = "fault.breached"
    /// “Do not use your own name in the password.”
    case faultContainsContext = "fault.containsContext"
    /// “Use letters of one alphabet only.”
    case faultMixedScripts = "fault.mixedScripts"
    /// “This is taken already.”
    case faultTaken = "fault.taken"
    /// “This is no such code. Please look once more.”
    case faultCode = "fault.code"
    /// “This cannot be used.”
    case faultRefused = "fault.refused"
}
