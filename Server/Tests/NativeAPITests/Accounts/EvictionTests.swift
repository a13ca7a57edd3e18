import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import StorageSQLite
import TestWorld
import Testing

/// Issue 18: somebody who squatted an address, or stole a session once, kept a way in after the owner had changed the password.
@Suite("A change of an account")
struct EvictionTests {
    /// What the owner, or an operator for the owner, does.
    enum Change: CaseIterable {
        case password, reset, resetOnPages, passwordOnPages, addressWritten, addressVerified, addressByOperator
        case disabled, loggedOutEverywhere, loggedOutByOperator
    }

    /// What the thief holds.
    enum WayIn: CaseIterable {
        case session, pagesSession, deviceKey, logInCode, resetToken, pendingAddress, orderedAddress, transferCode
        case mergeTicket, authorizationCode, oneTimeLogInToken
    }

    @Test("ends every other way in", arguments: Change.allCases, WayIn.allCases)
    func evicts(change: Change, way: WayIn) async throws {
        let world = try await EvictionWorld()
        let enter = try await world.hold(way)
        try await world.make(change)
        #expect(try await !enter(), "\(way) survives \(change)")
    }

    @Test("is what ends them: without one they all lead in", arguments: WayIn.allCases)
    func control(way: WayIn) async throws {
        let world = try await EvictionWorld()
        let enter = try await world.hold(way)
        #expect(try await enter())
    }

    @Test(
        "leaves the session and the key by which the owner makes it",
        arguments: [Change.password, .addressWritten, .addressVerified, .loggedOutEverywhere])
    func ownerStays(change: Change) async throws {
        let world = try await EvictionWorld()
        try await world.make(change)
        #expect(try await world.owner.send(.get, APIPath.user).status == 200)
        let again = try await world.server.logIn(world.owner.device).read(LogInResponse.self)
        #expect(!again.isNew && again.user.id == world.owner.logIn.user.id)
    }

    @Test(
        "ends a key too that the thief has carried to an account of their own meanwhile: an undone transfer brings it back no more",
        arguments: Change.allCases)
    func carriedKey(change: Change) async throws {
        let world = try await EvictionWorld()
        let thief = try await world.thief()
        let elsewhere = try await world.server.person()
        _ = try await world.server.joined(try await elsewhere.issueCode().code, on: thief.device)
        try await world.make(change)
        let transfer = try #require(try await elsewhere.notices().first { $0.kind == "device_added" })
        #expect(try await elsewhere.undo(transfer.id).status == 204)
        expect(try await world.server.logIn(thief.device), 403, .deviceKeyRemoved)
    }

