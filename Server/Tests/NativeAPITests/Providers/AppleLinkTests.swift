import Domain
import FakeProviders
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Linking and unlinking Apple")
struct AppleLinkTests {
    @Test("keeps the anonymous user's id and session")
    func link() async throws {
        let world = try await AppleWorld()
        let person = try await world.server.person()
        world.server.clock.advance(by: .seconds(1))
        let answer = try await world.link(person, try world.credential(), name: "花")
        #expect(answer.status == 200, "\(answer.text)")
        let user = try answer.read(UserBody.self)
        #expect(user.id == person.logIn.user.id && !user.isAnonymous && user.displayName == "花")
        #expect(user.identities.map(\.provider) == ["device", "apple"] && user.email == "hana@example.com")
        let read = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(read == user)
        world.server.clock.advance(by: .seconds(1))
        let logIn = try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2")
        #expect(try logIn.read(LogInResponse.self).user.id == user.id)
    }

    @Test("gives a user with a second factor, who shows it for an address, none by the way")
    func addressOfFactorHolder() async throws {
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        let world = try await AppleWorld(application: settings)
        let factors = SecondFactorWorld(of: world.server)
        let person = try await factors.person()
        _ = try await factors.enrol(person)
        let answer = try await world.link(person, try world.credential(), name: "花")
        #expect(answer.status == 200, "\(answer.text)")
        let user = try answer.read(UserBody.self)
        #expect(user.identities.map(\.provider).contains("apple") && user.displayName == "花" && user.email == nil)
    }

    @Test("an identity twice is no fault")
    func twice() async throws {
        let world = try await AppleWorld()
        let person = try await world.server.person()
        _ = try await world.link(person, try world.credential(nonce: "1"), nonce: "1")
        #expect(try await world.link(person, try world.credential(nonce: "2"), nonce: "2").status == 200)
    }

    @Test("gets its answer again when that was lost, without a second call for the code")
    func repeated() async throws {
        let world = try await AppleWorld()
        let person = try await world.server.person()
        world.server.clock.advance(by: .seconds(1))
        let credential = try world.credential()
        let first = try await world.link(person, credential)
        let second = try await world.link(person, credential)
        #expect(second.status == 200 && second.body == first.body)
        #expect(world.apple.calls["/auth/token"] == 1)
        let other = try await world.server.person()
        expect(try await world.link(other, credential), 409, .identityTaken)
    }

    @Test("with a token that has logged in before is refused")
    func usedToken() async throws {
        let world = try await AppleWorld()
        let credential = try world.credential()
        let person = try await world.server.person()
        _ = try await world.link(person, credential)
        _ = try await person.send(.delete, APIPath.identity("apple"))
        expect(try await world.link(person, credential), 401, .providerTokenReplayed)
    }

    @Test("of somebody else's identity is refused before the code is spent: the same token still logs in (complaint 4)")
    func taken() async throws {
        let world = try await AppleWorld()
        let owner = try await world.person()
        let other = try await world.server.person()
        let credential = try world.credential(nonce: "2")
        let codes = world.apple.calls["/auth/token"]
        expect(try await world.link(other, credential, nonce: "2"), 409, .identityTaken)
        #expect(world.apple.calls["/auth/token"] == codes)
        world.server.clock.advance(by: .seconds(1))
        let logIn = try await world.logIn(token: credential.identityToken, code: credential.code, nonce: "2")
        #expect(try logIn.read(LogInResponse.self).user.id == owner.logIn.user.id)
    }

    @Test("a second identity of one provider is refused")
    func second() async throws {
        let world = try await AppleWorld()
        let person = try await world.person()
        let other = try world.credential(FakeApple.Person(subject: "taro"))
        expect(try await world.link(person, other), 409, .providerAlreadyLinked)
    }

