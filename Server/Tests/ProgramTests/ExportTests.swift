import Domain
import Foundation
import Okaeri
import OkaeriWire
import Storage
import StorageSQLite
import TestPostgreSQL
import TestWorld
import Testing

@Suite("okaeri export, and its import", .serialized)
struct ExportTests {
    private let source = TestFolder()
    private let target = TestFolder()
    private let files = TestFolder()
    private static let environment = ["OKAERI_SEALING_KEY": Data(repeating: 7, count: 32).base64EncodedString()]
    private static let password = "a long enough secret"

    /// Every kind of user, and the same installation again on either engine.
    @Test("give the same application with every kind of user, which goes on by password and device key")
    func roundTrip() async throws {
        let seeded = try await seed()
        let key = try await newKey()
        let file = files.path + "/app.okaeri"
        let made = try await export(seeded.application, "--key", key.public, "--output", file, "--json")
        #expect(made.status == 0, "\(made.errors)")
        let report = try made.json(Exported.self)
        #expect(report.users == seeded.users && report.byteCount > 0 && report.key != nil)
        #expect(!FileManager.default.fileExists(atPath: file + ".unfinished"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.range(of: Data("hana@example.com".utf8)) == nil)
        let expected = try await content(
            of: try SQLiteStore(.folder(source.path), role: .command), seeded.application)
        #expect(expected.users.count == seeded.users)

        let rehearsed = try await importing(file, key, "--dry-run", "--into-existing", "--json", to: source.path)
        #expect(try rehearsed.json(Imported.self).present == seeded.users, "\(rehearsed.errors)")
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        let url = cluster.networkURL(database)
        let migrated = try await Program.run("migrate", environment: Nodes.environment(url))
        #expect(migrated.status == 0, "\(migrated.errors)")
        let onSQLite = try await importing(file, key, "--json", to: target.path)
        let onPostgreSQL = try await Program.run(
            "import", "okaeri", file, "--secret-key-file", key.secret, "--json", environment: Nodes.environment(url))
        for done in [onSQLite, onPostgreSQL] {
            #expect(done.status == 0, "\(done.errors)\(done.output)")
            let report = try done.json(Imported.self)
            #expect(report.imported == seeded.users && report.records == seeded.users && report.refusals == 0)
        }
        for store in [
            try SQLiteStore(.folder(target.path), role: .command) as any Engine, try await cluster.store(on: database),
        ] {
            let found = try await content(of: store, seeded.application)
            #expect(found.application == expected.application)
            #expect(found.users.map(\.user.id) == expected.users.map(\.user.id))
            for (one, other) in zip(found.users, expected.users) { #expect(one == other, "\(other.user.id)") }
            let kept = found.users.flatMap(\.credentials.sessions)
            #expect(kept.map(\.session.id.rawValue) == ["live"])
            #expect(found.users.contains { $0.user.credentialsVersion == 3 })
            #expect(found.members == expected.members && !found.members.isEmpty)
        }
        let again = try await importing(file, key, "--into-existing", "--json", to: target.path)
        #expect(try again.json(Imported.self).present == seeded.users, "\(again.errors)")

        let server = try await TestServer(data: target.path, environment: Self.environment)
        let hana = try await seeded.hana.loggedIn(at: server, application: seeded.application)
        #expect(hana.user.id == seeded.hanaId && !hana.isNew)
        let saki = try await logIn("saki", at: server, seeded.application)
        #expect(saki.user.id == seeded.sakiId)
        // An old app's session goes on, and one that had ended does not.
        let twin = try await Phone().adopt(
            SeededUsers.parseToken, of: "parse", at: server, application: seeded.application)
        #expect(twin.user.id == "twin 1")
        await #expect(throws: TestFault.self) {
            try await Phone().adopt(
                SeededUsers.endedToken, of: "parse", at: server, application: seeded.application)
        }
        try await server.stop()
    }