    @Test("covers the whole list of evictions")
    func wholeList() {
        // Ids of clients are a way in of the mobile backends; their tests have them.
        let covered: Set<Eviction> = [
            .sessions, .deviceKeys, .mailedCodes, .transferCodes, .mergeTickets, .tickets, .newAddresses, .anonymousIds,
        ]
        #expect(covered == Eviction.everything)
        let full = AccountChange.allCases.filter { $0.policy.evicts.isSuperset(of: Eviction.everything) }
        #expect(
            full == [
                .addressChanged, .emailReplaced, .emailRecovered, .phoneReplaced, .passwordChanged, .passwordReset,
                .disabled, .otherSessionsEnded, .allSessionsEnded,
            ])
    }

    @Test("tells a device whose key it took away why, once it has joined again no more")
    func notices() async throws {
        let world = try await EvictionWorld()
        let thief = try await world.thief()
        try await world.make(.loggedOutEverywhere)
        let refused = try await world.server.logIn(thief.device)
        expect(refused, 403, .deviceKeyRemoved)
        let problem = try refused.read(Problem.self)
        #expect(problem.reason == "other_sessions_ended")
        #expect(problem.removedAt?.millisecondsSince1970 == world.server.clock.now.milliseconds)
        // Another key on the same device is a new guest.
        #expect(try await world.server.logIn(ProofMaker()).status == 201)
        // With the password the device joins again.
        _ = try await world.thief(thief.device)
        let again = try await world.server.logIn(thief.device).read(LogInResponse.self)
        #expect(!again.isNew && again.user.id == world.owner.logIn.user.id)
    }

    @Test(
        "names passkeys in its mail that another password leaves, and none after a reset, which ends them",
        arguments: [false, true])
    func passkeysInMail(isReset: Bool) async throws {
        let world = try await EvictionWorld()
        try await world.give(.google, "hana")
        world.server.clock.advance(by: .milliseconds(1))
        try await world.give(.passkey, "thief")
        try await world.make(isReset ? .reset : .password)
        let mail = try #require(try await world.mails().first)
        #expect(mail.text.contains(isReset ? ": Google. Remove" : ": Google, passkeys. Remove"), "\(mail.text)")
        let application = world.server.application.id
        let user = try await world.server.modules.directory.readUser(
            Identifier(rawValue: world.owner.logIn.user.id), in: application)
        #expect(user.identities.contains { $0.provider == .passkey } == !isReset)
    }

    @Test("names nothing in its mail that the same save takes away, as one of Parse does")
    func unlinkedInMail() async throws {
        let world = try await EvictionWorld()
        try await world.give(.google, "hana")
        var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .native))
        edit.unlinked = [.google]
        edit.password = .set(Secret("a quite new secret"), renewal: nil)
        let user = try await world.server.modules.accounts.editUser(
            edit, of: Identifier(rawValue: world.owner.logIn.user.id), in: world.server.application,
            by: .operator(.local)
        ).user
        #expect(!user.identities.contains { $0.provider == .google })
        let naming = try await world.mails().filter { $0.text.contains("still lead to your account") }
        #expect(naming.isEmpty, "\(naming.map(\.text))")
    }

    @Test("takes nobody's last way in away: a guest keeps the keys when disabled or logged out by an operator")
    func lastWayIn() async throws {
        let world = try await EvictionWorld()
        let guest = try await world.server.person()
        let path = world.admin.path("/users/\(guest.logIn.user.id)")
        for act in ["disable", "enable", "log-out"] {
            let answer = try await world.admin.send("owner", .post, "\(path)/\(act)")
            #expect(answer.status == 200, "\(answer.text)")
        }
        expect(try await guest.send(.get, APIPath.user), 401, .sessionInvalid)
        let again = try await world.server.logIn(guest.device).read(LogInResponse.self)
        #expect(!again.isNew && again.user.id == guest.logIn.user.id)
    }

    @Test("takes the squatter's provider identities and verified number with a first proof of the address")
    func squatter() async throws {
        let world = try await MailServerWorld(isVerified: false)
        let id = Identifier<User>(rawValue: world.person.logIn.user.id)
        let application = world.server.application.id
        try await world.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.phone = "+819012345678"
            user.phoneVerifiedAt = user.createdAt
            try transaction.updateIdentifiers(of: user)
            try transaction.insert(
                Identity(provider: .google, subject: "squatter", linkedAt: user.createdAt), for: id, in: application)
        }
        _ = try await world.server.send(.post, APIPath.requestPasswordReset, body: #"{"email": "hana@example.com"}"#)
        let token = try #require(try await world.mails().compactMap(\.token).first)
        let reset = try await world.server.send(
            .post, APIPath.resetPassword, body: #"{"token": "\#(token)", "newPassword": "a quite new secret"}"#)
        #expect(reset.status == 204)
        let user = try await world.server.modules.directory.readUser(id, in: application)
        #expect(user.identities.isEmpty && user.emailVerifiedAt != nil && user.phoneVerifiedAt == nil)
    }
}

/// The owner of an account on a phone, and a thief who knows the password.
struct EvictionWorld: Sendable {
    static let password = "correct horse battery"
    static let redirect = "https://app.example.com/back"

    let admin: AdminWorld
    let owner: Person
    /// The same server, which knows a fake Apple.
    let apple: AppleWorld

    var server: TestServer { admin.server }

