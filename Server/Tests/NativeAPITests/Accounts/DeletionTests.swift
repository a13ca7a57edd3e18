import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import StorageSQLite
import Testing

@Suite("Deletion by the user")
struct DeletionTests {
    @Test("ends all sessions at once, refuses the log-in, and restores on wish")
    func restore() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let (first, second) = (try await server.person(device), try await server.person(device))
        let code = try await first.issueCode().code
        let answer = try await second.send(.delete, APIPath.user)
        #expect(answer.status == 202)
        let erasedAt = (server.clock.now + .days(7)).milliseconds
        #expect(try answer.read(DeletionResponse.self).erasedAt.millisecondsSince1970 == erasedAt)
        expect(try await first.send(.get, APIPath.user), 401, .sessionInvalid)
        expect(try await second.send(.get, APIPath.user), 401, .sessionInvalid)
        expect(try await server.redeem(code, on: ProofMaker()), 403, .transferCodeRefused)

        server.clock.advance(by: .days(7) - .milliseconds(1))
        try await server.modules.deletion.eraseDeletedUsers()
        let refused = try await server.logIn(device)
        expect(refused, 403, .userDeleted)
        #expect(try refused.read(Problem.self).erasedAt?.millisecondsSince1970 == erasedAt)
        expect(try await server.logIn(device, [("Okaeri-Restore", "perhaps")]), 400, .invalidHeader)
        let restored = try await server.logIn(device, [("Okaeri-Restore", "true")])
        #expect(restored.status == 200)
        #expect(try restored.read(LogInResponse.self).user.id == first.logIn.user.id)
        #expect(try await server.logIn(device).status == 200)
        server.clock.advance(by: .days(30))
        try await server.modules.deletion.eraseDeletedUsers()
        #expect(try await server.person(device).logIn.user.id == first.logIn.user.id)
    }

    @Test("erases everything when the grace is over, but the audit log, which holds no name")
    func erased() async throws {
        var settings = ApplicationSettings()
        settings.deletionGrace = .days(2)
        let server = try await TestServer(application: settings)
        let device = ProofMaker()
        let person = try await server.person(device, body: #"{"user": {"displayName": "花子の本名"}}"#)
        _ = try await server.joined(try await person.issueCode().code, on: ProofMaker(), name: "二台目")
        #expect(try await person.send(.delete, APIPath.user).status == 202)
        server.clock.advance(by: .days(2))
        #expect(try await server.modules.deletion.eraseDeletedUsers() == 1)
        #expect(try await server.modules.deletion.eraseDeletedUsers() == 0)
        await #expect(throws: DomainError.userUnknown) {
            try await server.modules.directory.readUser(
                Identifier(rawValue: person.logIn.user.id), in: server.application.id)
        }
        let again = try await server.logIn(device)
        #expect(again.status == 201)
        #expect(try again.read(LogInResponse.self).user.id != person.logIn.user.id)
        let entries = try await server.modules.administration.audit.list(in: server.application.id)
        #expect(entries.contains { $0.action == .userErased && $0.details == ["reason": "deletion"] })
        #expect(!String(reflecting: entries).contains("花子の本名"))
    }

    @Test("needs a fresh session")
    func fresh() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        server.clock.advance(by: .seconds(600))
        expect(try await person.send(.delete, APIPath.user), 403, .reauthenticationRequired)
        expect(try await person.send(.get, APIPath.export), 403, .reauthenticationRequired)
        #expect(try await person.send(.get, APIPath.user).status == 200)
    }

    @Test("gives a left-behind user of a new phone back with the undoing, and erases it otherwise")
    func leftUser() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let phone = ProofMaker()
        let left = try await server.person(phone).logIn.user.id
        _ = try await server.joined(try await old.issueCode().code, on: phone)
        server.clock.advance(by: .days(7))
        #expect(try await server.modules.deletion.eraseDeletedUsers() == 1)
        await #expect(throws: DomainError.userUnknown) {
            try await server.modules.directory.readUser(Identifier(rawValue: left), in: server.application.id)
        }
    }

    @Test("works by batches, each of which leaves other writers their turn")
    func batches() async throws {
        let server = try await TestServer(settings: ["first-launches": "1000"])
        for _ in 0..<120 {
            #expect(try await server.person().send(.delete, APIPath.user).status == 202)
        }
        server.clock.advance(by: .days(7))
        async let erased = server.modules.deletion.eraseDeletedUsers()
        let meanwhile = try await server.person()
        #expect(try await erased == 120)
        #expect(try await meanwhile.send(.get, APIPath.user).status == 200)
    }
}

