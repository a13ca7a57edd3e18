import Okaeri
import OkaeriUI

/// What the first screen of the tutorial shows: guide and button change with the log-in state, and people with an account
/// of their own land on the next screen.
enum Home: Equatable {
    /// It is not known yet who is there.
    case waiting
    /// Nobody is logged in.
    case loggedOut
    /// A guest: everything works, and nothing would survive the loss of the device.
    case guest(name: String?)
    /// A person with an account: the next screen.
    case next(name: String?)

    init(_ state: OkaeriState) {
        switch state {
        case .unknown, .storageLocked: self = .waiting
        case .loggedOut: self = .loggedOut
        case .loggedIn(let user, _):
            let name = user.displayName ?? user.username
            self = user.isAnonymous ? .guest(name: name) : .next(name: name)
        }
    }

    /// What the guide says.
    func guide(in language: String) -> String {
        switch (self, language) {
        case (.waiting, _): "…"
        case (.loggedOut, "ja"): "ログインすると続きから始められます。"
        case (.loggedOut, "ko"): "로그인하면 이어서 시작할 수 있습니다."
        case (.loggedOut, _): "Log in to go on where you were."
        case (.guest, "ja"): "ゲストとして利用中です。データを保存すると機種変更のときも安心です。"
        case (.guest, "ko"): "게스트로 이용 중입니다. 데이터를 저장하면 기기를 바꿔도 안심할 수 있습니다."
        case (.guest, _): "You are here as a guest. Save your data and keep it on your next phone."
        case (.next(let name), "ja"): "おかえりなさい\(name.map { "、\($0)さん" } ?? "")"
        case (.next(let name), "ko"): "어서 오세요\(name.map { ", \($0) 님" } ?? "")"
        case (.next(let name), _): "Welcome back\(name.map { ", \($0)" } ?? "")"
        }
    }

    /// What the button says; `nil` when there is none.
    func button(_ texts: ScreenTexts) -> String? {
        switch self {
        case .waiting, .next: nil
        case .loggedOut: texts(.logInButton)
        case .guest: texts(.upgradeTitle)
        }
    }

    /// Where the button leads.
    var destination: ScreenDestination? {
        switch self {
        case .waiting, .next: nil
        case .loggedOut: .logIn(identifier: "")
        case .guest: .upgrade
        }
    }
}
