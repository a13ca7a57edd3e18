import Crypto
import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("A token of a service that users have left")
struct OldServiceTests {
    @Test(
        "leads to the user who was imported from there, whose device logs in by its key from then on",
        arguments: OldServiceWorld.signing)
    func adoption(name: OldService.Name) async throws {
        let world = try await OldServiceWorld()
        let device = ProofMaker()
        let answer = try await world.adopt(name, try world.token(name), on: device)
        #expect(answer.status == 200, "\(answer.text)")
        let logIn = try answer.read(LogInResponse.self)
        #expect(logIn.user.id == OldServiceWorld.user(name) && logIn.user.displayName == "Hana")
        let launched = try await world.server.logIn(device)
        #expect(try launched.status == 200 && launched.read(LogInResponse.self).user.id == logIn.user.id)
        // The session came from a token, by nobody's presence.
        #expect(
            try await world.server.send(
                .get, APIPath.user, [("Authorization", "Bearer \(logIn.session.token)")]
            ).status == 200)
        let entries = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, limit: 100)
        #expect(entries.contains { $0.action == .loggedIn && $0.details["method"] == "adoption" })
    }

    @Test("of Supabase counts with the project's JWT secret too, where the application has it")
    func sharedSecret() async throws {
        let (world, without) = (try await OldServiceWorld(), try await OldServiceWorld(secret: nil))
        let token = try FakeKey.token(try world.claims(.supabase), secret: OldServiceWorld.secret)
        #expect(try await world.adopt(.supabase, token).status == 200)
        #expect(try world.fake(.supabase).keyRequests == 0)
        let other = try FakeKey.token(try without.claims(.supabase), secret: OldServiceWorld.secret)
        expect(try await without.adopt(.supabase, other), 401, .providerTokenInvalid)
        let wrong = try FakeKey.token(
            try world.claims(.supabase), secret: String(repeating: "x", count: OldServiceWorld.secret.utf8.count))
        expect(try await world.adopt(.supabase, wrong), 401, .providerTokenInvalid)
    }

    @Test("is refused by an application that does not trust the service, as an unknown protocol is")
    func off() async throws {
        let world = try await OldServiceWorld(isSet: false)
        for name in OldServiceWorld.signing {
            let answer = try await world.adopt(name, try world.token(name))
            #expect(answer.status == 400 && answer.text.contains("\"protocol\""), "\(answer.text)")
            #expect(try world.fake(name).keyRequests == 0)
        }
        #expect(try await world.adopt("other", "token").status == 400)
    }

    @Test("counts once: no second device can present it, but the first may when the response was lost")
    func once() async throws {
        let world = try await OldServiceWorld()
        let (token, device) = (try world.token(.firebase), ProofMaker())
        #expect(try await world.adopt(.firebase, token, on: device).status == 200)
        expect(try await world.adopt(.firebase, token), 401, .providerTokenReplayed)
        let again = try await world.adopt(.firebase, token, on: device)
        #expect(try again.status == 200 && again.read(LogInResponse.self).user.id == OldServiceWorld.user(.firebase))
        // The person's second phone has a token of its own.
        let second = try world.token(.firebase, more: ["auth_time": 1_700_000_000])
        #expect(try await world.adopt(.firebase, second).status == 200)
        let refused = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, limit: 100
        ).filter { $0.result == .refused }
        #expect(refused.count == 1 && refused.first?.details["method"] == "adoption")
    }

    @Test("presented by two devices at once opens one session")
    func race() async throws {
        let world = try await OldServiceWorld()
        let token = try world.token(.cognito)
        async let first = world.adopt(.cognito, token)
        async let second = world.adopt(.cognito, token)
        let statuses = try await [first.status, second.status]
        #expect(statuses.sorted() == [200, 401])
    }

    @Test("sent twice at once by one device leads to one user with one key")
    func twice() async throws {
        let world = try await OldServiceWorld()
        let (token, device) = (try world.token(.cognito), ProofMaker())
        // Two requests of one device have two proofs.
        async let first = world.adopt("cognito", token, on: device, [("Idempotency-Key", "attempt-number-one")])
        async let second = world.adopt("cognito", token, on: device, [("Idempotency-Key", "attempt-number-two")])
        let answers = try await [first, second]
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
        let last = try await world.server.logIn(device).read(LogInResponse.self)
        #expect(last.user.id == OldServiceWorld.user(.cognito))
        #expect(last.user.identities.count { $0.provider == "device" } == 1)
    }

    @Test("of somebody who was not imported is refused as a wrong credential, and makes nobody")
    func unknown() async throws {
        let world = try await OldServiceWorld()
        let token = try world.fake(.firebase).key.token(try world.claims(.firebase, of: "nobody-imported-this-one"))
        expect(try await world.adopt(.firebase, token), 401, .credentialRefused)
        // The import comes later; the same device tries again with the same token.
        let now = world.server.clock.now
        let late = User(
            id: Identifier(rawValue: "nobody-imported-this-one"), application: world.server.application.id,
            createdAt: now, updatedAt: now)
        _ = try await world.server.modules.imports.importUsers(
            [ImportedUser(user: late)], into: world.server.application.id, of: .native, isRehearsal: false)
        #expect(try await world.adopt(.firebase, token).status == 200)
    }

    @Test(
        "is refused 600 times an hour for one address, which leaves an entry each; who was imported is let in then too")
    func tries() async throws {
        let world = try await OldServiceWorld()
        let nobodys = try world.fake(.supabase).key.token(try world.claims(.supabase, of: "nobody-imported-this-one"))
        for _ in 0..<600 { expect(try await world.adopt(.supabase, nobodys), 401, .credentialRefused) }
        expect(try await world.adopt(.supabase, nobodys), 429, .rateLimited)
        let refused = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, limit: 1000
        ).filter { $0.result == .refused }
        #expect(refused.count == 600)
        // Who was imported is let in all the same.
        #expect(try await world.adopt(.firebase, try world.token(.firebase)).status == 200)
    }

    @Test("does not let a disabled user in, nor one who was disabled: an operator did not want it")
    func disabled() async throws {
        let world = try await OldServiceWorld()
        let id = Identifier<User>(rawValue: OldServiceWorld.user(.supabase))
        let (rules, token) = (world.server.modules.accounts.setUserDisabled, try world.token(.supabase))
        try await rules(id, in: world.server.application, isDisabled: true, by: .local)
        expect(try await world.adopt(.supabase, token), 403, .userDisabled)
        try await rules(id, in: world.server.application, isDisabled: false, by: .local)
        expect(try await world.adopt(.supabase, token), 401, .credentialRefused)
    }

    @Test("does not open what its owner ended here: after “log out everywhere” it leads to nobody")
    func ended() async throws {
        let world = try await OldServiceWorld()
        let device = ProofMaker()
        #expect(try await world.adopt(.firebase, try world.token(.firebase), on: device).status == 200)
        _ = try await world.server.modules.administration.users.endAllSessions(
            of: Identifier(rawValue: OldServiceWorld.user(.firebase)), in: world.server.application, by: .local)
        let later = try world.token(.firebase, more: ["auth_time": 1_700_000_000])
        expect(try await world.adopt(.firebase, later), 401, .credentialRefused)
    }

    @Test(
        "does not bring a device back whose key was removed: not the token that it has presented, and no later one",
        arguments: [true, false])
    func removedDevice(isAlone: Bool) async throws {
        let world = try await OldServiceWorld()
        let (token, device) = (try world.token(.firebase), ProofMaker())
        #expect(try await world.adopt(.firebase, token, on: device).status == 200)
        // The person's other phone.
        let own = try world.token(.firebase, more: ["auth_time": 1_700_000_000])
        let phone = ProofMaker()
        #expect(try await world.adopt(.firebase, own, on: phone).status == 200)
        let owner = try await world.server.person(phone)
        let path = isAlone ? APIPath.deviceKey(device.thumbprint) : APIPath.deviceKeys
        let removed = try await owner.send(.delete, path)
        #expect([200, 204].contains(removed.status), "\(removed.text)")
        expect(try await world.adopt(.firebase, token, on: device), 401, .credentialRefused)
        // Who holds the old service's refresh token has new ones of it for ever.
        let later = try world.token(.firebase, more: ["auth_time": 1_700_000_001])
        expect(try await world.adopt(.firebase, later, on: device), 401, .credentialRefused)
        expect(try await world.adopt(.firebase, later), 401, .credentialRefused)
        expect(try await world.server.logIn(device), 403, .deviceKeyRemoved)
        #expect(try await world.server.logIn(phone).status == 200)
    }

    @Test("leaves a device's key with the user whom it leads to already")
    func guest() async throws {
        let world = try await OldServiceWorld()
        let guest = try await world.server.person()
        let answer = try await world.adopt(.cognito, try world.token(.cognito), on: guest.device)
        #expect(answer.status == 200)
        #expect(try answer.read(LogInResponse.self).user.identities.isEmpty)
        let launched = try await world.server.logIn(guest.device).read(LogInResponse.self)
        #expect(launched.user.id == guest.logIn.user.id)
    }

    @Test("needs a proof of the device's key")
    func proof() async throws {
        let world = try await OldServiceWorld()
        let answer = try await world.server.send(
            .post, APIPath.adopt, body: #"{"protocol": "firebase", "token": "\#(try world.token(.firebase))"}"#)
        expect(answer, 401, .proofRequired)
    }

    @Test("is taken after the service changed its keys, and while the service cannot be reached")
    func rotation() async throws {
        let world = try await OldServiceWorld()
        let firebase = try world.fake(.firebase)
        #expect(try await world.adopt(.firebase, try world.token(.firebase)).status == 200)
        firebase.rotate(to: try FakeHost.keys.get()[2])
        world.server.clock.advance(by: .seconds(120))
        #expect(try await world.adopt(.firebase, try world.token(.firebase)).status == 200)
        #expect(firebase.keyRequests == 2)
        firebase.isDown(true)
        world.server.clock.advance(by: .seconds(7200))
        #expect(try await world.adopt(.firebase, try world.token(.firebase)).status == 200)
    }

    @Test("with invented key ids makes the server read the keys no more than twice")
    func inventedKeys() async throws {
        let world = try await OldServiceWorld()
        let key = try world.fake(.firebase).key
        for number in 0..<20 {
            let token = try key.token(try world.claims(.firebase), header: ["kid": .string("invented-\(number)")])
            expect(try await world.adopt(.firebase, token), 401, .providerTokenInvalid)
        }
        #expect(try world.fake(.firebase).keyRequests <= 2)
    }

    @Test("cannot be judged before the service's keys were read once")
    func down() async throws {
        let world = try await OldServiceWorld()
        try world.fake(.cognito).isDown(true)
        expect(try await world.adopt(.cognito, try world.token(.cognito)), 503, .providerUnavailable)
    }
}

