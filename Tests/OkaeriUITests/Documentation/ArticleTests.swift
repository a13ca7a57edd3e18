import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("The articles about screens")
struct ScreenArticleTests {
    /// The lines of a text without indentation and empty ones.
    nonisolated private static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    nonisolated static func blocks() throws -> [[String]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/OkaeriUI/OkaeriUI.docc").standardizedFileURL
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).flatMap {
            try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst().map {
                lines(of: $0.components(separatedBy: "```").first ?? "")
            }
        }
    }

    @Test("show code that is compiled with the tests")
    func compiled() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("ArticleCode.swift")
        let code = Self.lines(of: try String(contentsOf: file, encoding: .utf8))
        let blocks = try Self.blocks()
        #expect(blocks.count == 8)
        for block in blocks {
            #expect(code.indices.contains { code[$0...].starts(with: block) }, "\(block.first ?? "")")
        }
    }

    @Test("show code that does what they say")
    func signUp() async throws {
        let world = UIWorld()
        let screen = signUpByHand(world.client)
        await screen.settle()
        #expect(await world.client.currentUser?.username == "hana")
        let (logIn, signUp) = try await optionsFromServer(world.client)
        let rules = FormRules(try await world.client.applicationProfile())
        #expect(logIn.fields.contains(.transferCode) && signUp.rules == rules)
        let verdict = await ownHooks().shouldBegin?(try #require(world.admin()))
        #expect(verdict == .refuse([.username: "Not this one."]))
        #expect(try readTheme(ExampleTests.file("kaze")).brand == "Kaze")
    }
}

extension UIWorld {
    /// What a person would send who calls themselves admin.
    func admin() throws -> Submission? {
        var model = try LogInModel(identifier: "admin")
        guard case .ask(let submission, _)? = model.handle(.form(.submit)).first?.kind else { return nil }
        return submission
    }
}
