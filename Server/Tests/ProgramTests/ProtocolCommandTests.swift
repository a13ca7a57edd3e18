import Domain
import Foundation
import OkaeriProgram
import OkaeriWire
import Testing

@Suite("Commands for foreign protocols")
struct ProtocolCommandTests {
    private let folder = TestFolder()

    private struct Made: Decodable {
        let id: String
        let adminKey: String
        let ncmb: [String: String]?
        let parse: [String: String]?
        let kii: [String: String]?
        let envelope: [String: String]?
    }

    @Test("print one object with all keys when an application is made")
    func create() async throws {
        let finished = try await run(
            "application", "create", "Old app", "--enable", "parse,kii,envelope", "--ncmb-application-key", "6145f9",
            "--ncmb-client-key", "1343d1", "--kii-app-id", "a1b2c3d4", "--json")
        #expect(finished.status == 0, "\(finished.errors)")
        let made = try finished.json(Made.self)
        #expect(made.ncmb == ["applicationKey": "6145f9", "clientKey": "1343d1"])
        #expect(
            Set((made.parse ?? [:]).keys) == ["applicationId", "restKey", "javascriptKey", "clientKey", "masterKey"])
        #expect(made.kii?["appId"] == "a1b2c3d4" && made.kii?["clientSecret"]?.isEmpty == false)
        #expect(made.envelope == ["basePath": "/\(made.id)"])
        let keys = try await run("application", "keys", made.id, "--json")
        let shown = try keys.json([String: [String: String]].self)
        #expect(shown["ncmb"] == made.ncmb && shown["kii"]?["clientSecret"] == nil)
        #expect(shown["parse"]?["masterKey"] == nil && shown["parse"]?["restKey"] == made.parse?["restKey"])
    }

    @Test("read keys that make an administrator from files, which no list of processes shows")
    func keyFiles() async throws {
        try folder.make()
        let file = folder.path + "/key"
        try Data("an-old-master-key\n".utf8).write(to: URL(fileURLWithPath: file))
        let made = try await run(
            "application", "create", "App", "--parse-master-key-file", file, "--kii-client-secret-file", file, "--json"
        ).json(Made.self)
        #expect(made.parse?["masterKey"] == "an-old-master-key" && made.kii?["clientSecret"] == "an-old-master-key")
        let other = try await run("application", "enable", made.id, "ncmb", "--parse-master-key-file", file)
        #expect(other.status == 2 && other.errors.contains("Keys of parse"), "\(other.errors)")
        let both = try await run(
            "application", "create", "B", "--parse-master-key", "x", "--parse-master-key-file", file)
        #expect(both.status == 2 && both.errors.contains("--parse-master-key-file"), "\(both.errors)")
        let none = try await run("application", "create", "B", "--kii-client-secret-file", file + "x")
        #expect(none.status == 1 && none.errors.contains(file + "x"), "\(none.errors)")
    }

    @Test("switch a protocol on and off")
    func enable() async throws {
        let made = try await run("application", "create", "App", "--json").json(Made.self)
        #expect(made.kii == nil && made.ncmb == nil)
        let enabled = try await run("application", "enable", made.id, "kii", "--kii-app-key", "0011", "--json")
        #expect(enabled.status == 0, "\(enabled.errors)")
        let keys = try enabled.json([String: [String: String]].self)
        #expect(keys["kii"]?["appKey"] == "0011" && keys["kii"]?["appId"]?.count == 8)
        let disabled = try await run("application", "disable", made.id, "kii")
        #expect(disabled.status == 0 && disabled.output.contains("its keys are forgotten"), "\(disabled.output)")
        let again = try await run("application", "disable", made.id, "kii")
        #expect(again.status == 1 && again.errors.contains("not on"))
    }

    @Test("show and change every rule that there is, by an option of its own, for the protocols that heed it")
    func rules() async throws {
        let made = try await run("application", "create", "App", "--enable", "parse", "--json").json(Made.self)
        #expect(Set(ProtocolRule.all.map(\.option)).count == ProtocolRule.all.count)
        var left = ProtocolRule.all
        for name in ["parse", "ncmb", "kii", "envelope"] {
            let before = try await rules(of: made.id, name, [])
            #expect(before.keys.contains("idleSeconds") && before.keys.contains("upstream") == (name == "parse"))
            for rule in left where before.keys.contains(rule.name) {
                let (arguments, wanted) = change(of: rule, from: before[rule.name])
                #expect(try await rules(of: made.id, name, arguments)[rule.name] == wanted, "\(rule.option)")
            }
            left.removeAll { before.keys.contains($0.name) }
        }
        #expect(left.isEmpty, "\(left.map(\.option))")
        let table = try await run("application", "rules", made.id, "parse")
        #expect(table.output.contains("idle-hours") && table.output.contains("192.0.2.1 ::1"))
        #expect(!table.output.contains("timestamp-window"), "\(table.output)")
    }

    @Test("show no limit as “none”, which the options take back", arguments: ["parse", "kii", "ncmb"])
    func none(name: String) async throws {
        let made = try await run("application", "create", "App", "--enable", name, "--json").json(Made.self)
        func shown(_ option: String) async throws -> String? {
            let lines = try await run("application", "rules", made.id, name).output.split(separator: "\n")
            return lines.first { $0.hasPrefix(option + " ") }?.split(separator: " ").last.map(String.init)
        }
        for option in ["idle-hours", "sessions-per-user"] {
            #expect(try await run("application", "rules", made.id, name, "--\(option)", "5").status == 0)
            #expect(try await shown(option) == "5")
            let changed = try await run("application", "rules", made.id, name, "--\(option)", "none")
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try await shown(option) == "none")
        }
        let json = try await rules(of: made.id, name, [])
        #expect(json["idleSeconds"] == .integer(2_147_483_647) && json["sessionsPerUser"] == .null)
        let wrong = try await run("application", "rules", made.id, name, "--idle-hours", "never")
        #expect(wrong.status == 2 && wrong.errors.contains("never"), "\(wrong.errors)")
    }

    /// The options that change a rule, and its value then.
    private func change(of rule: ProtocolRule, from before: JSONValue?) -> ([String], JSONValue) {
        switch rule.kind {
        case .truth: before == true ? (["--no-\(rule.option)"], false) : (["--\(rule.option)"], true)
        case .seconds, .count: (["--\(rule.option)", "7"], .integer(7 * rule.optionUnit))
        case .hosts, .networks:
            (["--\(rule.option)", "192.0.2.1", "--\(rule.option)", "::1"], ["192.0.2.1", "::1"])
        case .server: (["--\(rule.option)", "https://parse.example.com"], ["https://parse.example.com"])
        }
    }

    private func rules(of id: String, _ name: String, _ arguments: [String]) async throws -> [String: JSONValue] {
        let finished = try await Program.run(
            ["application", "rules", id, name, "--json"] + arguments, environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 0, "\(finished.errors)")
        return try finished.json([String: JSONValue].self)
    }

    @Test(
        "end with status 2 when they are called wrongly",
        arguments: [
            ["application", "enable", "x", "firebase"],
            ["application", "enable", "x", "kii", "--ncmb-client-key", "k"],
            ["application", "create", "x", "--enable", "kii,other"],
            ["application", "create", "x", "--envelope-base-path", "/v1"],
            ["application", "rules", "x", "ncmb", "--idle-hours", "0"],
            ["application", "rules", "x", "ncmb", "--sessions-per-user", "101"],
            ["application", "rules", "x", "parse", "--master-network", "everywhere"],
            ["application", "rules", "x", "ncmb", "--master-network", "192.0.2.1"],
            ["application", "rules", "x", "envelope", "--readable-by-all"],
        ])
    func wrongCalls(_ arguments: [String]) async throws {
        let finished = try await Program.run(arguments, environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 2 && finished.output.isEmpty, "\(finished)")
    }

    private func run(_ arguments: String...) async throws -> Program.Finished {
        try await Program.run(arguments, environment: ["OKAERI_DATA": folder.path])
    }
}
