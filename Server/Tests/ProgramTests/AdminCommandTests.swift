import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("The commands for admins")
struct AdminCommandTests {
    private let folder = TestFolder()

    private struct Admin: Decodable {
        var name: String
        var role: String
        var isSetUp: Bool
        var isDisabled: Bool
    }

    private struct Link: Decodable {
        var token: String
    }

    private func run(_ arguments: String...) async throws -> Program.Finished {
        try await Program.run(["admin"] + arguments + ["--data", folder.path])
    }

    @Test("make, list and reset admins, and a server tells how the first one comes in")
    func life() async throws {
        let server = try await TestServer(data: folder.path)
        let output = try await eventually("the start message") {
            server.process.output.contains("There is no admin yet") ? server.process.output : nil
        }
        #expect(output.contains("okl_"))
        let made: Link = try await run("create", "mika@example.com", "--role", "support", "--json").json()
        #expect(made.token.hasPrefix("okl_"))
        let reset: Link = try await run("reset", "MIKA@example.com", "--json").json()
        #expect(reset.token != made.token)
        let admins: [Admin] = try await run("list", "--json").json()
        #expect(admins.map(\.name) == ["mika@example.com"] && admins[0].role == "support" && !admins[0].isSetUp)
        let link: Link = try await run("link", "--json").json()
        let opened = try await server.send(
            "POST", "/v1/admin/set-up/open", application: "", body: #"{"token": "\#(link.token)"}"#)
        #expect(opened.status == 200)
        // Nobody who is set up would be left.
        #expect(try await run("disable", "mika@example.com").status == 1)
        #expect(try await run("reset", "nobody").status == 1)
        #expect(try await run("create", "mika@example.com").status == 1)
        try await server.stop()
    }
}
