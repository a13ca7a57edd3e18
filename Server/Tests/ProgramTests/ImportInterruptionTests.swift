import Foundation
import Testing

/// What is left of an import whose process is killed, and what becomes of it when the command is run again.
@Suite("An import that is killed in the middle")
struct ImportInterruptionTests {
    /// An export of many users, each of them on a line.
    struct Export: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isCSV = false
        var before = ""
        var between = "\n"
        var after = ""
        let record: @Sendable (_ number: Int) -> String

        var file: String { isCSV ? "users.csv" : "users.json" }

        func text(of numbers: Range<Int>) -> String {
            before + numbers.map { wide(record($0)) }.joined(separator: between)
        }

        /// Spaces behind a JSON object are no part of it.
        private func wide(_ record: String) -> String {
            record
                + String(
                    repeating: isCSV ? "x" : " ", count: max(0, ImportInterruptionTests.recordBytes - record.utf8.count)
                )
        }
    }

    private struct Report: Decodable {
        let imported: Int
        let present: Int
    }

    private struct Audit: Decodable {
        let entries: [Entry]

        struct Entry: Decodable {
            let details: [String: String]
        }
    }

    /// A read of the file is 256 KiB, and a transaction takes 200 records: a little more than one part comes out of the pipe.
    private static let recordBytes = 1024
    private static let piped = 300
    private static let part = 200
    private static let users = 450
    private static let bcrypt = "$2y$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC"
    private static let time = "2024-01-02T03:04:05.678Z"

    static let exports = [
        Export(testDescription: "users") {
            #"{"id":"u\#($0)","email":"u\#($0)@example.com","passwordHash":"\#(bcrypt)","createdAt":"\#(time)","providers":{"google":"g-\#($0)"}}"#
        },
        Export(testDescription: "users", isCSV: true, before: "id,email,createdAt,note\n") {
            "u\($0),u\($0)@example.com,\(time),x"
        },
        Export(testDescription: "firebase", before: #"{"users":["#, between: ",\n", after: "]}") {
            #"{"localId":"u\#($0)","email":"u\#($0)@example.com","createdAt":"1503434343000","providerUserInfo":[{"providerId":"google.com","rawId":"g-\#($0)"}]}"#
        },
        Export(testDescription: "supabase") {
            #"{"id":"u\#($0)","email":"u\#($0)@example.com","encrypted_password":"\#(bcrypt)","created_at":"\#(time)","identities":[{"provider":"google","provider_id":"g-\#($0)"}]}"#
        },
        Export(testDescription: "auth0") {
            #"{"user_id":"auth0|u\#($0)","email":"u\#($0)@example.com","created_at":"\#(time)","identities":[{"provider":"google-oauth2","user_id":"g-\#($0)"}],"passwordHash":"\#(bcrypt)"}"#
        },
        Export(testDescription: "cognito", before: #"{"Users":["#, between: ",\n", after: "]}") {
            #"{"Username":"u\#($0)","Attributes":[{"Name":"sub","Value":"u\#($0)"},{"Name":"email","Value":"u\#($0)@example.com"},{"Name":"identities","Value":"[{\"providerName\":\"Google\",\"userId\":\"g-\#($0)\"}]"}],"UserCreateDate":"\#(time)"}"#
        },
        Export(testDescription: "nakama") {
            #"{"id":"u\#($0)","username":"name\#($0)","create_time":"\#(time)","google_id":"g-\#($0)","devices":["8f0e1a5c-3f77-4f0a-9a3e-0c6d2b1f0\#($0 + 100)"]}"#
        },
        Export(testDescription: "pocketbase", before: "[", between: ",\n", after: "]") {
            #"{"id":"u\#($0)","email":"u\#($0)@example.com","verified":1,"password":"\#(bcrypt)","created":"\#(time)","externalAuths":"[{\"provider\":\"google\",\"providerId\":\"g-\#($0)\"}]"}"#
        },
        Export(testDescription: "appwrite") {
            #"{"$id":"u\#($0)","$createdAt":"\#(time)","email":"u\#($0)@example.com","identities":[{"provider":"google","providerUid":"g-\#($0)"}]}"#
        },
        Export(testDescription: "keycloak", before: #"{"realm":"r","users":["#, between: ",\n", after: "]}") {
            #"{"id":"u\#($0)","username":"name\#($0)","createdTimestamp":1503434343000,"federatedIdentities":[{"identityProvider":"google","userId":"g-\#($0)"}]}"#
        },
        Export(testDescription: "parse", before: #"{"results":["#, between: ",\n", after: "]}") {
            #"{"objectId":"u\#($0)","username":"name\#($0)","authData":{"google":{"id":"g-\#($0)"}},"_hashed_password":"\#(bcrypt)","createdAt":"\#(time)"}"#
        },
        Export(testDescription: "ncmb", before: #"{"results":["#, between: ",\n", after: "]}") {
            #"{"objectId":"u\#($0)","userName":"name\#($0)","authData":{"google":{"id":"g-\#($0)"}},"createDate":"\#(time)"}"#
        },
        Export(testDescription: "kii") {
            #"{"userID":"u\#($0)","loginName":"name\#($0)","_created":1503434343000,"_accessToken":"token-of-the-user-number-\#($0)"}"#
        },
    ]

    @Test("is run again, and ends as one that was not killed, with nothing twice", arguments: exports)
    func resumes(export: Export) async throws {
        let folder = TestFolder()
        try folder.make()
        let (whole, killed) = (try await application(in: folder), try await application(in: folder))
        let file = "\(folder.path)/\(export.file)"
        try (export.text(of: 0..<Self.users) + export.after).write(toFile: file, atomically: true, encoding: .utf8)
        func command(_ file: String, _ application: String) -> [String] {
            [
                "import", export.testDescription, file, "--application", application, "--data", folder.path, "--json",
            ]
        }
        let first: Report = try await Program.run(command(file, whole)).json()
        #expect(first.imported == Self.users)

        let pipe = try Pipe(at: "\(folder.path)/pipe-\(export.file)")
        try pipe.write(export.text(of: 0..<Self.piped))
        let process = try ChildProcess(Program.path(), command(pipe.path, killed))
        // The last user of the first part is there: the second part waits for the rest of the export.
        let last = "\(export.testDescription == "auth0" ? "auth0|" : "")u\(Self.part - 1)"
        _ = try await eventually("the first part") {
            let shown = try await Program.run(
                "user", "show", last, "--application", killed, "--data", folder.path, "--json")
            return shown.status == 0 || !process.isRunning ? true : nil
        }
        process.signal(SIGKILL)
        #expect(try await process.status() == -SIGKILL, "\(process.output)\(process.errors)")

        for (imported, present) in [(Self.users - Self.part, Self.part), (0, Self.users)] {
            let again: Report = try await Program.run(command(file, killed)).json()
            #expect(again.imported == imported && again.present == present)
        }
        let audit: Audit = try await Program.run(
            "audit", "list", "--application", killed, "--action", "users.imported", "--json", "--data", folder.path
        ).json()
        let steps = audit.entries.map { "\($0.details["change"] ?? "") \($0.details["imported"] ?? "")" }
        #expect(steps == ["ended 0", "begun ", "ended 250", "begun ", "begun "], "\(steps)")
        let (expected, users) = (try await lines(of: whole, in: folder), try await lines(of: killed, in: folder))
        #expect(expected.count == Self.users && users == expected)
    }

    private func application(in folder: TestFolder) async throws -> String {
        let id = try await Program.run("application", "create", "New", "--json", "--data", folder.path)
            .json(CreatedApplication.self).id
        let set = try await Program.run(
            "application", "provider", "set", id, "google", "--client", "c", "--data", folder.path)
        #expect(set.status == 0, "\(set.errors)")
        return id
    }

    /// The users of an application in the form in which they are exported, in the order of their ids.
    private func lines(of application: String, in folder: TestFolder) async throws -> [String] {
        let file = "\(folder.path)/\(UUID().uuidString).jsonl"
        let exported = try await Program.run(
            "export", "--application", application, "--no-secrets", "--output", file, "--data", folder.path)
        #expect(exported.status == 0, "\(exported.errors)")
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst().dropLast()
            .map(String.init)
    }

    /// A file that gives its bytes once, and has no end before this object has.
    private final class Pipe {
        let path: String
        private let handle: FileHandle

        init(at path: String) throws {
            guard mkfifo(path, 0o600) == 0, let handle = FileHandle(forUpdatingAtPath: path) else {
                throw TestFault("no pipe at \(path)")
            }
            (self.path, self.handle) = (path, handle)
        }

        /// Writes as much as the pipe keeps, without waiting for who reads it.
        func write(_ text: String) throws {
            let (bytes, setSize) = (Data(text.utf8), Int32(1031))
            guard fcntl(handle.fileDescriptor, setSize, Int32(1 << 20)) >= bytes.count else {
                throw TestFault("a pipe has no room for \(bytes.count) bytes")
            }
            try handle.write(contentsOf: bytes)
        }
    }
}
