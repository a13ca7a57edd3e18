/// What the demo says, in one language.
struct DemoTexts {
    let firstVisit: String
    let welcomeBack: String
    let lastLogIn: String
    let user: String
    let deviceRecord: String
    let name: String
    let model: String
    let system: String
    let appVersion: String
    let address: String
    let offline: String
    let forgotten: String
}

extension DemoLanguage {
    var texts: DemoTexts {
        switch self {
        case .japanese:
            DemoTexts(
                firstVisit: "はじめまして！", welcomeBack: "おかえりなさい", lastLogIn: "最終ログイン", user: "ユーザーID",
                deviceRecord: "サーバーに記録されたこの端末", name: "名前", model: "機種", system: "システム",
                appVersion: "アプリ", address: "アドレス",
                offline: "サーバーに接続できないため、この端末に保存された情報でお迎えしています。",
                forgotten: "この端末の登録を消しました。次の起動は、初めての起動になります。")
        case .korean:
            DemoTexts(
                firstVisit: "처음 뵙겠습니다!", welcomeBack: "다시 오신 것을 환영합니다", lastLogIn: "마지막 로그인",
                user: "사용자 ID", deviceRecord: "서버에 기록된 이 기기", name: "이름", model: "모델", system: "시스템",
                appVersion: "앱", address: "주소", offline: "서버에 연결할 수 없어 이 기기에 저장된 정보로 맞이합니다.",
                forgotten: "이 기기의 등록을 지웠습니다. 다음 실행은 첫 실행이 됩니다.")
        case .english:
            DemoTexts(
                firstVisit: "Nice to meet you!", welcomeBack: "Welcome back", lastLogIn: "Last log-in",
                user: "User id", deviceRecord: "The server's record of this device", name: "name", model: "model",
                system: "system", appVersion: "app", address: "address",
                offline: "The server cannot be reached; this greeting comes from the copy on this device.",
                forgotten: "This device's registration is erased. The next launch will be a first one.")
        }
    }
}
