import Foundation
import Okaeri
import TestPostgreSQL
import Testing

@Suite("Commands for providers")
struct ProviderCommandTests {
    private let folder = TestFolder()

    @Test(
        "explain themselves with --help, with an example",
        arguments: [
            ["application", "apple"], ["application", "apple", "set"], ["application", "apple", "check"],
            ["application", "apple", "transfer"], ["application", "provider"], ["application", "provider", "set"],
            ["application", "provider", "list"], ["application", "provider", "check"],
            ["application", "provider", "remove"],
        ])
    func help(_ command: [String]) async throws {
        let finished = try await Program.run(command + ["--help"])
        #expect(finished.status == 0)
        #expect(finished.output.contains("  okaeri " + command.joined(separator: " ")))
    }

    @Test(
        "end with status 2 when they are called wrongly",
        arguments: [
            ["application", "apple", "transfer", "x"], ["application", "apple", "set"],
            ["application", "apple", "transfer", "x", "--finish", "--to", "TEAM123456"],
            ["application", "provider", "set", "x", "apple"],
        ])
    func wrongCalls(_ arguments: [String]) async throws {
        let finished = try await Program.run(arguments, environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 2 && finished.output.isEmpty)
    }

    /// A key of no worth, made for these tests.
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2
        OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r
        1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G
        -----END PRIVATE KEY-----
        """

    /// Prints its port, and refuses every client secret.
    private static let apple = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = b'{"error":"invalid_client"}'
                self.send_response(400)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test("ask the provider itself, and no proxy of the environment")
    func proxy() async throws {
        let application = try await makeApplication()
        let file = folder.path + "/AuthKey.p8"
        try Self.key.write(toFile: file, atomically: true, encoding: .utf8)
        let set = try await Program.run(
            "application", "apple", "set", application, "--team", "TEAM123456", "--bundle", "com.example.app",
            "--key-id", "KEY1234567", "--key-file", file, environment: ["OKAERI_DATA": folder.path])
        #expect(set.status == 0, "\(set.errors)")
        let apple = try ChildProcess("/usr/bin/python3", ["-c", Self.apple])
        let port = try await eventually("the port of the one who stands in for Apple") { () -> Int? in
            Int(apple.output.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let nobody = "http://127.0.0.1:9"
        let checked = try await Program.run(
            "application", "apple", "check", application,
            environment: [
                "OKAERI_DATA": folder.path, "OKAERI_APPLE_URL": "http://127.0.0.1:\(port)", "http_proxy": nobody,
                "all_proxy": nobody,
                "no_proxy": "",
            ])
        #expect(checked.status == 1 && checked.errors.contains("invalid_client"), "\(checked.errors)")
        apple.signal(SIGTERM)
    }

    @Test("keep Apple's key and never show it", arguments: ["SQLite", "PostgreSQL"])
    func apple(engine: String) async throws {
        try folder.make()
        var environment = ["OKAERI_DATA": folder.path]
        if engine == "PostgreSQL" {
            let cluster = try await TestPostgreSQL.cluster()
            environment.merge(Nodes.environment(cluster.url(try await cluster.makeMigratedDatabase()))) { $1 }
        }
        let common = environment
        func run(_ arguments: String..., apple: String? = nil) async throws -> Program.Finished {
            var environment = common
            environment["OKAERI_APPLE_URL"] = apple
            return try await Program.run(arguments, environment: environment)
        }
        let created = try await run("application", "create", "Demo", "--json")
        let application = try created.json(CreatedApplication.self).id
        let key = folder.path + "/AuthKey.p8"
        try Self.key.write(toFile: key, atomically: true, encoding: .utf8)
        let set = try await run(
            "application", "apple", "set", application, "--team", "TEAM123456", "--bundle", "com.example.app",
            "--key-id", "KEY1234567", "--key-file", key)
        #expect(set.status == 0, "\(set.errors)")
        let changed = try await run(
            "application", "apple", "set", application, "--bundle", "com.example.app", "--service", "com.example.web")
        #expect(changed.status == 0, "\(changed.errors)")
        let list = try await run("application", "provider", "list", application, "--json")
        #expect(list.output.contains("\"hasSecret\" : true") || list.output.contains("\"hasSecret\":true"))
        #expect(list.output.contains("com.example.web") && list.output.contains("KEY1234567"))
        #expect(!list.output.contains("MIGHAgEA"))
        let check = try await run("application", "apple", "check", application, apple: "http://127.0.0.1:9")
        #expect(check.status == 1 && check.errors.contains("cannot be reached"))
        let doctor = try await run("doctor", apple: "http://127.0.0.1:9")
        #expect(doctor.output.contains("apple key") && doctor.output.contains("cannot be reached"), "\(doctor.output)")
        let dry = try await run("application", "apple", "transfer", application, "--finish", "--dry-run", "--json")
        #expect(dry.status == 0 && dry.output.contains("people"))
        let finish = try await run(
            "application", "apple", "transfer", application, "--finish", apple: "http://127.0.0.1:9")
        #expect(finish.status == 1 && finish.errors.contains("okaeri application apple check"), "\(finish.errors)")
        #expect(try await run("application", "provider", "remove", application, "apple").status == 0)
        #expect(try await run("application", "provider", "remove", application, "apple").status == 1)
    }

    @Test("keep what is not given of Apple's settings: the ids of the apps, the Services ID, the addresses")
    func keptAppleSettings() async throws {
        let application = try await makeApplication()
        let back = "https://a.example/back"
        let steps: [(given: [String], ids: [String], redirects: [String])] = [
            (["--team", "TEAM123456", "--bundle", "com.example.app"], ["com.example.app"], []),
            (["--service", "com.example.web"], ["com.example.app", "com.example.web"], []),
            (["--redirect", back], ["com.example.app", "com.example.web"], [back]),
            (
                ["--bundle", "com.example.one", "--bundle", "com.example.two"],
                ["com.example.one", "com.example.two", "com.example.web"], [back]
            ),
            (["--bundle", "com.example.one", "--service", ""], ["com.example.one"], [back]),
            (["--bundle", "com.example.two", "--service", ""], ["com.example.two"], [back]),
            (["--bundle", "", "--service", "com.example.web", "--redirect", ""], ["com.example.web"], []),
            (
                ["--bundle", "com.example.app", "--service", "com.example.web"],
                ["com.example.app", "com.example.web"], []
            ),
            (["--bundle", "", "--service", "com.example.web"], ["com.example.web"], []),
        ]
        for step in steps {
            let set = try await Program.run(
                ["application", "apple", "set", application] + step.given + ["--data", folder.path])
            let words = "is set for \(step.ids.joined(separator: ", "))."
            #expect(set.status == 0 && set.output.contains(words), "\(set.errors)")
            let list = try await Program.run(
                "application", "provider", "list", application, "--json", "--data", folder.path)
            let settings = try #require(try list.json(ListedProviders.self).providers.first)
            #expect(settings.audiences == step.ids && settings.redirectURIs ?? [] == step.redirects, "\(step)")
        }
        // A lone Services ID is not taken for a bundle id.
        let alone = try await Program.run(
            ["application", "apple", "set", application, "--bundle", "com.example.app", "--data", folder.path])
        #expect(alone.status == 2 && alone.errors.contains("--service com.example.web"), "\(alone.errors)")
        let kept = try await Program.run(
            "application", "provider", "list", application, "--json", "--data", folder.path)
        #expect(try kept.json(ListedProviders.self).providers.map(\.audiences) == [["com.example.web"]])
        for given in [["--service", ""], ["--bundle", ""], ["--bundle", "", "--service", ""]] {
            let set = try await Program.run(
                ["application", "apple", "set", application] + given + ["--data", folder.path])
            #expect(set.status != 0 && set.errors.contains("--bundle or --service"), "\(set.errors)")
        }
    }

    private struct ListedProviders: Decodable {
        struct Settings: Decodable {
            let audiences: [String]
            let redirectURIs: [String]?
        }
        let providers: [Settings]
    }

    @Test(
        "tell what is wrong with settings",
        arguments: [
            (["application", "apple", "set", "--team", "short", "--bundle", "com.example.app"], "--team"),
            (["application", "apple", "set", "--team", "TEAM123456"], "--bundle or --service"),
            (["application", "provider", "set", "oidc:x", "--client", "c"], "--issuer"),
            (
                ["application", "provider", "set", "oidc:x", "--client", "c", "--issuer", "http://example.com"],
                "issuer"
            ),
            (["application", "provider", "set", "facebook", "--client", "c"], "secret"),
        ])
    func wrongSettings(arguments: [String], field: String) async throws {
        let application = try await makeApplication()
        let finished = try await Program.run(
            Array(arguments[..<3]) + [application] + Array(arguments[3...]),
            environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 2 && finished.errors.contains(field), "\(finished.errors)")
    }

    private func makeApplication() async throws -> String {
        let finished = try await Program.run(
            "application", "create", "Demo", "--json", environment: ["OKAERI_DATA": folder.path])
        return try finished.json(CreatedApplication.self).id
    }
}
