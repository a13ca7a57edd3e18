import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// Issue 18: a guest filled the disk by acts that cost nothing, each of which leaves an entry in the audit log or an event.
@Suite("What a user leaves for good in an hour")
struct UserTraceTests {
    private static let entries = 600

    /// Leaves as many entries as there may be.
    private func use(up person: Person, from count: Int = 0) async throws {
        for number in count..<Self.entries {
            let answer = try await person.send(.delete, APIPath.sessions)
            try #require(answer.status == 200, "\(number): \(answer.text)")
        }
    }

    private func entries(of server: TestServer) async throws -> Int {
        try await server.modules.administration.audit.list(
            in: server.application.id, matching: AuditFilter(action: AccountChange.otherSessionsEnded.policy.action),
            limit: 1000
        ).count
    }

    @Test("are 600 entries of the audit log from one address, and other users and addresses have their own")
    func limit() async throws {
        let server = try await TestServer()
        let (person, other) = (try await server.person(), try await server.person())
        try await use(up: person)
        let refused = try await person.send(.delete, APIPath.sessions)
        expect(refused, 429, .rateLimited)
        #expect(refused.headers[.retryAfter] == "3600")
        #expect(try await entries(of: server) == Self.entries)
        #expect(try await other.send(.delete, APIPath.sessions).status == 200)
        // A thief of the session uses up nothing of what its owner may do from elsewhere.
        #expect(try await person.send(.delete, APIPath.sessions, peer: "192.0.2.2").status == 200)
        // What leaves nothing goes on.
        #expect(try await person.send(.get, APIPath.user).status == 200)
        #expect(
            try await person.send(.patch, APIPath.user, body: #"{"displayName": "Hana"}"#).status == 200)
        server.clock.advance(by: .seconds(3600))
        let later = try await server.person(person.device)
        #expect(try await later.send(.delete, APIPath.sessions).status == 200)
    }

    @Test("have no limit where the rate limits are off")
    func off() async throws {
        let server = try await TestServer(settings: ["rate-limits": "off"])
        let person = try await server.person()
        try await use(up: person)
        #expect(try await person.send(.delete, APIPath.sessions).status == 200)
    }

    @Test("count log-ins by a passkey, which cost next to nothing, and a log-in by the device leaves none")
    func passkeys() async throws {
        let world = try await PasskeyWorld()
        let authenticator = SoftwareAuthenticator()
        let (person, handle) = try await world.person(authenticator)
        #expect(try await world.logIn(try await world.authentication(authenticator, handle)).status == 200)
        // The passkey and the log-in are entries too.
        try await use(up: person, from: 2)
        expect(try await world.logIn(try await world.authentication(authenticator, handle)), 429, .rateLimited)
        #expect(try await world.server.logIn(person.device).status == 200)
        world.server.clock.advance(by: .seconds(3600))
        #expect(try await world.logIn(try await world.authentication(authenticator, handle)).status == 200)
    }

    @Test("never keep the owner from a reset of the password, nor a user of an old app from a log-in by it")
    func reset() async throws {
        let world = try await MailServerWorld()
        try await use(up: world.person)
        expect(try await world.person.send(.delete, APIPath.sessions), 429, .rateLimited)
        _ = try await world.server.send(.post, APIPath.requestPasswordReset, body: #"{"email": "hana@example.com"}"#)
        let token = try #require(try await world.mails().compactMap(\.token).first)
        let reset = try await world.server.send(
            .post, APIPath.resetPassword, body: #"{"token": "\#(token)", "newPassword": "a quite new secret"}"#)
        #expect(reset.status == 204, "\(reset.text)")
        expect(try await world.person.send(.get, APIPath.user), 401, .sessionInvalid)
        #expect(try await world.server.logIn("hana@example.com", "a quite new secret").status == 200)
    }

    @Test("are 3600 events of a changed profile, where somebody listens")
    func profiles() async throws {
        var settings = ApplicationSettings()
        settings.events.isStreamed = true
        let server = try await TestServer(application: settings)
        let person = try await server.person()
        let application = server.application.id
        // As many as 3,590 edits would have counted.
        let key = RateLimitKey(
            application: application, kind: "user-profile-event", subject: "user:\(person.logIn.user.id) 192.0.2.1")
        let now = server.clock.now
        try await server.store.write { transaction throws(DomainError) in
            for _ in 0..<3590 { _ = try transaction.count(key, window: .seconds(3600), at: now) }
        }
        for number in 3590..<3600 {
            let answer = try await person.send(.patch, APIPath.user, body: #"{"displayName": "\#(number)"}"#)
            try #require(answer.status == 200, "\(number): \(answer.text)")
        }
        expect(try await person.send(.patch, APIPath.user, body: #"{"displayName": "Hana"}"#), 429, .rateLimited)
        #expect(try await person.send(.get, APIPath.user).text.contains("3599"))
        // The networks of one IPv6 site are one client.
        let site = RateLimitKey(
            application: application, kind: key.kind, subject: "user:\(person.logIn.user.id) 2001:db8:1::/48")
        try await server.store.write { transaction throws(DomainError) in
            for _ in 0..<3599 { _ = try transaction.count(site, window: .seconds(3600), at: now) }
        }
        for (network, status) in [(1, 200), (2, 429)] {
            let answer = try await person.send(
                .patch, APIPath.user, body: #"{"displayName": "\#(network)"}"#, peer: "2001:db8:1:\(network)::1")
            #expect(answer.status == status, "\(answer.text)")
        }
    }
}