@Suite("A hostile token of a service that users have left")
struct HostileOldTokenTests {
    /// Claims that spoil a token, with the services that they spoil it of.
    private static let spoilt: [(more: [String: JSONValue], names: [OldService.Name])] = {
        let now = StandingClock().now.milliseconds / 1000
        let all = OldServiceWorld.signing
        return [
            (["iss": "https://securetoken.google.com/other-game"], all), (["iss": nil], all),
            (["iss": "https://securetoken.google.com/my-game/"], all), (["aud": "other-game"], all),
            (["aud": nil], all),
            (["aud": "anon"], [.supabase]), (["exp": .integer(now - 61)], all), (["exp": nil], all),
            (["exp": "tomorrow"], all), (["exp": 1e300], all), (["iat": .integer(now + 61)], all), (["iat": nil], all),
            (["iat": .integer(now - 86_461)], all), (["iat": -1e300], all), (["nbf": .integer(now + 86_400)], all),
            (["nbf": 9_223_372_036_854_775_807], all), (["sub": nil], all), (["sub": ""], all), (["sub": 5], all),
            (["sub": .string(String(repeating: "s", count: 256))], all), (["auth_time": nil], [.firebase]),
            (["auth_time": .integer(now + 600)], [.firebase]), (["token_use": "access"], [.cognito]),
            (["token_use": nil], [.cognito]), (["filler": .string(String(repeating: "x", count: 20_000))], all),
        ]
    }()