    @Test("go to a server with another sealing key, where passwords, devices, authenticator apps and old tokens go on")
    func otherKey() async throws {
        let seeded = try await seed()
        let key = try await newKey()
        let file = files.path + "/app.okaeri"
        #expect(try await export(seeded.application, "--key", key.public, "--output", file).status == 0)
        // The server makes a key of its own.
        let server = try await TestServer(data: target.path)
        let done = try await Program.run(
            "import", "okaeri", file, "--secret-key-file", key.secret, "--data", target.path)
        #expect(done.status == 0 && done.errors.contains("Recovery codes are not taken"), "\(done.errors)")
        let hana = try await seeded.hana.loggedIn(at: server, application: seeded.application)
        #expect(hana.user.id == seeded.hanaId)
        #expect(try await logIn("saki", at: server, seeded.application).user.id == seeded.sakiId)
        let adopted = try await Phone().adopt(
            SeededSecrets.supabaseToken(of: "hashless"), at: server, application: seeded.application)
        #expect(adopted.user.id == "hashless")
        let twin = try await Phone().adopt(
            SeededUsers.parseToken, of: "parse", at: server, application: seeded.application)
        #expect(twin.user.id == "twin 1")
        // Every value was sealed anew.
        let status = try await Program.run("keys", "status", "--json", "--data", target.path)
        #expect(status.status == 0, "\(status.errors)")
        try await server.stop()
    }

    @Test("leave hashes and keys out when the file is open, and take it in again")
    func withoutSecrets() async throws {
        let seeded = try await seed()
        let file = files.path + "/users.jsonl"
        try files.make()
        let made = try await export(seeded.application, "--no-secrets", "--output", file)
        #expect(made.status == 0, "\(made.errors)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for secret in [
            "passwordHash", "argon2", "totp", "recoveryCodes", "\"grant\"", "\"sessions\"", "adminKeyDigest",
            "\"sealed",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(text.contains("hana@example.com") && text.split(separator: "\n").count == seeded.users + 2)
        let done = try await Program.run(
            "import", "okaeri", file, "--json", "--data", target.path, environment: Self.environment)
        #expect(try done.json(Imported.self).imported == seeded.users, "\(done.errors)\(done.output)")
        // Another service's reader takes the users, and passes over the first and the last line.
        let other = TestFolder()
        let application = try await Program.run("application", "create", "Other", "--json", "--data", other.path)
            .json(CreatedApplication.self)
        let users = try await Program.run(
            "import", "users", file, "--anonymous", "--partial", "--case-sensitive-names", "--json", "--application",
            application.id, "--data", other.path)
        let report = try users.json(Imported.self)
        #expect(report.imported == seeded.users && report.refusals == 2, "\(users.errors)\(users.output)")
    }

    enum Damage: String, CaseIterable, Sendable {
        case flipped, truncated, foreign, otherKey, noKey, backup, truncatedOpen, laterFormat
    }

