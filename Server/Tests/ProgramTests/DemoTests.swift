import Foundation
import OkaeriWire
import Testing

@Suite("okaeri demo")
struct DemoTests {
    struct Words: CustomTestStringConvertible, Sendable {
        let locale: String
        let first: String
        let again: String
        let lastLogIn: String
        var testDescription: String { locale }

        static let all = [
            Words(locale: "ja", first: "はじめまして！", again: "おかえりなさい", lastLogIn: "最終ログイン"),
            Words(locale: "ko", first: "처음 뵙겠습니다!", again: "다시 오신 것을 환영합니다", lastLogIn: "마지막 로그인"),
            Words(locale: "en", first: "Nice to meet you!", again: "Welcome back", lastLogIn: "Last log-in"),
        ]
    }

    @Test("greets twice, the second time with the time of the first launch", arguments: Words.all)
    func twoLaunches(_ words: Words) async throws {
        let home = try await Home()
        let first = try await home.launch("--locale", words.locale)
        #expect(first.status == 0, "\(first.errors)")
        let user = try await home.onlyUser()
        let lines = first.output.split(separator: "\n").map(String.init)
        #expect(lines.first == words.first)
        #expect(lines.dropFirst().first?.hasSuffix(user.id) == true)
        for recorded in ["okaeri demo", "Linux", "127.0.0.1"] {
            #expect(first.output.contains(recorded), "the server's record of the device: \(first.output)")
        }

        // At once, so that both may fall into one second.
        let second = try await home.launch("--locale", words.locale)
        #expect(second.status == 0, "\(second.errors)")
        let firstLogIn = try #require(user.lastLogInAt)
        #expect(
            second.output.hasPrefix("\(words.again)\n\(words.lastLogIn) \(Home.tokyoTime(firstLogIn))\n"),
            "\(second.output)")
        #expect(second.output.contains(user.id))

