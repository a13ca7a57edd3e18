import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("okaeri user")
struct AccountCommandTests {
    @Test("keeps a user out of a running server at once, lets it in again, and finds it by what it is")
    func standing() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication()
        let place = ["--application", application.id, "--data", folder.path, "--json"]
        let url = try #require(URL(string: server.url))
        let app = OkaeriClient(server: url, application: application.id, vault: MemoryVault())
        let user = try await app.signUp(username: "Hana", password: "four quiet words")

        let sessions: Sessions = try await Program.run(["user", "sessions", user.id] + place).json()
        #expect(sessions.sessions.map(\.createdWith) == ["sign-up"])
        #expect(try await Program.run(["user", "disable", user.id] + place).status == 0)
        await #expect(throws: OkaeriError.userDisabled) {
            try await app.logIn(identifier: "hana", password: "four quiet words")
        }
        #expect(try await list(["--disabled"], place) == [user.id])
        #expect(try await list(["--no-disabled"], place) == [])
        #expect(try await Program.run(["user", "enable", user.id] + place).status == 0)
        #expect(try await app.logIn(identifier: "hana", password: "four quiet words").user.id == user.id)
        #expect(try await list(["--disabled"], place) == [])
        #expect(try await list(["--kind", "registered"], place) == [user.id])
        #expect(try await list(["--kind", "anonymous"], place) == [])
        #expect(try await list(["--identifier", "HANA"], place) == [user.id])
        #expect(try await list(["--identifier", "kenji"], place) == [])
        #expect(try await Program.run(["user", "disable", "nobody"] + place).status == 1)
        try await server.stop()
    }

    private struct Sessions: Decodable {
        struct Session: Decodable { let createdWith: String }
        let sessions: [Session]
    }

    private struct Users: Decodable { let users: [UserBody] }

    private func list(_ options: [String], _ place: [String]) async throws -> [String] {
        let users: Users = try await Program.run(["user", "list"] + options + place).json()
        return users.users.map(\.id)
    }
}
