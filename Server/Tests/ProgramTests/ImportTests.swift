import Foundation
import Okaeri
import Testing

@Suite("okaeri import")
struct ImportTests {
    private struct Report: Decodable {
        let records: Int
        let imported: Int
        let present: Int
        let refusals: Int
        let refused: [Refusal]
        let writableByEverybody: WritableUsers

        struct WritableUsers: Decodable, Equatable {
            var count = 0
            var ids: [String] = []
        }

        struct Refusal: Decodable {
            let line: Int
            let id: String?
            let reason: String
        }
    }

    private struct Made: Decodable {
        let id: String
    }

    private static let export = """
        {"results":[
        {"objectId":"Abc123Def456Ghi7","userName":"taro","mailAddress":"taro@example.com","mailAddressConfirm":true,"password":null,"authData":null,"createDate":"2016-01-02T03:04:05.678Z","updateDate":"2020-01-02T03:04:05.678Z","acl":{"*":{"read":true,"write":true}},"score":3,"last":{"__type":"Date","iso":"2020-01-02T03:04:05.678Z"}},
        {"objectId":"Bbc123Def456Ghi7","userName":"9C1C1B0E-4A4D-4F0B-9A53-0D6C62B1B8F1","createDate":"2016-01-02T03:04:05.678Z","updateDate":"2020-01-02T03:04:05.678Z","acl":{},"text":"a \\"}{ b"},
        {"objectId":"Cbc123Def456Ghi7","userName":"cmEFG4qlkA","authData":{"anonymous":{"id":"A5F0D7B2-97C3-4C68-8E35-0A4D3C1B2F4E"}},"createDate":"2016-01-02T03:04:05.678Z"},
        {"objectId":"Dbc123Def456Ghi7","userName":"TARO","createDate":"2016-01-02T03:04:05.678Z"},
        {"objectId":"Ebc123Def456Ghi7","userName":"social","authData":{"apple":{"id":"1"}},"createDate":"2016-01-02T03:04:05.678Z"},
        {"userName":"nobody"}
        ]}
        """

    @Test("rehearses, imports, and leaves alone what is there when it is run again")
    func runs() async throws {
        let folder = TestFolder()
        let file = "\(folder.path)/members.json"
        let server = try await TestServer(data: folder.path)
        try Self.export.write(toFile: file, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--enable", "ncmb", "--json", "--data", folder.path
        ).json()
        let command = [
            "import", "ncmb", file, "--application", application.id, "--data", folder.path, "--json", "--device-ids",
        ]
        let rehearsal = try await Program.run(command + ["--dry-run"])
        #expect(rehearsal.status == 1)
        for (finished, expected) in [
            (rehearsal, (3, 0)), (try await Program.run(command), (3, 0)), (try await Program.run(command), (0, 3)),
        ] {
            let report: Report = try finished.json()
            #expect((report.imported, report.present) == expected)
            #expect(report.records == 6 && report.refusals == 3)
            #expect(report.writableByEverybody == .init(count: 1, ids: ["Abc123Def456Ghi7"]))
            let refused = report.refused
            #expect(refused.map(\.line) == [5, 6, 7])
            #expect(refused[0].reason.contains("username") && refused[0].id == "Dbc123Def456Ghi7")
            #expect(refused[1].reason.contains("apple") && refused[2].reason.contains("objectId"))
        }
        let printed = try await Program.run(command.filter { $0 != "--json" })
        #expect(printed.output.contains("The access lists of 1 user let everybody write"), "\(printed.output)")
        let shown = try await Program.run(
            "user", "show", "Abc123Def456Ghi7", "--application", application.id, "--data", folder.path, "--json")
        #expect(shown.output.contains("2016-01-02T03:04:05.678Z") && shown.output.contains("taro@example.com"))
        try await server.stop()
    }

