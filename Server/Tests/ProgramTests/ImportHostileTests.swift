import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestWorld
import Testing

/// Exports that nobody would write in good faith, and what is asked of every import.
@Suite("Imports of hostile exports")
struct ImportHostileTests {
    private let folder = TestFolder()

    private struct Report: Decodable {
        let records: Int
        let imported: Int
        let present: Int
        let refusals: Int
        let partial: Int
        let refused: [Refusal]
        let leftOut: [Refusal]

        struct Refusal: Decodable {
            let line: Int
            let id: String?
            let reason: String
        }
    }

    private func application() async throws -> String {
        try folder.make()
        return try await Program.run("application", "create", "New", "--json", "--data", folder.path)
            .json(CreatedApplication.self).id
    }

    private func take(
        _ bytes: Data, into id: String, by service: String = "users", options: [String] = []
    ) async throws -> Program.Finished {
        let file = "\(folder.path)/users.json"
        try bytes.write(to: URL(fileURLWithPath: file))
        return try await Program.run(
            ["import", service, file, "--application", id, "--data", folder.path, "--json"] + options)
    }

    @Test("steer no terminal, and write no lines of their own into the report", arguments: ["--dry-run", "--partial"])
    func terminal(option: String) async throws {
        let id = try await application()
        let file = "\(folder.path)/users.json"
        let hostile = #"\u001b]0;x\u0007\nline 9, record 9: all is well"#
        let record = #"{"id":"1\#(hostile)","username":"one","email":"none","fields":{"a\#(hostile)":1}}"#
        try Data(record.utf8).write(to: URL(fileURLWithPath: file))
        let finished = try await Program.run(
            ["import", "users", file, "--application", id, "--data", folder.path, option])
        let lines = finished.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("line 1, record 1, 1\u{FFFD}]0;x"), "\(finished.output)")
        #expect(!finished.output.contains { ["\u{1B}", "\u{7}"].contains($0) })
    }

    @Test("name each line that is no record, and take the others", arguments: [true, false])
    func lines(isRehearsal: Bool) async throws {
        let id = try await application()
        let deep = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
        let lines: [Data] = [
            Data(#"{"id":"1","username":"one"}"#.utf8), Data(#"{"id":"2","id":"3","username":"two"}"#.utf8),
            Data(#"{"id":"3","username":""#.utf8) + [0xff, 0xfe] + Data(#""}"#.utf8),
            Data(#"{"id":"4","username":"four","fields":{"x":\#(deep)}}"#.utf8),
            Data(#"{"id":"5","username":"fi"#.utf8), Data(#"{"id":"6","username":"six","fields":"#.utf8),
            Data("null".utf8), Data(#"{"id":"8","username":"eight"} {"id":"9","username":"nine"}"#.utf8),
            Data(#"{"id":"10","username":"ten"}"#.utf8),
        ]
        let finished = try await take(
            Data(lines.joined(separator: Data("\n".utf8))), into: id,
            options: [isRehearsal ? "--dry-run" : "--case-sensitive-names"])
        let report: Report = try finished.json()
        #expect(report.refused.map(\.line) == [2, 3, 4, 5, 6, 7], "\(finished.output)\(finished.errors)")
        #expect(report.imported == 4 && report.records == 10 && finished.status == 1)
    }

    @Test(
        "say of a packed file that it has to be unpacked, and take nothing",
        arguments: [
            "users", "firebase", "auth0", "supabase", "keycloak", "cognito", "appwrite", "pocketbase", "nakama", "ncmb",
            "parse", "kii",
        ])
    func packed(service: String) async throws {
        let id = try await application()
        // The first bytes of a zip (APPNOTE.TXT 4.3.7) and of gzip (RFC 1952 §2.3.1).
        for start in [[0x50, 0x4b, 0x03, 0x04, 0x14, 0x00], [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00]] as [[UInt8]] {
            let finished = try await take(Data(start + (0..<200).map { UInt8($0) }), into: id, by: service)
            #expect(finished.status == 1 && finished.errors.contains("unpack it first"), "\(finished.errors)")
        }
        let users = try await Program.run("user", "list", "--application", id, "--json", "--data", folder.path)
        #expect(!users.output.contains(#""createdAt""#))
    }

    @Test("keep the report short, whatever ids and names an export has")
    func longReport() async throws {
        let id = try await application()
        let name = String(repeating: "n", count: 100_000)
        let fields = (0..<90).map { #""\#($0)\u0000\#(name.prefix(1000))":1"# }.joined(separator: ",")
        let text = """
            {"id":"\(name)","username":"one"}
            {"id":"2","username":"two","fields":{\(fields)}}
            {"id":"3","fields":"\(name)"}
            {"id":"4","username":"four","providers":{"\(name)":"1"}}
            {"id":"5","username":"five","providers":{"\(name)":5}}
            """
        let finished = try await take(Data(text.utf8), into: id)
        let report: Report = try finished.json()
        #expect(report.refusals == 5, "\(finished.output.prefix(5000))")
        for refusal in report.refused {
            #expect((refusal.id ?? "").utf8.count <= 131 && refusal.reason.utf8.count < 8 * 1024, "\(refusal.line)")
        }
        #expect(report.refused.first { $0.line == 2 }?.reason.contains(" more.") == true)
    }

    @Test(
        "say what stands where accounts at providers should: none is lost without a word",
        arguments: [
            ("firebase", "localId", "providerUserInfo", "providerId", "rawId"),
            ("supabase", "id", "identities", "provider", "provider_id"),
            ("pocketbase", "id", "externalAuths", "provider", "providerId"),
            ("auth0", "user_id", "identities", "provider", "user_id"),
            ("keycloak", "id", "federatedIdentities", "identityProvider", "userId"),
            ("cognito", "sub", "identities", "providerName", "userId"),
            ("appwrite", "$id", "identities", "provider", "providerUid"),
        ])
    func accounts(service: String, id: String, list: String, provider: String, subject: String) async throws {
        let application = try await application()
        func google(_ name: String) -> String { #"{"\#(provider)":"google","\#(subject)":"\#(name)"}"# }
        let lists = [
            #""no list""#, "[5]", #"[{"\#(provider)":"google"}]"#, #"[{"\#(subject)":"1"}]"#,
            "[\(google("1")),\(google("2"))]",
            "null", #""[]""#,
        ]
        let lines = lists.enumerated().map { number, value in
            #"{"\#(id)":"\#(number)","email":"u\#(number)@example.com","\#(list)":\#(value)}"#
        }
        let finished = try await take(
            Data(lines.joined(separator: "\n").utf8), into: application, by: service, options: ["--partial"])
        let report: Report = try finished.json()
        #expect(report.imported == 7 && report.leftOut.map(\.line) == [1, 2, 3, 4, 5], "\(finished.output)")
        let reasons = report.leftOut.map(\.reason)
        #expect(reasons.prefix(4).allSatisfy { $0.contains("identities.\(list) is of another type.") }, "\(reasons)")
        #expect(reasons.last?.contains("identities.google[1] is there twice.") == true, "\(reasons)")
    }

    @Test(
        "say what stands where names, addresses and hashes should, and leave nobody's out without a word",
        arguments: [
            ("users", "id", "username", "username"), ("users", "id", "passwordHash", "password"),
            ("firebase", "localId", "passwordHash", "password"), ("firebase", "localId", "phoneNumber", "phone"),
            ("supabase", "id", "encrypted_password", "password"), ("pocketbase", "id", "password", "password"),
            ("nakama", "id", "google_id", "identities.google"), ("nakama", "id", "password", "password"),
            ("auth0", "user_id", "password_hash", "password"), ("keycloak", "id", "username", "username"),
            ("cognito", "sub", "phone_number", "phone"), ("appwrite", "$id", "password", "password"),
        ])
    func waysIn(service: String, id: String, member: String, field: String) async throws {
        let application = try await application()
        let values = ["123456789012345678901", "[\"a\"]", "{}", "true", "1.5", "null", "\"\""]
        let lines = values.enumerated().map { number, value in
            #"{"\#(id)":"\#(number)","email":"u\#(number)@example.com","\#(member)":\#(value)}"#
        }
        let bytes = Data(lines.joined(separator: "\n").utf8)
        let refused: Report = try await take(bytes, into: application, by: service).json()
        #expect(refused.imported == 2 && refused.refused.map(\.line) == [1, 2, 3, 4, 5])
        let report: Report = try await take(bytes, into: application, by: service, options: ["--partial"]).json()
        #expect(report.present == 2 && report.leftOut.map(\.line) == [1, 2, 3, 4, 5])
        let reasons = report.leftOut.map(\.reason)
        #expect(reasons.allSatisfy { $0.contains("\(field) is of another type.") }, "\(reasons)")
    }

    @Test("say that two columns of a mapping have two names at one provider")
    func twoColumns() async throws {
        let (application, mapping) = (try await application(), "\(folder.path)/mapping.json")
        try #"{"id":"id","email":"email","providers":{"google":"a","google.com":"b"}}"#
            .write(toFile: mapping, atomically: true, encoding: .utf8)
        let text = """
            {"id":"1","email":"u1@example.com","a":"g-1","b":"g-2"}
            {"id":"2","email":"u2@example.com","b":123456789012345678901}
            """
        let finished = try await take(Data(text.utf8), into: application, options: ["--mapping", mapping])
        let report: Report = try finished.json()
        #expect(report.refused.map(\.line) == [1, 2], "\(finished.output)")
        #expect(report.refused.first?.reason.contains("identities.google[1] is there twice.") == true)
        #expect(report.refused.last?.reason.contains("identities.google is of another type.") == true)
    }

    @Test(
        "are refused with a schema that is none",
        arguments: [
            ("{\"_id\":\"_User\"", "line 1: the file ends within an object"), ("{}\n{\"a\":x}", "line 2 is not JSON"),
            (String(repeating: "{}\n", count: 1001), "line 1001 is one class too many"),
            ("{}", "says nothing of _User"),
        ])
    func schema(text: String, words: String) async throws {
        let (id, schema) = (try await application(), "\(folder.path)/schema.json")
        try text.write(toFile: schema, atomically: true, encoding: .utf8)
        let finished = try await take(Data("[]".utf8), into: id, by: "parse", options: ["--schema", schema])
        #expect(finished.status == 1 && finished.errors.contains(words), "\(finished.errors)")
    }

    @Test("are no folders, and are UTF-8", arguments: ["folder", "utf16"])
    func files(kind: String) async throws {
        let id = try await application()
        let file = "\(folder.path)/export"
        if kind == "folder" {
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        } else {
            try #require(#"{"id":"1"}"#.data(using: .utf16)).write(to: URL(fileURLWithPath: file))
        }
        let finished = try await Program.run(
            "import", "users", file, "--application", id, "--data", folder.path)
        #expect(finished.status == 1)
        #expect(finished.errors.contains(kind == "folder" ? "is a folder" : "line 1: the file is UTF-16"))
        guard kind == "folder" else { return }
        let sealed = try await Program.run("import", "okaeri", file, "--data", folder.path)
        #expect(sealed.status == 2 && sealed.errors.contains("is a folder or a pipe"), "\(sealed.errors)")
    }

    @Test(
        "take anonymous users when they are asked to, whom the old app's token leads to",
        arguments: ["supabase", "firebase"])
    func anonymous(service: String) async throws {
        let id = try await application()
        let user = "2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c1f"
        let text =
            service == "supabase"
            ? #"{"id":"\#(user)","is_anonymous":true,"raw_user_meta_data":{"score":3}}"#
            : #"{"users":[{"localId":"\#(user)","customAttributes":"{\"score\":3}","providerUserInfo":[]}]}"#
        let without: Report = try await take(Data(text.utf8), into: id, by: service).json()
        #expect(without.imported == 0 && without.refused.first?.reason.contains("--anonymous") == true)
        let with: Report = try await take(Data(text.utf8), into: id, by: service, options: ["--anonymous"]).json()
        #expect(with.imported == 1)
        // Both services' users keep their ids, so that a token that names one leads there.
        try await SeededSecrets.trustSupabase(in: id, folder: folder.path)
        let server = try await TestServer(data: folder.path)
        let phone = Phone()
        let adopted = try await phone.adopt(SeededSecrets.supabaseToken(of: user), at: server, application: id)
        #expect(adopted.user.id == user && adopted.user.isAnonymous && adopted.user.fields["score"] == 3)
        let again = try await phone.loggedIn(at: server, application: id)
        #expect(again.user.id == user && !again.isNew)
        try await server.stop()
    }

    @Test("give an address to the record in which it is verified, with an option")
    func verifiedDuplicates() async throws {
        let id = try await application()
        let text = #"""
            {"id":"squatter","username":"squatter","email":"hana@example.com"}
            {"id":"owner","email":"Hana@example.com","emailVerified":true}
            """#
        for option in ["--dry-run", "--case-sensitive-names"] {
            let finished = try await take(Data(text.utf8), into: id, options: ["--duplicates", "verified", option])
            let report: Report = try finished.json()
            #expect(finished.status == 0 && report.imported == 2 && report.partial == 1, "\(finished.output)")
            #expect(report.leftOut.map(\.id) == ["squatter"])
        }
        let shown = try await Program.run("user", "show", "owner", "--application", id, "--data", folder.path)
        #expect(shown.output.contains("Hana@example.com"), "\(shown.output)")
        let piped = try await Program.run(
            "import", "users", "/dev/stdin", "--duplicates", "verified", "--application", id, "--data", folder.path)
        #expect(piped.status == 2 && piped.errors.contains("twice"), "\(piped.errors)")
    }
}
