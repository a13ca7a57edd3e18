/// What `okaeri demo ncmb` says, in one language.
struct DemoNCMBTexts {
    let firstLaunch: String
    let nextLaunch: String
    let thirdLaunch: String
    let adopt: String
    let automatic: String
    let adoptByPassword: String
    let language: DemoLanguage

    func signedUp(_ code: String) -> String {
        switch language {
        case .japanese: "ログインは \(code) で断られ、会員登録しました。はじめまして！"
        case .korean: "로그인이 \(code)(으)로 거절되어 회원으로 등록했습니다. 처음 뵙겠습니다!"
        case .english: "The log-in was refused with \(code), so the app signed up. Nice to meet you!"
        }
    }

    func greets(_ time: String) -> String {
        switch language {
        case .japanese: "おかえりなさい。最終ログイン \(time)"
        case .korean: "다시 오신 것을 환영합니다. 마지막 로그인 \(time)"
        case .english: "Welcome back. Last log-in \(time)"
        }
    }

    func sameUser(_ isSame: Bool) -> String {
        switch language {
        case .japanese: isSame ? "同じユーザーです。" : "別のユーザーです。"
        case .korean: isSame ? "같은 사용자입니다." : "다른 사용자입니다."
        case .english: isSame ? "The same user as before." : "Another user."
        }
    }
}

extension DemoLanguage {
    var ncmbTexts: DemoNCMBTexts {
        switch self {
        case .japanese:
            DemoNCMBTexts(
                firstLaunch: "NCMB の SDK のまま、最初の起動", nextLaunch: "次の起動",
                thirdLaunch: "3回目の起動",
                adopt: "Okaeri の SDK に入れ替えて、セッションを引き継ぐ", automatic: "その次の起動は端末の鍵だけで",
                adoptByPassword: "別の端末で、端末IDの名前とパスワードから引き継ぐ", language: self)
        case .korean:
            DemoNCMBTexts(
                firstLaunch: "NCMB SDK 그대로, 첫 실행", nextLaunch: "다음 실행",
                thirdLaunch: "세 번째 실행",
                adopt: "Okaeri SDK로 바꾸고 세션을 이어받기", automatic: "그다음 실행은 기기의 키만으로",
                adoptByPassword: "다른 기기에서 기기 ID 이름과 비밀번호로 이어받기", language: self)
        case .english:
            DemoNCMBTexts(
                firstLaunch: "First launch, on NCMB's SDK", nextLaunch: "Next launch",
                thirdLaunch: "Third launch",
                adopt: "With Okaeri's SDK, taking the session over",
                automatic: "The launch after that, by the key alone",
                adoptByPassword: "On another device, by the device id that was name and password", language: self)
        }
    }
}
