import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("A server that is killed")
struct CrashTests {
    /// What the server has acknowledged.
    private actor Acknowledged {
        private(set) var logIns: [LogInResponse] = []

        func note(_ logIn: LogInResponse) {
            logIns.append(logIn)
        }
    }

    @Test("keeps every user and session that it has acknowledged, whenever kill -9 comes")
    func killedDuringFirstLaunches() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path, options: ["--rate-limits", "off"])
        let application = try await server.makeApplication().id
        let acknowledged = Acknowledged()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    while true {
                        let answer: TransportResponse
                        do {
                            answer = try await Phone().logIn(at: server, application: application)
                        } catch is TransportError {
                            return  // The server is gone.
                        }
                        guard answer.status == 201 else { throw TestFault("answered \(answer.status)") }
                        await acknowledged.note(try JSONDecoder().decode(LogInResponse.self, from: answer.body))
                    }
                }
            }
            _ = try await eventually("the first hundred log-ins") {
                await acknowledged.logIns.count >= 100 ? true : nil
            }
            server.process.signal(SIGKILL)
            try await group.waitForAll()
        }
        #expect(try await server.process.status() == -SIGKILL)

        let revived = try await TestServer(data: folder.path)
        let logIns = await acknowledged.logIns
        #expect(logIns.count >= 100)
        for logIn in logIns {
            let answer = try await revived.send(
                "GET", "/v1/user", application: application, token: logIn.session.token)
            #expect(answer.status == 200)
            let user = try JSONDecoder().decode(UserBody.self, from: answer.body)
            #expect(user == logIn.user)
        }
        #expect(Set(logIns.map(\.user.id)).count == logIns.count)
        let doctor = try await Program.run("doctor", "--thorough", "--data", folder.path)
        #expect(doctor.status == 0, "\(doctor.output)")
        #expect(doctor.output.contains("The database is sound."))
    }

    @Test("is not taken for one that runs when another process has its number, nor is one that runs for a dead one")
    func processNumbers() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        // As a container beside the server's sees it, where nobody has its number.
        try Self.describe(["pid": Int(Int32.max)], in: folder.path)
        let beside = try await Program.run("doctor", "--data", folder.path)
        #expect(beside.output.contains("It is ready: the server at \(server.url)"), "\(beside.output)")
        try await server.stop(SIGKILL)
        // As the next container sees it, where a command has its number.
        try Self.describe(["pid": Int(getpid())], in: folder.path)
        let after = try await Program.run("doctor", "--data", folder.path)
        #expect(after.output.contains("No server runs on this data folder."), "\(after.output)")
        let status = try await Program.run("status", "--data", folder.path)
        #expect(status.status != 0 && status.errors.contains("No server runs on the data folder"), "\(status.errors)")
    }

    @Test("is stopped by its number where that is its own, and not in another container, where it is another process's")
    func unanswering() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        // Nothing listens there.
        try Self.describe(["pid": 1, "url": "http://127.0.0.1:9"], in: folder.path)
        let here = try await Program.run("doctor", "--data", folder.path)
        #expect(here.status == 1 && here.output.contains("“kill 1”"), "\(here.output)")
        try Self.describe(["processNumbers": "3f2a pid:[1]"], in: folder.path)
        let beside = try await Program.run("doctor", "--data", folder.path)
        #expect(beside.output.contains("in another container") && !beside.output.contains("“kill"), "\(beside.output)")
        try await server.stop(SIGKILL)
    }

    /// Writes other members into the same `server.json`, which a server that runs holds.
    private static func describe(_ members: [String: Any], in folder: String) throws {
        let path = folder + "/server.json"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var file = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        file.merge(members) { $1 }
        let changed = try JSONSerialization.data(withJSONObject: file)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: changed)
        try handle.close()
    }
}
