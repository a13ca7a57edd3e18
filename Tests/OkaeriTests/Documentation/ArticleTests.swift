import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("The articles")
@MainActor
struct ArticleTests {
    let world = World()

    /// A code block of an article.
    struct Block: CustomTestStringConvertible {
        let article: String
        let lines: [String]
        var testDescription: String { "\(article): \(lines.first ?? "")" }
    }

    nonisolated private static var tests: URL { URL(fileURLWithPath: #filePath).deletingLastPathComponent() }

    /// The lines of a text without indentation, and without what only the checkout's line ends add.
    nonisolated private static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    nonisolated static func blocks() throws -> [Block] {
        let folder = tests.appendingPathComponent("../../../Sources/Okaeri/Okaeri.docc").standardizedFileURL
        let articles = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try articles.sorted { $0.path < $1.path }.flatMap { article in
            try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst().map {
                Block(
                    article: article.lastPathComponent,
                    lines: lines(of: $0.components(separatedBy: "```").first ?? ""))
            }
        }
    }

    @Test("show code that is compiled with the tests", arguments: try ArticleTests.blocks())
    func compiled(block: Block) throws {
        let file = Self.tests.appendingPathComponent("ArticleCode.swift")
        let code = Self.lines(of: try String(contentsOf: file, encoding: .utf8))
        let isThere = code.indices.contains { code[$0...].starts(with: block.lines) }
        #expect(!block.lines.isEmpty && isThere)
    }

    @Test("show all of their code, and know of every article")
    func complete() throws {
        let articles = try Set(Self.blocks().map(\.article))
        #expect(
            articles == [
                "GettingStarted.md", "Errors.md", "Vaults.md", "Testing.md", "Apple.md", "AnotherDevice.md",
                "FromAnotherSDK.md",
            ])
    }

    @Test("show code that does what they say")
    func greeting() async throws {
        let first = GettingStarted(world.launch())
        #expect(try await first.greeting() == "はじめまして！")
        try await first.finishTutorial()
        let second = GettingStarted(world.launch())
        world.clock.advance(by: .seconds(60))
        #expect(try await second.greeting() == "おかえりなさい花子、最終ログイン 2026-11-21T00:15:42Z")
        #expect(try await second.authorization().hasPrefix("Bearer ey"))
        try await second.endOldSessions(before: world.clock.now)
        #expect(world.server.sessionCount == 1)
        let following = Task { await second.follow(second.okaeri) }
        await second.leave()
        #expect(await second.okaeri.currentUser == nil)
        following.cancel()
        await following.value
        #expect(second.shown.allSatisfy { ["…", "花子", "ログインしていません"].contains($0) })
        try await personComesBack()
    }

    @Test("show what to do after an error")
    func errors() {
        #expect(action(after: .offline) == .tryAgainLater)
        #expect(action(after: .sessionEnded) == .logInAgain)
        let problem = FieldProblem(field: "user.locale", code: "too_long", detail: "")
        #expect(action(after: .invalidValues([problem])) == .correct(["user.locale"]))
        #expect(action(after: .userDisabled) == .tell(OkaeriError.userDisabled.localizedDescription))
    }

    @Test("show how an account is kept with Apple, whichever user has it")
    func apple() async throws {
        let first = world.launch()
        let anonymous = try await first.logInAutomatically().user
        #expect(try await keepAccount(with: .test(user: "hana"), in: first).id == anonymous.id)
        let second = world.launch(vault: TestVault())
        try await second.logInAutomatically()
        #expect(try await keepAccount(with: .test(user: "hana"), in: second).id == anonymous.id)
    }

    @Test("show how a person is asked after a re-installation", arguments: [true, false])
    func question(isConfirmed: Bool) async {
        let asked = Protected<[String]>([])
        let policy = policy { question in
            asked.withValue { $0.append(question) }
            return isConfirmed
        }
        guard case .ask(let ask) = policy else {
            Issue.record("nobody is asked")
            return
        }
        #expect(await ask(FoundAccount(application: "demo", user: nil)) == (isConfirmed ? .keep : .wipe))
        #expect(asked.withValue { $0 } == ["前のアカウントで続けますか？"])
    }

    @Test("show vaults that there are")
    func vaultKinds() {
        #expect(!vaults(stateDirectory: FileManager.default.temporaryDirectory).isEmpty)
    }
}
