import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// What the way back to an address begins with, beside the change of the address itself.
extension EmailRecoveryTests {
    @Test(
        "has a link too where a code showed the new address, which a session of an old app had ordered, also one that has ended since",
        arguments: [false, true])
    func ordered(isLoggedOut: Bool) async throws {
        let world = try await EvictionWorld()
        try await world.decide("kii") { $0.demandsVerifiedEmail = true }
        try await steal(world, by: .kii)
        #expect(try await user(world).email == Self.former)
        let code = try await world.mailedToken(to: Self.thiefs)
        if isLoggedOut {
            let (id, application) = (id(world), world.server.application.id)
            _ = try await world.server.store.write { transaction throws(DomainError) in
                try transaction.endSessions(of: id, in: application, except: nil)
            }
        }
        try await world.verify(code)
        #expect(try await user(world).email == Self.thiefs)
        #expect(try await recover(world, try await link(world)).status == 200)
        #expect(try await user(world).email == Self.former)
    }

    /// Each launch opens another session by the device's key, and ends the one of before.
    @Test(
        "has no link where its owner's app ordered another one and was opened anew since, or logged out: a phone stays logged in",
        arguments: [false, true])
    func relaunched(isLoggedOut: Bool) async throws {
        let world = try await EvictionWorld()
        let ordered = try await world.owner.send(
            .post, APIPath.requestEmailVerification, body: #"{"email": "new@example.com"}"#)
        try #require(ordered.status == 202, "\(ordered.text)")
        let token = try await world.mailedToken(to: "new@example.com")
        world.server.clock.advance(by: .seconds(700))
        let phone = try await world.server.person(world.owner.device)
        expect(try await world.owner.send(.get, APIPath.user), 401, .sessionInvalid)
        if isLoggedOut { #expect(try await phone.send(.post, APIPath.logOut).status == 204) }
        try await world.verify(token)
        #expect(try await user(world).email == "new@example.com")
        #expect(try await links(world).isEmpty)
        guard !isLoggedOut else { return }
        #expect(try await phone.send(.get, APIPath.user).status == 200)
        let again = try await world.server.logIn(phone.device)
        try #require(again.status == 200, "\(again.text)")
        #expect(try again.read(LogInResponse.self).user.id == world.owner.logIn.user.id)
    }

    @Test("was removed by the session, and comes back all the same")
    func removed() async throws {
        let world = try await EvictionWorld()
        let token = try await world.ownerToken(.parse)
        world.server.clock.advance(by: .seconds(700))
        let answer = try await world.parse(
            .put, "/parse/users/\(world.owner.logIn.user.id)", #"{"email":{"__op":"Delete"}}"#, token: token)
        try #require(answer.status == 200, "\(answer.text)")
        #expect(try await user(world).email == nil)
        #expect(try await recover(world, try await link(world)).status == 200)
        #expect(try await user(world).email == Self.former)
    }

    /// Parse's apps set a password by the session alone, and Kii's that of a user who came without one. A log-in with it looks like
    /// the owner's.
    @Test(
        "has a link too where the session first set the password by which a thief then showed to be there",
        arguments: [Surface.parse, .kii])
    func prepared(app: Surface) async throws {
        let world = try await EvictionWorld()
        try await setPassword(world, by: app)
        #expect(try await links(world).isEmpty)
        let thief = try await world.server.logIn("hana", Self.newPassword).read(LogInResponse.self)
        let changed = try await world.server.send(
            .patch, APIPath.user, thief.bearer, body: #"{"email": "\#(Self.thiefs)"}"#)
        try #require(changed.status == 200, "\(changed.text)")
        #expect(try await recover(world, try await link(world)).status == 200)
        #expect(try await user(world).email == Self.former)
        #expect(try await world.server.logIn("hana", Self.newPassword).status == 401)
    }

    @Test("has no link once its owner has been there by a reset: what comes then is the owner's own")
    func resetByOwner() async throws {
        let world = try await EvictionWorld()
        try await setPassword(world)
        let reset = try await world.server.send(
            .post, APIPath.resetPassword,
            body: #"{"token": "\#(try await world.resetToken())", "newPassword": "the owner's own secret"}"#)
        try #require(reset.status == 204, "\(reset.text)")
        let owner = try await world.server.logIn("hana", "the owner's own secret").read(LogInResponse.self)
        let changed = try await world.server.send(
            .patch, APIPath.user, owner.bearer, body: #"{"email": "new@example.com"}"#)
        try #require(changed.status == 200, "\(changed.text)")
        #expect(try await links(world).isEmpty)
    }

    @Test(
        "has a link too where the session first proved a number, and none where it wrote one down alone",
        arguments: [true, false])
    func number(isProved: Bool) async throws {
        let world = try await EvictionWorld()
        let (session, number) = (try await world.ownerToken(.kii), "+819011112222")
        world.server.clock.advance(by: .seconds(700))
        let path = EvictionWorld.kiiPath("/users/me/phone-number")
        let changed = try await world.kii(.put, path, #"{"phoneNumber":"\#(number)"}"#, token: session)
        try #require(changed.status == 204, "\(changed.text)")
        if isProved {
            let sent = try await world.kii(.post, "\(path)/resend-verification", token: session)
            try #require(sent.status == 204, "\(sent.text)")
            let code = try await world.textedCode(number)
            let verified = try await world.kii(
                .post, "\(path)/verify", #"{"verificationCode":"\#(code)"}"#, token: session)
            try #require(verified.status == 200, "\(verified.text)")
        }
        let thief = try await world.server.logIn("hana", EvictionWorld.password).read(LogInResponse.self)
        let taken = try await world.server.send(
            .patch, APIPath.user, thief.bearer, body: #"{"email": "\#(Self.thiefs)"}"#)
        try #require(taken.status == 200, "\(taken.text)")
        #expect(try await links(world).isEmpty == !isProved)
    }

    /// What a thief wrote and proved is no former address of the owner, who would give the account away by changing it.
    @Test(
        "has no link where it is a thief's own, which a session alone gave to an account without a proved one",
        arguments: [true, false])
    func thiefsOwn(hadOne: Bool) async throws {
        let world = try await EvictionWorld()
        try await world.forgetProofOfAddress()
        let (id, application) = (id(world), world.server.application.id)
        if !hadOne {
            try await world.server.store.write { transaction throws(DomainError) in
                guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
                user.email = nil
                try transaction.updateIdentifiers(of: user)
            }
        }
        let session = try await world.ownerToken(.parse)
        world.server.clock.advance(by: .seconds(700))
        try await change(world, by: .parse, session)
        try await prove(Self.thiefs, world)
        let linked = try await world.parse(
            .put, "/parse/users/\(id)",
            #"{"authData":{"anonymous":{"id":"0A4F7C11-3D52-4E6B-9C8A-5B1E2F3D4C60"}}}"#, token: session)
        try #require(linked.status == 200, "\(linked.text)")
        let owner = try await world.server.logIn("hana", EvictionWorld.password).read(LogInResponse.self)
        let changed = try await world.server.send(
            .patch, APIPath.user, owner.bearer, body: #"{"email": "mine@example.com"}"#)
        try #require(changed.status == 200, "\(changed.text)")
        #expect(try await links(world, to: Self.thiefs).isEmpty)
        #expect(try await user(world).email == "mine@example.com")
    }

    @Test("has a link too where a guest of an old app gave it at the registration, by a session of before")
    func registered() async throws {
        let world = try await EvictionWorld()
        let made = try await world.parse(
            .post, "/parse/users", #"{"authData":{"anonymous":{"id":"0A4F7C11-3D52-4E6B-9C8A-5B1E2F3D4C60"}}}"#)
        let guest = try #require(try made.json["sessionToken"]?.text, "\(made.text)")
        let path = "/parse/users/\(try #require(try made.json["objectId"]?.text))"
        world.server.clock.advance(by: .seconds(700))
        let registered = try await world.parse(
            .put, path,
            #"{"username":"mika","password":"\#(EvictionWorld.password)","email":"mika@example.com"}"#, token: guest)
        try #require(registered.status == 200, "\(registered.text)")
        let session = try registered.json["sessionToken"]?.text ?? guest
        try await prove("mika@example.com", world)
        world.server.clock.advance(by: .seconds(700))
        let taken = try await world.parse(.put, path, #"{"email":"\#(Self.thiefs)"}"#, token: session)
        try #require(taken.status == 200, "\(taken.text)")
        #expect(try await links(world, to: "mika@example.com").count == 1)
    }

    /// Has a mail sent to an address as apps of Parse do, and follows its link.
    private func prove(_ address: String, _ world: EvictionWorld) async throws {
        let asked = try await world.parse(.post, "/parse/verificationEmailRequest", #"{"email":"\#(address)"}"#)
        try #require(asked.status == 200, "\(asked.text)")
        try await world.verify(try await world.mailedToken(to: address))
    }

    /// Sets a password by a session that its owner opened some time ago.
    private func setPassword(_ world: EvictionWorld, by app: Surface = .parse) async throws {
        let session = try await world.ownerToken(app)
        world.server.clock.advance(by: .seconds(700))
        let answer: Answer
        if app == .kii {
            let (id, application, now) = (id(world), world.server.application.id, world.server.clock.now)
            try await world.server.store.write { transaction throws(DomainError) in
                try transaction.removePassword(of: id, in: application)
                try transaction.noteUnknownPassword(of: id, in: application, since: now)
            }
            answer = try await world.kii(
                .put, EvictionWorld.kiiPath("/users/me/password"),
                #"{"oldPassword":"whatever","newPassword":"\#(Self.newPassword)"}"#, token: session)
        } else {
            answer = try await world.parse(
                .put, "/parse/users/\(world.owner.logIn.user.id)", #"{"password":"\#(Self.newPassword)"}"#,
                token: session)
        }
        try #require([200, 204].contains(answer.status), "\(answer.text)")
    }
}
