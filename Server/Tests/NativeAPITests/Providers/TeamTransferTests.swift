import Crypto
import Domain
import FakeProviders
import OkaeriWire
import Testing

@Suite("A transfer to another Apple team (complaint 22)")
struct TeamTransferTests {
    static let newTeam = "NEWTEAM123"

    @Test("carries people over in two steps, each of which can be repeated")
    func transfer() async throws {
        let world = try await AppleWorld()
        let people = try await people(in: world)
        let (modules, application) = (world.server.modules, world.server.application.id)
        let trial = try await modules.providers.transferTeam(
            .prepare(newTeam: Self.newTeam), of: application, by: .local, isDryRun: true)
        #expect(trial.people == 3 && trial.done == 3 && world.apple.calls["/auth/usermigrationinfo"] == nil)

        let first = try await modules.providers.transferTeam(
            .prepare(newTeam: Self.newTeam), of: application, by: .local, isDryRun: false)
        #expect(first.done == 2 && first.unknown == 1)
        let again = try await modules.providers.transferTeam(
            .prepare(newTeam: Self.newTeam), of: application, by: .local, isDryRun: false)
        #expect(again.alreadyDone == 2 && again.unknown == 1)

        try await changeTeam(world)
        let second = try await modules.providers.transferTeam(.finish, of: application, by: .local, isDryRun: false)
        #expect(second.people == 3 && second.done == 2 && second.unknown == 1)
        let user = try await modules.directory.readUser(people[0], in: application)
        #expect(user.identities.map(\.subject) == ["NEWTEAM123/new-a"])
        #expect(try await world.account("new-a", team: Self.newTeam)?.transferSubject == nil)
        let last = try await modules.providers.transferTeam(.finish, of: application, by: .local, isDryRun: false)
        #expect(last.people == 1 && last.done == 0)
        let log = try await modules.administration.audit.list(in: application, limit: 1000)
        let steps = log.filter { $0.action == .teamTransferred }.compactMap { $0.details["step"] }.sorted()
        #expect(steps == ["finish", "finish", "prepare", "prepare"])
    }

    @Test("carries over users who log in before the second step")
    func logInBetween() async throws {
        let world = try await AppleWorld()
        let people = try await people(in: world)
        _ = try await world.server.modules.providers.transferTeam(
            .prepare(newTeam: Self.newTeam), of: world.server.application.id, by: .local, isDryRun: false)
        try await changeTeam(world)
        world.server.clock.advance(by: .seconds(1))
        let credential = try world.credential(
            FakeApple.Person(subject: "new-a"), nonce: "late", claims: ["transfer_sub": "transfer-a"])
        let answer = try await world.logIn(token: credential.identityToken, nonce: "late")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.read(LogInResponse.self).user.id == people[0].rawValue)
    }

    @Test("does not take an identity from a user who has it already")
    func taken() async throws {
        let world = try await AppleWorld()
        _ = try await people(in: world)
        _ = try await world.server.modules.providers.transferTeam(
            .prepare(newTeam: Self.newTeam), of: world.server.application.id, by: .local, isDryRun: false)
        try await changeTeam(world)
        _ = try await world.person(FakeApple.Person(subject: "new-a"))
        let report = try await world.server.modules.providers.transferTeam(
            .finish, of: world.server.application.id, by: .local, isDryRun: false)
        #expect(report.taken == 1 && report.done == 1)
    }

    private func people(in world: AppleWorld) async throws -> [Identifier<User>] {
        var people: [Identifier<User>] = []
        for name in ["a", "b", "c"] {
            let person = FakeApple.Person(subject: name)
            people.append(Identifier(rawValue: try await world.person(person).logIn.user.id))
            if name != "c" {
                world.apple.willTransfer(
                    person, as: "transfer-\(name)", to: FakeApple.Person(subject: "new-\(name)"))
            }
        }
        return people
    }

    private func changeTeam(_ world: AppleWorld) async throws {
        let key = P256.Signing.PrivateKey()
        world.apple.register(team: Self.newTeam, keyId: AppleWorld.keyId, publicKey: key.publicKey)
        try await world.configure(team: Self.newTeam, key: key)
    }
}

@Suite("Settings of Apple")
struct AppleSettingsTests {
    @Test(
        "are refused field by field",
        arguments: [
            (["b"], "short", "KEY1234567", true, "teamId"), (["b"], "TEAM123456", "key", true, "keyId"),
            (["b"], "TEAM123456", "KEY1234567", false, "privateKey"),
            ([], "TEAM123456", "KEY1234567", true, "audiences"),
            (["a b"], "TEAM123456", "KEY1234567", true, "audiences"),
        ])
    func refused(audiences: [String], team: String, keyId: String, hasKey: Bool, field: String) async throws {
        let world = try await AppleWorld()
        let other = try await world.server.modules.applications.createApplication(name: "Other", by: .local).application
        let key = hasKey ? P256.Signing.PrivateKey().pemRepresentation : "-----BEGIN PRIVATE KEY-----"
        do throws(DomainError) {
            try await world.server.modules.providers.setProvider(
                ProviderSettings(provider: .apple, audiences: audiences, teamId: team, keyId: keyId),
                secret: Secret(key), of: other.id, by: .local)
            Issue.record("nothing was refused")
        } catch {
            guard let faults = error.validationErrors else { throw error }
            #expect(faults.map(\.field) == [field])
        }
    }

    @Test("are checked at Apple: the made-up code is refused when all is well")
    func check() async throws {
        let world = try await AppleWorld()
        let (modules, application) = (world.server.modules, world.server.application.id)
        #expect(try await modules.providers.checkProvider(.apple, of: application) == .accepted)
        try await world.configure(key: P256.Signing.PrivateKey())
        #expect(
            try await modules.providers.checkProvider(.apple, of: application) == .refused(answer: "invalid_client"))
        world.apple.faults.isDown = true
        #expect(try await modules.providers.checkProvider(.apple, of: application) == .unreachable)
    }

    @Test("keep the key when only ids change, never show it, and hold at the next request")
    func change() async throws {
        let world = try await AppleWorld()
        let (modules, application) = (world.server.modules, world.server.application.id)
        try await modules.providers.setProvider(
            ProviderSettings(
                provider: .apple, audiences: ["com.example.next"], teamId: AppleWorld.team, keyId: AppleWorld.keyId),
            secret: nil, of: application, by: .local)
        let entry = try #require(try await modules.providers.listProviders(of: application).first)
        #expect(entry.hasSecret && entry.settings.audiences == ["com.example.next"])
        #expect(!String(describing: entry).contains("PRIVATE KEY"))
        #expect(try await modules.providers.checkProvider(.apple, of: application) == .accepted)
        expect(
            try await world.logIn(token: try world.credential().identityToken), 401, .providerTokenInvalid)
        try await modules.providers.removeProvider(.apple, of: application, by: .local)
        expect(
            try await world.logIn(token: try world.credential().identityToken), 404, .providerNotEnabled)
    }
}
