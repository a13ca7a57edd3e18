import Foundation
import Okaeri
import Testing

@Suite("okaeri import parse")
struct ImportParseTests {
    private struct Report: Decodable {
        let records: Int
        let imported: Int
        let present: Int
        let refused: [Refusal]
        let writableByEverybody: WritableUsers

        struct WritableUsers: Decodable {
            let ids: [String]
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

    private static let users = """
        [{"objectId":"Abc123Def4","username":"taro","email":"taro@example.com","emailVerified":true,"bcryptPassword":"$2y$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC","createdAt":"2014-01-02T03:04:05.678Z","updatedAt":"2015-01-02T03:04:05.678Z","ACL":{"*":{"read":true}},"score":3},
        {"_id":"Bbc123Def4","username":"Hana","_hashed_password":"$2b$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC","_created_at":{"$date":"2014-01-02T03:04:05.678Z"},"_updated_at":{"$date":{"$numberLong":"1420167845678"}},"_rperm":["*","Bbc123Def4"],"_wperm":["Bbc123Def4","*"],"_acl":{},"_session_token":"legacytoken1","_p_team":"Team$abc","level":{"$numberLong":"7"}},
        {"_id":"Cbc123Def4","username":"aBcDeFgHiJkLmNoPqRsTuVwXy","_auth_data_anonymous":{"id":"a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"},"_created_at":"2014-01-02T03:04:05.678Z"},
        {"objectId":"Dbc123Def4","username":"TARO","createdAt":"2014-01-02T03:04:05.678Z"},
        {"objectId":"Ebc123Def4","username":"social","authData":{"apple":{"id":"1"}},"createdAt":"2014-01-02T03:04:05.678Z"},
        {"username":"nobody"}]
        """

    private static let sessions = """
        {"objectId":"s1","sessionToken":"r:00112233445566778899aabbccddeeff","user":{"__type":"Pointer","className":"_User","objectId":"Abc123Def4"},"createdWith":{"action":"signup","authProvider":"password"},"installationId":"i-1","createdAt":"2024-01-02T03:04:05.678Z","expiresAt":{"__type":"Date","iso":"2099-01-02T03:04:05.678Z"}}
        {"_id":"s2","_session_token":"r:11112233445566778899aabbccddeeff","_p_user":"_User$Bbc123Def4","_created_at":{"$date":"2024-01-02T03:04:05.678Z"},"expiresAt":{"$date":"2099-01-02T03:04:05.678Z"}}
        {"_id":"s3","_session_token":"r:22","_p_user":"_User$nobody","_created_at":{"$date":"2024-01-02T03:04:05.678Z"}}
        {"_id":"s4","_session_token":"r:33","_p_user":"_User$Bbc123Def4","_created_at":{"$date":"2014-01-02T03:04:05.678Z"},"expiresAt":{"$date":"2015-01-02T03:04:05.678Z"}}
        """

    @Test("takes users in without what cannot be taken, where that is asked, and with the types that the schema knows")
    func parts() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let (users, schema) = ("\(folder.path)/users.json", "\(folder.path)/schema.json")
        try """
        {"objectId":"Abc123Def4","username":"taro","createdAt":"2014-01-02T03:04:05.678Z","avatar":"a.png"}
        {"objectId":"Bbc123Def4","username":"TARO","email":"taro@example.com","createdAt":"2014-01-02T03:04:05.678Z"}
        {"objectId":"Cbc123Def4","username":"hana","_hashed_password":"$2b$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC","authData":{"myspace":{"id":"1"}},"createdAt":"2014-01-02T03:04:05.678Z"}
        """.write(toFile: users, atomically: true, encoding: .utf8)
        try #"{"_id":"_User","avatar":"file"}"#.write(toFile: schema, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--parse-application-id", "app1", "--json", "--data", folder.path
        ).json()
        func run(_ options: String...) async throws -> (Report, String) {
            let finished = try await Program.run(
                ["import", "parse", users] + options
                    + ["--application", application.id, "--data", folder.path, "--json"])
            return (try finished.json(), finished.output)
        }
        let whole = try await run("--dry-run").0
        #expect(whole.imported == 1 && whole.refused.map(\.line) == [2, 3])
        let (partial, report) = try await run("--partial", "--schema", schema, "--files-url", "https://f.example/")
        #expect(partial.imported == 3 && partial.refused.isEmpty && report.contains("myspace"))
        let shown = try await Program.run(
            "user", "show", "Abc123Def4", "--application", application.id, "--data", folder.path, "--json")
        #expect(shown.output.contains("https://f.example/a.png"))
        try await server.stop()
    }

