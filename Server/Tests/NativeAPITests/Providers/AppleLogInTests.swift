import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Storage
import Testing

@Suite("POST /v1/log-in/apple")
struct AppleLogInTests {
    @Test("makes a user at the first log-in and knows the user at the second")
    func twoLogIns() async throws {
        let world = try await AppleWorld()
        let first = try world.credential()
        let answer = try await world.logIn(token: first.identityToken, code: first.code, name: "花")
        #expect(answer.status == 201, "\(answer.text)")
        let new = try answer.read(LogInResponse.self)
        #expect(new.isNew && !new.user.isAnonymous && new.user.displayName == "花")
        #expect(new.user.email == "hana@example.com" && new.user.emailVerified)
        #expect(new.user.identities.map(\.provider) == ["apple"])
        #expect(new.user.identities.map(\.subject) == ["TEAM123456/001234.hana.0099"])

        world.server.clock.advance(by: .seconds(60))
        let second = try await world.logIn(token: try world.credential().identityToken)
        #expect(second.status == 200)
        let known = try second.read(LogInResponse.self)
        #expect(!known.isNew && known.user.id == new.user.id && known.previousLogInAt != nil)
    }

    @Test("follows a relay address to the one that takes its place, and to no address of another kind (decision 0221)")
    func relayMoved() async throws {
        let world = try await AppleWorld()
        func email(afterLogInWith address: String, isRelay: Bool = true) async throws -> String? {
            world.server.clock.advance(by: .seconds(1))
            let taro = FakeApple.Person(subject: "taro", email: address, isPrivateEmail: isRelay)
            return try await world.person(taro).logIn.user.email
        }
        let (first, second) = ("a@privaterelay.appleid.com", "b@privaterelay.appleid.com")
        #expect(try await email(afterLogInWith: first) == first)
        #expect(try await email(afterLogInWith: second) == second)
        #expect(try await email(afterLogInWith: "taro@example.com", isRelay: false) == second)
        #expect(try await email(afterLogInWith: first) == second, "the address before was no relay's")
        let log = try await world.server.modules.administration.audit.list(in: world.server.application.id, limit: 100)
        #expect(log.count { $0.action == .identifiersChanged } == 1)
    }

    @Test("asks Apple once for each code, never for a token, and once for the keys")
    func calls() async throws {
        let world = try await AppleWorld()
        for number in 0..<3 {
            world.server.clock.advance(by: .seconds(1))
            _ = try await world.logIn(
                token: try world.credential(nonce: "n\(number)").identityToken, nonce: "n\(number)")
        }
        #expect(world.apple.calls == ["/auth/keys": 1])
        let credential = try world.credential(nonce: "other")
        _ = try await world.logIn(token: credential.identityToken, code: credential.code, nonce: "other")
        #expect(world.apple.calls == ["/auth/keys": 1, "/auth/token": 1])
    }

    @Test("takes a code alone, whose token tells who it is")
    func codeAlone() async throws {
        let world = try await AppleWorld()
        let credential = try world.credential()
        let answer = try await world.logIn(code: credential.code)
        #expect(answer.status == 201, "\(answer.text)")
        expect(try await world.logIn(code: credential.code), 401, .providerRefused)
        let other = try world.apple.signIn(AppleWorld.hana, audience: AppleWorld.service, nonce: nil)
        expect(try await world.logIn(code: other.code), 401, .providerRefused)
        let again = try world.apple.signIn(AppleWorld.hana, audience: AppleWorld.service, nonce: nil)
        #expect(try await world.logIn(code: again.code, nonce: nil, clientId: AppleWorld.service).status == 200)
    }

    @Test("proves the team with a secret that is made for each call, so that none runs out (complaint 20)")
    func oldSettings() async throws {
        let world = try await AppleWorld()
        world.server.clock.advance(by: .days(400))
        let credential = try world.credential()
        #expect(try await world.logIn(token: credential.identityToken, code: credential.code).status == 201)
    }