    @Test("of two users at once leaves the identity with one")
    func race() async throws {
        let world = try await AppleWorld()
        let people = [try await world.server.person(), try await world.server.person()]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, person) in people.enumerated() {
                let credential = try world.credential(nonce: "\(number)")
                group.addTask { try await world.link(person, credential, nonce: "\(number)").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 409])
    }

    @Test("needs a fresh session (requirement 18)")
    func stale() async throws {
        let world = try await AppleWorld()
        let person = try await world.person(device: ProofMaker())
        world.server.clock.advance(by: .seconds(601))
        expect(try await world.link(person, try world.credential()), 403, .reauthenticationRequired)
        expect(try await person.send(.delete, APIPath.identity("apple")), 403, .reauthenticationRequired)
    }

    @Test("needs no fresh session of an anonymous user who proves to have the key")
    func proven() async throws {
        let world = try await AppleWorld()
        let person = try await world.server.person()
        world.server.clock.advance(by: .seconds(601))
        let credential = try world.credential()
        let path = APIPath.identity("apple")
        let proof = try person.device.proof(
            "POST", world.server.url(path), at: world.server.clock.now, token: person.token)
        let answer = try await person.send(
            .post, path, [("DPoP", proof)],
            body: try AppleWorld.body(token: credential.identityToken, code: credential.code))
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("ends when the identity is unlinked; Apple is asked to revoke the grant, and asked again until it responds")
    func unlink() async throws {
        let world = try await AppleWorld()
        let person = try await world.person(device: ProofMaker())
        #expect(try await world.account("001234.hana.0099")?.sealedGrant != nil)
        let answer = try await person.send(.delete, APIPath.identity("apple"))
        #expect(try answer.read(UserBody.self).identities.map(\.provider) == ["device"])
        #expect(try await world.account("001234.hana.0099") == nil)

        world.apple.faults.isDown = true
        #expect(try await world.server.modules.providers.revokeGrants() == .init(postponed: 1))
        #expect(try await world.server.modules.providers.revokeGrants() == .init())
        world.apple.faults.isDown = false
        world.server.clock.advance(by: .seconds(75))
        #expect(try await world.server.modules.providers.revokeGrants() == .init(revoked: 1))
        #expect(world.apple.revoked.count == 1)
        world.server.clock.advance(by: .days(1))
        #expect(try await world.server.modules.providers.revokeGrants() == .init())
        let later = try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2")
        #expect(later.status == 201)
        #expect(try later.read(LogInResponse.self).user.id != person.logIn.user.id)
    }

    @Test("puts out the devices that joined by the identity, and no other one: a thief who had it would stay by a key")
    func joinedKeys() async throws {
        let world = try await AppleWorld()
        let (phone, thief) = (try await world.server.person(), ProofMaker())
        _ = try await world.link(phone, try world.credential(nonce: "1"), nonce: "1")
        let credential = try world.credential(nonce: "2")
        let entered = try await world.logIn(token: credential.identityToken, nonce: "2", device: thief)
        #expect(try entered.read(LogInResponse.self).user.id == phone.logIn.user.id)
        // From now on the session is one of the key's, and none of Apple's.
        world.server.clock.advance(by: .seconds(1))
        #expect(try await world.server.logIn(thief).status == 200)
        #expect(try await phone.send(.delete, APIPath.identity("apple")).status == 200)
        let refused = try await world.server.logIn(thief)
        expect(refused, 403, .deviceKeyRemoved)
        #expect(try refused.read(Problem.self).reason == AccountChange.identityUnlinked.rawValue)
        let back = try await world.server.logIn(phone.device)
        #expect(try back.read(LogInResponse.self).user.id == phone.logIn.user.id)
    }

    @Test(
        "puts out a device too that got a transfer code since it was linked, and none of before: a thief hands one to a device of theirs",
        arguments: [true, false])
    func codedKeys(isOfSince: Bool) async throws {
        let world = try await AppleWorld()
        let (server, phone) = (world.server, try await world.server.person())
        let (stolen, second) = (ProofMaker(), ProofMaker())
        if !isOfSince {
            _ = try await server.joined(try await phone.issueCode().code, on: second)
            server.clock.advance(by: .seconds(1))
        }
        _ = try await world.link(phone, try world.credential(nonce: "1"), nonce: "1")
        let entered = try await world.logIn(
            token: try world.credential(nonce: "2").identityToken, nonce: "2", device: stolen)
        let thief = Person(server: server, device: stolen, logIn: try entered.read(LogInResponse.self))
        if isOfSince {
            server.clock.advance(by: .seconds(1))
            _ = try await server.joined(try await thief.issueCode().code, on: second)
        }
        #expect(try await server.logIn(second).status == 200)
        #expect(try await phone.send(.delete, APIPath.identity("apple")).status == 200)
        let after = try await server.logIn(second)
        #expect(after.status == (isOfSince ? 403 : 200), "\(after.text)")
        if isOfSince { #expect(try after.read(Problem.self).reason == AccountChange.identityUnlinked.rawValue) }
        #expect(try await server.logIn(phone.device).read(LogInResponse.self).user.id == phone.logIn.user.id)
    }

    @Test("puts out a device too that got a transfer code before its own session removed it and linked it again")
    func linkedAgain() async throws {
        let world = try await AppleWorld()
        let (server, phone) = (world.server, try await world.server.person())
        let (stolen, second) = (ProofMaker(), ProofMaker())
        _ = try await world.link(phone, try world.credential(nonce: "1"), nonce: "1")
        let entered = try await world.logIn(
            token: try world.credential(nonce: "2").identityToken, nonce: "2", device: stolen)
        let thief = Person(server: server, device: stolen, logIn: try entered.read(LogInResponse.self))
        let joined = try await server.joined(try await thief.issueCode().code, on: second)
        let shown = try world.credential(nonce: "3").identityToken
        let proven = try await joined.send(
            .post, APIPath.reauthenticate,
            body: #"{"provider": "apple", "credential": {"idToken": "\#(shown)", "nonce": "3"}}"#)
        let token = try proven.read(ReauthenticationResponse.self).session.token
        let fresh = [("Authorization", "Bearer \(token)")]
        #expect(try await server.send(.delete, APIPath.identity("apple"), fresh).status == 200)
        server.clock.advance(by: .seconds(1))
        let again = try world.credential(nonce: "4")
        let linked = try await server.send(
            .post, APIPath.identity("apple"), fresh,
            body: try AppleWorld.body(token: again.identityToken, code: again.code, nonce: "4"))
        try #require(linked.status == 200, "\(linked.text)")
        #expect(try await phone.send(.delete, APIPath.identity("apple")).status == 200)
        let refused = try await server.logIn(second)
        expect(refused, 403, .deviceKeyRemoved)
        #expect(try await server.logIn(phone.device).read(LogInResponse.self).user.id == phone.logIn.user.id)
    }

    /// The phone on which the guest began is lost, and nothing but keys is left: its key lets nobody in.
    @Test("leaves all keys where it is removed without a device, and none but keys would lead to the user")
    func lostPhone() async throws {
        let world = try await AppleWorld()
        let (lost, phone) = (try await world.server.person(), ProofMaker())
        _ = try await world.link(lost, try world.credential(nonce: "1"), nonce: "1")
        _ = try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2", device: phone)
        let entered = try await world.logIn(token: try world.credential(nonce: "3").identityToken, nonce: "3")
        let elsewhere = try entered.read(LogInResponse.self)
        let removed = try await world.server.send(.delete, APIPath.identity("apple"), elsewhere.bearer)
        #expect(removed.status == 200, "\(removed.text)")
        let again = try await world.server.logIn(phone)
        try #require(again.status == 200, "\(again.text)")
        #expect(try again.read(LogInResponse.self).user.id == lost.logIn.user.id)
    }

    @Test("leaves the device from whose app the account page was opened on which it is removed")
    func ownDevice() async throws {
        let world = try await AppleWorld(settings: ["public-url": TestServer.url])
        let (first, phone) = (try await world.server.person(), ProofMaker())
        _ = try await world.link(first, try world.credential(nonce: "1"), nonce: "1")
        let entered = try await world.logIn(
            token: try world.credential(nonce: "2").identityToken, nonce: "2", device: phone)
        let person = Person(server: world.server, device: phone, logIn: try entered.read(LogInResponse.self))
        let browser = Browser(world.server)
        try await browser.open(accountOf: person)
        let page = try await browser.get(browser.path("account"))
        let done = try await browser.post(browser.path("account/identity"), ["provider": "apple"], token: page.token)
        #expect(done.location?.hasSuffix("done=identityRemoved") == true, "\(done.html)")
        let again = try await world.server.logIn(phone)
        #expect(again.status == 200, "\(again.text)")
        #expect(try again.read(LogInResponse.self).user.id == first.logIn.user.id)
    }

    @Test("ends with the grants of all apps of the team, the last of each")
    func severalApps() async throws {
        let world = try await AppleWorld()
        let person = try await world.person(device: ProofMaker())
        for nonce in ["2", "3"] {
            world.server.clock.advance(by: .seconds(1))
            let credential = try world.apple.signIn(
                AppleWorld.hana, audience: AppleWorld.service, nonce: AppleWorld.hashed(nonce))
            let answer = try await world.logIn(
                token: credential.identityToken, code: credential.code, nonce: nonce)
            #expect(answer.status == 200, "\(answer.text)")
        }
        let audiences = try await world.account("001234.hana.0099")?.audience.split(separator: " ")
        #expect(audiences == ["com.example.app", "com.example.web"])
        let left = try await person.send(.delete, APIPath.identity("apple")).read(UserBody.self)
        #expect(left.identities.map(\.provider) == ["device"])
        let revoke = world.server.modules.providers.revokeGrants
        world.apple.faults.isDown = true
        #expect(try await revoke() == .init(postponed: 1))
        world.apple.faults.isDown = false
        world.server.clock.advance(by: .seconds(75))
        #expect(try await revoke() == .init(revoked: 1))
        #expect(world.apple.revoked.count == 2)
    }

    @Test("ends with the request for deletion; a log-in that restores the account brings a new one (issue 20)")
    func deletion() async throws {
        let world = try await AppleWorld()
        let (providers, device) = (world.server.modules.providers, ProofMaker())
        let person = try await world.person(device: device)
        #expect(try await person.send(.delete, APIPath.user).status == 202)
        let leaving = try #require(try await world.account("001234.hana.0099"))
        #expect(leaving.sealedGrant == nil && leaving.email != nil)
        #expect(try await providers.revokeGrants() == .init(revoked: 1))
        #expect(world.apple.revoked.count == 1)

        // A log-in that does not restore spends no code, which would leave a grant.
        world.server.clock.advance(by: .seconds(1))
        let (credential, codes) = (try world.credential(nonce: "2"), world.apple.calls["/auth/token"])
        let refused = try await world.logIn(token: credential.identityToken, code: credential.code, nonce: "2")
        expect(refused, 403, .userDeleted)
        #expect(world.apple.calls["/auth/token"] == codes)
        let restored = try await world.logIn(
            token: credential.identityToken, code: credential.code, nonce: "2", [("Okaeri-Restore", "true")],
            device: device
        ).read(LogInResponse.self)
        #expect(restored.user.id == person.logIn.user.id)
        #expect(try await world.account("001234.hana.0099")?.sealedGrant != nil)

        let again = Person(server: world.server, device: device, logIn: restored)
        #expect(try await again.send(.delete, APIPath.user).status == 202)
        #expect(try await providers.revokeGrants() == .init(revoked: 1))
        world.server.clock.advance(by: .days(7))
        #expect(try await world.server.modules.deletion.eraseDeletedUsers() == 1)
        #expect(try await world.account("001234.hana.0099") == nil)
        #expect(try await providers.revokeGrants() == .init())
    }

    @Test("gives a revocation up after 30 days")
    func givenUp() async throws {
        let world = try await AppleWorld()
        let person = try await world.person(device: ProofMaker())
        _ = try await person.send(.delete, APIPath.identity("apple"))
        world.apple.faults.isDown = true
        world.server.clock.advance(by: .days(29))
        #expect(try await world.server.modules.providers.revokeGrants() == .init(postponed: 1))
        world.server.clock.advance(by: .days(1))
        #expect(try await world.server.modules.providers.revokeGrants() == .init(givenUp: 1))
    }

    @Test("of the last way in is refused")
    func lastWayIn() async throws {
        let world = try await AppleWorld()
        let person = try await world.person(
            FakeApple.Person(subject: "taro", email: "x@privaterelay.appleid.com", isPrivateEmail: true))
        expect(try await person.send(.delete, APIPath.identity("apple")), 409, .lastWayIn)
    }

    @Test("is no way in while the provider is switched off: the device's key stays")
    func switchedOff() async throws {
        let world = try await AppleWorld()
        let hidden = FakeApple.Person(subject: "taro", email: "x@privaterelay.appleid.com", isPrivateEmail: true)
        let person = try await world.person(hidden, device: ProofMaker())
        let keys = try await person.send(.get, APIPath.deviceKeys).read(DeviceKeyListResponse.self).deviceKeys
        let thumbprint = try #require(keys.first?.thumbprint)
        try await world.server.modules.providers.removeProvider(.apple, of: world.server.application.id, by: .local)
        expect(try await person.send(.delete, APIPath.deviceKey(thumbprint)), 409, .lastWayIn)
        #expect(try await person.send(.get, APIPath.user).status == 200)
    }

    @Test("of a device's key is an error: it has a path of its own, which ends the sessions and tells the device")
    func deviceKey() async throws {
        let world = try await AppleWorld()
        let person = try await world.person(device: ProofMaker())
        expect(try await person.send(.delete, APIPath.identity("device")), 404, .identityUnknown)
        let again = try await world.server.logIn(person.device)
        try #require(again.status == 200, "\(again.text)")
        #expect(try again.read(LogInResponse.self).user.id == person.logIn.user.id)
    }

    @Test("of what is not linked is an error")
    func unknown() async throws {
        let world = try await AppleWorld()
        let person = try await world.server.person()
        expect(try await person.send(.delete, APIPath.identity("apple")), 404, .identityUnknown)
    }
}

extension AppleWorld {
    func link(
        _ person: Person, _ credential: FakeApple.Credential, nonce: String = nonce, name: String? = nil
    ) async throws -> Answer {
        try await person.send(
            .post, APIPath.identity("apple"),
            body: try Self.body(token: credential.identityToken, code: credential.code, nonce: nonce, name: name))
    }
}
