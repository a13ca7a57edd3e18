import Okaeri
import OkaeriWire

/// The story that `okaeri demo account` plays, over the SDK.
struct DemoAccount {
    private static let password = "four quiet little words"

    let language: DemoLanguage
    /// A new phone with the app.
    let newPhone: () -> OkaeriClient

    /// One thing that happened.
    struct Scene: Encodable {
        /// `sign-up`, `wrong-password`, `log-in`, `upgrade`, `log-out`.
        let name: String
        let title: String
        let text: String
        let userId: String?
        let username: String?
        /// The word for the error that was expected.
        let refusal: String?
    }

    /// Plays it from beginning to end.
    ///
    /// - Throws: `OkaeriError`, when something goes otherwise than it should.
    func play() async throws(OkaeriError) -> [Scene] {
        let texts = language.accountTexts
        var scenes: [Scene] = []
        let (first, second, third) = (newPhone(), newPhone(), newPhone())

        // The anonymous user's id makes a name that nobody has.
        let stranger = try await third.logInAutomatically(user: NewUser(locale: language.rawValue)).user
        let name = "hana-\(stranger.id)"
        let signedUp = try await first.signUp(
            username: name, password: Self.password, user: NewUser(locale: language.rawValue))
        scenes.append(scene("sign-up", texts.signUp, "\(texts.hello) \(name)", signedUp))

        do throws(OkaeriError) {
            _ = try await second.logIn(identifier: name, password: "not the right one", rememberMe: .untilQuit)
            throw .unexpectedResponse(status: 200)
        } catch {
            guard error == .credentialRefused else { throw error }
            let text = error.message(in: [language.rawValue])
            scenes.append(
                Scene(
                    name: "wrong-password", title: texts.wrongPassword, text: text, userId: nil, username: nil,
                    refusal: error.code))
        }

        let back = try await second.logIn(identifier: name.uppercased(), password: Self.password).user
        scenes.append(scene("log-in", texts.logIn, "\(texts.welcomeBack) \(name)", back))

        let upgraded = try await third.upgrade(
            username: "kenji-\(stranger.id)", password: Self.password,
            changes: UserChanges(fields: ["level": 3]))
        scenes.append(scene("upgrade", texts.upgrade, "\(texts.sameId) \(upgraded.id)", upgraded))

        await second.logOut()
        await second.deliverPendingLogOuts()
        let others = try await first.sessions().count
        scenes.append(scene("log-out", texts.logOut, "\(texts.sessionsLeft) \(others)", back))
        return scenes
    }

    private func scene(_ name: String, _ title: String, _ text: String, _ user: User) -> Scene {
        Scene(name: name, title: title, text: text, userId: user.id, username: user.username, refusal: nil)
    }
}

/// What the story says, in one language.
struct DemoAccountTexts {
    let signUp: String
    let hello: String
    let wrongPassword: String
    let logIn: String
    let welcomeBack: String
    let upgrade: String
    let sameId: String
    let logOut: String
    let sessionsLeft: String
}

extension DemoLanguage {
    var accountTexts: DemoAccountTexts {
        switch self {
        case .japanese:
            DemoAccountTexts(
                signUp: "会員登録", hello: "はじめまして！", wrongPassword: "パスワードの間違い", logIn: "別の端末でログイン",
                welcomeBack: "おかえりなさい", upgrade: "匿名ユーザーの本登録", sameId: "ユーザーIDはそのまま:", logOut: "ログアウト",
                sessionsLeft: "残りのログイン数:")
        case .korean:
            DemoAccountTexts(
                signUp: "회원 가입", hello: "처음 뵙겠습니다!", wrongPassword: "잘못된 비밀번호", logIn: "다른 기기에서 로그인",
                welcomeBack: "다시 오신 것을 환영합니다", upgrade: "익명 사용자의 정식 등록", sameId: "사용자 ID는 그대로:", logOut: "로그아웃",
                sessionsLeft: "남은 로그인 수:")
        case .english:
            DemoAccountTexts(
                signUp: "Sign-up", hello: "Nice to meet you,", wrongPassword: "A wrong password",
                logIn: "Log-in from another phone", welcomeBack: "Welcome back,",
                upgrade: "Upgrade of an anonymous user", sameId: "The user id stays:", logOut: "Log-out",
                sessionsLeft: "Log-ins that are left:")
        }
    }
}
