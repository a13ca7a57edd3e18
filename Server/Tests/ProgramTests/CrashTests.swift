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
}