    @Test("rehearses, imports users and sessions of both forms, and leaves alone what is there when it is run again")
    func runs() async throws {
        let folder = TestFolder()
        let (users, sessions) = ("\(folder.path)/users.json", "\(folder.path)/sessions.json")
        let server = try await TestServer(data: folder.path)
        try Self.users.write(toFile: users, atomically: true, encoding: .utf8)
        try Self.sessions.write(toFile: sessions, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--parse-application-id", "app1", "--json", "--data", folder.path
        ).json()
        func run(_ arguments: String...) async throws -> (Report, Int32) {
            let finished = try await Program.run(
                ["import", "parse"] + arguments + ["--application", application.id, "--data", folder.path, "--json"])
            return (try finished.json(), finished.status)
        }
        for (options, expected) in [(["--dry-run"], (3, 0)), ([], (3, 0)), ([], (0, 3))] {
            let (report, status) = try await options.isEmpty ? run(users) : run(users, "--dry-run")
            #expect(status == 1 && (report.imported, report.present) == expected && report.records == 6)
            #expect(report.refused.map(\.line) == [4, 5, 6])
            #expect(report.writableByEverybody.ids == ["Bbc123Def4"])
            let reasons = report.refused.map(\.reason)
            for (reason, word) in zip(reasons, ["username", "apple", "objectId"]) { #expect(reason.contains(word)) }
        }
        let (rehearsed, _) = try await run(sessions, "--sessions", "--dry-run")
        #expect(rehearsed.imported == 3)
        for expected in [(2, 0), (0, 2)] {
            let (report, status) = try await run(sessions, "--sessions")
            #expect(status == 1 && (report.imported, report.present) == expected)
            #expect(report.refused.map(\.line) == [3, 4])
            #expect(report.refused.first?.reason.hasSuffix("Import the users first.") == true, "\(report.refused)")
        }
        let shown = try await Program.run(
            "user", "show", "Abc123Def4", "--application", application.id, "--data", folder.path, "--json")
        #expect(shown.output.contains("2014-01-02T03:04:05.678Z") && shown.output.contains("taro@example.com"))
        for token in [
            "r:00112233445566778899aabbccddeeff", "r:11112233445566778899aabbccddeeff", "legacytoken1",
        ] {
            let me = try await Self.parse("GET", "/users/me", nil, token: token, at: server)
            #expect(me.status == 200, "\(token)")
        }
        // Who logs out stays out, however often the exports are taken in again.
        for token in ["r:00112233445566778899aabbccddeeff", "legacytoken1"] {
            #expect(try await Self.parse("POST", "/logout", "{}", token: token, at: server).status == 200)
        }
        #expect(try await run(users).0.present == 3)
        #expect(try await run(sessions, "--sessions").0.present == 2)
        for (token, status) in [
            ("r:00112233445566778899aabbccddeeff", 400), ("r:11112233445566778899aabbccddeeff", 200),
            ("legacytoken1", 400),
        ] {
            let me = try await Self.parse("GET", "/users/me", nil, token: token, at: server)
            #expect(me.status == status, "\(token)")
        }
        for (name, id) in [("taro", "Abc123Def4"), ("Hana", "Bbc123Def4")] {
            let body = #"{"username":"\#(name)","password":"s3cret"}"#
            let logIn = try await Self.parse("POST", "/login", body, token: nil, at: server)
            #expect(logIn.status == 200 && String(decoding: logIn.body, as: UTF8.self).contains(id))
        }
        let anonymous = #"{"authData":{"anonymous":{"id":"a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"}}}"#
        #expect(try await Self.parse("POST", "/users", anonymous, token: nil, at: server).status == 200)
        try await server.stop()
    }

    private static func parse(
        _ method: String, _ path: String, _ body: String?, token: String?, at server: TestServer
    ) async throws -> TransportResponse {
        var headers = ["X-Parse-Application-Id": "app1", "Content-Type": "application/json"]
        if let token { headers["X-Parse-Session-Token"] = token }
        let url = try #require(URL(string: "\(server.url)/parse\(path)"))
        return try await TestServer.transport.send(
            TransportRequest(
                method: method, url: url, headers: HeaderFields(headers), body: body.map { Data($0.utf8) },
                timeout: .seconds(60)))
    }
}