    @Test("is refused for each claim that is wrong", arguments: 0..<25)
    func claims(number: Int) async throws {
        let world = try await OldServiceWorld()
        try #require(Self.spoilt.count == 25)
        for name in Self.spoilt[number].names {
            let token = try world.token(name, more: Self.spoilt[number].more)
            expect(try await world.adopt(name, token), 401, .providerTokenInvalid)
        }
    }

    @Test("is refused for its algorithm, its key or its form")
    func forms() async throws {
        let world = try await OldServiceWorld()
        for name in OldServiceWorld.signing {
            let (key, claims) = (try world.fake(name).key, try world.claims(name))
            let unsigned = try FakeKey.signedPart(header: ["alg": "none", "kid": .string(key.id)], claims) + "."
            let symmetric = try FakeKey.signedPart(header: ["alg": "HS256", "kid": .string(key.id)], claims)
            let code = HMAC<SHA256>.authenticationCode(
                for: Array(symmetric.utf8), using: SymmetricKey(data: Array(key.publicPEM.utf8)))
            let other = try FakeHost.keys.get()[2]
            let tokens = [
                unsigned, "\(symmetric).\(Base64URL.text(of: Array(code)))", "", "a.b", "e30.e30.", "a.b.c.d",
                try FakeKey.token(claims, secret: "0123456789abcdef0123456789abcdef"),
                try other.token(claims, header: ["kid": .string(key.id)]), try other.token(claims),
                try other.token(claims, header: ["kid": .string(key.id), "jwk": try other.publicMembers()]),
                try key.token(claims, header: ["kid": nil]), try key.token(claims, header: ["crit": ["exp"]]),
                String(try key.token(claims).dropLast(4)),
            ]
            for token in tokens {
                let answer = try await world.adopt(name, token)
                #expect(
                    answer.status == 401 && answer.code == .providerTokenInvalid, "\(name) \(token): \(answer.text)")
            }
        }
    }

    @Test("of another service is refused, though both are trusted")
    func mixed() async throws {
        let world = try await OldServiceWorld()
        for name in OldServiceWorld.signing {
            for other in OldServiceWorld.signing where other != name {
                expect(try await world.adopt(other, try world.token(name)), 401, .providerTokenInvalid)
            }
        }
    }

    @Test("leaves a right one to be used")
    func innocent() async throws {
        let world = try await OldServiceWorld()
        let token = try world.token(.firebase)
        expect(try await world.adopt(.firebase, token + "A"), 401, .providerTokenInvalid)
        #expect(try await world.adopt(.firebase, token).status == 200)
    }
}
