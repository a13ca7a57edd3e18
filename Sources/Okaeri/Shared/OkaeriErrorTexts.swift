public import Foundation
import OkaeriWire

extension OkaeriError: LocalizedError {
    /// What to tell the person, in the language they prefer among English, Japanese and Korean.
    public var errorDescription: String? {
        message(in: SystemDefaults.preferredLanguages())
    }

    /// What to tell the person. Where the app's own service has refused something by a hook, in words of its own, it is these words.
    ///
    /// - Parameter languages: BCP 47 tags, best first. English is the last resort.
    /// - Returns: One or two sentences.
    public func message(in languages: [String]) -> String {
        if case .refused(let code, _, let detail?) = self, code == .hookRefused, let words = detail.shortLine {
            return words
        }
        let text = Self.texts[messageKey] ?? Self.texts[.unexpected]
        for language in languages {
            switch language.prefix(2).lowercased() {
            case "ja": return filled(text?.japanese, "ja")
            case "ko": return filled(text?.korean, "ko")
            case "en": return filled(text?.english, "en")
            default: continue
            }
        }
        return filled(text?.english, "en")
    }

    /// A text with the time that the error names, in the device's zone. It is written here, because the server's program links no
    /// part of Foundation that knows languages, and has this library for its demo.
    private func filled(_ text: String?, _ language: String) -> String {
        guard let text else { return "" }
        guard case .transferUnconfirmed(let until?) = self else { return text }
        let parts = Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour, .minute], from: until)
        let (month, day, minute) = (parts.month ?? 0, parts.day ?? 0, parts.minute ?? 0)
        let clock = "\(parts.hour ?? 0):\(minute < 10 ? "0" : "")\(minute)"
        let time =
            switch language {
            case "ja": "\(month)月\(day)日 \(clock)"
            case "ko": "\(month)월 \(day)일 \(clock)"
            default: "\(clock) on \(parts.year ?? 0)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
            }
        return text.replacing("{time}", with: time)
    }

    /// The texts that people see. Several errors that call for the same action share one.
    enum MessageKey: CaseIterable {
        case offline, busy, tooMany, locked, storage, damaged, logIn, disabled, values, application, clock, gone
        case credential, code, presence, nameTaken, registered, cancelled, unexpected, provider, taken, lastWayIn
        case transferCode, tooLate, deleted, conflict, merge, keyRemoved, passkey, passkeyUnknown, passkeyThere
        case passkeyUnavailable, secondFactor, secondFactorEnrolment, secondFactorCode, secondFactorOver
        case secondFactorUnavailable, userChanged, unconfirmed, unconfirmedUntil, notAllowed
        case anotherLinked, removed
    }

    var messageKey: MessageKey {
        switch self {
        case .offline: .offline
        case .serverUnavailable: .busy
        case .rateLimited: .tooMany
        case .storageLocked: .locked
        case .storageUnavailable: .storage
        case .storageDamaged: .damaged
        case .notLoggedIn, .sessionEnded, .loggedOutMeanwhile: .logIn
        case .userChanged: .userChanged
        case .credentialRefused: .credential
        case .codeRefused: .code
        case .reauthenticationRequired: .presence
        case .identifierTaken: .nameTaken
        case .alreadyRegistered: .registered
        case .userDisabled: .disabled
        case .invalidValues: .values
        case .applicationUnknown, .audienceNotAllowed: .application
        case .proofRefused(let code): code == .clockSkew ? .clock : .unexpected
        case .sessionUnknown: .gone
        case .conflict: .conflict
        case .mergeRefused: .merge
        case .userDeleted: .deleted
        case .transferCodeRefused: .transferCode
        case .undoTooLate: .tooLate
        case .transferUnconfirmed(let until): until == nil ? .unconfirmed : .unconfirmedUntil
        case .webLogInRefused(let reason): reason == .pagesUnavailable ? .application : .logIn
        case .passkeyRefused(.unknown), .passkeyRefused(.notFound): .passkeyUnknown
        case .passkeyRefused(.alreadyThere): .passkeyThere
        case .passkeyRefused(.unavailable), .passkeyRefused(.notEnabled): .passkeyUnavailable
        // One of another application of the domain, or of the dashboard: the same one would be refused again.
        case .passkeyRefused(let reason) where reason.rule == "user_handle": .passkeyUnknown
        case .passkeyRefused: .passkey
        case .secondFactorRequired(nil): .secondFactorUnavailable
        case .secondFactorRequired, .secondFactorNotRecent: .secondFactor
        case .secondFactorEnrolmentRequired: .secondFactorEnrolment
        case .secondFactorRefused(.codeInvalid): .secondFactorCode
        case .secondFactorRefused(.ticketInvalid): .secondFactorOver
        case .secondFactorRefused: .secondFactorUnavailable
        case .cancelled: .cancelled
        case .providerRefused(let code): Self.messageKey(ofProvider: code)
        case .identityTaken: .taken
        case .lastWayIn: .lastWayIn
        case .deviceKeyRemoved: .keyRemoved
        case .refused(let code, _, _): code == .hookRefused ? .notAllowed : .unexpected
        case .unexpectedResponse: .unexpected
        }
    }

    private static func messageKey(ofProvider code: ErrorCode) -> MessageKey {
        switch code {
        // The operator has something to do, and the person nothing.
        case .providerNotEnabled, .providerMisconfigured: .application
        case .providerAlreadyLinked: .anotherLinked
        case .identityUnknown: .removed
        default: .provider
        }
    }

    struct Message {
        let english: String
        let japanese: String
        let korean: String
    }

    /// The string table. A test sees to it that every key has a text in every language.
    static var texts: [MessageKey: Message] {
        [
            .code: Message(
                english: "The code is not right, or no longer valid. Ask for a new one.",
                japanese: "コードが正しくないか、期限が切れています。新しいコードを取得してください。",
                korean: "코드가 올바르지 않거나 만료되었습니다. 새 코드를 요청해 주세요."),
            .offline: Message(
                english: "The server cannot be reached. Check the connection and try again.",
                japanese: "サーバーに接続できません。通信環境を確認して、もう一度お試しください。",
                korean: "서버에 연결할 수 없습니다. 네트워크를 확인한 뒤 다시 시도해 주세요."),
            .busy: Message(
                english: "The server is busy. Try again in a moment.",
                japanese: "サーバーが混み合っています。しばらくしてからお試しください。",
                korean: "서버가 혼잡합니다. 잠시 후 다시 시도해 주세요."),
            .transferCode: Message(
                english: "This transfer code is not valid. Check it, or make a new one on the other device.",
                japanese: "この引き継ぎコードは使えません。入力を確認するか、元の端末で新しいコードを発行してください。",
                korean: "사용할 수 없는 기기 변경 코드입니다. 입력을 확인하거나 기존 기기에서 새 코드를 발급해 주세요."),
            .deleted: Message(
                english: "This account is being deleted. You can still restore it.",
                japanese: "このアカウントは削除手続き中です。今なら元に戻せます。",
                korean: "이 계정은 삭제 절차가 진행 중입니다. 지금은 복구할 수 있습니다."),
            .conflict: Message(
                english: "You have another account already. Choose which one to go on with.",
                japanese: "すでに別のアカウントをお持ちです。どちらを使うか選んでください。",
                korean: "이미 다른 계정이 있습니다. 사용할 계정을 선택해 주세요."),
            .merge: Message(
                english: "The accounts cannot be brought together now. Please try again from the beginning.",
                japanese: "アカウントを統合できませんでした。もう一度最初からお試しください。",
                korean: "계정을 통합할 수 없습니다. 처음부터 다시 시도해 주세요."),
            .keyRemoved: Message(
                english: "This device was logged out, for the safety of the account. Please log in again.",
                japanese: "アカウント保護のため、この端末はログアウトされました。もう一度ログインしてください。",
                korean: "계정 보호를 위해 이 기기에서 로그아웃되었습니다. 다시 로그인해 주세요."),
            .passkey: Message(
                english: "The passkey could not be confirmed. Try it once more.",
                japanese: "パスキーを確認できませんでした。もう一度お試しください。",
                korean: "패스키를 확인할 수 없습니다. 다시 시도해 주세요."),
            .passkeyUnknown: Message(
                english: "There is no account for this passkey. Log in another way.",
                japanese: "このパスキーのアカウントが見つかりません。別の方法でログインしてください。",
                korean: "이 패스키에 해당하는 계정이 없습니다. 다른 방법으로 로그인해 주세요."),
            .passkeyThere: Message(
                english: "This device has a passkey of this account already.",
                japanese: "この端末には、このアカウントのパスキーがすでにあります。",
                korean: "이 기기에는 이미 이 계정의 패스키가 있습니다."),
            .passkeyUnavailable: Message(
                english: "Passkeys cannot be used here. Check that the device has a screen lock.",
                japanese: "パスキーを使用できません。端末に画面ロックが設定されているか確認してください。",
                korean: "패스키를 사용할 수 없습니다. 기기에 화면 잠금이 설정되어 있는지 확인해 주세요."),
            .unconfirmed: Message(
                english: "Confirm this device on your old device first. Without that one, wait for a day.",
                japanese: "先に元の端末でこの端末を確認してください。元の端末がない場合は、1日お待ちください。",
                korean: "먼저 기존 기기에서 이 기기를 확인해 주세요. 기존 기기가 없다면 하루 기다려 주세요."),
            .unconfirmedUntil: Message(
                english: "Confirm this device on your old device first. Without that one, wait until {time}.",
                japanese: "先に元の端末でこの端末を確認してください。元の端末がない場合は、{time}までお待ちください。",
                korean: "먼저 기존 기기에서 이 기기를 확인해 주세요. 기존 기기가 없다면 {time}까지 기다려 주세요."),
            .tooLate: Message(
                english: "It is too late to undo this.",
                japanese: "取り消しできる期間が過ぎています。",
                korean: "취소할 수 있는 기간이 지났습니다."),
            .tooMany: Message(
                english: "Too many attempts. Wait a while and try again.",
                japanese: "回数が多すぎます。時間をおいてからお試しください。",
                korean: "시도 횟수가 너무 많습니다. 잠시 기다렸다가 다시 시도해 주세요."),
            .locked: Message(
                english: "Unlock the device, then try again.",
                japanese: "端末のロックを解除してから、もう一度お試しください。",
                korean: "기기의 잠금을 해제한 뒤 다시 시도해 주세요."),
            .storage: Message(
                english: "The device cannot save the log-in. Free some space and try again.",
                japanese: "ログイン情報を端末に保存できません。空き容量を確認して、もう一度お試しください。",
                korean: "기기에 로그인 정보를 저장할 수 없습니다. 저장 공간을 확보한 뒤 다시 시도해 주세요."),
            .damaged: Message(
                english: "The log-in on this device can no longer be used. Log in again, or start as a new guest.",
                japanese: "端末のログイン情報は使えなくなりました。もう一度ログインするか、新しいゲストとして始めてください。",
                korean: "기기에 저장된 로그인 정보를 더 이상 쓸 수 없습니다. 다시 로그인하거나 새 게스트로 시작하세요."),
            .logIn: Message(
                english: "Please log in again.",
                japanese: "もう一度ログインしてください。",
                korean: "다시 로그인해 주세요."),
            // Also where nobody is logged in, and the device's key does not bring the deleted account back.
            .userChanged: Message(
                english: "This device is not logged in to this account any more. Go back, and log in again.",
                japanese: "この端末は、もうこのアカウントにログインしていません。前の画面に戻って、もう一度ログインしてください。",
                korean: "이 기기는 더 이상 이 계정에 로그인되어 있지 않습니다. 이전 화면으로 돌아가 다시 로그인해 주세요."),
            .disabled: Message(
                english: "This account has been disabled.",
                japanese: "このアカウントは停止されています。",
                korean: "이 계정은 정지되었습니다."),
            .values: Message(
                english: "Some of the values cannot be accepted.",
                japanese: "入力内容に誤りがあります。",
                korean: "입력한 내용에 잘못된 값이 있습니다."),
            .application: Message(
                english: "The app is not set up for this server.",
                japanese: "アプリの設定がサーバーと一致していません。",
                korean: "앱 설정이 서버와 일치하지 않습니다."),
            .clock: Message(
                english: "The device's clock is wrong. Correct date and time, then try again.",
                japanese: "端末の時刻がずれています。日付と時刻を直してから、もう一度お試しください。",
                korean: "기기의 시각이 맞지 않습니다. 날짜와 시간을 맞춘 뒤 다시 시도해 주세요."),
            .gone: Message(
                english: "That device is already logged out.",
                japanese: "その端末はすでにログアウトしています。",
                korean: "해당 기기는 이미 로그아웃되었습니다."),
            .credential: Message(
                english: "The name or the password is wrong.",
                japanese: "ユーザー名またはパスワードが違います。",
                korean: "사용자 이름 또는 비밀번호가 올바르지 않습니다."),
            .presence: Message(
                english: "Please enter your password again.",
                japanese: "確認のため、もう一度パスワードを入力してください。",
                korean: "확인을 위해 비밀번호를 다시 입력해 주세요."),
            .nameTaken: Message(
                english: "Somebody else uses this name or address already. Choose another.",
                japanese: "このユーザー名やアドレスはすでに使われています。別のものを入力してください。",
                korean: "이미 사용 중인 이름이나 주소입니다. 다른 것을 입력해 주세요."),
            .registered: Message(
                english: "This account is registered already.",
                japanese: "このアカウントはすでに登録されています。",
                korean: "이미 등록된 계정입니다."),
            .provider: Message(
                english: "The sign-in could not be confirmed. Try it once more.",
                japanese: "サインインを確認できませんでした。もう一度お試しください。",
                korean: "로그인을 확인할 수 없습니다. 다시 시도해 주세요."),
            .anotherLinked: Message(
                english: "Another account of this service is connected already. Disconnect that one first.",
                japanese: "このサービスの別のアカウントがすでに連携されています。先にその連携を解除してください。",
                korean: "이 서비스의 다른 계정이 이미 연결되어 있습니다. 먼저 그 연결을 해제해 주세요."),
            .removed: Message(
                english: "This is removed already.",
                japanese: "すでに解除されています。",
                korean: "이미 해제되었습니다."),
            .taken: Message(
                english: "This account is already used by another user of the app.",
                japanese: "このアカウントは、すでに別のユーザーが使用しています。",
                korean: "이 계정은 이미 다른 사용자가 사용하고 있습니다."),
            .lastWayIn: Message(
                english: "This is the only way to log in. Add another one before you remove it.",
                japanese: "ログイン方法がほかにないため解除できません。先に別の方法を追加してください。",
                korean: "다른 로그인 방법이 없어 해제할 수 없습니다. 먼저 다른 방법을 추가해 주세요."),
            .secondFactor: Message(
                english: "Enter the code that your authenticator app shows.",
                japanese: "認証アプリに表示されているコードを入力してください。",
                korean: "인증 앱에 표시된 코드를 입력해 주세요."),
            .secondFactorEnrolment: Message(
                english: "Add an authenticator app to go on.",
                japanese: "続けるには認証アプリを追加してください。",
                korean: "계속하려면 인증 앱을 추가해 주세요."),
            .secondFactorCode: Message(
                english: "The code is wrong, or was used already. Enter the one that is shown now.",
                japanese: "コードが正しくないか、使用済みです。現在表示されているコードを入力してください。",
                korean: "코드가 올바르지 않거나 이미 사용되었습니다. 지금 표시된 코드를 입력해 주세요."),
            .secondFactorOver: Message(
                english: "This took too long. Please begin again.",
                japanese: "時間切れです。もう一度最初からお試しください。",
                korean: "시간이 초과되었습니다. 처음부터 다시 시도해 주세요."),
            .secondFactorUnavailable: Message(
                english: "Two-step verification is not possible here.",
                japanese: "ここでは二段階認証を利用できません。",
                korean: "여기에서는 2단계 인증을 사용할 수 없습니다."),
            .notAllowed: Message(
                english: "The app does not allow this.",
                japanese: "このアプリでは許可されていません。",
                korean: "이 앱에서는 허용되지 않습니다."),
            .cancelled: Message(english: "Cancelled.", japanese: "キャンセルしました。", korean: "취소되었습니다."),
            .unexpected: Message(
                english: "Something went wrong. Try again later.",
                japanese: "エラーが発生しました。しばらくしてからお試しください。",
                korean: "오류가 발생했습니다. 잠시 후 다시 시도해 주세요."),
        ]
    }
}
