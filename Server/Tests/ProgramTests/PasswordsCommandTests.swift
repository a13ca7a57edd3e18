import Foundation
import Okaeri
import Testing

@Suite("okaeri passwords")
struct PasswordsCommandTests {
    private let folder = TestFolder()

    init() throws { try folder.make() }

    private var list: String { "\(folder.path)/list.txt" }
    private var filter: String { "\(folder.path)/leaked.filter" }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: list)) }

    private func build(_ options: String...) async throws -> Program.Finished {
        try await Program.run(["passwords", "build-filter", list, "--output", filter] + options)
    }

    private func check(_ passwords: String, _ options: String = "") async throws -> Program.Finished {
        let command = #"printf "$0" | '\#(try Program.path())' passwords check-filter '\#(filter)' \#(options)"#
        return try await ChildProcess("/bin/sh", ["-c", command, passwords]).finished()
    }

    private struct Report: Decodable, Equatable {
        var lines: Int
        var leftOut: Int
        var passwords: Int
        var bytes: Int
    }

    private struct Check: Decodable, Equatable {
        var passwords: Int
        var isOnList: [Bool]
    }

    private struct Timed: Decodable {
        struct Times: Decodable {
            var median: Double
            var p99: Double
        }

        var lookupMicroseconds: Times?
    }

    @Test("makes a filter of digests, and looks passwords up in it without showing them")
    func digests() async throws {
        // SHA-1 of "password" and of "letmein".
        try write(
            "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9545824\r\nb7a875fc1ea228b9061041b7cec4bd3c52ab3ce3:100\r\n")
        let made: Report = try await build("--json").json()
        #expect(made == Report(lines: 2, leftOut: 0, passwords: 2, bytes: 32 + 257 * 8 + 2 * 3))
        let looked = try await check(#"password\nletmein\nsomething else\n"#, "--json")
        #expect(try looked.json(Check.self) == Check(passwords: 2, isOnList: [true, true, false]))
        let words = try await check(#"password\n"#)
        #expect(words.output.contains("holds 2 passwords") && words.output.contains("Line 1: on the list"))
        #expect(!words.output.contains("password\n") && words.errors == "")
        let last = try #require(words.output.split(separator: "\n").last)
        #expect(last.hasPrefix("A lookup took ") && last.hasSuffix(" µs or less."))
        let times = try #require(try looked.json(Timed.self).lookupMicroseconds)
        #expect(times.median > 0 && times.median <= times.p99)
        // Nothing was looked up.
        let none = try await check("", "--json")
        #expect(try none.json(Check.self).isOnList == [] && none.json(Timed.self).lookupMicroseconds == nil)
        let fewer: Report = try await build("--json", "--minimum-count", "1000").json()
        #expect(fewer.passwords == 1 && fewer.leftOut == 1)
    }

    @Test("makes one of passwords, and a server with it takes none of them")
    func serve() async throws {
        try write("leaked sesame open\n")
        #expect(try await build("--text").status == 0)
        let server = try await TestServer(
            data: "\(folder.path)/data", environment: ["OKAERI_PASSWORD_FILTER": filter])
        let application = try await server.makeApplication()
        for (password, status) in [("leaked sesame open", 400), ("a secret of nobody else", 201)] {
            let answer = try await server.send(
                "POST", "/v1/sign-up", application: application.id,
                body: #"{"username": "hana", "password": "\#(password)"}"#)
            #expect(answer.status == status)
        }
        #expect(try await server.stop() == 0)
    }

    @Test("say what is wrong with a list, a filter and a call")
    func faults() async throws {
        let missing = try await build()
        #expect(missing.status == 1 && missing.errors.contains("list.txt cannot be read: No such file"))
        try write("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8\nhello\n")
        let wrong = try await build()
        #expect(wrong.status == 1 && wrong.errors.contains("Line 2: 40 hexadecimal digits are expected"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["list.txt"])
        #expect(try await build("--minimum-count", "0").status == 2)
        #expect(try await build("--text", "--minimum-count", "5").status == 2)
        let foreign = try await Program.run("passwords", "check-filter", list)
        #expect(foreign.status == 1 && foreign.errors.contains("is no password filter"))
        let serve = try await Program.run(
            "serve", "--data", "\(folder.path)/data", "--listen", "127.0.0.1:0", "--password-filter", list)
        #expect(serve.status == 2 && serve.errors.contains("password-filter: \(list) is no password filter"))
    }
}
