import Domain
import KiiAPI
import OkaeriWire
import TestWorld
import Testing

/// Somebody signed up with another's number, which its owner could not use any more: nobody had proved it, and it was taken for good
/// (decision 0252).
@Suite("A phone number that its user has not proved")
struct KiiUnprovedNumberTests {
    private static let number = "+819012345678"

    private func world(demands: Bool, idleLimit: Duration? = nil) async throws -> ForeignWorld {
        var settings = ApplicationSettings()
        settings.anonymousIdleLimit = idleLimit
        var options = ForeignOptions()
        options.demandsVerifiedPhone = demands
        settings.foreignOptions[.kii] = options
        return try await ForeignWorld(settings, server: ["rate-limits": "off", "dev": "on"])
    }

    /// Somebody who signed up with the number by Okaeri's own protocol, in which no number is proved.
    private func squatter(at world: ForeignWorld) async throws -> Identifier<User> {
        let made = try await world.native(
            "POST", "/v1/sign-up",
            #"{"username":"squatter","password":"four quiet words","phone":"\#(Self.number)"}"#)
        try #require(made.status == 201, "\(made.text)")
        guard case .object(let user)? = try made.json()["user"], case .string(let id)? = user["id"] else {
            throw Missing(description: made.text)
        }
        return Identifier(rawValue: id)
    }

    private func change(_ token: String, by method: String, at world: ForeignWorld) async throws -> Answer {
        try await world.kii(
            method, method == "PUT" ? "/users/me/phone-number" : "/users/me",
            #"{"phoneNumber":"\#(Self.number)"}"#, token: token)
    }

    private func verify(_ code: String, _ token: String, at world: ForeignWorld) async throws -> Answer {
        try await world.kii(
            "POST", "/users/me/phone-number/verify", #"{"verificationCode":"\#(code)"}"#, token: token,
            type: "application/vnd.kii.AddressVerificationRequest+json")
    }

    private func messages(at world: ForeignWorld) async throws -> [MailMessage] {
        _ = try await world.modules.messaging.deliverMail()
        return try await world.modules.messaging.readOutbox(of: world.application.id).filter {
            $0.recipient == Self.number
        }
    }

    private func code(at world: ForeignWorld) async throws -> String {
        let text = try #require(try await messages(at: world).first).text
        return String(try #require(text.firstMatch(of: #/\d{3} \d{3}/#), "\(text)").output).replacing(" ", with: "")
    }

    private func read(_ id: Identifier<User>, at world: ForeignWorld) async throws -> User {
        try await world.modules.directory.readUser(id, in: world.application.id)
    }

    /// Proves a number past the rules.
    private func prove(_ id: Identifier<User>, at world: ForeignWorld) async throws {
        let application = world.application.id
        try await world.importing { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.phoneVerifiedAt = user.createdAt
            try transaction.updateIdentifiers(of: user)
        }
    }

    @Test(
        "yields to who proves it, which leaves a trace with the user who had it", arguments: [false, true],
        ["PUT", "POST"])
    func yields(demands: Bool, method: String) async throws {
        let world = try await world(demands: demands)
        let squatter = try await squatter(at: world)
        let owner = try await world.kiiUser("one_1")
        let changed = try await change(owner.token, by: method, at: world)
        #expect([200, 204].contains(changed.status), "\(changed.text)")
        // It waits for the code that goes to the number.
        #expect(try await read(squatter, at: world).phone == Self.number)
        #expect(try await read(Identifier(rawValue: owner.id), at: world).phone == nil)
        let waiting = try await world.kii("GET", "/users/me", token: owner.token)
        #expect(try waiting.json()["_phoneNumberPending"] == .string(Self.number), "\(waiting.text)")
        let shown = try await world.kii(
            "GET", "/users/\(owner.id)/phone-number/verification-code", token: try await world.administrator())
        #expect(shown.status == 200, "\(shown.text)")
        #expect(try await verify("000000", owner.token, at: world).status == 403)
        let right = try await verify(code(at: world), owner.token, at: world)
        #expect(right.status == 200, "\(right.text)")
        let mine = try await world.kii("GET", "/users/me", token: owner.token)
        #expect(try mine.json()["_phoneNumberPending"] == nil, "\(mine.text)")
        #expect(try mine.text("phoneNumber") == Self.number)
        let (gone, new) = (
            try await read(squatter, at: world), try await read(Identifier(rawValue: owner.id), at: world)
        )
        #expect(gone.phone == nil && gone.username == "squatter" && gone.hasPassword)
        #expect(new.phone == Self.number && new.phoneVerifiedAt == world.clock.now)
        let logIn = try await world.kii(
            "POST", "/oauth2/token", #"{"username":"\#(Self.number)","password":"123ABC"}"#)
        #expect(logIn.status == 200, "\(logIn.text)")
        let traces = try await world.modules.administration.audit.list(in: world.application.id).filter {
            $0.target == .user(squatter) && $0.action == AccountChange.identifierYielded.policy.action
        }
        #expect(traces.map(\.actor) == [.user(Identifier(rawValue: owner.id))])
        #expect(traces.allSatisfy { $0.origin.requestId != nil && !String(reflecting: $0).contains("819012345678") })
    }

    @Test("was all that a user typed beside a password: who loses it is no guest, and is not erased as an idle one")
    func idle() async throws {
        let world = try await world(demands: false, idleLimit: .days(30))
        let made = try await world.kii("POST", "/users", #"{"phoneNumber":"\#(Self.number)","password":"123ABC"}"#)
        try #require(made.status == 201, "\(made.text)")
        let (former, guest) = (Identifier<User>(rawValue: try made.text("userID")), try await world.pseudoUser())
        let owner = try await world.kiiUser("one_1")
        let changed = try await change(owner.token, by: "PUT", at: world)
        #expect(changed.status == 204, "\(changed.text)")
        #expect(try await verify(code(at: world), owner.token, at: world).status == 200)
        let left = try await read(former, at: world)
        #expect(left.typedIdentifiers.isEmpty && left.hasPassword)
        world.clock.advance(by: .days(32))
        #expect(try await world.modules.deletion.findOverdueErasures(in: world.application).idle == 1)
        #expect(try await world.modules.deletion.removeIdleUsers() == 1)
        #expect(try await read(former, at: world).hasPassword)
        await #expect(throws: DomainError.userUnknown) {
            _ = try await read(Identifier(rawValue: guest.id), at: world)
        }
    }

    @Test("was all that led to a user whom an admin made: who loses it is not erased as an idle guest")
    func madeByAdmin() async throws {
        let world = try await world(demands: false, idleLimit: .days(30))
        let made = try await world.modules.accounts.createUser(
            NewIdentifiers(phone: .set(Self.number), rules: .native), .init(fields: ["order": "A-1"]),
            in: world.application, by: .local)
        let guest = try await world.pseudoUser()
        let owner = try await world.kiiUser("one_1")
        let changed = try await change(owner.token, by: "PUT", at: world)
        #expect(changed.status == 204, "\(changed.text)")
        #expect(try await verify(code(at: world), owner.token, at: world).status == 200)
        #expect(try await read(made.id, at: world).typedIdentifiers.isEmpty)
        world.clock.advance(by: .days(32))
        #expect(try await world.modules.deletion.findOverdueErasures(in: world.application).idle == 1)
        #expect(try await world.modules.deletion.removeIdleUsers() == 1)
        #expect(try await read(made.id, at: world).fields == ["order": "A-1"])
        await #expect(throws: DomainError.userUnknown) {
            _ = try await read(Identifier(rawValue: guest.id), at: world)
        }
    }

    @Test("tells the user whose it was by mail, in so far as there is a proved address")
    func notice() async throws {
        let world = try await world(demands: true)
        let (squatter, application) = (try await squatter(at: world), world.application.id)
        try await world.importing { transaction throws(DomainError) in
            guard var user = try transaction.user(squatter, in: application) else { throw .userUnknown }
            (user.email, user.emailVerifiedAt) = ("squatter@example.com", user.createdAt)
            try transaction.updateIdentifiers(of: user)
        }
        let owner = try await world.kiiUser("one_1")
        #expect(try await change(owner.token, by: "PUT", at: world).status == 204)
        #expect(try await verify(code(at: world), owner.token, at: world).status == 200)
        _ = try await world.modules.messaging.deliverMail()
        let mails = try await world.modules.messaging.readOutbox(of: application)
        #expect(mails.count { $0.recipient == "squatter@example.com" && $0.subject.contains("was changed") } == 1)
    }

    @Test("is another's for good once that one has proved it, also while a code for it is under way")
    func proved() async throws {
        let world = try await world(demands: true)
        let squatter = try await squatter(at: world)
        let other = try await world.kiiUser("one_1")
        #expect(try await change(other.token, by: "PUT", at: world).status == 204)
        let code = try await code(at: world)
        try await prove(squatter, at: world)
        #expect(try await verify(code, other.token, at: world).status == 409)
        #expect(try await read(squatter, at: world).phone == Self.number)
        let third = try await world.kiiUser("two_2")
        #expect(try await change(third.token, by: "PUT", at: world).status == 409)
    }

    @Test("gets a message with a code for who waits for it, unless another has proved it", arguments: [false, true])
    func takenMeanwhile(isProved: Bool) async throws {
        let world = try await world(demands: true)
        let squatter = try await squatter(at: world)
        let owner = try await world.kiiUser("one_1")
        #expect(try await change(owner.token, by: "PUT", at: world).status == 204)
        if isProved { try await prove(squatter, at: world) }
        #expect(try await messages(at: world).count == (isProved ? 0 : 1))
    }

    @Test("tells who asks for it by few look-ups an hour that somebody has it")
    func lookUps() async throws {
        let world = try await ForeignWorld(server: ["dev": "on"])
        _ = try await squatter(at: world)
        let user = try await world.kiiUser("one_1")
        for _ in 0..<60 {
            let found = try await world.kii("GET", "/users/PHONE:\(Self.number)", token: user.token)
            #expect(found.status == 200, "\(found.text)")
        }
        #expect(try await change(user.token, by: "PUT", at: world).status == 429)
        #expect(try await messages(at: world).isEmpty)
    }

    @Test("stays where it is for all that a sign-up or Okaeri's own protocol asks, which prove nothing")
    func unasked() async throws {
        let world = try await world(demands: true)
        let squatter = try await squatter(at: world)
        let made = try await world.kii(
            "POST", "/users", #"{"loginName":"two_2","phoneNumber":"\#(Self.number)","password":"123ABC"}"#)
        #expect(made.status == 409, "\(made.text)")
        let native = try await world.native(
            "POST", "/v1/sign-up", #"{"username":"mina","password":"four quiet words","phone":"\#(Self.number)"}"#)
        #expect(native.status == 409, "\(native.text)")
        #expect(try await read(squatter, at: world).phone == Self.number)
        #expect(try await messages(at: world).isEmpty)
    }
}
