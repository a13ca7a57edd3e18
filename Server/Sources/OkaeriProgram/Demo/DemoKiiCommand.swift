import ArgumentParser
import Domain
import Foundation
import KiiAPI
import Okaeri
import OkaeriWire

/// `okaeri demo kii`
struct DemoKiiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kii",
        abstract: "Play the life of a Kii Cloud pseudo user.",
        discussion: """
            An app of Kii Cloud registers a user without a name, comes back with its token alone, upgrades the user, and \
            finds it again on a second device by password: each step over HTTP, in Kii's own words. A server must run on \
            the data folder; the demo makes an application of its own.

            Examples:
              okaeri demo kii
              okaeri demo kii --locale ja
            """)

    @Option(help: "The language. (default: that of LC_ALL, LC_MESSAGES or LANG, else English)")
    var locale: DemoLanguage?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let server = try storage.runningServer()
        let keys = try await storage.withStorage { modules throws(DomainError) in
            try await modules.applications.createApplication(name: "Demo of Kii", protocols: [.kii: [:]], by: .local)
                .protocols
        }
        let appId = keys.first?.keys[.appId]?.revealed ?? ""
        let language = locale ?? DemoLanguage(environment: ProcessInfo.processInfo.environment)
        let steps = try await play(DemoKiiApp(server: server, appId: appId), language.kiiTexts)
        DemoStep.write(steps, output)
    }

    private func play(_ app: DemoKiiApp, _ texts: DemoKiiTexts) async throws(CommandFault) -> [DemoStep] {
        var phone = app
        let registered = try await phone.send(
            "POST", "/users", ["displayName": "Player 1", "HighScore": 12000],
            type: "application/vnd.kii.RegistrationAndAuthorizationRequest+json")
        phone.token = registered.text("_accessToken")
        let id = registered.text("userID")
        let back = try await phone.send("GET", "/users/me")
        let name = "taro_\(id)"
        _ = try await phone.send(
            "POST", "/users/me",
            ["HighScore": 12000, "loginName": .string(name), "displayName": "Taro", "password": "123ABC"],
            type: "application/vnd.kii.UserUpdateRequest+json")
        let upgraded = try await phone.send("GET", "/users/me")
        var other = app
        let logIn = try await other.send(
            "POST", "/oauth2/token", ["username": .string(name), "password": "123ABC", "grant_type": "password"])
        other.token = logIn.text("access_token")
        let found = try await other.send("GET", "/users/me")
        return [
            DemoStep(scene: "register", outcome: texts.registered, user: id),
            DemoStep(scene: "token", outcome: texts.back(same: back.text("userID") == id), user: back.text("userID")),
            DemoStep(
                scene: "upgrade",
                outcome: texts.upgraded(same: upgraded.text("userID") == id && upgraded.text("loginName") == name),
                user: upgraded.text("userID")),
            DemoStep(
                scene: "second-device",
                outcome: texts.found(
                    same: found.text("userID") == id
                        && found.members["HighScore"] == registered.members["HighScore"]),
                user: found.text("userID")),
        ]
    }
}

/// What the demo of Kii says, in one language.
struct DemoKiiTexts: Sendable {
    let registered: String
    let sameToken: String
    let sameAfterUpgrade: String
    let sameElsewhere: String
    let different: String

    func back(same: Bool) -> String { same ? sameToken : different }
    func upgraded(same: Bool) -> String { same ? sameAfterUpgrade : different }
    func found(same: Bool) -> String { same ? sameElsewhere : different }
}

extension DemoLanguage {
    var kiiTexts: DemoKiiTexts {
        switch self {
        case .japanese:
            DemoKiiTexts(
                registered: "名前のない仮ユーザーを作りました。", sameToken: "トークンだけで、同じユーザーに戻りました。",
                sameAfterUpgrade: "ログイン名とパスワードを付けました。IDもトークンもそのままです。",
                sameElsewhere: "二台目の端末でパスワードでログインし、同じIDと同じデータが見えました。",
                different: "別のユーザーになってしまいました。")
        case .korean:
            DemoKiiTexts(
                registered: "이름 없는 임시 사용자를 만들었습니다.", sameToken: "토큰만으로 같은 사용자로 돌아왔습니다.",
                sameAfterUpgrade: "로그인 이름과 비밀번호를 붙였습니다. ID와 토큰은 그대로입니다.",
                sameElsewhere: "두 번째 기기에서 비밀번호로 로그인하여 같은 ID와 같은 데이터를 보았습니다.",
                different: "다른 사용자가 되었습니다.")
        case .english:
            DemoKiiTexts(
                registered: "A pseudo user without a name is made.",
                sameToken: "The token alone led back to the same user.",
                sameAfterUpgrade: "It has a login name and a password now; id and token are the same.",
                sameElsewhere: "A second device logged in by password: the same id, the same data.",
                different: "It is another user now.")
        }
    }
}
