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
        let user = try await modules.directory.readUser(Self.id(of: people[0]), in: application)
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
        try await prepare(world)
        try await changeTeam(world)
        world.server.clock.advance(by: .seconds(1))
        let token = try transferred("a", in: world, nonce: "late").identityToken
        let answer = try await world.logIn(token: token, nonce: "late")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.read(LogInResponse.self).user.id == people[0].logIn.user.id)
        let account = try #require(try await world.account("new-a", team: Self.newTeam))
        // What the team before had of the person is over, so that the next transfer begins anew.
        #expect(account.sealedGrant == nil && account.transferSubject == nil)
        world.apple.willTransfer(
            FakeApple.Person(subject: "new-a"), as: "transfer-again", to: FakeApple.Person(subject: "last-a"))
        let next = try await world.server.modules.providers.transferTeam(
            .prepare(newTeam: "NEXTTEAM12"), of: world.server.application.id, by: .local, isDryRun: false)
        #expect(next.people == 1 && next.done == 1)
    }

    @Test("leads a guest who links the person to the user of before, and lets the second step take nobody away")
    func linkByGuest() async throws {
        let world = try await AppleWorld()
        let people = try await people(in: world)
        try await prepare(world)
        try await changeTeam(world)
        world.server.clock.advance(by: .seconds(1))
        let guest = try await world.server.person()
        let credential = try transferred("a", in: world, nonce: "guest")
        expect(try await world.link(guest, credential, nonce: "guest"), 409, .identityTaken)
        let logIn = try await world.logIn(
            token: credential.identityToken, code: credential.code, nonce: "guest")
        #expect(try logIn.read(LogInResponse.self).user.id == people[0].logIn.user.id)
        let report = try await world.server.modules.providers.transferTeam(
            .finish, of: world.server.application.id, by: .local, isDryRun: false)
        #expect(report.taken == 0 && report.done == 1)
    }

    @Test("gives a person who links Apple again the new name, and no second identity")
    func linkBySelf() async throws {
        let world = try await AppleWorld()
        let people = try await people(in: world)
        try await prepare(world)
        try await changeTeam(world)
        world.server.clock.advance(by: .seconds(1))
        let answer = try await world.link(people[1], try transferred("b", in: world, nonce: "self"), nonce: "self")
        #expect(answer.status == 200, "\(answer.text)")
        let apple = try answer.read(UserBody.self).identities.filter { $0.provider == "apple" }
        #expect(apple.map(\.subject) == ["NEWTEAM123/new-b"])
        let account = try #require(try await world.account("new-b", team: Self.newTeam))
        #expect(account.sealedGrant != nil && account.transferSubject == nil)
        #expect(try await world.account("b") == nil)
    }

    @Test("carries over who logs in when the app has moved and its settings have not")
    func logInBeforeSettings() async throws {
        let world = try await AppleWorld()
        let people = try await people(in: world)
        let (modules, application) = (world.server.modules, world.server.application.id)
        try await prepare(world)
        world.server.clock.advance(by: .seconds(1))
        let early = try await world.logIn(
            token: try transferred("a", in: world, nonce: "early").identityToken, nonce: "early")
        #expect(try early.read(LogInResponse.self).user.id == people[0].logIn.user.id)
        try await changeTeam(world)
        let report = try await modules.providers.transferTeam(.finish, of: application, by: .local, isDryRun: false)
        #expect(report.done == 2 && report.unknown == 1)
        let user = try await modules.directory.readUser(Self.id(of: people[0]), in: application)
        #expect(user.identities.map(\.subject) == ["NEWTEAM123/new-a"])
    }

    @Test("knows who signed up when the app had moved and its settings had not")
    func signUpBeforeSettings() async throws {
        let world = try await AppleWorld()
        _ = try await people(in: world)
        let (modules, application) = (world.server.modules, world.server.application.id)
        try await prepare(world)
        world.server.clock.advance(by: .seconds(1))
        let new = FakeApple.Person(subject: "new-d")
        let early = try await world.logIn(
            token: try world.credential(new, nonce: "early").identityToken, nonce: "early")
        #expect(early.status == 201, "\(early.text)")
        try await changeTeam(world)
        let report = try await modules.providers.transferTeam(.finish, of: application, by: .local, isDryRun: false)
        #expect(report.done == 2 && report.unknown == 2)
        world.server.clock.advance(by: .seconds(1))
        let guest = try await world.server.person()
        expect(
            try await world.link(guest, try world.credential(new, nonce: "guest"), nonce: "guest"), 409, .identityTaken)
        let late = try await world.logIn(token: try world.credential(new, nonce: "late").identityToken, nonce: "late")
        let user = try late.read(LogInResponse.self).user
        #expect(try user.id == early.read(LogInResponse.self).user.id)
        #expect(user.identities.map(\.subject) == ["NEWTEAM123/new-d"])
    }

    @Test("is none when the id of the team is corrected: people stay the same, with their grants, and get mail")
    func corrected() async throws {
        let world = try await AppleWorld(settings: ["dev": "on"])
        let people = try await people(in: world)
        let (application, id) = (world.server.application.id, Self.id(of: people[1]))
        try await world.server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            (user.email, user.emailVerifiedAt) = ("b@example.com", nil)
            try transaction.updateIdentifiers(of: user)
        }
        let grant = try await world.account("a")?.sealedGrant
        try #require(grant != nil)
        try await changeTeam(world)
        world.server.clock.advance(by: .seconds(1))
        let token = try world.credential(FakeApple.Person(subject: "a"), nonce: "2").identityToken
        let answer = try await world.logIn(token: token, nonce: "2")
        #expect(try answer.read(LogInResponse.self).user.id == people[0].logIn.user.id)
        #expect(try await world.account("a", team: Self.newTeam)?.sealedGrant == grant)
        // News of who has not come since are about the same person, too.
        let payload = try world.apple.notification(
            "account-delete", about: FakeApple.Person(subject: "b"), audience: AppleWorld.bundle, id: "n")
        #expect(try await world.notify(payload).status == 200)
        let user = try await world.server.modules.directory.readUser(id, in: application)
        #expect(!user.identities.contains { $0.provider == .apple } && user.deletionRequestedAt != nil)
        _ = try await world.server.modules.messaging.deliverMail()
        let mails = try await world.server.modules.messaging.readOutbox(of: application)
        #expect(mails.map(\.recipient) == ["b@example.com"])
    }

    @Test("gives people the relay addresses that the new team has for them, to which mail goes again (decision 0221)")
    func relays() async throws {
        let world = try await AppleWorld()
        func taro(_ subject: String, _ email: String) -> FakeApple.Person {
            FakeApple.Person(subject: subject, email: "\(email)@privaterelay.appleid.com", isPrivateEmail: true)
        }
        let person = try await world.person(taro("t", "old"))
        let off = try world.apple.notification(
            "email-disabled", about: taro("t", "old"), audience: AppleWorld.bundle, id: "off")
        #expect(try await world.notify(off).status == 200)
        world.apple.willTransfer(taro("t", "old"), as: "transfer-t", to: taro("new-t", "new"))
        let (modules, application) = (world.server.modules, world.server.application.id)
        try await prepare(world)
        try await changeTeam(world)
        let report = try await modules.providers.transferTeam(.finish, of: application, by: .local, isDryRun: false)
        #expect(report.done == 1)
        let user = try await modules.directory.readUser(Self.id(of: person), in: application)
        #expect(user.email == "new@privaterelay.appleid.com" && user.emailVerifiedAt != nil)
        let account = try #require(try await world.account("new-t", team: Self.newTeam))
        #expect(account.email?.address == user.email && account.isEmailForwarded)
    }

    @Test("gives a person who links Apple again the relay address of the new team, and one who links another none")
    func relayAtLink() async throws {
        let world = try await AppleWorld()
        func relay(_ subject: String, _ email: String) -> FakeApple.Person {
            FakeApple.Person(subject: subject, email: "\(email)@privaterelay.appleid.com", isPrivateEmail: true)
        }
        let person = try await world.person(relay("t", "old"))
        world.apple.willTransfer(relay("t", "old"), as: "transfer-t", to: relay("new-t", "new"))
        try await prepare(world)
        try await changeTeam(world)
        world.server.clock.advance(by: .seconds(1))
        let moved = try world.credential(
            relay("new-t", "new"), nonce: "self", claims: ["transfer_sub": .string("transfer-t")])
        let answer = try await world.link(person, moved, nonce: "self")
        #expect(try answer.read(UserBody.self).email == "new@privaterelay.appleid.com", "\(answer.text)")
        let other = try await world.link(person, try world.credential(relay("u", "u"), nonce: "u"), nonce: "u")
        expect(other, 409, .providerAlreadyLinked)
    }

    @Test("does not take an identity from a user who has it already")
    func taken() async throws {
        let world = try await AppleWorld()
        _ = try await people(in: world)
        try await prepare(world)
        try await changeTeam(world)
        _ = try await world.person(FakeApple.Person(subject: "new-a"))
        let report = try await world.server.modules.providers.transferTeam(
            .finish, of: world.server.application.id, by: .local, isDryRun: false)
        #expect(report.taken == 1 && report.done == 1)
    }

    private static func id(of person: Person) -> Identifier<User> { Identifier(rawValue: person.logIn.user.id) }

    /// What the sheet gives of a person whom the new team knows by another name.
    private func transferred(_ name: String, in world: AppleWorld, nonce: String) throws -> FakeApple.Credential {
        let claims = ["transfer_sub": JSONValue.string("transfer-\(name)")]
        return try world.credential(FakeApple.Person(subject: "new-\(name)"), nonce: nonce, claims: claims)
    }

    private func people(in world: AppleWorld) async throws -> [Person] {
        var people: [Person] = []
        for name in ["a", "b", "c"] {
            let person = FakeApple.Person(subject: name)
            people.append(try await world.person(person))
            if name != "c" {
                world.apple.willTransfer(
                    person, as: "transfer-\(name)", to: FakeApple.Person(subject: "new-\(name)"))
            }
        }
        return people
    }

    /// The first step of the way to the new team.
    private func prepare(_ world: AppleWorld) async throws {
        _ = try await world.server.modules.providers.transferTeam(
            .prepare(newTeam: Self.newTeam), of: world.server.application.id, by: .local, isDryRun: false)
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
