import Foundation
import OkaeriWire
import Testing

@Suite("okaeri demo transfer")
struct DemoTransferTests {
    @Test("carries the user to a second phone, tells the first one, and lets it undo that")
    func wholeStory() async throws {
        let home = try await Home()
        let newPhone = ["--state", home.data + "/new-phone"]
        _ = try await home.launch("--locale", "ja")
        let user = try await home.onlyUser()
        // The new phone has been launched before, and has a user of its own.
        let before = try await home.launch(newPhone + ["--json"]).json() as Launch

        let picture = home.data + "/code.svg"
        let issued = try await transfer(home, ["--locale", "ja", "--qr", picture])
        #expect(issued.status == 0, "\(issued.errors)")
        let code = try #require(issued.output.split(separator: "\n").first?.split(separator: " ").last)
        #expect(issued.output.hasPrefix("引き継ぎコード "))
        #expect(try String(contentsOfFile: picture, encoding: .utf8).hasPrefix("<svg "))

        let joined = try await transfer(
            home, [code.lowercased().replacing("-", with: ""), "--locale", "en"] + newPhone)
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(joined.output.contains("Welcome back") && joined.output.contains(user.id))
        #expect(joined.output.contains("This phone's user before \(before.userId)"))
        let again = try await home.launch(newPhone + ["--json"]).json() as Launch
        #expect(again.userId == user.id && !again.isFirstVisit)

        let used = try await transfer(home, [String(code), "--locale", "en", "--state", home.data + "/third"])
        #expect(used.status == 1)
        #expect(used.errors.hasSuffix("(transfer_code_refused)\n"), "\(used.errors)")

        let notified = try await home.launch("--locale", "en")
        #expect(notified.output.contains("Another phone has joined."), "\(notified.output)")
        let undone = try await transfer(home, ["--undo", "--locale", "en"])
        #expect(undone.output == "The other phone is out again.\n", "\(undone.errors)")
        #expect(try await transfer(home, ["--undo", "--locale", "en"]).output == "There is nothing to undo.\n")
        let back = try await home.launch(newPhone + ["--json"]).json() as Launch
        #expect(back.userId == before.userId)
    }

    @Test("lets the second phone show no code of its own before the first one confirms it")
    func confirmed() async throws {
        let home = try await Home()
        let newPhone = ["--state", home.data + "/new-phone", "--locale", "en"]
        _ = try await home.launch("--locale", "en")
        let issued = try await transfer(home, ["--locale", "en"])
        let code = try #require(issued.output.split(separator: "\n").first?.split(separator: " ").last)
        #expect(try await transfer(home, [String(code)] + newPhone).status == 0)
        let early = try await transfer(home, newPhone)
        #expect(early.status == 1 && early.errors.hasSuffix("(transfer_unconfirmed)\n"), "\(early.errors)")
        let confirmed = try await transfer(home, ["--confirm", "--locale", "en"])
        #expect(confirmed.output == "The other phone is confirmed.\n", "\(confirmed.errors)")
        #expect(try await transfer(home, ["--confirm", "--locale", "en"]).output == "There is nothing to confirm.\n")
        #expect(try await transfer(home, newPhone).status == 0)
    }

    private func transfer(_ home: Home, _ arguments: [String]) async throws -> Program.Finished {
        try await Program.run(["demo", "transfer", "--data", home.data] + arguments)
    }

    private struct Launch: Decodable {
        let userId: String
        let isFirstVisit: Bool
    }
}
