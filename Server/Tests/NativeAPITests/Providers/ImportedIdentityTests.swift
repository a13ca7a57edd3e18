import Crypto
import Domain
import FakeProviders
import OkaeriWire
import Testing

/// Users who come with their names at providers, as importers of other services read them.
@Suite("A sign-in of an imported user")
struct ImportedIdentityTests {
    private static let id = "Zk3vUqL0aPZ6cBq1mT9wXyS2dRf1"

    private func importUser(_ provider: Identity.Provider, _ name: String, into server: TestServer) async throws {
        let now = server.clock.now
        let user = User(
            id: Identifier(rawValue: Self.id), application: server.application.id, createdAt: now, updatedAt: now)
        let outcome = try await server.modules.imports.importUsers(
            [ImportedUser(user: user, providerNames: [provider: name])], into: server.application.id, of: .native,
            isRehearsal: false)
        #expect(outcome == [.imported])
    }

    @Test("at Google finds the user")
    func google() async throws {
        let world = try await OpenIDWorld()
        try await importUser(.google, "1234", into: world.server)
        let token = try world.google.key.token(
            world.google.claims(subject: "1234", audience: "google-client"))
        let answer = try await world.logIn(ProviderLogInBody(idToken: token), with: "google")
        #expect(try answer.status == 200 && answer.read(LogInResponse.self).user.id == Self.id, "\(answer.text)")
    }

    @Test("is by a name of 255 characters at the most", arguments: [(255, true), (256, false)])
    func longest(count: Int, isTaken: Bool) async throws {
        let server = try await OpenIDWorld().server
        let now = server.clock.now
        var user = User(
            id: Identifier(rawValue: Self.id), application: server.application.id, createdAt: now, updatedAt: now)
        user.username = "hana"
        let outcome = try await server.modules.imports.importUsers(
            [ImportedUser(user: user, providerNames: [.google: String(repeating: "1", count: count)])],
            into: server.application.id, of: .native, isRehearsal: false)
        let fault = ValidationError(field: "identities.google", rule: .tooLong(maximumCharacters: 255))
        let expected: ImportOutcome = isTaken ? .imported : .refused([fault])
        #expect(outcome == [expected])
    }

    @Test("at Apple finds the user, before and after the transfer to another team")
    func apple() async throws {
        let world = try await AppleWorld()
        let person = FakeApple.Person(subject: "a")
        try await importUser(.apple, "a", into: world.server)
        #expect(try await world.person(person).logIn.user.id == Self.id)
        world.apple.willTransfer(person, as: "transfer-a", to: FakeApple.Person(subject: "new-a"))
        let (transfer, application) = (world.server.modules.providers.transferTeam, world.server.application.id)
        let report = try await transfer(
            .prepare(newTeam: TeamTransferTests.newTeam), of: application, by: .local, isDryRun: false)
        #expect(report.done == 1)
        let key = P256.Signing.PrivateKey()
        world.apple.register(team: TeamTransferTests.newTeam, keyId: AppleWorld.keyId, publicKey: key.publicKey)
        try await world.configure(team: TeamTransferTests.newTeam, key: key)
        #expect(try await transfer(.finish, of: application, by: .local, isDryRun: false).done == 1)
        world.server.clock.advance(by: .seconds(1))
        let credential = try world.credential(FakeApple.Person(subject: "new-a"), nonce: "late")
        let answer = try await world.logIn(token: credential.identityToken, nonce: "late")
        #expect(try answer.status == 200 && answer.read(LogInResponse.self).user.id == Self.id, "\(answer.text)")
    }

    @Test("at Apple finds a user whose app was transferred before the first sign-in here")
    func appleBeforeFirstSignIn() async throws {
        let world = try await AppleWorld()
        let person = FakeApple.Person(subject: "a")
        try await importUser(.apple, "a", into: world.server)
        world.apple.willTransfer(person, as: "transfer-a", to: FakeApple.Person(subject: "new-a"))
        let (transfer, application) = (world.server.modules.providers.transferTeam, world.server.application.id)
        let report = try await transfer(
            .prepare(newTeam: TeamTransferTests.newTeam), of: application, by: .local, isDryRun: false)
        #expect(report.people == 1 && report.done == 1)
    }
}
