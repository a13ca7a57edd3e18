import Foundation
import Testing

/// Typical mistakes, each with the command that its error names.
@Suite("Errors name the next command")
struct NextCommandTests {
    private let folder = TestFolder()

    @Test(
        "when something is not there, or there already",
        arguments: [
            ("application show nobody", "okaeri application list"),
            ("user show nobody --application HERE", "okaeri user list"),
            ("user disable nobody --application HERE", "okaeri user list"),
            ("session revoke nobody --application HERE", "okaeri user sessions"),
            ("application provider check HERE google", "okaeri application provider list"),
            ("application provider remove HERE google", "okaeri application provider list"),
            ("admin reset nobody", "okaeri admin list"), ("admin unlock nobody", "okaeri admin list"),
            ("admin create mika --application nowhere", "okaeri application list"),
            ("admin create hana", "okaeri admin list"), ("status", "okaeri serve --data"),
            ("demo", "okaeri application create"), ("demo ncmb", "okaeri serve --data"),
            ("application provider check nowhere google", "okaeri application list"),
            ("application provider remove nowhere google", "okaeri application list"),
            ("application apple check nowhere", "okaeri application list"),
            ("application provider set HERE nobody --client x", "okaeri application provider set --help"),
            ("events replay nobody --application HERE", "no such endpoint"),
            ("hook remove sign-up --application HERE", "has no hook sign-up. “okaeri hook list"),
            ("hook test upgrade --application HERE", "has no hook upgrade. “okaeri hook list"),
            ("old-service remove firebase --application HERE", "okaeri old-service list"),
            ("admin key remove nobody", "okaeri admin key list"), ("admin key confine nobody", "okaeri admin key list"),
        ])
    func things(command: String, next: String) async throws {
        let data = ["OKAERI_DATA": folder.path]
        let made: CreatedApplication = try await Program.run(
            "application", "create", "Demo", "--json", environment: data
        ).json()
        #expect(try await Program.run("admin", "create", "hana", environment: data).status == 0)
        let arguments = command.split(separator: " ").map { $0 == "HERE" ? made.id : String($0) }
        let finished = try await Program.run(arguments, environment: data)
        #expect(finished.status == 1 && finished.errors.contains(next), "\(command): \(finished.errors)")
    }