    @Test("say what is wrong with a file, and write nothing", arguments: Damage.allCases)
    func damage(_ damage: Damage) async throws {
        let seeded = try await seed()
        var key = try await newKey()
        let file = files.path + "/app.okaeri"
        let isOpen = damage == .truncatedOpen || damage == .laterFormat
        let form = isOpen ? ["--no-secrets"] : ["--key", key.public]
        #expect(try await export(seeded.application, form + ["--output", file]).status == 0)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        var hasKey = true
        let words: String
        switch damage {
        case .flipped:
            bytes[bytes.count / 2] ^= 1
            words = "is damaged"
        case .truncated:
            bytes = bytes.prefix(bytes.count / 2)
            words = "is damaged"
        case .foreign:
            bytes = Data("PK and what follows that in an archive".utf8)
            words = "is no export of Okaeri"
        case .otherKey:
            key = try await newKey()
            words = "is sealed to the key"
        case .noKey:
            hasKey = false
            words = "--secret-key-file"
        case .backup:
            let repository = files.path + "/backups"
            try FileManager.default.createDirectory(atPath: repository, withIntermediateDirectories: true)
            let made = try await Program.run(
                "backup", "--data", source.path, "--to", repository, "--key", key.public)
            #expect(made.status == 0, "\(made.errors)")
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: repository).first { $0.hasSuffix(".backup") })
            bytes = try Data(contentsOf: URL(fileURLWithPath: "\(repository)/\(name)"))
            words = "okaeri restore"
        case .truncatedOpen:
            bytes = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { bytes.prefix($0 + 1) })
            words = "it ends too early"
        case .laterFormat:
            bytes = Data(String(decoding: bytes, as: UTF8.self).replacing(#""format":1"#, with: #""format":2"#).utf8)
            words = "another form"
        }
        try bytes.write(to: URL(fileURLWithPath: file))
        let done = try await Program.run(
            ["import", "okaeri", file, "--data", target.path]
                + (hasKey && !isOpen ? ["--secret-key-file", key.secret] : []), environment: Self.environment)
        #expect(done.status == 1 && done.errors.contains(words), "\(done.errors)")
        #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
    }

    @Test("add users to an application that is there with an option alone", arguments: [true, false])
    func intoExisting(isRehearsal: Bool) async throws {
        let seeded = try await seed()
        let key = try await newKey()
        let file = files.path + "/app.okaeri"
        #expect(try await export(seeded.application, "--key", key.public, "--output", file).status == 0)
        let id = Identifier<Domain.Application>(rawValue: seeded.application)
        let store = try SQLiteStore(.folder(source.path), role: .command)
        try await store.write { transaction throws(DomainError) in
            try transaction.erase(Identifier(rawValue: "nobody"), in: id)
        }
        await store.close()
        let options = isRehearsal ? ["--dry-run"] : []
        let refused = try await importing(file, key, options, to: source.path)
        #expect(refused.status == 1 && refused.errors.contains("--into-existing"), "\(refused.errors)")
        let taken = try await importing(file, key, options + ["--into-existing", "--json"], to: source.path)
        let report = try taken.json(Imported.self)
        #expect(report.imported == 1 && report.present == seeded.users - 1, "\(taken.errors)\(taken.output)")
    }

    @Test("are rehearsed where there is no installation yet, and leave none there")
    func newFolder() async throws {
        let seeded = try await seed()
        let key = try await newKey()
        let file = files.path + "/app.okaeri"
        #expect(try await export(seeded.application, "--key", key.public, "--output", file).status == 0)
        let rehearsed = try await importing(file, key, "--dry-run", "--json", to: target.path)
        #expect(try rehearsed.json(Imported.self).imported == seeded.users, "\(rehearsed.errors)")
        #expect(rehearsed.errors.contains("\(target.path) is new"), "\(rehearsed.errors)")
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let done = try await importing(file, key, "--json", to: target.path)
        #expect(try done.json(Imported.self).imported == seeded.users, "\(done.errors)")
        #expect(done.errors.contains("\(target.path) is new"), "\(done.errors)")
    }

    @Test("take over no file that is there, and name what is missing")
    func wrongCalls() async throws {
        let seeded = try await seed()
        let file = files.path + "/there"
        try files.make()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let there = try await export(seeded.application, "--no-secrets", "--output", file)
        #expect(there.status == 1 && there.errors.contains("is there already"), "\(there.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        let keyless = try await export(seeded.application, "--output", file + "2")
        #expect(keyless.status == 2 && keyless.errors.contains("okaeri backup new-key"), "\(keyless.errors)")
        let both = try await export(
            seeded.application, "--no-secrets", "--key", try await newKey().public, "--output", file + "2")
        #expect(both.status == 2, "\(both.errors)")
        let nobody = try await export("nobody", "--no-secrets", "--output", file + "2")
        #expect(nobody.status == 1 && nobody.errors.contains("There is no such application"), "\(nobody.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).filter { $0.hasPrefix("there2") } == [])
    }

    // MARK: An installation with every kind of user

    private struct Seeded {
        let application: String
        let users: Int
        let hana: Phone
        let hanaId: String
        let sakiId: String
    }

    private func seed() async throws -> Seeded {
        let server = try await TestServer(data: source.path, environment: Self.environment)
        let application = try await server.makeApplication().id
        let (hana, saki) = (Phone(), Phone())
        let guest = try await hana.loggedIn(
            at: server, application: application, body: #"{"user":{"displayName":"はな","fields":{"score":7.5}}}"#)
        let named = try await saki.loggedIn(at: server, application: application)
        let upgraded = try await server.send(
            "POST", "/v1/user/upgrade", application: application, token: named.session.token,
            body: #"{"username":"saki","password":"\#(Self.password)"}"#)
        #expect(upgraded.status == 200, "\(String(decoding: upgraded.body, as: UTF8.self))")
        try await server.stop()
        let role = try await Program.run(
            "role", "create", "editor", "--permission", "write", "--application", application, "--data", source.path,
            environment: Self.environment)
        #expect(role.status == 0, "\(role.errors)")
        let old = try await Program.run(
            "application", "enable", application, "parse", "--data", source.path, environment: Self.environment)
        #expect(old.status == 0, "\(old.errors)")
        let more = try await SeededUsers.write(to: Identifier(rawValue: application), in: source.path)
        return Seeded(
            application: application, users: 2 + more, hana: hana, hanaId: guest.user.id, sakiId: named.user.id)
    }

    /// Everything of an application, with open secrets.
    private func content(
        of store: any Engine, _ application: String
    ) async throws -> (application: ExportedApplication, users: [ExportedUser], members: [String]) {
        let id = Identifier<Application>(rawValue: application)
        let world = try TestWorld(store)
        let export = world.modules.imports.exportApplication
        let begun = try await export.begin(id, takesSecrets: true, by: .local).application
        var users: [ExportedUser] = []
        while true {
            let page = try await export.users(of: begun, after: users.last?.user.id)
            guard !page.isEmpty else { break }
            users += page
        }
        let members = try await store.read { transaction throws(DomainError) in
            var members: [String] = []
            for grant in begun.application.settings.access.grants.keys {
                members += try transaction.members(of: grant, in: id, after: nil, limit: 10).map(\.id.rawValue)
            }
            return members
        }
        await store.close()
        return (begun, users, members)
    }

    // MARK: Commands

    private struct Exported: Decodable {
        let users: Int
        let byteCount: Int
        let key: String?
    }

    private struct Imported: Decodable {
        let records: Int
        let imported: Int
        let present: Int
        let refusals: Int
    }

    private struct Key {
        let `public`: String
        let secret: String
    }

    private struct MadeKey: Decodable {
        let key: String
    }

    private func newKey() async throws -> Key {
        try files.make()
        let file = "\(files.path)/\(UUID().uuidString)"
        let made = try await Program.run("backup", "new-key", "--secret-key-file", file, "--json").json(MadeKey.self)
        return Key(public: made.key, secret: file)
    }

    private func export(_ application: String, _ options: String...) async throws -> Program.Finished {
        try await export(application, options)
    }

    private func export(_ application: String, _ options: [String]) async throws -> Program.Finished {
        try await Program.run(
            ["export", "--application", application, "--data", source.path] + options, environment: Self.environment)
    }

    private func importing(
        _ file: String, _ key: Key, _ options: String..., to folder: String
    ) async throws -> Program.Finished {
        try await importing(file, key, options, to: folder)
    }

    private func importing(
        _ file: String, _ key: Key, _ options: [String], to folder: String
    ) async throws -> Program.Finished {
        try await Program.run(
            ["import", "okaeri", file, "--secret-key-file", key.secret, "--data", folder] + options,
            environment: Self.environment)
    }

    private func logIn(_ name: String, at server: TestServer, _ application: String) async throws -> LogInResponse {
        let answer = try await server.send(
            "POST", "/v1/log-in/password", application: application,
            body: #"{"identifier":"\#(name)","password":"\#(Self.password)"}"#)
        guard answer.status == 200 else {
            throw TestFault("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try JSONDecoder().decode(LogInResponse.self, from: answer.body)
    }
}
