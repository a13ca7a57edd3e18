import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("Secrets")
struct SecretTests {
    @Test("never stand in the log or in what the program prints, but where they are made")
    func nowhere() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path, options: ["--log-level", "trace"])
        let application = try await server.makeApplication()
        let phone = Phone()
        let proof = try phone.proof(for: server)
        let answer = try await server.send(
            "POST", "/v1/log-in/automatic", application: application.id, proof: proof, body: "{}")
        let logIn = try JSONDecoder().decode(LogInResponse.self, from: answer.body)
        let token = logIn.session.token
        // What is refused is logged more than what is not.
        for bad in [token + "x", "oks_" + String(repeating: "A", count: 43)] {
            #expect(try await server.send("GET", "/v1/user", application: application.id, token: bad).status == 401)
        }
        _ = try await server.send("GET", "/v1/user?token=\(token)", application: application.id, token: token)
        _ = try await server.send(
            "POST", "/v1/log-in/automatic", application: application.id, proof: proof, body: "{}")
        let minted = try await server.send("POST", "/v1/token", application: application.id, token: token, body: "{}")
        #expect(minted.status == 200)
        let accessToken = try JSONDecoder().decode(TokenResponse.self, from: minted.body).accessToken

        var printed: [String] = []
        let state = folder.path + "/device"
        for arguments in [
            ["application", "list", "--json"], ["application", "show", application.id, "--json"],
            ["user", "list", "--application", application.id, "--json"],
            ["user", "show", logIn.user.id, "--application", application.id, "--json"],
            ["demo", "--application", application.id, "--server", server.url, "--state", state],
            ["doctor", "--json"], ["session", "revoke", logIn.session.id, "--application", application.id],
        ] {
            let finished = try await Program.run(arguments + ["--data", folder.path])
            #expect(finished.status == 0, "\(arguments): \(finished.errors)")
            printed += [finished.output, finished.errors]
        }
        #expect(try await server.stop() == 0)
        let sealingKey = try #require(FileManager.default.contents(atPath: folder.path + "/sealing.key"))
        let log = server.process.errors
        #expect(log.contains("okaeri"))
        for text in printed + [log, server.process.output] {
            for secret in [
                "oks_", "oka_", token, application.adminKey, proof, accessToken, sealingKey.base64EncodedString(),
            ] {
                #expect(!text.contains(secret))
            }
        }
    }
}
