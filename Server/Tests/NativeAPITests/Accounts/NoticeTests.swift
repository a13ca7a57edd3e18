import Domain
import HTTPTypes
import OkaeriWire
import StorageSQLite
import Testing

/// What the owner of an account reads of what was done to it (issue 18, point 10).
@Suite("Notices to the owner")
struct NoticeTests {
    private func subjects(_ world: MailServerWorld) async throws -> [String] {
        try await world.mails().map(\.subject)
    }

    @Test("tell of an upgrade, of being kept out and let in again, and of the end, in the user's language")
    func life() async throws {
        let world = try await MailServerWorld()
        let server = world.server
        let person = try await server.person(body: #"{"user": {"locale": "ja"}}"#)
        let id = Identifier<User>(rawValue: person.logIn.user.id)
        let upgraded = try await person.upgrade(#""email": "new@example.com""#)
        #expect(upgraded.status == 200, "\(upgraded.text)")
        #expect(try await subjects(world).first == "Test アカウントを登録しました")
        let (application, now) = (server.application.id, server.clock.now)
        try await world.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.emailVerifiedAt = now
            try transaction.updateIdentifiers(of: user)
        }
        for (isDisabled, word) in [(true, "停止されました"), (false, "停止が解除")] {
            _ = try await server.modules.accounts.setUserDisabled(
                id, in: server.application, isDisabled: isDisabled, by: .local)
            #expect(try await subjects(world).first?.contains(word) == true)
        }
        _ = try await server.modules.deletion.deleteUser(id, in: server.application, by: .local)
        #expect(try await subjects(world).first?.contains("削除を受け付け") == true)
        // Asked for twice, it is one event.
        _ = try await server.modules.deletion.deleteUser(id, in: server.application, by: .local)
        #expect(try await subjects(world).count == 4)
        server.clock.advance(by: .days(7))
        #expect(try await server.modules.deletion.eraseDeletedUsers() == 1)
        let last = try #require(try await world.mails().first)
        #expect(last.subject.contains("消去されました") && last.recipient == "new@example.com")
    }

    @Test("go to an address that nobody has confirmed only for the whole account, and three a day")
    func unverified() async throws {
        let world = try await MailServerWorld(isVerified: false)
        let (server, id) = (world.server, Identifier<User>(rawValue: world.person.logIn.user.id))
        for _ in 0..<4 {
            for isDisabled in [true, false] {
                _ = try await server.modules.accounts.setUserDisabled(
                    id, in: server.application, isDisabled: isDisabled, by: .local)
            }
        }
        #expect(try await subjects(world).count == 3)
        server.clock.advance(by: .days(1))
        try await server.modules.deletion.eraseUser(id, in: server.application.id, by: .local)
        #expect(try await subjects(world).count == 4)
    }

    @Test("tell of an identity that was linked and unlinked, and nothing of a user without an address")
    func identities() async throws {
        let world = try await AppleWorld(settings: ["dev": "on"])
        func subjects() async throws -> [String] {
            _ = try await world.server.modules.messaging.deliverMail()
            world.server.clock.advance(by: .milliseconds(1))
            return try await world.server.modules.messaging.readOutbox(of: world.server.application.id).map(\.subject)
        }
        // The address comes from Apple, as one that Apple has verified.
        let person = try await world.person(device: ProofMaker())
        #expect(try await subjects().isEmpty)
        #expect(try await person.send(.delete, APIPath.identity("apple")).status == 200)
        #expect(try await subjects().first?.contains("was removed") == true)
        world.server.clock.advance(by: .seconds(1))
        let linked = try await world.link(person, try world.credential(nonce: "2"), nonce: "2")
        #expect(linked.status == 200, "\(linked.text)")
        #expect(try await subjects().first?.contains("was added") == true)
    }
}
