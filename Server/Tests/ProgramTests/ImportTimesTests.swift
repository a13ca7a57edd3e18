import Foundation
import Okaeri
import Testing

/// Times and numbers in exports that no user can have. Each is one line of the report, and the import goes on (issue 18).
@Suite("okaeri import, of times beyond all years")
struct ImportTimesTests {
    private struct Report: Decodable {
        let records: Int
        let imported: Int
        let refused: [Refusal]

        struct Refusal: Decodable, Equatable {
            let line: Int
            let id: String?
            let reason: String
        }
    }

    private struct Made: Decodable {
        let id: String
    }

    /// A file of one format: each record, and the word that the report must have for it; `nil` for one that is taken in.
    struct Format: Sendable, CustomTestStringConvertible {
        let name: String
        var options: [String] = []
        let records: [(record: String, word: String?)]
        var testDescription: String { name + options.joined() }
    }

    private static let hash = "$2y$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC"

    private static func parse(_ number: Int, _ times: String) -> String {
        #"{"_id":"id\#(number)","username":"name\#(number)","_hashed_password":"\#(hash)",\#(times)}"#
    }

    private static let good = #""_created_at":{"$date":"2014-01-02T03:04:05.678Z"}"#

    static let formats = [
        Format(
            name: "parse",
            records: [
                (parse(1, good), nil),
                (parse(2, #""_created_at":{"$date":-62167219200001}"#), "_created_at"),
                (parse(3, #""_created_at":{"$date":{"$numberLong":"9223372036854775807"}}"#), "_created_at"),
                (parse(4, #""_created_at":{"$date":{"$numberLong":"-9223372036854775808"}}"#), "_created_at"),
                (parse(5, #""_created_at":{"$date":{"$numberLong":"99999999999999999999"}}"#), "_created_at"),
                (parse(6, #""_created_at":{"$date":253402300800000}"#), "_created_at"),
                (parse(7, #""_created_at":{"$date":1e300}"#), "_created_at"),
                (parse(8, #""_created_at":"0000-01-01T00:00:00+23:59""#), "_created_at"),
                (parse(9, good + #","_updated_at":{"$date":9223372036854775807}"#), "_updated_at"),
                (parse(10, good + #","_updated_at":"9999-12-31T23:59:59-23:59""#), "_updated_at"),
                (parse(11, good + #","when":{"$date":9223372036854775807}"#), "when"),
                (parse(12, good + #","when":{"a":[{"__type":"Date","iso":"9999-12-31T23:59:59-23:59"}]}"#), "when"),
                (parse(13, good + #","score":{"$numberDouble":"NaN"}"#), "score"),
                (parse(14, good + #","score":{"$numberLong":"9223372036854775807"}"#), nil),
                (parse(15, #""_created_at":{"$date":253402300799999}"#), nil),
                (parse(16, #""_created_at":{"$date":-62167219200000}"#), nil),
                (parse(17, good), nil),
            ]),
        Format(
            name: "ncmb",
            records: [
                (#"{"objectId":"id1","userName":"a","createDate":"2016-01-02T03:04:05.678Z"}"#, nil),
                (#"{"objectId":"id2","userName":"b","createDate":"0000-01-01T00:00:00+23:59"}"#, "createDate"),
                (#"{"objectId":"id3","userName":"c","createDate":9223372036854775807}"#, "createDate"),
                (
                    #"{"objectId":"id4","userName":"d","createDate":"2016-01-02T03:04:05.678Z","updateDate":"9999-12-31T23:59:59-23:59"}"#,
                    "updateDate"
                ),
                (
                    #"{"objectId":"id5","userName":"e","createDate":"2016-01-02T03:04:05.678Z","when":{"__type":"Date","iso":"9999-12-31T23:59:59-23:59"}}"#,
                    "when"
                ),
                (#"{"objectId":"id6","userName":"f","createDate":"9999-12-31T23:59:59.999Z"}"#, nil),
            ]),
        Format(
            name: "kii",
            records: [
                (#"{"userID":"id1","loginName":"hana1"}"#, nil),
                (#"{"userID":"id2","loginName":"hana2","_created":9223372036854775807}"#, "_created"),
                (#"{"userID":"id3","loginName":"hana3","_created":-9223372036854775808}"#, "_created"),
                (#"{"userID":"id4","loginName":"hana4","createdAt":9223372036854775808}"#, "createdAt"),
                (#"{"userID":"id5","loginName":"hana5","_modified":253402300800000}"#, "_modified"),
                (#"{"userID":"id6","loginName":"hana6","modifiedAt":-1e300}"#, "modifiedAt"),
                (#"{"userID":"id7","loginName":"hana7","_created":1388631845678,"_modified":1388631845678}"#, nil),
                (#"{"userID":"id8","loginName":"hana8","createdAt":"a field of the app"}"#, nil),
            ]),
    ]

    @Test("reports each by line, id and field, goes on behind it, and leaves users who can be read", arguments: formats)
    func times(format: Format) async throws {
        let folder = TestFolder()
        let file = "\(folder.path)/users.json"
        let server = try await TestServer(data: folder.path)
        try format.records.map(\.record).joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--parse-application-id", "app1", "--kii-app-id", "a1b2c3d4", "--enable",
            "ncmb",
            "--json", "--data", folder.path
        ).json()
        let command = [
            "import", format.name, file, "--application", application.id, "--data", folder.path, "--json",
        ]
        let good = format.records.count { $0.word == nil }
        for options in [["--dry-run"], []] {
            let finished = try await Program.run(command + options)
            let report: Report = try finished.json()
            #expect(finished.status == 1 && report.records == format.records.count && report.imported == good)
            for (index, (_, word)) in format.records.enumerated() {
                let refusal = report.refused.first { $0.line == index + 1 }
                #expect((refusal == nil) == (word == nil), "line \(index + 1): \(String(describing: refusal))")
                if let word {
                    #expect(
                        refusal?.id == "id\(index + 1)" && refusal?.reason.contains(word) == true,
                        "\(String(describing: refusal))")
                }
                if word == "_modified" { #expect(refusal?.reason.contains("in the years 0000 to 9999") == true) }
                if word == "updateDate" {
                    #expect(refusal?.reason.contains("a time such as 2024-01-05T01:02:03.004Z") == true)
                }
            }
        }
        for (index, (_, word)) in format.records.enumerated() {
            let shown = try await Program.run(
                "user", "show", "id\(index + 1)", "--application", application.id, "--data", folder.path, "--json")
            #expect((shown.status == 0) == (word == nil), "\(index + 1): \(shown.errors)")
        }
        #expect(try await server.send("GET", "/health/live").status == 200)
        try await server.stop()
    }

    @Test("reports sessions of Parse that begin or end beyond all years, and goes on")
    func sessions() async throws {
        let folder = TestFolder()
        let (users, sessions) = ("\(folder.path)/users.json", "\(folder.path)/sessions.json")
        let server = try await TestServer(data: folder.path)
        try Self.parse(1, Self.good).write(toFile: users, atomically: true, encoding: .utf8)
        func session(_ number: Int, _ times: String) -> String {
            #"{"_id":"s\#(number)","_session_token":"r:0\#(number)","_p_user":"_User$id1",\#(times)}"#
        }
        let records = [
            (session(1, Self.good + #","expiresAt":{"$date":253402300799999}"#), nil),
            (session(2, Self.good + #","expiresAt":{"$date":9223372036854775807}"#), "expiresAt"),
            (session(3, #""_created_at":{"$date":9223372036854775807}"#), "_created_at"),
            (session(4, #""_created_at":{"$date":{"$numberLong":"-9223372036854775808"}}"#), "_created_at"),
            (session(5, Self.good + #","expiresAt":{"$date":"9999-12-31T23:59:59-23:59"}"#), "expiresAt"),
            (session(6, Self.good), nil),
        ]
        try records.map(\.0).joined(separator: "\n").write(toFile: sessions, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--parse-application-id", "app1", "--json", "--data", folder.path
        ).json()
        let shared = ["--application", application.id, "--data", folder.path, "--json"]
        #expect(try await Program.run(["import", "parse", users] + shared).status == 0)
        for (options, imported) in [(["--dry-run"], 2), ([], 2)] {
            let finished = try await Program.run(["import", "parse", sessions, "--sessions"] + shared + options)
            let report: Report = try finished.json()
            #expect(report.records == 6 && report.imported == imported, "\(finished.output)")
            for (index, (_, word)) in records.enumerated() {
                let refusal = report.refused.first { $0.line == index + 1 }
                #expect(word.map { refusal?.reason.contains($0) == true && refusal?.id == "id1" } ?? (refusal == nil))
            }
        }
        try await server.stop()
    }
}