    @Test("keeps private key and refresh token sealed")
    func sealed() async throws {
        let world = try await AppleWorld()
        _ = try await world.person()
        let application = world.server.application.id
        let stored = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.providers(of: application)
        }
        let secret = try #require(stored.first?.sealedSecret)
        let grant = try #require(try await world.account("001234.hana.0099")?.sealedGrant)
        #expect(!String(decoding: secret, as: UTF8.self).contains("PRIVATE"))
        #expect(!String(decoding: grant, as: UTF8.self).contains("r."))
        #expect(secret.count > 60 && grant.count > 30)
    }

    @Test("refuses an id and an address that the application does not list")
    func unlisted() async throws {
        let world = try await AppleWorld()
        let answer = try await world.logIn(code: "c", clientId: "com.example.other")
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == ["clientId"])
        let body = #"{"authorizationCode":"c","redirectUri":"https://evil.example/"}"#
        let second = try await world.server.send(.post, "/v1/log-in/apple", body: body)
        #expect(try second.read(Problem.self).errors?.map(\.field) == ["redirectUri"])
    }

    @Test("refuses a code of somebody else than the token's")
    func otherPerson() async throws {
        let world = try await AppleWorld()
        let hana = try world.credential()
        let taro = try world.credential(FakeApple.Person(subject: "taro"))
        let answer = try await world.logIn(token: hana.identityToken, code: taro.code)
        expect(answer, 401, .providerTokenInvalid)
        #expect(try await world.userCount() == 0)
    }

    @Test("wants a token or a code", arguments: ["{}", #"{"nonce":"n"}"#, nil])
    func nothing(body: String?) async throws {
        let answer = try await AppleWorld().server.send(.post, "/v1/log-in/apple", body: body)
        expect(answer, 400, .invalidMember)
    }

    @Test("refuses a misspelt member by name")
    func misspelt() async throws {
        let answer = try await AppleWorld().server.send(.post, "/v1/log-in/apple", body: #"{"idtoken":"t"}"#)
        expect(answer, 400, .unknownMember)
    }

    @Test("tells that a provider is not enabled", arguments: ["google", "facebook", "oidc:x", "nobody", "device"])
    func notEnabled(provider: String) async throws {
        let answer = try await AppleWorld().server.send(
            .post, "/v1/log-in/\(provider)", body: #"{"idToken":"t"}"#)
        expect(answer, 404, .providerNotEnabled)
    }

    @Test("answers a repetition with the same Idempotency-Key as the first try, without spending the code again")
    func repetition() async throws {
        let world = try await AppleWorld()
        let credential = try world.credential()
        let attempt = [("Idempotency-Key", "attempt-1")]
        let first = try await world.logIn(token: credential.identityToken, code: credential.code, attempt)
        let second = try await world.logIn(token: credential.identityToken, code: credential.code, attempt)
        #expect(second.status == 201, "\(second.text)")
        let (one, two) = (try first.read(LogInResponse.self), try second.read(LogInResponse.self))
        #expect(
            one.user.id == two.user.id && one.session.id == two.session.id && one.session.token != two.session.token)
        #expect(world.apple.calls["/auth/token"] == 1)
        expect(
            try await world.logIn(token: credential.identityToken, code: credential.code), 401, .providerTokenReplayed)
    }

    @Test("asks a repetition, too, for a second factor that was added since")
    func repetitionWithoutFactor() async throws {
        let world = try await AppleWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let credential = try world.credential()
        func logIn() async throws -> Answer {
            try await world.logIn(
                token: credential.identityToken, code: credential.code, [("Idempotency-Key", "attempt-1")])
        }
        let made = try await logIn().read(LogInResponse.self)
        let owner = Person(server: world.server, device: ProofMaker(), logIn: made)
        _ = try await factors.enrol(owner)
        expect(try await logIn(), 403, .secondFactorRequired)
        #expect(try await owner.send(.get, APIPath.user).status == 200)
    }

    @Test("makes one user of twenty simultaneous first log-ins of one person")
    func race() async throws {
        let world = try await AppleWorld()
        let credentials = try (0..<20).map { try world.credential(nonce: "nonce \($0)") }
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for (number, credential) in credentials.enumerated() {
                group.addTask { try await world.logIn(token: credential.identityToken, nonce: "nonce \(number)") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 201 }.count == 1)
        #expect(answers.filter { $0.status == 200 }.count == 19)
        #expect(world.apple.calls["/auth/keys"] == 1)
    }

    @Test("takes one token of twenty simultaneous uses")
    func replayRace() async throws {
        let world = try await AppleWorld()
        let token = try world.credential().identityToken
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await world.logIn(token: token).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 1)
        #expect(statuses.filter { $0 == 401 }.count == 19)
    }

    @Test("takes the name whenever it comes, as long as there is none (complaint 21)")
    func lateName() async throws {
        let world = try await AppleWorld()
        _ = try await world.logIn(token: try world.credential(nonce: "1").identityToken, nonce: "1")
        let second = try await world.logIn(
            token: try world.credential(nonce: "2").identityToken, nonce: "2", name: "花")
        #expect(try second.read(LogInResponse.self).user.displayName == "花")
        let third = try await world.logIn(
            token: try world.credential(nonce: "3").identityToken, nonce: "3", name: "太郎")
        #expect(try third.read(LogInResponse.self).user.displayName == "花")
    }

    @Test("leads nobody to another's account by mail address alone (complaint 24)")
    func takenAddress() async throws {
        let world = try await AppleWorld()
        let hana = try await world.person()
        let other = try await world.person(FakeApple.Person(subject: "taro", email: "Hana@Example.com"))
        #expect(other.logIn.user.id != hana.logIn.user.id && other.logIn.user.email == nil)
    }

    @Test("changes nothing of a user whose second factor is missing: a thief could take an address along")
    func missingFactor() async throws {
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        let world = try await AppleWorld(application: settings)
        let owner = try await world.person(FakeApple.Person(subject: "taro"))
        _ = try await SecondFactorWorld(of: world.server).enrol(owner)
        // Who has the account at Apple alone can have another address there.
        let thief = try world.credential(FakeApple.Person(subject: "taro", email: "thief@example.com"), nonce: "2")
        let refused = try await world.logIn(token: thief.identityToken, nonce: "2", name: "Thief")
        expect(refused, 403, .secondFactorRequired)
        let user = try await owner.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.email == nil && user.displayName == nil)
    }

    @Test("marks relay addresses (requirement 37)", arguments: [true, false])
    func relay(isMarked: Bool) async throws {
        let world = try await AppleWorld()
        let person = FakeApple.Person(
            subject: "taro", email: isMarked ? "x@relay.example" : "x@privaterelay.appleid.com",
            isPrivateEmail: isMarked)
        let user = try await world.person(person).logIn.user
        #expect(try await world.account("taro")?.email?.isRelay == true)
        #expect(user.emailIsRelay == (isMarked ? nil : true))
    }

    @Test("binds the session to the device's key, which leads to the user from then on")
    func device() async throws {
        let world = try await AppleWorld()
        let device = ProofMaker()
        let hana = try await world.person(device: device)
        #expect(hana.logIn.user.identities.map(\.provider).sorted() == ["apple", "device"])
        let later = try await world.server.logIn(device).read(LogInResponse.self)
        #expect(!later.isNew && later.user.id == hana.logIn.user.id)
    }

    @Test("needs a proof where the application wants one with every request")
    func proofRequired() async throws {
        let world = try await AppleWorld(application: ApplicationSettings(proofRequired: true))
        expect(try await world.logIn(token: try world.credential().identityToken), 401, .proofRequired)
        let answer = try await world.logIn(token: try world.credential().identityToken, device: ProofMaker())
        #expect(answer.status == 201, "\(answer.text)")
    }

    @Test("leaves a key with the user that it leads to")
    func foreignDevice() async throws {
        let world = try await AppleWorld()
        let anonymous = try await world.server.person()
        let hana = try await world.person(device: anonymous.device)
        #expect(hana.logIn.user.id != anonymous.logIn.user.id)
        #expect(hana.logIn.user.identities.map(\.provider) == ["apple"])
        let again = try await world.server.logIn(anonymous.device).read(LogInResponse.self)
        #expect(again.user.id == anonymous.logIn.user.id)
    }

    @Test("counts new people as first launches, and known ones not")
    func limit() async throws {
        let world = try await AppleWorld(settings: ["first-launches": "2"])
        for subject in ["a", "b"] {
            let token = try world.credential(FakeApple.Person(subject: subject)).identityToken
            #expect(try await world.logIn(token: token).status == 201)
        }
        let third = try world.credential(FakeApple.Person(subject: "c"))
        expect(try await world.logIn(token: third.identityToken, code: third.code), 429, .rateLimited)
        #expect(world.apple.calls["/auth/token"] == nil)
        world.server.clock.advance(by: .seconds(1))
        let known = try world.credential(FakeApple.Person(subject: "a")).identityToken
        #expect(try await world.logIn(token: known).status == 200)
    }
}

extension AppleWorld {
    /// What is kept beside an identity.
    func account(_ name: String, team: String = team) async throws -> ProviderAccount? {
        let application = server.application.id
        return try await server.store.read { transaction throws(DomainError) in
            try transaction.providerAccount(.apple, subject: "\(team)/\(name)", in: application)
        }
    }
}
