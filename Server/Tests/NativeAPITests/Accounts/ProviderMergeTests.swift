import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("The conflict of two users over a provider's identity (complaints 2 and 4)")
struct ProviderMergeTests {
    private let world: AppleWorld
    private let owner: Person
    /// Anonymous, on a phone of its own.
    private let current: Person

    init() async throws {
        var settings = ApplicationSettings()
        settings.mergeRules = ["coins": .sum]
        world = try await AppleWorld(application: settings)
        owner = try await world.person()
        _ = try await owner.send(.patch, APIPath.user, body: #"{"fields": {"coins": 10}}"#)
        current = try await world.server.person(body: #"{"user": {"fields": {"coins": 3}}}"#)
    }

    private func offer() async throws -> MergeOfferBody {
        let answer = try await world.link(current, try world.credential(nonce: "2"), nonce: "2")
        expect(answer, 409, .identityTaken)
        return try #require(try answer.read(Problem.self).merge, "\(answer.text)")
    }

    private func resolve(_ ticket: String, _ choice: String) async throws -> Answer {
        try await current.send(.post, APIPath.merge, body: #"{"ticket": "\#(ticket)", "choice": "\#(choice)"}"#)
    }

    @Test("is resolved by the ticket alone: no second sheet, no second call to Apple", arguments: ["switch", "merge"])
    func resolved(choice: String) async throws {
        let calls = world.apple.calls["/auth/token"]
        let answer = try await resolve(try await offer().ticket, choice).read(MergeResponse.self)
        #expect(answer.user.id == owner.logIn.user.id && answer.leftUser?.id == current.logIn.user.id)
        #expect(answer.user.fields["coins"] == (choice == "merge" ? 13 : 10))
        #expect(world.apple.calls["/auth/token"] == calls)
        let again = try await world.server.person(current.device)
        #expect(again.logIn.user.id == owner.logIn.user.id)
    }

    @Test("keeps the current user on wish, and everything stays")
    func keep() async throws {
        let answer = try await resolve(try await offer().ticket, "keep").read(MergeResponse.self)
        #expect(answer.user.id == current.logIn.user.id && answer.session == nil)
        #expect(try await owner.send(.get, APIPath.user).read(UserBody.self).fields["coins"] == 10)
    }

    @Test("gives a registered user no merge, but the switch")
    func registered() async throws {
        let upgraded = try await current.upgrade()
        try #require(upgraded.status == 200, "\(upgraded.text)")
        expect(try await resolve(try await offer().ticket, "merge"), 409, .alreadyRegistered)
        #expect(try await resolve(try await offer().ticket, "switch").status == 200)
    }

    @Test("gives no ticket for a token that was used before, nor for a user who is kept out or on the way out")
    func noTicket() async throws {
        let used = try world.credential(nonce: "2")
        _ = try await world.logIn(token: used.identityToken, nonce: "2")
        let refused = try await world.link(current, used, nonce: "2")
        expect(refused, 409, .identityTaken)
        #expect(try refused.read(Problem.self).merge == nil)
        let (id, application) = (Identifier<User>(rawValue: owner.logIn.user.id), world.server.application)
        try await world.server.modules.accounts.setUserDisabled(id, in: application, isDisabled: true, by: .local)
        #expect(
            try await world.link(current, try world.credential(nonce: "3"), nonce: "3").read(Problem.self).merge == nil)
        try await world.server.modules.accounts.setUserDisabled(id, in: application, isDisabled: false, by: .local)
        _ = try await world.server.modules.deletion.deleteUser(id, in: application, by: .local)
        #expect(
            try await world.link(current, try world.credential(nonce: "4"), nonce: "4").read(Problem.self).merge == nil)
    }

    @Test("over a bare code too, whose grant is kept for the user that it is of")
    func bareCode() async throws {
        let code = try world.credential(nonce: "5").code
        let answer = try await current.send(
            .post, APIPath.identity("apple"), body: try AppleWorld.body(code: code, nonce: "5"))
        expect(answer, 409, .identityTaken)
        let ticket = try #require(try answer.read(Problem.self).merge?.ticket)
        #expect(try await resolve(ticket, "switch").status == 200)
    }

    @Test("lets a device in by the identity alone, and it is out with the identity", arguments: ["switch", "merge"])
    func unlinked(choice: String) async throws {
        // A device of its own leads to the owner besides; where nothing else does, the other one stays.
        let (phone, taro) = (try await world.server.person(), FakeApple.Person(subject: "taro"))
        #expect(try await world.link(phone, try world.credential(taro, nonce: "3"), nonce: "3").status == 200)
        let offered = try await world.link(current, try world.credential(taro, nonce: "4"), nonce: "4")
        let ticket = try #require(try offered.read(Problem.self).merge?.ticket, "\(offered.text)")
        #expect(try await resolve(ticket, choice).status == 200)
        #expect(try await world.server.logIn(current.device).status == 200)
        #expect(try await phone.send(.delete, APIPath.identity("apple")).status == 200)
        expect(try await world.server.logIn(current.device), 403, .deviceKeyRemoved)
        #expect(try await phone.send(.get, APIPath.user).status == 200)
    }

    @Test("an attempt's name with another body is refused (Idempotency-Key)")
    func reusedName() async throws {
        let name = [("Idempotency-Key", "one")]
        func link(_ nonce: String) async throws -> Answer {
            let token = try world.credential(FakeApple.Person(subject: "taro"), nonce: nonce).identityToken
            return try await current.send(
                .post, APIPath.identity("apple"), name, body: try AppleWorld.body(token: token, nonce: nonce))
        }
        #expect(try await link("6").status == 200)
        expect(try await link("7"), 409, .idempotencyKeyReused)
        expect(try await current.upgradeNamed("kenji", name), 409, .idempotencyKeyReused)
        #expect(try await owner.send(.get, APIPath.user, name).status == 200)
    }
}

extension Person {
    fileprivate func upgradeNamed(_ username: String, _ headers: [(String, String)]) async throws -> Answer {
        try await send(
            .post, APIPath.upgrade, headers,
            body: #"{"username": "\#(username)", "password": "\#(AccountTests.password)"}"#)
    }
}