    @Test("takes members in without their offending parts, and names each by line, record and rule")
    func parts() async throws {
        let folder = TestFolder()
        let file = "\(folder.path)/members.json"
        let server = try await TestServer(data: folder.path)
        // Many exports are one line.
        let members = [
            #"{"objectId":"a1","userName":"taro","createDate":"2016-01-02T03:04:05.678Z"}"#,
            #"{"objectId":"a2","userName":"TARO","mailAddress":"taro@example.com","createDate":"2016-01-02T03:04:05.678Z"}"#,
            #"{"objectId":"a3","userName":"hana","a.b":1,"createDate":"2016-01-02T03:04:05.678Z"}"#,
            #"{"userName":"nobody"}"#,
        ]
        try "[\(members.joined(separator: ","))]".write(toFile: file, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--enable", "ncmb", "--json", "--data", folder.path
        ).json()
        let command = ["import", "ncmb", file, "--application", application.id, "--data", folder.path]
        let whole = try await Program.run(command + ["--dry-run"])
        #expect(whole.output.contains("line 1, record 2, a2: username is there twice."), "\(whole.output)")
        #expect(whole.output.contains("line 1, record 3, a3: fields.a.b is no name for a field."))
        #expect(whole.output.contains("line 1, record 4: objectId is missing"))
        let parts = try await Program.run(command + ["--partial"])
        #expect(parts.status == 1)
        #expect(
            parts.output.contains("line 1, record 2, a2: username is there twice. Taken in without it."),
            "\(parts.output)")
        #expect(parts.output.contains("4 records: 3 imported (2 in part), 0 there already, 1 refused"))
        try await server.stop()
    }

    private static let users = """
        {"userID":"0b6e2d51-93f7-4c08-8a1d-74e5f09b2c66","internalUserID":1,"displayName":"Player 1","country":"JP","_hasPassword":false,"_disabled":false,"HighScore":12000,"_accessToken":"kVx1mW7bYt3+/="}
        {"userID":"7f3c1a90-5be2-4d17-9a44-2f0e6c1d8b35","loginName":"hanako_01","emailAddress":"hanako@example.com","emailAddressVerified":true,"phoneNumber":"+819012345678","phoneNumberVerified":true,"_hasPassword":true,"_disabled":true}
        {"userID":"8f3c1a90-5be2-4d17-9a44-2f0e6c1d8b35","loginName":"HANAKO_01"}
        {"userID":"9f3c1a90-5be2-4d17-9a44-2f0e6c1d8b35","displayName":"Nobody's"}
        {"userID":"af3c1a90-5be2-4d17-9a44-2f0e6c1d8b35","loginName":"a b"}
        {"loginName":"nameless"}
        not JSON
        """

    @Test("takes Kii's users in with their tokens, which apps go on with; tokens can come in a second file")
    func kii() async throws {
        let folder = TestFolder()
        let file = "\(folder.path)/users.json"
        let server = try await TestServer(data: folder.path)
        let lines = Self.users.split(separator: "\n")
        try lines.dropLast().joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--kii-app-id", "a1b2c3d4", "--json", "--data", folder.path
        ).json()
        let command = ["import", "kii", file, "--application", application.id, "--data", folder.path, "--json"]
        for (finished, expected) in [
            (try await Program.run(command + ["--dry-run"]), (2, 0)), (try await Program.run(command), (2, 0)),
            (try await Program.run(command), (0, 2)),
        ] {
            let report: Report = try finished.json()
            #expect(finished.status == 1 && (report.imported, report.present) == expected, "\(finished.output)")
            let refused = report.refused
            #expect(refused.map(\.line) == [3, 4, 5, 6], "in the order of the file")
            #expect(refused[0].reason.contains("username") && refused[1].reason.contains("nothing leads"))
            #expect(refused[2].reason.contains("username is no user name: visible signs without @"))
            #expect(refused[3].reason.contains("userID"))
        }
        for token in ["kVx1mW7bYt3+/=", "second.token"] {
            let record = #"{"userID":"0b6e2d51-93f7-4c08-8a1d-74e5f09b2c66","_accessTokens":["\#(token)"]}"#
            try record.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await Program.run(command).status == 0)
            let answer = try await server.send("GET", "/api/apps/a1b2c3d4/users/me", token: token)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains(#""HighScore":12000"#) && text.contains("0b6e2d51"), "\(text)")
        }
        let shown = try await Program.run(
            "user", "show", "7f3c1a90-5be2-4d17-9a44-2f0e6c1d8b35", "--application", application.id, "--data",
            folder.path, "--json")
        #expect(shown.output.contains("hanako@example.com") && shown.output.contains("+819012345678"))
        try await server.stop()
    }

    @Test("tells where a file cannot be read on, and that there is no such application")
    func faults() async throws {
        let folder = TestFolder()
        let file = "\(folder.path)/members.json"
        let server = try await TestServer(data: folder.path)
        try #"[{"objectId":"a""#.write(toFile: file, atomically: true, encoding: .utf8)
        let none = try await Program.run(
            "import", "ncmb", file, "--application", "nobody", "--data", folder.path)
        #expect(none.status == 1 && none.errors.contains("no such application"))
        let application: Made = try await Program.run(
            "application", "create", "Old", "--json", "--data", folder.path
        ).json()
        let broken = try await Program.run(
            "import", "ncmb", file, "--application", application.id, "--data", folder.path)
        #expect(broken.status == 1 && broken.errors.contains("line 1"), "\(broken.errors)")
        try "{\"objectId\":\"a1\"}\n{\"objectId\":x}\n".write(toFile: file, atomically: true, encoding: .utf8)
        let wrong = try await Program.run(
            "import", "ncmb", file, "--application", application.id, "--data", folder.path)
        let reason = "line 2, record 2: is not JSON: byte 13 of the record, on line 2, is unexpected"
        #expect(wrong.status == 1 && wrong.output.contains(reason), "\(wrong.output)")
        for name in ["nope.csv", "nope.jsonl"] {
            let missing = try await Program.run(
                "import", "users", "\(folder.path)/\(name)", "--application", application.id, "--data", folder.path)
            let words = "\(name) cannot be read: No such file or directory."
            #expect(missing.status == 1 && missing.errors.contains(words), "\(missing.errors)")
        }
        try "{\"id\":\"a\",\n\"email\":x}".write(
            toFile: "\(folder.path)/columns.json", atomically: true, encoding: .utf8)
        let mapping = try await Program.run(
            "import", "users", file, "--mapping", "\(folder.path)/columns.json", "--application", application.id,
            "--data", folder.path)
        let words = "columns.json is not JSON: byte 20 of the file, on line 2, is unexpected."
        #expect(mapping.status == 1 && mapping.errors.contains(words), "\(mapping.errors)")
        try await server.stop()
    }
}