@Suite("The export of a user")
struct ExportTests {
    @Test("holds everything that is stored and nothing that proves anything")
    func everything() async throws {
        let server = try await TestServer()
        let person = try await server.person(
            body: #"{"device": {"name": "Phone"}, "user": {"displayName": "花子", "fields": {"level": 7}}}"#)
        let code = try await person.issueCode().code
        _ = try await server.joined(code, on: ProofMaker(), name: "新しい電話")
        let answer = try await person.send(.get, APIPath.export)
        #expect(answer.status == 200)
        #expect(answer.headers[.contentDisposition]?.contains("attachment") == true)
        let export = try answer.read(ExportResponse.self)
        #expect(export.user.displayName == "花子" && export.user.fields == ["level": 7])
        #expect(Set(export.sessions.compactMap(\.device?.name)) == ["Phone", "新しい電話"])
        #expect(export.devicesAdded.map(\.device?.name) == ["新しい電話"])
        #expect(Set(export.log.map(\.action)) == ["user.exported", "transfer-code.issued", "transfer-code.redeemed"])
        for secret in [person.token, code, code.replacing("-", with: "")] { #expect(!answer.text.contains(secret)) }
    }

    @Test("holds nothing of anybody else, and is given five times an hour")
    func limits() async throws {
        let server = try await TestServer()
        let (person, other) = (try await server.person(), try await server.person())
        for _ in 0..<5 {
            let answer = try await person.send(.get, APIPath.export)
            #expect(answer.status == 200 && !answer.text.contains(other.logIn.user.id))
        }
        expect(try await person.send(.get, APIPath.export), 429, .rateLimited)
        #expect(try await other.send(.get, APIPath.export).status == 200)
    }
}

@Suite("Clean-up of idle anonymous users")
struct IdleUserTests {
    @Test("is off unless the application asks for it")
    func off() async throws {
        let server = try await TestServer()
        _ = try await server.person()
        server.clock.advance(by: .days(4000))
        #expect(try await server.modules.deletion.removeIdleUsers() == 0)
    }

    @Test("goes by the last activity, never by age")
    func byActivity() async throws {
        var settings = ApplicationSettings()
        settings.anonymousIdleLimit = .days(30)
        let server = try await TestServer(application: settings)
        let (idle, launching, asking) = (
            try await server.person(), try await server.person(), try await server.person()
        )
        server.clock.advance(by: .days(20))
        #expect(try await server.logIn(launching.device).status == 200)
        #expect(try await asking.send(.get, APIPath.user).status == 200)
        try await server.modules.sessions.writeSessionActivity()
        server.clock.advance(by: .days(11))
        #expect(try await server.modules.deletion.removeIdleUsers() == 1)
        #expect(try await server.logIn(idle.device).status == 201)
        #expect(try await server.logIn(launching.device).status == 200)
        #expect(try await asking.send(.get, APIPath.user).status == 200)
    }

    @Test("spares users that somebody could name")
    func registered() async throws {
        var settings = ApplicationSettings()
        settings.anonymousIdleLimit = .days(30)
        let server = try await TestServer(application: settings)
        let person = try await server.person()
        let id = Identifier<User>(rawValue: person.logIn.user.id)
        let application = server.application.id
        try await server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.username = "hana"
            try transaction.updateIdentifiers(of: user)
        }
        server.clock.advance(by: .days(400))
        #expect(try await server.modules.deletion.removeIdleUsers() == 0)
    }
}