    @Test(
        "when a user is there, and what is asked for is not",
        arguments: [
            ("user remove-passkey USER x", "okaeri user passkeys"),
            ("user reset-second-factors USER", "okaeri user second-factors"),
            ("user remove-device-key USER x", "okaeri user device-keys"),
        ])
    func parts(command: String, next: String) async throws {
        struct Users: Decodable {
            struct User: Decodable {
                let id: String
            }
            let users: [User]
        }
        let data = ["OKAERI_DATA": folder.path]
        let made: CreatedApplication = try await Program.run(
            "application", "create", "Demo", "--json", environment: data
        ).json()
        let file = "\(folder.path)/users.json"
        try Data(#"[{"id": "1", "username": "hana"}]"#.utf8).write(to: URL(fileURLWithPath: file))
        let scope = ["--application", made.id]
        #expect(try await Program.run(["import", "users", file] + scope, environment: data).status == 0)
        let list: Users = try await Program.run(["user", "list", "--json"] + scope, environment: data).json()
        let user = try #require(list.users.first)
        let arguments = command.split(separator: " ").map { $0 == "USER" ? user.id : String($0) }
        let finished = try await Program.run(arguments + scope, environment: data)
        #expect(finished.status == 1 && finished.errors.contains(next), "\(command): \(finished.errors)")
    }

    @Test(
        "or the option that a value came by, and not the field that programs know",
        arguments: [
            ("application apple set HERE --team short --bundle com.example.app", "--team has not"),
            ("application apple set HERE --team TEAM123456", "--bundle or --service is empty"),
            ("application provider set HERE google", "--client is empty"),
            ("application mail HERE --verification-url x", "--verification-url must be an https address"),
            (
                "application sign-up HERE --username-minimum-characters 99",
                "--username-minimum-characters must be from 1"
            ),
            ("application create Other --transfer-link myapp://x", "--transfer-link must have {code} in it"),
            ("old-service set firebase --application HERE", "--project is empty"),
            ("old-service set supabase --application HERE", "--issuer is missing"),
            ("role give editor nobody --application HERE", "no role editor in this application. “okaeri role list"),
            ("group users staff --application HERE", "no group staff in this application. “okaeri group list"),
        ])
    func options(command: String, words: String) async throws {
        let data = ["OKAERI_DATA": folder.path]
        let made: CreatedApplication = try await Program.run(
            "application", "create", "Demo", "--json", environment: data
        ).json()
        let arguments = command.split(separator: " ").map { $0 == "HERE" ? made.id : String($0) }
        let finished = try await Program.run(arguments, environment: data)
        #expect(finished.status == 2 && finished.errors.contains(words), "\(command): \(finished.errors)")
    }

    @Test(
        "when the call itself is wrong",
        arguments: [
            ("nothing", "okaeri --help"), ("user list", "okaeri user list --help"),
            ("user sho x", "okaeri user --help"),
            ("application create", "okaeri application create --help"), ("serve --nothing", "okaeri serve --help"),
            ("serve --config nowhere.json", "okaeri init --file nowhere.json"),
            ("audit verify --known 1:x", "okaeri audit verify --help"), ("status --every 0", "okaeri status --help"),
            ("backup make", "Name the repository of the backups with --to"),
            ("standby follow", "Name the repository of the backups, or of the replica, with --from"),
        ])
    func calls(command: String, next: String) async throws {
        let finished = try await Program.run(
            command.split(separator: " ").map(String.init), environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 2 && finished.errors.contains(next), "\(command): \(finished.errors)")
    }

    @Test(
        "when a command is misspelt: the one that was meant",
        arguments: [
            ("sevre", "okaeri serve"), ("user sho x", "okaeri user show"),
            ("aplication create x", "okaeri application"),
            ("application provder list", "okaeri application provider"), ("weather", nil), ("user list", nil),
        ])
    func misspelt(command: String, meant: String?) async throws {
        let finished = try await Program.run(command.split(separator: " ").map(String.init))
        #expect(finished.status == 2)
        #expect(finished.errors.contains("Did you mean “") == (meant != nil), "\(finished.errors)")
        if let meant { #expect(finished.errors.contains("Did you mean “\(meant)”?"), "\(finished.errors)") }
    }

    @Test(
        "when there is no database",
        arguments: ["user list --application x", "keys rotate", "admin list", "mail queue --application x"])
    func noDatabase(command: String) async throws {
        let finished = try await Program.run(
            command.split(separator: " ").map(String.init), environment: ["OKAERI_DATA": folder.path])
        #expect(
            finished.status == 1 && finished.errors.contains("okaeri serve --data \(folder.path)"), "\(finished.errors)"
        )
    }

    @Test(
        "when the rights of the data folder are in the way, and do not say that nothing is there",
        arguments: ["admin list", "doctor", "application create Other", "status", "demo ncmb"])
    func rights(command: String) async throws {
        let data = ["OKAERI_DATA": folder.path]
        #expect(try await Program.run("application", "create", "Demo", environment: data).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path)
        defer { chmod(folder.path, 0o700) }
        // Rights mean nothing to root.
        let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let finished = try await ChildProcess(
            "/usr/bin/env",
            (geteuid() == 0 ? nobody : []) + [Program.path()] + command.split(separator: " ").map(String.init),
            environment: data
        ).finished()
        let words = finished.output + finished.errors
        #expect(finished.status != 0 && words.contains("permission denied"), "\(words)")
        #expect(!words.contains("There is no") && !words.contains("No server runs"), "\(words)")
    }

    @Test("when an application is made in a folder that is new: the folder is named, once, beside the JSON")
    func newFolder() async throws {
        let data = ["OKAERI_DATA": folder.path]
        let first = try await Program.run("application", "create", "Demo", "--json", environment: data)
        #expect(first.errors.contains("\(folder.path) is new") && first.errors.contains("--data"), "\(first.errors)")
        _ = try first.json(CreatedApplication.self)
        #expect(try await Program.run("application", "create", "Other", environment: data).errors.isEmpty)
    }

    @Test("when a configuration file has a name that is no setting")
    func unknownSetting() async throws {
        try folder.make()
        let file = "\(folder.path)/okaeri.json"
        try Data(#"{"lissten": "127.0.0.1:1"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let finished = try await Program.run("serve", "--config", file)
        #expect(finished.status == 2 && finished.errors.contains("okaeri serve --help"), "\(finished.errors)")
    }
}
