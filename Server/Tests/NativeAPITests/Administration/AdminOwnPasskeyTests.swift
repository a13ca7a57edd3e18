import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@testable import NativeAPI

@Suite("A passkey of an admin")
struct AdminOwnPasskeyTests {
    private typealias Ceremony = SoftwareAuthenticator.Ceremony

    private func actions(_ world: AdminWorld, _ action: AuditEntry.Action) async throws -> [AuditEntry] {
        try await world.server.modules.administration.audit.list(
            in: AuditEntry.server, matching: .init(action: action), limit: 100)
    }

    @Test("logs in without name, password and code, at the API and in the dashboard")
    func logIn() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: [.support]), SoftwareAuthenticator())
        let handle = try await world.add(authenticator, to: "support", name: "鍵")
        let token = try await world.token(authenticator, handle)
        let me = try await world.send(token, .get, "me").json
        #expect(me["name"] == .string("support") && me["admin"]?["usesPasskeysOnly"] == .bool(false))
        // No more than the role.
        expect(try await world.send(token, .get, "keys"), 403, .notAllowed)
        let listed = try await world.send(token, .get, "me/passkeys").read(PasskeyListResponse.self).passkeys
        #expect(listed.map(\.name) == ["鍵"] && listed.first?.lastUsedAt != nil)
        let entries = try await actions(world, .adminLoggedIn)
        #expect(entries.count == 1 && entries.first?.details == ["second-factor": "passkey"])
        #expect(try await actions(world, .adminPasskeyAdded).count == 1)
    }

    @Test("opens a session of twelve hours, as the response says, and proves presence without making them more")
    func end() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        let end = world.server.clock.now + .seconds(12 * 3600)
        let opened = try await world.logIn(try await world.assertion(authenticator, handle))
        #expect(try opened.sessionEnd == end)
        world.server.clock.advance(by: .seconds(1800))
        let token = try #require(try opened.json["token"]?.text)
        let proof = try AdminWorld.body(of: try await world.assertion(authenticator, handle))
        let proven = try await world.send(token, .post, "reauthenticate/passkey", body: proof)
        #expect(try proven.status == 200 && proven.sessionEnd == end, "\(proven.text)")
    }

    @Test("is renamed and removed by its admin alone")
    func managed() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: [.support]), SoftwareAuthenticator())
        try await world.add(authenticator)
        let path = "me/passkeys/\(authenticator.id)"
        let renamed = try await world.send("owner", .patch, path, body: #"{"name": "drawer"}"#)
        #expect(try renamed.read(PasskeyBody.self).name == "drawer")
        expect(try await world.send("support", .patch, path, body: #"{"name": "x"}"#), 404, .passkeyUnknown)
        expect(try await world.send("support", .delete, path), 404, .passkeyUnknown)
        expect(try await world.send("owner", .patch, path, body: #"{"name": ""}"#), 400, .invalidMember)
        #expect(try await world.send("owner", .delete, path).status == 204)
        expect(try await world.send("owner", .delete, path), 404, .passkeyUnknown)
        #expect(try await actions(world, .adminPasskeyRenamed).count == 1)
        #expect(try await actions(world, .adminPasskeyRemoved).count == 1)
    }

    private static let spoilt: [(String, @Sendable (inout SoftwareAuthenticator.Ceremony) -> Void)] = [
        ("client_data_type", { $0.type = "payment.get" }), ("challenge", { $0.challenge = "AAAA" }),
        ("origin", { $0.origin = "https://evil.test" }), ("origin", { $0.origin = "https://id.example.test:444" }),
        ("cross_origin", { $0.crossOrigin = "true" }), ("relying_party", { $0.domain = "example.com" }),
        ("user_presence", { $0.flags = 0x1c }), ("user_verification", { $0.flags = 0x19 }),
        ("backup_state", { $0.flags = 0x15 }),
    ]

    @Test("is refused by name with one part of the assertion or the registration wrong", arguments: spoilt.indices)
    func refused(index: Int) async throws {
        let (rule, spoil) = Self.spoilt[index]
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        try expectRefused(try await world.logIn(try await world.assertion(authenticator, handle, spoil)), rule)
        let proof = try AdminWorld.body(of: try await world.assertion(authenticator, handle, spoil))
        try expectRefused(try await world.send("owner", .post, "reauthenticate/passkey", body: proof), rule)
        let made = try await world.registration(SoftwareAuthenticator(), spoil).credential
        let body = try AdminWorld.text(NewPasskeyBody(credential: made))
        try expectRefused(try await world.send("owner", .post, "me/passkeys", body: body), rule)
        #expect(try await world.send("owner", .get, "me").status == 200)
    }

    @Test("is refused with another signature, another handle, and when its counter goes back")
    func otherParts() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        var forged = try await world.assertion(authenticator, handle)
        forged.response.signature = try await world.assertion(authenticator, handle).response.signature
        try expectRefused(try await world.logIn(forged), "signature")
        try expectRefused(try await world.logIn(try await world.assertion(authenticator, "AAAA")), "user_handle")
        let other = try await world.assertion(SoftwareAuthenticator(), handle)
        expect(try await world.logIn(other), 404, .passkeyUnknown)
        #expect(
            try await world.logIn(try await world.assertion(authenticator, handle) { $0.signCount = 7 }).status == 200)
        let copied = try await world.assertion(authenticator, handle) { $0.signCount = 6 }
        try expectRefused(try await world.logIn(copied), "signature_counter")
        // The copy stands in the audit log.
        let refused = try await actions(world, .adminLoggedIn).filter { $0.result == .refused }
        #expect(refused.count == 1 && refused.first?.actor.rawValue.hasPrefix("admin:") == true)
    }

    @Test("counts once, for log-in and proof together, and not after five minutes")
    func once() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        let credential = try await world.assertion(authenticator, handle)
        #expect(try await world.logIn(credential).status == 200)
        try expectRefused(try await world.logIn(credential), "challenge")
        let body = try AdminWorld.body(of: credential)
        try expectRefused(try await world.send("owner", .post, "reauthenticate/passkey", body: body), "challenge")
        let old = try await world.assertion(authenticator, handle)
        world.server.clock.advance(by: .seconds(300))
        try expectRefused(try await world.logIn(old), "challenge")
    }

    @Test("opens one session when the same assertion comes ten times at once")
    func together() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        let credential = try await world.assertion(authenticator, handle)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await world.logIn(credential).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + [Int](repeating: 401, count: 9))
    }

    @Test("makes the session fresh, which gets another token, and no other admin's session")
    func proof() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: [.operator]), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        world.server.clock.advance(by: AdminSession.freshness)
        expect(try await world.send("owner", .post, "signing-keys", body: "{}"), 403, .reauthenticationRequired)
        let foreign = try AdminWorld.body(of: try await world.assertion(authenticator, handle))
        expect(try await world.send("operator", .post, "reauthenticate/passkey", body: foreign), 404, .passkeyUnknown)
        // Another's attempt does not use it up.
        let proven = try await world.send("owner", .post, "reauthenticate/passkey", body: foreign)
        #expect(proven.status == 200, "\(proven.text)")
        let token = try #require(try proven.json["token"]?.text)
        expect(try await world.send("owner", .get, "me"), 401, .adminRequired)
        #expect(try await world.send(token, .post, "signing-keys", body: "{}").status == 201)
        world.server.clock.advance(by: AdminSession.freshness)
        expect(try await world.send(token, .post, "signing-keys", body: "{}"), 403, .reauthenticationRequired)
    }

    @Test("is another one than a user's: neither leads to the other")
    func users() async throws {
        let world = try await AdminWorld.atOwnAddress(roles: [])
        let pages = try await PasskeyWorld(on: world.server)
        let (own, theirs) = (SoftwareAuthenticator(), SoftwareAuthenticator())
        let handle = try await world.add(own)
        let (_, userHandle) = try await pages.person(theirs)
        expect(try await world.logIn(try await world.assertion(theirs, userHandle)), 404, .passkeyUnknown)
        expect(try await pages.logIn(try await pages.authentication(own, handle)), 401, .passkeyInvalid)
        // A challenge of an application is none of the server's.
        let options = try await world.server.send(.post, APIPath.requestPasskeyLogIn).read(PasskeyRequestResponse.self)
        let mixed = try await world.assertion(own, handle) { $0.challenge = options.publicKey.challenge }
        try expectRefused(try await world.logIn(mixed), "challenge")
    }

    @Test("is added to the admin for whom its challenge was given out, once, and to no program's key")
    func registration() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: [.operator]), SoftwareAuthenticator())
        let made = try await world.registration(authenticator)
        let body = try AdminWorld.text(NewPasskeyBody(credential: made.credential))
        try expectRefused(try await world.send("operator", .post, "me/passkeys", body: body), "challenge")
        #expect(try await world.send("owner", .post, "me/passkeys", body: body).status == 201)
        // The answer may have got lost.
        #expect(try await world.send("owner", .post, "me/passkeys", body: body, changes: false).status == 201)
        #expect(try await world.send("owner", .get, "me/passkeys").read(PasskeyListResponse.self).passkeys.count == 1)
        // Another admin with the same credential.
        let again = try await world.registration(authenticator, by: "operator").credential
        let theirs = try AdminWorld.text(NewPasskeyBody(credential: again))
        try expectRefused(try await world.send("operator", .post, "me/passkeys", body: theirs), "credential_id")
        let key = try await world.send(
            "owner", .post, "keys", body: #"{"name": "CI", "scopes": ["users:read"], "days": 9}"#)
        let secret = try #require(try key.json["secret"]?.text)
        for (method, path) in [(HTTPRequest.Method.get, "me/passkeys"), (.post, "me/passkeys/request")] {
            let answer = try await world.send(secret, method, path, body: method == .get ? nil : "{}")
            expect(answer, 401, .adminRequired)
        }
        expect(try await world.send(secret, .delete, "me/password"), 401, .adminRequired)
    }

    @Test("ends the sessions that it opened or proved when it is removed, and no others")
    func sessions() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        let opened = try await world.token(authenticator, handle)
        #expect(try await world.send("owner", .delete, "me/passkeys/\(authenticator.id)").status == 204)
        expect(try await world.send(opened, .get, "me"), 401, .adminRequired)
        #expect(try await world.send("owner", .get, "me").status == 200)
        expect(try await world.logIn(try await world.assertion(authenticator, handle)), 404, .passkeyUnknown)
    }

    @Test("ends with its admin, sleeps while the admin is disabled, and ends when a link sets new credentials")
    func ends() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: [.operator]), SoftwareAuthenticator())
        let admins = world.server.modules.administration.admins
        let admin = try #require(try await admins.list().first { $0.role == .operator })
        let handle = try await world.add(authenticator, to: "operator")
        _ = try await admins.change(admin.id, .init(isDisabled: true), version: nil, by: .local)
        expect(try await world.logIn(try await world.assertion(authenticator, handle)), 404, .passkeyUnknown)
        _ = try await admins.change(admin.id, .init(isDisabled: false), version: nil, by: .local)
        #expect(try await world.logIn(try await world.assertion(authenticator, handle)).status == 200)
        let link = try await admins.makeLink(for: admin.id, by: .local)
        // As the password does, it holds until the link is used.
        #expect(try await world.logIn(try await world.assertion(authenticator, handle)).status == 200)
        let token = try await AdminWorld.setUp(link.token, name: nil, on: world.server)
        expect(try await world.logIn(try await world.assertion(authenticator, handle)), 404, .passkeyUnknown)
        let second = SoftwareAuthenticator()
        let other = try await world.add(second, to: token)
        try await admins.remove(admin.id, by: .local)
        expect(try await world.logIn(try await world.assertion(second, other)), 404, .passkeyUnknown)
    }

    @Test("is the only way in once the password is given up, and then the last one stays")
    func withoutPassword() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        expect(try await world.send("owner", .delete, "me/password"), 409, .lastWayIn)
        let handle = try await world.add(authenticator)
        let other = try await world.token(authenticator, handle)
        #expect(try await world.send("owner", .delete, "me/password").status == 204)
        // The caller's session stays, others end.
        #expect(try await world.send("owner", .get, "me").json["admin"]?["usesPasskeysOnly"] == .bool(true))
        expect(try await world.send(other, .get, "me"), 401, .adminRequired)
        world.server.clock.advance(by: .seconds(60))
        let password = #"{"name": "root", "password": "\#(AdminWorld.password)", "code": "\#(try world.ownerCode)"}"#
        expect(try await world.send(nil, .post, "log-in", body: password), 401, .credentialRefused)
        expect(try await world.send("owner", .delete, "me/passkeys/\(authenticator.id)"), 409, .lastWayIn)
        let second = SoftwareAuthenticator()
        try await world.add(second)
        #expect(try await world.send("owner", .delete, "me/passkeys/\(authenticator.id)").status == 204)
        // An owner with a passkey alone is an owner: the last one.
        let rules = world.server.modules.administration
        let owner = try #require(try await rules.admins.list().first)
        #expect(owner.isSetUp && owner.recoveryDigests.isEmpty)
        #expect(try await rules.logIns.needsFirstAdmin() == false)
        expect(try await world.send("owner", .delete, "admins/\(owner.id)"), 409, .lastOwner)
        // The command line brings a password back.
        let link = try await rules.admins.makeLink(for: owner.id, by: .local)
        let token = try await AdminWorld.setUp(link.token, name: nil, on: world.server)
        #expect(try await world.send(token, .get, "me").json["admin"]?["usesPasskeysOnly"] == .bool(false))
        #expect(try await world.send(token, .get, "me/passkeys").read(PasskeyListResponse.self).passkeys.isEmpty)
    }

    @Test("of the last two is left one, whichever of two removals at once is first")
    func race() async throws {
        let (world, first, second) = (
            try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator(), SoftwareAuthenticator()
        )
        try await world.add(first)
        try await world.add(second)
        #expect(try await world.send("owner", .delete, "me/password").status == 204)
        async let one = world.send("owner", .delete, "me/passkeys/\(first.id)")
        async let other = world.send("owner", .delete, "me/passkeys/\(second.id)")
        let statuses = try await [one.status, other.status].sorted()
        #expect(statuses == [204, 409])
    }

    @Test("is one of twenty at most")
    func limit() async throws {
        let world = try await AdminWorld.atOwnAddress(roles: [])
        for _ in 0..<Passkey.maximumPerUser { try await world.add(SoftwareAuthenticator()) }
        expect(try await world.send("owner", .post, "me/passkeys/request", body: "{}"), 400, .invalidMember)
    }
}
