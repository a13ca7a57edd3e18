import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("okaeri application passkeys, okaeri user passkeys")
struct PasskeyCommandTests {
    private let folder = TestFolder()

    @Test("show and change what an application has decided, and refuse what breaks its rules")
    func rules() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        func run(_ options: String...) async throws -> Program.Finished {
            try await Program.run(["application", "passkeys", id] + options + ["--data", folder.path])
        }
        #expect(try await run().output.contains("off"))
        let set = try await run(
            "--enabled", "--domain", "example.com", "--origin", "https://a.example.com", "--origin",
            "https://example.com:8443", "--no-user-verification-required", "--json")
        let expected: JSONValue = [
            "enabled": true, "domain": "example.com",
            "origins": ["https://a.example.com", "https://example.com:8443"], "userVerificationRequired": false,
            "allowedAuthenticators": [], "refusedAuthenticators": [], "appleApps": [], "androidApps": [],
            "attestationRoots": [],
        ]
        #expect(try JSONValue(parsing: Array(set.output.utf8)) == expected, "\(set.errors)")
        #expect(try JSONValue(parsing: Array(try await run("--json").output.utf8)) == expected)
        let emptied = try await run("--origin", "", "--domain", "")
        #expect(emptied.output.contains("the server's own") && emptied.output.contains("none"), "\(emptied.errors)")
        let certificate = [String](repeating: "AB", count: 32).joined(separator: ":")
        let apps = try await run(
            "--apple-app", "TEAM123456.com.example.app", "--android-app", "com.example.app \(certificate)")
        #expect(apps.status == 0 && apps.output.contains("com.example.app \(certificate)"), "\(apps.errors)")
        for wrong in [
            ["--domain", "Example.com"], ["--origin", "http://example.com"], ["--allow-authenticator", "not-one"],
            ["--android-app", "com.example.app AB:CD"],
        ] {
            #expect(try await run(wrong[0], wrong[1]).status == 2, "\(wrong)")
        }
    }

    @Test("name the file of roots and its option when it is not there, no text, or of another form")
    func unreadableRoots() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        let file = folder.path + "/roots"
        let contents: [(bytes: Data?, words: String)] = [
            (nil, "cannot be read"), (Data([0x30, 0x82, 0xff, 0xfe]), "PEM"), (Data(#"{"x": 1}"#.utf8), "AAGUID"),
        ]
        for (bytes, words) in contents {
            try bytes?.write(to: URL(fileURLWithPath: file))
            let refused = try await Program.run(
                "application", "passkeys", id, "--attestation-roots", file, "--data", folder.path)
            #expect(refused.status == 2 && refused.errors.contains(words), "\(refused.errors)")
            #expect(refused.errors.contains("The file \(file) of --attestation-roots"), "\(refused.errors)")
        }
    }

    @Test("show a user's passkeys, and that one is not there to be removed")
    func user() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication()
        let client = try server.app(in: application.id)
        let user = try await client.signUp(username: "Hana", password: "four quiet words").id
        let options = ["--application", application.id, "--data", folder.path]
        let listed = try await Program.run(["user", "passkeys", user] + options + ["--json"])
        #expect(try JSONValue(parsing: Array(listed.output.utf8)) == ["passkeys": []], "\(listed.errors)")
        #expect(try await Program.run(["user", "passkeys", user] + options).output.contains("no passkey"))
        let none = try await Program.run(
            ["user", "remove-passkey", user, "-R4fOR20ybL94Op7GBibow"] + options)
        #expect(none.status == 1, "\(none.output)\(none.errors)")
        #expect(try await Program.run(["user", "passkeys", "nobody"] + options).status == 1)
        try await server.stop()
    }
}
