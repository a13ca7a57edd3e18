import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("A passkey")
struct PasskeyTests {
    @Test("makes a guest's account safe: id, session and fields stay, and the user is not anonymous any more")
    func guest() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let person = try await world.server.person()
        #expect(person.logIn.user.isAnonymous)
        let named = try await person.send(.patch, APIPath.user, body: #"{"displayName": "はな", "fields": {"gems": 3}}"#)
        #expect(named.status == 200, "\(named.text)")
        let handle = try await world.add(authenticator, to: person)
        // By the session that the guest had.
        let user = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.fields == ["gems": 3] && user.displayName == "はな" && !user.isAnonymous)
        let sessions = try await person.send(.get, APIPath.sessions).read(SessionListResponse.self).sessions
        #expect(sessions.map(\.id) == [person.logIn.session.id])
        #expect(user.id == person.logIn.user.id && user.identities.map(\.provider).contains("passkey"))
        let stored = try await world.server.modules.directory.readUser(
            Identifier(rawValue: user.id), in: world.server.application.id)
        #expect(!stored.isAnonymous)
        let answer = try await world.logIn(try await world.authentication(authenticator, handle))
        let logIn = try answer.read(LogInResponse.self)
        #expect(answer.status == 200 && logIn.user.id == user.id && !logIn.isNew && logIn.user.fields == ["gems": 3])
        let token = try await world.server.send(
            .post, APIPath.token, [("Authorization", "Bearer \(logIn.session.token)")])
        #expect(token.status == 200)
    }

    @Test("is listed, renamed and removed, each with its entry in the audit log")
    func managed() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (person, handle) = try await world.person(authenticator)
        let renamed = try await person.send(.patch, APIPath.passkey(authenticator.id), body: #"{"name": "鍵"}"#)
        #expect(try renamed.read(PasskeyBody.self).name == "鍵")
        let listed = try await person.send(.get, APIPath.passkeys).read(PasskeyListResponse.self).passkeys
        #expect(listed.map(\.id) == [authenticator.id] && listed.first?.transports == ["internal", "hybrid"])
        #expect(listed.first?.isBackupEligible == true && listed.first?.isBackedUp == true)
        let credential = try await world.authentication(authenticator, handle)
        #expect(try await person.send(.delete, APIPath.passkey(authenticator.id)).status == 204)
        expect(try await world.logIn(credential), 404, .passkeyUnknown)
        expect(try await person.send(.delete, APIPath.passkey(authenticator.id)), 404, .passkeyUnknown)
        let actions = try await world.server.modules.administration.audit.list(in: world.server.application.id)
            .map(\.action.rawValue)
        // All in the same moment.
        #expect(
            actions.filter { $0.hasPrefix("passkey.") }.sorted()
                == ["passkey.added", "passkey.removed", "passkey.renamed"])
    }

    @Test("of two is changed and removed by its own id, and neither by another", arguments: [0, 1])
    func ofTwo(index: Int) async throws {
        let (world, both) = (try await PasskeyWorld(), [SoftwareAuthenticator(), SoftwareAuthenticator()])
        let (person, handle) = try await world.person(both[0])
        _ = try await world.add(both[1], to: person)
        let (chosen, other) = (both[index], both[1 - index])
        let unknown = APIPath.passkey(SoftwareAuthenticator().id)
        expect(try await person.send(.patch, unknown, body: #"{"name": "鍵"}"#), 404, .passkeyUnknown)
        expect(try await person.send(.delete, unknown), 404, .passkeyUnknown)
        #expect(try await person.send(.delete, APIPath.passkey(chosen.id)).status == 204)
        let listed = try await person.send(.get, APIPath.passkeys).read(PasskeyListResponse.self).passkeys
        #expect(listed.map(\.id) == [other.id])
        expect(try await world.logIn(try await world.authentication(chosen, handle)), 404, .passkeyUnknown)
        #expect(try await world.logIn(try await world.authentication(other, handle)).status == 200)
    }

    @Test("is added and removed only by an owner who was there lately")
    func fresh() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (person, _) = try await world.person(authenticator)
        let body = try await world.registration(SoftwareAuthenticator(), by: person)
        world.server.clock.advance(by: .seconds(700))
        expect(try await person.send(.post, APIPath.requestPasskey), 403, .reauthenticationRequired)
        expect(try await person.send(.delete, APIPath.passkey(authenticator.id)), 403, .reauthenticationRequired)
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status >= 400)
        let other = try await world.server.person()
        expect(try await other.send(.delete, APIPath.passkey(authenticator.id)), 404, .passkeyUnknown)
    }

    @Test("shows again that the owner is there")
    func reauthentication() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (person, handle) = try await world.person(authenticator)
        world.server.clock.advance(by: .seconds(700))
        let credential = try await world.authentication(authenticator, handle)
        let body = try world.text(ReauthenticationBody(passkey: credential))
        #expect(try await person.send(.post, APIPath.reauthenticate, body: body).status == 200)
    }

    private static let spoilt: [(String, @Sendable (inout PasskeyWorld.Ceremony) -> Void)] = [
        ("client_data_type", { $0.type = "payment.get" }), ("challenge", { $0.challenge = "AAAA" }),
        ("origin", { $0.origin = "https://evil.test" }), ("cross_origin", { $0.crossOrigin = "true" }),
        ("relying_party", { $0.domain = "evil.test" }), ("user_presence", { $0.flags = 0x1c }),
        ("user_verification", { $0.flags = 0x19 }), ("backup_state", { $0.flags = 0x15 }),
    ]

    @Test("is refused by name with one part of the assertion or the registration wrong", arguments: spoilt.indices)
    func refused(index: Int) async throws {
        let (rule, spoil) = Self.spoilt[index]
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (person, handle) = try await world.person(authenticator)
        try expectRefused(try await world.logIn(try await world.authentication(authenticator, handle, spoil)), rule)
        let body = try await world.registration(SoftwareAuthenticator(), by: person, spoil)
        try expectRefused(try await person.send(.post, APIPath.passkeys, body: body), rule)
    }

    @Test("is added by the id that the authenticator signed, and by no other")
    func otherId() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let person = try await world.server.person()
        let body = try await world.registration(authenticator, by: person)
        for other in [SoftwareAuthenticator().id, SoftwareAuthenticator(idBytes: 16).id] {
            let spoilt = body.replacing(authenticator.id, with: other)
            try expectRefused(try await person.send(.post, APIPath.passkeys, body: spoilt), "credential_id")
        }
        #expect(try await person.send(.get, APIPath.passkeys).read(PasskeyListResponse.self).passkeys.isEmpty)
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status == 201)
    }

    @Test("says when it was last used, which to add it is not")
    func lastUsed() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (person, handle) = try await world.person(authenticator)
        func lastUse() async throws -> Int64? {
            try await person.send(.get, APIPath.passkeys).read(PasskeyListResponse.self).passkeys.first?
                .lastUsedAt?.millisecondsSince1970
        }
        #expect(try await lastUse() == nil)
        for span in [Duration.seconds(1), .seconds(100)] {
            world.server.clock.advance(by: span)
            let logIn = try await world.logIn(try await world.authentication(authenticator, handle))
            #expect(logIn.status == 200)
            #expect(try await lastUse() == world.server.clock.now.milliseconds)
        }
        // A refused assertion is no use.
        let before = try await lastUse()
        world.server.clock.advance(by: .seconds(1))
        let refused = try await world.authentication(authenticator, handle) { $0.origin = "https://evil.test" }
        try expectRefused(try await world.logIn(refused), "origin")
        #expect(try await lastUse() == before)
    }

    @Test("is refused with another signature, another user's handle, and after it could be backed up")
    func otherParts() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (_, handle) = try await world.person(authenticator)
        var forged = try await world.authentication(authenticator, handle)
        forged.response.signature = try await world.authentication(authenticator, handle).response.signature
        try expectRefused(try await world.logIn(forged), "signature")
        try expectRefused(try await world.logIn(try await world.authentication(authenticator, "AAAA")), "user_handle")
        let changed = try await world.authentication(authenticator, handle) { $0.flags = 0x05 }
        try expectRefused(try await world.logIn(changed), "backup_eligibility")
    }

    @Test("counts once, is answered again within its attempt, and not after five minutes")
    func once() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (_, handle) = try await world.person(authenticator)
        let credential = try await world.authentication(authenticator, handle)
        let attempt = [("Idempotency-Key", "one-attempt-of-a-passkey")]
        let first = try await world.logIn(credential, attempt).read(LogInResponse.self)
        let second = try await world.logIn(credential, attempt).read(LogInResponse.self)
        #expect(first.session.id == second.session.id)
        try expectRefused(try await world.logIn(credential), "challenge")
        let old = try await world.authentication(authenticator, handle)
        world.server.clock.advance(by: .seconds(300))
        try expectRefused(try await world.logIn(old), "challenge")
    }

    @Test("opens one session when the same assertion comes ten times at once")
    func together() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (_, handle) = try await world.person(authenticator)
        let credential = try await world.authentication(authenticator, handle)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await world.logIn(credential).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + [Int](repeating: 401, count: 9))
    }

    @Test("leaves no session behind when it is removed while it is used")
    func removedWhileUsed() async throws {
        let world = try await PasskeyWorld()
        for _ in 0..<20 {
            let authenticator = SoftwareAuthenticator()
            let (person, handle) = try await world.person(authenticator)
            let credential = try await world.authentication(authenticator, handle)
            async let logIn = world.logIn(credential)
            async let removal = person.send(.delete, APIPath.passkey(authenticator.id))
            let (entered, removed) = try await (logIn, removal)
            #expect(removed.status == 204, "\(removed.text)")
            guard entered.status == 200 else {
                expect(entered, 404, .passkeyUnknown)
                continue
            }
            let token = try entered.read(LogInResponse.self).session.token
            let later = try await world.server.send(.get, APIPath.user, [("Authorization", "Bearer \(token)")])
            #expect(later.status == 401)
            #expect(try await person.send(.get, APIPath.user).status == 200)
        }
    }

    @Test("is refused when its counter does not grow, which the audit log has")
    func counter() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (_, handle) = try await world.person(authenticator)
        let grown = try await world.authentication(authenticator, handle) { $0.signCount = 7 }
        #expect(try await world.logIn(grown).status == 200)
        let copied = try await world.authentication(authenticator, handle) { $0.signCount = 7 }
        try expectRefused(try await world.logIn(copied), "signature_counter")
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        #expect(entries.contains { $0.action == .loggedIn && $0.result == .refused })
    }

    @Test("is added once when its registration comes again, and is nobody else's")
    func repeated() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (person, _) = try await world.person(authenticator)
        let second = SoftwareAuthenticator()
        let body = try await world.registration(second, by: person)
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status == 201)
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status == 201)
        let listed = try await person.send(.get, APIPath.passkeys).read(PasskeyListResponse.self).passkeys
        #expect(Set(listed.map(\.id)) == [authenticator.id, second.id] && listed.count == 2)
        let other = try await world.server.person()
        let stolen = try await world.registration(second, by: other)
        expect(try await other.send(.post, APIPath.passkeys, body: stolen), 409, .identityTaken)
        try expectRefused(try await other.send(.post, APIPath.passkeys, body: body), "challenge")
    }

    @Test("leads a guest with another user's passkey to a merge ticket")
    func merge() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (owner, handle) = try await world.person(authenticator)
        let guest = try await world.server.person()
        let credential = try await world.authentication(authenticator, handle)
        let body = try world.text(PasskeyMergeBody(credential: credential))
        let offered = try await guest.send(.post, APIPath.mergeByPasskey, body: body)
        expect(offered, 409, .identityTaken)
        // The response got lost.
        let again = try await guest.send(.post, APIPath.mergeByPasskey, body: body)
        expect(again, 409, .identityTaken)
        let stranger = try await world.server.person()
        try expectRefused(try await stranger.send(.post, APIPath.mergeByPasskey, body: body), "challenge")
        try expectRefused(try await world.logIn(credential), "challenge")
        let ticket = try #require(try again.read(Problem.self).merge?.ticket)
        let merged = try await guest.send(
            .post, APIPath.merge, body: #"{"ticket": "\#(ticket)", "choice": "merge"}"#)
        #expect(merged.status == 200, "\(merged.text)")
        let logIn = try await world.logIn(try await world.authentication(authenticator, handle))
        #expect(try logIn.read(LogInResponse.self).user.id == owner.logIn.user.id)
    }

    @Test("leads to no merge for the token alone of a session that is not recent: neither device nor guest goes over")
    func mergeByStolenSession() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (_, handle) = try await world.person(authenticator)
        let guest = try await world.server.person()
        let owner = try await world.server.person()
        let upgrade = #"{"username": "hana", "password": "correct horse battery"}"#
        #expect(try await owner.send(.post, APIPath.upgrade, body: upgrade).status == 200)
        world.server.clock.advance(by: .seconds(601))
        for victim in [guest, owner] {
            let body = try world.text(
                PasskeyMergeBody(credential: try await world.authentication(authenticator, handle)))
            let refused = try await victim.send(.post, APIPath.mergeByPasskey, body: body)
            expect(refused, 403, .reauthenticationRequired)
            // The passkey was not used up: with a proof by the guest's key the same goes on.
            let proof = try victim.device.proof(
                "POST", world.server.url(APIPath.mergeByPasskey), at: world.server.clock.now, token: victim.token)
            let proven = try await world.server.send(
                .post, APIPath.mergeByPasskey, [("Authorization", "DPoP \(victim.token)"), ("DPoP", proof)],
                body: body)
            if victim.logIn.user.id == guest.logIn.user.id {
                expect(proven, 409, .identityTaken)
            } else {
                expect(proven, 403, .reauthenticationRequired)
            }
        }
    }

    @Test("whose counter does not grow leads to no merge either, which the audit log has of both users")
    func copiedMerge() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (owner, handle) = try await world.person(authenticator)
        let grown = try await world.authentication(authenticator, handle) { $0.signCount = 7 }
        #expect(try await world.logIn(grown).status == 200)
        let guest = try await world.server.person()
        let copied = try await world.authentication(authenticator, handle) { $0.signCount = 7 }
        let body = try world.text(PasskeyMergeBody(credential: copied))
        try expectRefused(try await guest.send(.post, APIPath.mergeByPasskey, body: body), "signature_counter")
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
            .filter { $0.action == .mergeOffered }
        #expect(entries.count == 1)
        let entry = try #require(entries.first)
        #expect(entry.result == .refused && entry.actor == .user(Identifier(rawValue: guest.logIn.user.id)))
        #expect(entry.target == .user(Identifier(rawValue: owner.logIn.user.id)))
        #expect(entry.details == ["method": "passkey", "fault": "signature_counter"])
    }

    @Test("ends with a reset of the password, which somebody asks for who fears that another one is in the account")
    func reset() async throws {
        let eviction = try await EvictionWorld()
        let (world, authenticator) = (try await PasskeyWorld(on: eviction.server), SoftwareAuthenticator())
        let handle = try await world.add(authenticator, to: eviction.owner)
        let token = try await eviction.resetToken()
        let reset = try await world.server.send(
            .post, APIPath.resetPassword, body: #"{"token": "\#(token)", "newPassword": "a quite new secret"}"#)
        #expect(reset.status == 204, "\(reset.text)")
        expect(try await world.logIn(try await world.authentication(authenticator, handle)), 404, .passkeyUnknown)
    }

    @Test("does not exist where the application has none, and leads to nobody in another application")
    func disabled() async throws {
        let server = try await TestServer()
        expect(try await server.send(.post, APIPath.requestPasskeyLogIn), 404, .passkeysNotEnabled)
        expect(try await server.person().send(.post, APIPath.requestPasskey), 404, .passkeysNotEnabled)
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (_, handle) = try await world.person(authenticator)
        let other = try await world.server.modules.applications.createApplication(
            name: "Other", settings: PasskeyWorld.settings, by: .local
        ).application
        let verified = try await world.authentication(authenticator, handle)
        let answer = try await world.server.send(
            .post, APIPath.logInWithPasskey, [("Okaeri-Application", other.id.rawValue)],
            body: try world.text(PasskeyLogInBody(credential: verified)), isNamed: false)
        // By “unknown” clients let the authenticator forget it, with which its owner logs in to the other application.
        try expectRefused(answer, "user_handle")
    }
}