    init() async throws {
        var others = ProviderAddresses()
        others.facebookGraph = await FakeHost.address(of: NamedFacebook())
        apple = try await AppleWorld(
            settings: ["dev": "on", "public-url": TestServer.url, "rate-limits": "off"],
            application: ApplicationSettings(
                mail: MailSettings(verificationURL: "https://app.example.com/verify"),
                redirectAddresses: [Self.redirect]), others: others)
        let server = apple.server
        try await Self.open(server)
        admin = try await AdminWorld(server, roles: [])
        owner = try await server.person()
        let upgraded = try await owner.send(
            .post, APIPath.upgrade,
            body: #"{"username": "hana", "email": "hana@example.com", "password": "\#(Self.password)"}"#)
        try #require(upgraded.status == 200, "\(upgraded.text)")
        // The notice of the upgrade goes before the rest.
        _ = try await mails()
        _ = try await owner.send(.post, APIPath.requestEmailVerification)
        try await verify(try #require(try await mails().compactMap(\.token).first))
    }

    /// Switches every protocol on, and Facebook.
    private static func open(_ server: TestServer) async throws {
        let (modules, id) = (server.modules, server.application.id)
        for (name, keys) in protocols {
            _ = try await modules.applications.enableProtocol(name, given: keys, of: id, by: .local)
        }
        try await modules.providers.setProvider(
            ProviderSettings(
                provider: .facebook, audiences: [NamedFacebook.app],
                redirectURIs: ["\(TestServer.url)/a/\(id)/provider/facebook/callback"]),
            secret: Secret("fb-secret"), of: id, by: .local)
    }

    /// What was ever mailed, newest first.
    func mails() async throws -> [MailMessage] {
        _ = try await server.modules.messaging.deliverMail()
        server.clock.advance(by: .milliseconds(1))
        return try await server.modules.messaging.readOutbox(of: server.application.id)
    }

    func verify(_ token: String) async throws {
        let answer = try await server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(token)"}"#)
        try #require(answer.status == 204, "\(answer.text)")
    }

    /// Somebody who logs in by the password on a device of their own.
    func thief(_ device: ProofMaker = ProofMaker()) async throws -> Person {
        let proof = try device.proof("POST", server.url(APIPath.logInWithPassword), at: server.clock.now)
        let answer = try await server.logIn("hana", Self.password, headers: [("DPoP", proof)])
        return Person(server: server, device: device, logIn: try answer.read(LogInResponse.self))
    }

    /// The same in a browser.
    func browser() async throws -> Browser {
        let browser = Browser(server)
        let entered = try await browser.fill("log-in", ["identifier": "hana", "password": Self.password])
        try #require(entered.status == 303, "\(entered.html)")
        return browser
    }

    func make(_ change: EvictionTests.Change) async throws {
        let (path, second) = (admin.path("/users/\(owner.logIn.user.id)"), #""newPassword": "a quite new secret""#)
        let answer: Answer
        switch change {
        case .password:
            answer = try await owner.send(
                .put, APIPath.password, body: #"{"currentPassword": "\#(Self.password)", \#(second)}"#)
        case .reset:
            answer = try await server.send(
                .post, APIPath.resetPassword, body: #"{"token": "\#(try await resetToken())", \#(second)}"#)
        case .resetOnPages:
            answer = try await Browser(server).fill(
                "reset?token=\(try await resetToken())",
                ["token": try await resetToken(), "password": "a quite new secret"]
            ).answer
        case .passwordOnPages:
            let browser = try await browser()
            let account = try await browser.get(browser.path("account"))
            answer = try await browser.post(
                browser.path("account/password"),
                ["currentPassword": Self.password, "newPassword": "a quite new secret"], token: account.token
            ).answer
        case .addressWritten:
            answer = try await owner.send(.patch, APIPath.user, body: #"{"email": "new@example.com"}"#)
        case .addressVerified:
            answer = try await owner.send(
                .post, APIPath.requestEmailVerification, body: #"{"email": "new@example.com"}"#)
            try await verify(try #require(try await mails().first { $0.recipient == "new@example.com" }?.token))
        case .addressByOperator:
            let version = try #require(try await admin.send("owner", .get, path).headers[.eTag])
            answer = try await admin.send(
                "owner", .patch, path, [("If-Match", version)], body: #"{"email": "new@example.com"}"#)
        case .disabled:
            _ = try await admin.send("owner", .post, "\(path)/disable")
            // What is refused while the user is disabled must not lead in afterwards.
            answer = try await admin.send("owner", .post, "\(path)/enable")
        case .loggedOutEverywhere: answer = try await owner.send(.delete, APIPath.sessions)
        case .loggedOutByOperator: answer = try await admin.send("owner", .post, "\(path)/log-out")
        }
        try #require([200, 202, 204, 303].contains(answer.status), "\(change): \(answer.text)")
    }

    func resetToken() async throws -> String {
        _ = try await server.send(.post, APIPath.requestPasswordReset, body: #"{"email": "hana@example.com"}"#)
        return try #require(try await mails().compactMap(\.token).first)
    }

    /// Takes a way in.
    ///
    /// - Returns: Goes it, and tells whether it led anywhere.
    func hold(_ way: EvictionTests.WayIn) async throws -> () async throws -> Bool {
        switch way {
        case .session:
            let thief = try await thief()
            return { try await thief.send(.get, APIPath.user).status == 200 }
        case .pagesSession:
            let browser = try await browser()
            return { try await browser.get(browser.path("account")).status == 200 }
        case .deviceKey:
            let thief = try await thief()
            return { try await server.logIn(thief.device).status == 200 }
        case .logInCode:
            let asked = try await server.send(.post, APIPath.requestLogInCode, body: #"{"email": "hana@example.com"}"#)
            let ticket = try asked.read(LogInCodeRequestResponse.self).ticket
            let code = try #require(try await mails().compactMap(\.code).first)
            return {
                try await server.send(
                    .post, APIPath.logInWithCode, body: #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#
                ).status == 200
            }
        case .resetToken:
            let token = try await resetToken()
            return {
                try await server.send(
                    .post, APIPath.resetPassword,
                    body: #"{"token": "\#(token)", "newPassword": "a thief's own secret"}"#
                ).status == 204
            }
        case .pendingAddress, .orderedAddress:
            _ = try await thief().send(
                .post, APIPath.requestEmailVerification, body: #"{"email": "thief@example.com"}"#)
            // What is ordered later is written later.
            server.clock.advance(by: .milliseconds(1))
            let early = way == .pendingAddress ? try await mails().compactMap(\.token).first : nil
            return {
                let late = try await mails().first { $0.recipient == "thief@example.com" }?.token
                guard let token = early ?? late else { return false }
                return try await server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(token)"}"#).status == 204
            }
        case .transferCode:
            let code = try await thief().issueCode().code
            return { try await server.redeem(code, on: ProofMaker()).status == 200 }
        case .mergeTicket:
            let guest = try await server.person()
            let offered = try await guest.send(
                .post, APIPath.upgrade, body: #"{"username": "hana", "password": "\#(Self.password)"}"#)
            let ticket = try #require(try offered.read(Problem.self).merge?.ticket, "\(offered.text)")
            return {
                try await guest.send(.post, APIPath.merge, body: #"{"ticket": "\#(ticket)", "choice": "switch"}"#)
                    .status == 200
            }
        case .authorizationCode: return try await authorizationCode()
        case .oneTimeLogInToken:
            let address = try await thief().send(.post, APIPath.page).read(PageAddressResponse.self).url
            return {
                let browser = Browser(server)
                let asked = try await browser.get(address.replacing(TestServer.url, with: ""))
                try await browser.post(
                    browser.path("open"), ["ticket": try #require(asked.value(of: "ticket"))], token: asked.token)
                return try await browser.get(browser.path("account")).status == 200
            }
        }
    }

    private func authorizationCode() async throws -> () async throws -> Bool {
        let fields = [
            "client_id": server.application.id.rawValue, "redirect_uri": Self.redirect, "response_type": "code",
            "code_challenge": WebLogInTests.challenge, "code_challenge_method": "S256", "scope": "openid",
        ]
        let query = fields.map { "\($0)=\(Browser.escaped($1))" }.joined(separator: "&")
        let browser = try await browser()
        let asked = try await browser.get(browser.path("authorize") + "?" + query)
        let back = try await browser.post(
            browser.path("authorize") + "?" + query, ["choice": "continue"], token: asked.token)
        let items = back.location.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        let code = try #require(items.first { $0.name == "code" }?.value)
        return {
            try await Browser(server).post(
                browser.path("token"),
                [
                    "grant_type": "authorization_code", "client_id": server.application.id.rawValue, "code": code,
                    "redirect_uri": Self.redirect, "code_verifier": WebLogInTests.verifier,
                ]
            ).status == 200
        }
    }
}
