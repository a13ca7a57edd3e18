import Domain
import FakeProviders
import HTTPTypes
import OkaeriWire
import Testing

@Suite("POST /v1/providers/apple/notifications")
struct AppleNotificationTests {
    static let relayed = FakeApple.Person(
        subject: "taro", email: "x@privaterelay.appleid.com", isPrivateEmail: true)

    @Test("switches mail to the relay address off and on")
    func email() async throws {
        let world = try await AppleWorld()
        _ = try await world.person(Self.relayed)
        for (number, kind) in ["email-disabled", "email-enabled"].enumerated() {
            let payload = try world.apple.notification(
                kind, about: Self.relayed, audience: AppleWorld.bundle, id: "n\(number)")
            #expect(try await world.notify(payload).status == 200)
            #expect(try await world.account("taro")?.isEmailForwarded == (kind == "email-enabled"))
        }
    }

    @Test("ends Apple's sessions when the person withdraws consent; the identity stays")
    func consentRevoked() async throws {
        let world = try await AppleWorld()
        let device = ProofMaker()
        let person = try await world.person(device: device)
        let automatic = try await world.server.person(device)
        let payload = try world.apple.notification(
            "consent-revoked", about: AppleWorld.hana, audience: AppleWorld.bundle, id: "n")
        #expect(try await world.notify(payload).status == 200)
        expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)
        #expect(try await automatic.send(.get, APIPath.user).status == 200)
        #expect(try await world.account("001234.hana.0099")?.sealedGrant == nil)
        let again = try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2")
        #expect(try again.read(LogInResponse.self).user.id == person.logIn.user.id)
    }

    @Test(
        "keeps the grant of another app of the team when the person withdraws consent to one, with a grant of its own or not",
        arguments: [true, false])
    func consentRevokedOfOne(hasBoth: Bool) async throws {
        let world = try await AppleWorld()
        _ = try await world.person()
        let credential = try world.apple.signIn(
            AppleWorld.hana, audience: AppleWorld.service, nonce: AppleWorld.hashed("2"))
        // Apps of old protocols send no code, and have no grant.
        let answer = try await world.logIn(
            token: credential.identityToken, code: hasBoth ? credential.code : nil, nonce: "2")
        #expect(answer.status == 200, "\(answer.text)")
        let payload = try world.apple.notification(
            "consent-revoked", about: AppleWorld.hana, audience: AppleWorld.service, id: "n")
        #expect(try await world.notify(payload).status == 200)
        let account = try await world.account("001234.hana.0099")
        #expect(account?.sealedGrant != nil)
        #expect(account?.audience == (hasBoth ? "\(AppleWorld.bundle) \(AppleWorld.service)" : AppleWorld.bundle))
    }

    @Test(
        "unlinks the identity when Apple's account is deleted, in both spellings (requirement 35)",
        arguments: [
            "account-delete", "account-deleted",
        ])
    func deleted(kind: String) async throws {
        let world = try await AppleWorld()
        let device = ProofMaker()
        let person = try await world.person(device: device)
        let payload = try world.apple.notification(
            kind, about: AppleWorld.hana, audience: AppleWorld.bundle, id: "n")
        #expect(try await world.notify(payload).status == 200)
        expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)
        let left = try await world.server.logIn(device).read(LogInResponse.self)
        #expect(left.user.id == person.logIn.user.id && left.user.identities.map(\.provider) == ["device"])
        #expect(try await world.account("001234.hana.0099") == nil)
    }

    @Test("deletes a user to whom nothing else leads when Apple's account is deleted, with grace, and the log says why")
    func stranded() async throws {
        let world = try await AppleWorld()
        let person = try await world.person(Self.relayed)
        let payload = try world.apple.notification(
            "account-delete", about: Self.relayed, audience: AppleWorld.bundle, id: "n")
        #expect(try await world.notify(payload).status == 200)
        expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)
        let (id, application) = (Identifier<User>(rawValue: person.logIn.user.id), world.server.application.id)
        let user = try await world.server.modules.directory.readUser(id, in: application)
        #expect(user.deletionRequestedAt == world.server.clock.now)
        let entries = try await world.server.modules.administration.audit.list(in: application)
        #expect(entries.first { $0.action == .deletionRequested }?.actor == .provider(.apple))
        #expect(entries.first { $0.action == .providerNotified }?.details == ["event": "account-delete"])
        // An operator may know better.
        try await world.server.modules.deletion.restoreUser(id, in: application, by: .local)
        #expect(try await world.server.modules.directory.readUser(id, in: application).deletionRequestedAt == nil)
    }

    @Test("deletes no user without the mail that says so, also to an address that nobody has confirmed")
    func strandedMail() async throws {
        let world = try await AppleWorld(settings: ["dev": "on"])
        let person = try await world.person(Self.relayed)
        let (id, application) = (Identifier<User>(rawValue: person.logIn.user.id), world.server.application.id)
        try await world.server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            (user.email, user.emailVerifiedAt) = ("taro@example.com", nil)
            try transaction.updateIdentifiers(of: user)
        }
        let payload = try world.apple.notification(
            "account-delete", about: Self.relayed, audience: AppleWorld.bundle, id: "n")
        for _ in 0..<2 { #expect(try await world.notify(payload).status == 200) }
        _ = try await world.server.modules.messaging.deliverMail()
        let mails = try await world.server.modules.messaging.readOutbox(of: application)
        #expect(mails.map(\.recipient) == ["taro@example.com"])
        #expect(mails.first?.subject.contains("will be deleted") == true)
    }

    @Test("of a relay that was switched off holds mail to it back, also what was ordered before; switched on it goes")
    func relayedMail() async throws {
        let world = try await AppleWorld(settings: ["dev": "on"])
        _ = try await world.person(Self.relayed)
        func mailsAfterOrder() async throws -> Int {
            let asked = try await world.server.send(
                .post, APIPath.requestLogInCode, body: #"{"email": "x@privaterelay.appleid.com"}"#)
            #expect(asked.status == 202)
            _ = try await world.server.modules.messaging.deliverMail()
            return try await world.server.modules.messaging.readOutbox(of: world.server.application.id).count
        }
        func notify(_ kind: String) async throws {
            let payload = try world.apple.notification(
                kind, about: Self.relayed, audience: AppleWorld.bundle, id: kind)
            #expect(try await world.notify(payload).status == 200)
        }
        try await notify("email-disabled")
        #expect(try await mailsAfterOrder() == 0)
        #expect(try await world.server.modules.messaging.listQueuedMail(in: world.server.application.id).isEmpty)
        try await notify("email-enabled")
        #expect(try await mailsAfterOrder() == 1)
    }

    @Test(
        "holds back mail to the address that it is about, of a user who has two identities since a merge",
        arguments: [true, false])
    func relayedMailAfterMerge(isTheUsers: Bool) async throws {
        let world = try await AppleWorld(settings: ["dev": "on"])
        let other = FakeApple.Person(subject: "jiro", email: "y@privaterelay.appleid.com", isPrivateEmail: true)
        let people = [try await world.person(Self.relayed), try await world.person(other)]
        let (application, now) = (world.server.application.id, world.server.clock.now)
        // The second user's identity goes over to the first user, whose address stays.
        let ids = people.map { Identifier<User>(rawValue: $0.logIn.user.id) }
        try await world.server.store.write { transaction throws(DomainError) in
            guard let left = try transaction.user(ids[1], in: application),
                let moved = left.identities.first(where: { $0.provider == .apple })
            else { throw .userUnknown }
            try transaction.remove(moved, of: ids[1], in: application)
            // It stands before the one whose address the user has.
            try transaction.insert(
                Identity(provider: .apple, subject: moved.subject, linkedAt: now - .days(1)), for: ids[0],
                in: application)
        }
        let payload = try world.apple.notification(
            "email-disabled", about: isTheUsers ? Self.relayed : other, audience: AppleWorld.bundle, id: "off")
        #expect(try await world.notify(payload).status == 200)
        let asked = try await world.server.send(
            .post, APIPath.requestLogInCode, body: #"{"email": "x@privaterelay.appleid.com"}"#)
        #expect(asked.status == 202)
        _ = try await world.server.modules.messaging.deliverMail()
        let sent = try await world.server.modules.messaging.readOutbox(of: application).count
        #expect(sent == (isTheUsers ? 0 : 1))
    }

    @Test("has no second effect")
    func twice() async throws {
        let world = try await AppleWorld()
        let payload = try world.apple.notification(
            "consent-revoked", about: AppleWorld.hana, audience: AppleWorld.bundle, id: "n")
        _ = try await world.person()
        #expect(try await world.notify(payload).status == 200)
        let later = try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2")
        let person = Person(server: world.server, device: ProofMaker(), logIn: try later.read(LogInResponse.self))
        #expect(try await world.notify(payload).status == 200)
        #expect(try await person.send(.get, APIPath.user).status == 200)
    }

    @Test(
        "of an end of consent from before the person came back ends nothing, whether its time is in milliseconds or seconds",
        arguments: [1000, 1] as [Int64])
    func late(unit: Int64) async throws {
        let world = try await AppleWorld()
        _ = try await world.person()
        let revokedAt = world.server.clock.now.milliseconds / 1000
        world.server.clock.advance(by: .seconds(3600))
        let credential = try world.credential(nonce: "2")
        let later = try await world.logIn(token: credential.identityToken, code: credential.code, nonce: "2")
        let person = Person(server: world.server, device: ProofMaker(), logIn: try later.read(LogInResponse.self))
        let event = #"{"type":"consent-revoked","sub":"\#(AppleWorld.hana.subject)","event_time":\#(revokedAt * unit)}"#
        let payload = try world.apple.notification(
            "consent-revoked", about: AppleWorld.hana, audience: AppleWorld.bundle, id: "n",
            claims: ["events": .string(event)])
        #expect(try await world.notify(payload).status == 200)
        #expect(try await person.send(.get, APIPath.user).status == 200)
        #expect(try await world.account("001234.hana.0099")?.sealedGrant != nil)
    }

    @Test("of an end of consent from before the person came back by a token alone, which brings no grant, ends nothing")
    func lateWithoutGrant() async throws {
        let world = try await AppleWorld()
        _ = try await world.logIn(token: try world.credential(nonce: "1").identityToken, nonce: "1")
        let revokedAt = world.server.clock.now.milliseconds
        world.server.clock.advance(by: .seconds(3600))
        let later = try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2")
        let person = Person(server: world.server, device: ProofMaker(), logIn: try later.read(LogInResponse.self))
        for (time, status) in [(revokedAt, 200), (world.server.clock.now.milliseconds, 401)] {
            let event = #"{"type":"consent-revoked","sub":"\#(AppleWorld.hana.subject)","event_time":\#(time)}"#
            let payload = try world.apple.notification(
                "consent-revoked", about: AppleWorld.hana, audience: AppleWorld.bundle, id: "at \(time)",
                claims: ["events": .string(event)])
            #expect(try await world.notify(payload).status == 200)
            #expect(try await person.send(.get, APIPath.user).status == status)
        }
    }

    @Test("passes over people and events that it does not know", arguments: ["email-disabled", "something-new"])
    func unknown(kind: String) async throws {
        let world = try await AppleWorld()
        let payload = try world.apple.notification(
            kind, about: FakeApple.Person(subject: "nobody"), audience: AppleWorld.bundle, id: "n")
        #expect(try await world.notify(payload).status == 200)
    }

    @Test(
        "refuses what Apple has not signed for an application here",
        arguments: [
            "signature", "audience", "issuer", "old", "identity", "no id", "no events",
        ])
    func refused(fault: String) async throws {
        let world = try await AppleWorld()
        let person = try await world.person()
        func payload(_ claims: [String: JSONValue], audience: String = AppleWorld.bundle) throws -> String {
            try world.apple.notification(
                "consent-revoked", about: AppleWorld.hana, audience: audience, id: "n", claims: claims)
        }
        let sent =
            switch fault {
            case "signature": String(try payload([:]).dropLast(8)) + "AAAAAAAA"
            case "audience": try payload([:], audience: "com.example.other")
            case "issuer": try payload(["iss": "https://evil.example"])
            case "old": try payload(["iat": .integer(world.server.clock.now.milliseconds / 1000 - 31 * 86_400)])
            case "identity": try world.credential(nonce: "2").identityToken
            case "no id": try payload(["jti": nil])
            default: try payload(["events": "[]"])
            }
        expect(try await world.notify(sent), 401, .providerTokenInvalid)
        #expect(try await person.send(.get, APIPath.user).status == 200)
    }

    @Test("learns that a body is no notification", arguments: ["{}", "[]", #"{"payload": 1}"#])
    func malformed(body: String) async throws {
        let answer = try await AppleWorld().server.send(
            .post, APIPath.appleNotifications, body: body, isNamed: false)
        #expect(answer.status == 400)
    }
}
