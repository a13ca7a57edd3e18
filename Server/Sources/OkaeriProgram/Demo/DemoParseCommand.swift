import ArgumentParser
import Domain
import Foundation
import Okaeri
import OkaeriServer
import OkaeriWire
import ParseAPI

/// `okaeri demo parse`
struct DemoParseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Play the life of an anonymous user of Parse.",
        discussion: """
            An app of Parse makes an anonymous user, comes back with its session token, gives the user a name and a \
            password, finds it again on a second device, and then moves to Okaeri's SDK with its session: each step over \
            HTTP, in Parse's own words. A server must run on the data folder; the demo makes an application of its own.

            Examples:
              okaeri demo parse
              okaeri demo parse --locale ja
            """)

    @Option(help: "The language. (default: that of LC_ALL, LC_MESSAGES or LANG, else English)")
    var locale: DemoLanguage?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let server = try storage.runningServer()
        let made = try await storage.withStorage { modules throws(DomainError) in
            try await modules.applications.createApplication(
                name: "Demo of Parse", protocols: [.parse: [:]], by: .local)
        }
        let keys = made.protocols.first?.keys ?? [:]
        let app = DemoParseApp(
            server: server, applicationId: keys[.applicationId]?.revealed ?? "",
            restKey: keys[.restKey]?.revealed ?? "")
        let language = locale ?? DemoLanguage(environment: ProcessInfo.processInfo.environment)
        var steps = try await play(app, language.parseTexts)
        let okaeri = OkaeriClient(
            server: server, application: made.application.id.rawValue, vault: MemoryVault(),
            transport: CurlTransport.shared)
        steps += try await adopt(app, steps.last?.user ?? "", okaeri, language)
        DemoStep.write(steps, output)
    }

    private static let password = "s3cret"

    private func play(_ app: DemoParseApp, _ texts: DemoParseTexts) async throws(CommandFault) -> [DemoStep] {
        var phone = app
        let anonymous = DemoNCMBApp.uuid(SystemRandomness().bytes(16)).lowercased()
        let made = try await phone.send(
            "POST", "/users", ["authData": ["anonymous": ["id": .string(anonymous)]], "score": 12000])
        phone.token = made.text("sessionToken")
        let id = made.text("objectId")
        let back = try await phone.send("GET", "/users/me")
        let upgraded = try await phone.send(
            "PUT", "/users/\(id)", ["username": .string("taro-\(id)"), "password": .string(Self.password)])
        phone.token = upgraded.text("sessionToken")
        let named = try await phone.send("GET", "/users/me")
        let found = try await app.send(
            "POST", "/login", ["username": .string("taro-\(id)"), "password": .string(Self.password)])
        return [
            DemoStep(scene: "anonymous", outcome: texts.made, user: id),
            DemoStep(
                scene: "token", outcome: back.text("objectId") == id ? texts.sameToken : texts.different,
                user: back.text("objectId")),
            DemoStep(
                scene: "upgrade", outcome: named.text("objectId") == id ? texts.sameAfterUpgrade : texts.different,
                user: named.text("objectId")),
            DemoStep(
                scene: "second-device",
                outcome: found.text("objectId") == id && found.members["score"] == 12000
                    ? texts.sameElsewhere : texts.different,
                user: found.text("objectId")),
        ]
    }

    /// The app with Okaeri's SDK.
    private func adopt(
        _ app: DemoParseApp, _ id: String, _ okaeri: OkaeriClient, _ language: DemoLanguage
    ) async throws -> [DemoStep] {
        let texts = language.parseTexts
        let old = try await app.send(
            "POST", "/login", ["username": .string("taro-\(id)"), "password": .string(Self.password)])
        do throws(OkaeriError) {
            let adopted = try await okaeri.adopt(parseSession: old.text("sessionToken")).user
            let launched = try await okaeri.logInAutomatically().user
            return [
                DemoStep(
                    scene: "adopt", outcome: adopted.id == id ? texts.adopted : texts.different, user: adopted.id),
                DemoStep(
                    scene: "automatic", outcome: launched.id == id ? texts.automatic : texts.different,
                    user: launched.id),
            ]
        } catch {
            throw CommandFault(error, in: language)
        }
    }
}

/// What the demo of Parse says, in one language.
struct DemoParseTexts: Sendable {
    let made: String
    let sameToken: String
    let sameAfterUpgrade: String
    let sameElsewhere: String
    let adopted: String
    let automatic: String
    let different: String
}

extension DemoLanguage {
    var parseTexts: DemoParseTexts {
        switch self {
        case .japanese:
            DemoParseTexts(
                made: "匿名ユーザーを作りました。", sameToken: "セッショントークンだけで、同じユーザーに戻りました。",
                sameAfterUpgrade: "ユーザー名とパスワードを付けました。objectIdはそのままで、匿名のIDは使えなくなりました。",
                sameElsewhere: "二台目の端末でログインし、同じobjectIdと同じデータが見えました。",
                adopted: "OkaeriのSDKに替えました。Parseのセッションから、同じユーザーを引き継ぎました。",
                automatic: "次の起動では、端末の鍵だけで自動的にログインしました。", different: "別のユーザーになってしまいました。")
        case .korean:
            DemoParseTexts(
                made: "익명 사용자를 만들었습니다.", sameToken: "세션 토큰만으로 같은 사용자로 돌아왔습니다.",
                sameAfterUpgrade: "사용자 이름과 비밀번호를 붙였습니다. objectId는 그대로이고, 익명 ID는 더 이상 쓸 수 없습니다.",
                sameElsewhere: "두 번째 기기에서 로그인하여 같은 objectId와 같은 데이터를 보았습니다.",
                adopted: "Okaeri SDK로 바꾸었습니다. Parse 세션에서 같은 사용자를 이어받았습니다.",
                automatic: "다음 실행에서는 기기의 키만으로 자동 로그인했습니다.", different: "다른 사용자가 되었습니다.")
        case .english:
            DemoParseTexts(
                made: "An anonymous user is made.", sameToken: "The session token alone led back to the same user.",
                sameAfterUpgrade:
                    "It has a user name and a password now; the objectId is the same, and the anonymous id is of no use.",
                sameElsewhere: "A second device logged in: the same objectId, the same data.",
                adopted: "The app has Okaeri's SDK now: the Parse session led to the same user.",
                automatic: "The next launch logged in by the device's key alone.", different: "It is another user now.")
        }
    }
}
