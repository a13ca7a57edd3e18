import Foundation
import Testing

@Suite("A password hash of an export that costs too much to try")
struct ImportHashTests {
    private struct Report: Decodable {
        let imported: Int
        let partial: Int
        let refused: [Record]
        let leftOut: [Record]

        struct Record: Decodable {
            let line: Int
            let id: String?
            let reason: String
        }
    }

    private struct Made: Decodable {
        let id: String
    }

    private struct Shown: Decodable {
        let user: User

        struct User: Decodable {
            let hasPassword: Bool
        }
    }

    private static let salt = "AAAAAAAAAAAAAAAAAAAAAA"
    private static let tail = "nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC"
    private static let cheap = "$2b$10$\(tail)"
    private static let dear = [
        "$2b$16$\(tail)", "$2b$99$\(tail)",
        "$argon2id$v=19$m=262145,t=1,p=1$\(salt)$\(salt)", "$argon2id$v=19$m=262144,t=5,p=1$\(salt)$\(salt)",
        "$scrypt$ln=24,r=64,p=16$\(salt)$\(salt)", "$pbkdf2-sha256$i=5000001$\(salt)$\(salt)",
        "$pbkdf2-sha256$i=9223372036854775807$\(salt)$\(salt)",
    ]

    /// A service, and how its export writes a user with a hash.
    struct Format: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hashes: [String]
        let record: @Sendable (_ id: String, _ hash: String) -> String
    }

    static let formats = [
        // The exporter of Parse writes bcrypt alone; other forms are not read there.
        Format(testDescription: "parse", hashes: dear.filter { $0.hasPrefix("$2") }) { id, hash in
            #"{"objectId":"\#(id)","username":"name\#(id)","_hashed_password":"\#(hash)","#
                + #""createdAt":"2014-01-02T03:04:05.678Z"}"#
        },
        Format(testDescription: "ncmb", hashes: dear) { id, hash in
            #"{"objectId":"\#(id)","userName":"name\#(id)","password":"\#(hash)","#
                + #""createDate":"2016-01-02T03:04:05.678Z"}"#
        },
        Format(testDescription: "kii", hashes: dear) { id, hash in
            #"{"userID":"\#(id)","loginName":"name\#(id)","password":"\#(hash)"}"#
        },
    ]

    @Test("is reported by line, id and rule, and left out with --partial", arguments: formats)
    func dearHash(format: Format) async throws {
        let folder = TestFolder()
        let file = "\(folder.path)/users.json"
        let server = try await TestServer(data: folder.path)
        let lines = (format.hashes + [Self.cheap]).enumerated().map { format.record("id\($0.offset + 1)", $0.element) }
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let application: Made = try await Program.run(
            "application", "create", "Old", "--parse-application-id", "app1", "--kii-app-id", "a1b2c3d4", "--enable",
            "ncmb", "--json", "--data", folder.path
        ).json()
        let command = [
            "import", format.testDescription, file, "--application", application.id, "--data", folder.path, "--json",
        ]
        let dear = format.hashes.count
        for options in [["--dry-run"], []] {
            let finished = try await Program.run(command + options)
            let report: Report = try finished.json()
            #expect(finished.status == 1 && report.imported == 1 && report.refused.count == dear, "\(finished.output)")
            for (index, refusal) in report.refused.enumerated() {
                #expect(refusal.line == index + 1 && refusal.id == "id\(index + 1)")
                #expect(refusal.reason.contains("password is a hash"), "\(refusal.reason)")
            }
        }
        for options in [["--partial", "--dry-run"], ["--partial"]] {
            let finished = try await Program.run(command + options)
            let report: Report = try finished.json()
            #expect(finished.status == 0 && report.partial == dear && report.refused.isEmpty, "\(finished.output)")
            #expect(report.leftOut.map(\.id) == (1...dear).map { "id\($0)" })
        }
        for number in 1...(dear + 1) {
            let shown: Shown = try await Program.run(
                "user", "show", "id\(number)", "--application", application.id, "--data", folder.path, "--json"
            ).json()
            #expect(shown.user.hasPassword == (number == dear + 1) || format.testDescription == "kii", "id\(number)")
        }
        try await server.stop()
    }
}