        let secondLogIn = try #require(try await home.onlyUser().lastLogInAt)
        let third = try await home.launch("--locale", words.locale, "--json")
        let answer: Answer = try third.json()
        let expected = Answer(
            greeting: words.again, isFirstVisit: false, userId: user.id, lastLogIn: secondLogIn, isOffline: false)
        #expect(answer == expected)
    }

    @Test(
        "takes its language from the environment",
        arguments: [
            (["LANG": "ja_JP.UTF-8"], "はじめまして！"),
            (["LANG": "ja_JP.UTF-8", "LC_ALL": "ko_KR.UTF-8"], "처음 뵙겠습니다!"),
            (["LANG": "fr_FR.UTF-8"], "Nice to meet you!"), (["LC_ALL": "", "LC_MESSAGES": "ja"], "はじめまして！"),
        ])
    func language(_ environment: [String: String], greeting: String) async throws {
        let home = try await Home()
        let launch = try await Program.run(["demo", "--data", home.data], environment: environment)
        #expect(launch.output.hasPrefix(greeting + "\n"), "\(launch.output)\(launch.errors)")
    }

    @Test("plays a life of accounts, in each language", arguments: Words.all)
    func account(_ words: Words) async throws {
        let home = try await Home()
        let play = try await Program.run("demo", "account", "--data", home.data, "--locale", words.locale)
        #expect(play.status == 0, "\(play.errors)")
        #expect(play.output.contains("  \(words.again)") && play.output.contains("hana-"), "\(play.output)")
        let scenes: [Scene] = try await Program.run("demo", "account", "--data", home.data, "--json").json()
        #expect(scenes.map(\.name) == ["sign-up", "wrong-password", "log-in", "upgrade", "log-out"])
        #expect(scenes[1].refusal == "credential_refused" && scenes[0].userId == scenes[2].userId)
        #expect(scenes[3].userId != scenes[0].userId && scenes[3].username?.hasPrefix("kenji-") == true)
    }

    @Test("names field and rule where the application's own settings refuse what it sends")
    func refusedValues() async throws {
        let home = try await Home()
        let closed = try await Program.run(
            "application", "fields", "policy", home.application, "closed", "--data", home.data)
        #expect(closed.status == 0, "\(closed.errors)")
        let play = try await Program.run("demo", "account", "--data", home.data)
        #expect(play.status == 1 && play.errors.contains("fields.level: "), "\(play.errors)")
    }

    private struct Scene: Decodable {
        let name: String
        let userId: String?
        let username: String?
        let refusal: String?
    }

    @Test("forgets the device with --reset")
    func reset() async throws {
        let home = try await Home()
        let first: Answer = try await home.launch("--json").json()
        let reset = try await home.launch("--reset", "--locale", "en")
        #expect(reset.status == 0)
        #expect(reset.output == "This device's registration is erased. The next launch will be a first one.\n")
        let next: Answer = try await home.launch("--json").json()
        #expect(next.isFirstVisit)
        #expect(next.userId != first.userId)
    }

    @Test("makes one user of two first launches at the same moment")
    func simultaneousLaunches() async throws {
        let home = try await Home()
        async let left = home.launch("--json")
        async let right = home.launch("--json")
        let answers: [Answer] = [try await left.json(), try await right.json()]
        let user = try await home.onlyUser()
        #expect(answers.map(\.userId) == [user.id, user.id])
        #expect(answers.map(\.isOffline) == [false, false])
    }

    @Test("greets from the stored copy while the server is away, and says so")
    func offline() async throws {
        let home = try await Home()
        let first: Answer = try await home.launch("--json").json()
        let logIn = try #require(try await home.onlyUser().lastLogInAt)
        try await home.server.stop()
        let address = ["--server", home.server.url, "--locale", "ja"]
        let again = try await home.launch(address)
        #expect(again.status == 0, "\(again.errors)")
        #expect(
            again.output == """
                おかえりなさい
                最終ログイン \(Home.tokyoTime(logIn))
                ユーザーID \(first.userId)
                サーバーに接続できないため、この端末に保存された情報でお迎えしています。

                """)
        let stranger = try await home.launch(address + ["--state", home.data + "/other-device"])
        #expect(stranger.status == 1)
        #expect(stranger.output.isEmpty)
        #expect(stranger.errors == "okaeri: サーバーに接続できません。通信環境を確認して、もう一度お試しください。 (offline)\n")
    }

    @Test("tells an error in the person's language, with its code")
    func unknownApplication() async throws {
        let home = try await Home()
        let launch = try await home.launch("--application", "nobody", "--locale", "ko")
        #expect(launch.status == 1)
        #expect(launch.errors == "okaeri: 앱 설정이 서버와 일치하지 않습니다. (application_unknown)\n")
    }

    @Test("says how to make an application when there is none")
    func noApplication() async throws {
        let folder = TestFolder()
        let launch = try await Program.run("demo", "--data", folder.path)
        #expect(launch.status == 1)
        #expect(launch.errors.hasPrefix("okaeri: There is no demo application: "))
    }

    private struct Answer: Decodable, Equatable {
        let greeting: String
        let isFirstVisit: Bool
        let userId: String
        let lastLogIn: WireTime?
        let isOffline: Bool
    }
}

/// A server with an application, set up as `make run` does it, and a phone in Tokyo.
struct Home {
    let folder = TestFolder()
    let server: TestServer
    let application: String
    var data: String { folder.path }

    init() async throws {
        server = try await TestServer(data: folder.path)
        let demo = folder.path + "/demo"
        try FileManager.default.createDirectory(atPath: demo, withIntermediateDirectories: true)
        let created = try await server.makeApplication()
        application = created.id
        try JSONEncoder().encode(created).write(to: URL(fileURLWithPath: demo + "/application.json"))
    }

    func launch(_ options: [String]) async throws -> Program.Finished {
        try await Program.run(["demo", "--data", data] + options, environment: ["TZ": "Asia/Tokyo"])
    }

    func launch(_ options: String...) async throws -> Program.Finished {
        try await launch(options)
    }

    /// The user, of whom there must be one.
    func onlyUser() async throws -> UserBody {
        let list: UserList = try await Program.run(
            "user", "list", "--application", application, "--data", data, "--json"
        ).json()
        #expect(list.users.count == 1)
        return try #require(list.users.first)
    }

    /// The time in Japan, which has known no summer time since 1951.
    static func tokyoTime(_ time: WireTime) -> String {
        let local = WireTime(millisecondsSince1970: time.millisecondsSince1970 + 9 * 3_600_000).description
        return String(local.prefix(19)).replacing("-", with: "/").replacing("T", with: " ")
    }
}

/// What `okaeri user list --json` prints.
struct UserList: Decodable {
    let users: [UserBody]
    let next: String?
}
