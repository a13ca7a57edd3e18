import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("A second factor by the rules of an application")
struct SecondFactorPolicyTests {
    @Test("is asked of bound devices too where the application says so, but for those that have passed it")
    func devices() async throws {
        let world = try await SecondFactorWorld { $0.deviceKeysCount = false }
        let person = try await world.person()
        let other = ProofMaker()
        #expect(try await world.logIn(device: other).status == 200)
        let (key, _, _) = try await world.enrol(person)
        // The device on which it was added has passed it.
        #expect(try await world.server.logIn(person.device).status == 200)
        let refused = try await world.server.logIn(other)
        expect(refused, 403, .secondFactorRequired)
        let ticket = try #require(try refused.read(Problem.self).secondFactor).ticket
        let code = try world.nextCode(key)
        #expect(try await world.finish(ticket, #""code": "\#(code)""#, device: other).status == 200)
        #expect(try await world.server.logIn(other).status == 200)
    }

    @Test("is not gone around by a key that joins through the pages with a stolen session")
    func stolenSession() async throws {
        let redirect = "https://app.example.com/back"
        let server = try await TestServer(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(redirectAddresses: [redirect]))
        let world = try await SecondFactorWorld(on: server)
        let person = try await world.person()
        _ = try await world.enrol(person)
        server.clock.advance(by: .seconds(700))
        // The thief has the session's token, and no key of the user's.
        let address = try await person.send(.post, APIPath.page).read(PageAddressResponse.self).url
        let browser = Browser(server)
        let asked = try await browser.get(address.replacing(TestServer.url, with: ""))
        try await browser.post(
            browser.path("open"), ["ticket": try #require(asked.value(of: "ticket"))], token: asked.token)
        let query = [
            "client_id": server.application.id.rawValue, "redirect_uri": redirect, "response_type": "code",
            "code_challenge": WebLogInTests.challenge, "code_challenge_method": "S256", "scope": "openid",
        ].map { "\($0)=\(Browser.escaped($1))" }.joined(separator: "&")
        let page = browser.path("authorize") + "?" + query
        let pressed = try await browser.post(page, ["choice": "continue"], token: try await browser.get(page).token)
        let items = pressed.location.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        let code = try #require(items.first { $0.name == "code" }?.value)
        let thief = ProofMaker()
        let token = browser.path("token")
        let form = [
            "grant_type": "authorization_code", "client_id": server.application.id.rawValue, "code": code,
            "redirect_uri": redirect, "code_verifier": WebLogInTests.verifier,
        ].map { "\($0)=\(Browser.escaped($1))" }.joined(separator: "&")
        let redeemed = try await server.send(
            .post, token,
            [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("DPoP", try thief.proof("POST", server.url(token), at: server.clock.now)),
            ], body: form)
        #expect(redeemed.status == 200, "\(redeemed.text)")
        // It did not join the account, and is no second factor beside the password.
        let own = try await server.logIn(thief).read(LogInResponse.self)
        #expect(own.user.id != person.logIn.user.id)
        expect(try await world.logIn(device: thief), 403, .secondFactorRequired)
        #expect(try await server.logIn(person.device).status == 200)
    }

    @Test("is not asked of a device that joined by a transfer code where those count")
    func transferred() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        _ = try await world.enrol(person)
        let code = try await person.issueCode().code
        world.server.clock.advance(by: .seconds(60))
        let device = ProofMaker()
        let path = APIPath.logInWithTransferCode
        let redeemed = try await world.server.send(
            .post, path, [("DPoP", try device.proof("POST", world.server.url(path), at: world.server.clock.now))],
            body: #"{"code": "\#(code)"}"#)
        #expect(redeemed.status == 200, "\(redeemed.text)")
        #expect(try await world.server.logIn(device).status == 200)
    }

    @Test("says of a key that leads to somebody else that it will not join: a log-in with another one does")
    func takenKey() async throws {
        let world = try await SecondFactorWorld()
        let (key, _, _) = try await world.enrol(try await world.person())
        let other = try await world.person("kenji")
        #expect(try await world.ticket(device: other.device).joinsDevice == false)
        // It signs the end all the same, and stays with its user.
        let path = APIPath.logInWithPassword
        let proof = try other.device.proof("POST", world.server.url(path), at: world.server.clock.now)
        let bound = try await world.server.logIn(
            "hana", SecondFactorWorld.password, #", "joinsDevice": false"#, headers: [("DPoP", proof)])
        expect(bound, 403, .secondFactorRequired)
        #expect(try bound.read(Problem.self).secondFactor?.joinsDevice == nil)
        #expect(try await world.ticket().joinsDevice == nil)
        let own = ProofMaker()
        let challenge = try await world.ticket(device: own)
        #expect(challenge.joinsDevice == nil)
        let code = try world.nextCode(key)
        #expect(try await world.finish(challenge.ticket, #""code": "\#(code)""#, device: own).status == 200)
        #expect(try await world.server.logIn(own).read(LogInResponse.self).user.username == "hana")
        #expect(try await world.logIn(device: own).status == 200)
        #expect(try await world.server.logIn(other.device).read(LogInResponse.self).user.username == "kenji")
    }

    @Test("is added at the next log-in by hand where every registered user must have one; guests and devices go on")
    func required() async throws {
        let world = try await SecondFactorWorld { $0.mode = .required }
        let person = try await world.person()
        #expect(try await world.server.person().logIn.isNew)
        #expect(try await world.server.logIn(person.device).status == 200)
        let refused = try await world.logIn()
        expect(refused, 403, .secondFactorEnrolmentRequired)
        let ticket = try #require(try refused.read(Problem.self).secondFactor).ticket
        expect(try await world.finish(ticket, #""code": "123456""#), 401, .secondFactorTicketInvalid)
        let offer = try await world.server.send(
            .post, APIPath.requestEnrolment, body: #"{"ticket": "\#(ticket)"}"#
        ).read(TOTPOfferResponse.self)
        let rest = #""code": "\#(try world.code(offer.secret))", "enrolment": "\#(offer.ticket)""#
        let done = try await world.finish(ticket, rest).read(LogInResponse.self)
        #expect(done.user.id == person.logIn.user.id && done.recoveryCodes?.count == 10)
        let again = try await world.finish(ticket, rest).read(LogInResponse.self)
        #expect(again.session.id == done.session.id && again.recoveryCodes == done.recoveryCodes)
        #expect(try await world.ticket().factors == ["totp", "recovery-code"])
    }

    @Test("is demanded for the changes that the application has chosen")
    func demanded() async throws {
        let world = try await SecondFactorWorld { $0.demandedFor = [.deletionRequested, .passwordChanged] }
        let person = try await world.person()
        expect(try await person.send(.delete, APIPath.user), 403, .secondFactorEnrolmentRequired)
        let (key, _, _) = try await world.enrol(person)
        world.server.clock.advance(by: .seconds(700))
        let change = #"{"currentPassword": "\#(SecondFactorWorld.password)", "newPassword": "a quite new secret"}"#
        expect(try await person.send(.put, APIPath.password, body: change), 403, .secondFactorNotRecent)
        let shown = try await person.send(.post, APIPath.reauthenticate, body: #"{"totp": "\#(try world.code(key))"}"#)
        let token = try shown.read(ReauthenticationResponse.self).session.token
        let deleted = try await world.server.send(.delete, APIPath.user, [("Authorization", "Bearer \(token)")])
        #expect(deleted.status == 202, "\(deleted.text)")
        let guest = try await world.server.person()
        #expect(try await guest.send(.delete, APIPath.user).status == 202)
    }

    @Test("is not gone around by a transfer code where the application says so")
    func aroundIt() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        _ = try await world.enrol(person)
        let code = try await person.issueCode().code
        try await world.change { $0.transferCodesCount = false }
        let device = ProofMaker()
        let redeemed = try await world.server.send(
            .post, APIPath.logInWithTransferCode,
            [
                (
                    "DPoP",
                    try device.proof(
                        "POST", world.server.url(APIPath.logInWithTransferCode), at: world.server.clock.now)
                )
            ],
            body: #"{"code": "\#(code)"}"#)
        expect(redeemed, 403, .secondFactorRequired)
        #expect(try redeemed.read(Problem.self).secondFactor == nil)
        #expect(try await world.server.logIn(device).status == 201)
    }

    @Test(
        "is not gone around by an old protocol, unless the application exempts those",
        arguments: [AccountChangeStep.Surface.ncmb, .parse, .kii])
    func oldProtocols(surface: AccountChangeStep.Surface) async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let password = EvictionWorld.password
        func logIn() async throws -> Answer {
            switch surface {
            case .ncmb:
                try await world.ncmb(
                    .post, "/2013-09-01/login", #"{"userName":"hana","password":"\#(password)"}"#)
            case .parse:
                try await world.parse(.post, "/parse/login", #"{"username":"hana","password":"\#(password)"}"#)
            default:
                try await world.kii(.post, "/api/oauth2/token", #"{"username":"hana","password":"\#(password)"}"#)
            }
        }
        #expect(try await logIn().status == 200)
        _ = try await factors.enrol(world.owner)
        let refused = try await logIn()
        #expect((400..<500).contains(refused.status), "\(refused.text)")
        try await factors.change { $0.exemptsOldProtocols = true }
        #expect(try await logIn().status == 200)
    }

    @Test(
        "that a deletion demands is not gone around by an old protocol, which deletes at once",
        arguments: [AccountChangeStep.Surface.ncmb, .parse, .kii])
    func deletionAtOnce(surface: AccountChangeStep.Surface) async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let (id, token) = (world.owner.logIn.user.id, try await world.ownerToken(surface))
        _ = try await factors.enrol(world.owner)
        try await factors.change { $0.demandedFor = [.deletionRequested] }
        func delete() async throws -> Answer {
            switch surface {
            case .ncmb: try await world.ncmb(.delete, "/2013-09-01/users/\(id)", token: token)
            case .parse: try await world.parse(.delete, "/parse/users/\(id)", token: token)
            default: try await world.kii(.delete, EvictionWorld.kiiPath("/users/\(id)"), token: token)
            }
        }
        let refused = try await delete()
        #expect((400..<500).contains(refused.status), "\(refused.text)")
        // The account is there, and so is the session.
        #expect(try await world.owner.send(.get, APIPath.user).status == 200)
        try await factors.change { $0.exemptsOldProtocols = true }
        let deleted = try await delete()
        #expect((200..<300).contains(deleted.status), "\(deleted.text)")
        #expect(try await world.owner.send(.get, APIPath.user).status == 401)
    }

    @Test(
        "is not taken away by a reset through an address that a stolen session gives the account",
        arguments: [AccountChangeStep.Surface.native, .ncmb, .parse, .kii])
    func stolenAddress(surface: AccountChangeStep.Surface) async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let (id, thief) = (world.owner.logIn.user.id, try await world.thief())
        // Of a log-in from before the factor.
        let token = try await surface == .native ? nil : world.ownerToken(surface)
        _ = try await factors.enrol(world.owner)
        func readdress() async throws -> Answer {
            switch surface {
            case .ncmb:
                try await world.ncmb(
                    .put, "/2013-09-01/users/\(id)", #"{"mailAddress":"thief@example.com"}"#, token: token)
            case .parse:
                try await world.parse(.put, "/parse/users/\(id)", #"{"email":"thief@example.com"}"#, token: token)
            case .kii:
                try await world.kii(
                    .put, EvictionWorld.kiiPath("/users/\(id)/email-address"), #"{"emailAddress":"thief@example.com"}"#,
                    token: token)
            default: try await thief.send(.patch, APIPath.user, body: #"{"email": "thief@example.com"}"#)
            }
        }
        // Old protocols may log in without it, and yet not change it.
        try await factors.change { $0.exemptsOldProtocols = true }
        let refused = try await readdress()
        #expect((400..<500).contains(refused.status), "\(refused.text)")
        // The first reset by an address that nobody had proved takes second factors away.
        _ = try await world.server.send(.post, APIPath.requestPasswordReset, body: #"{"email": "thief@example.com"}"#)
        #expect(try await world.mails().allSatisfy { $0.recipient != "thief@example.com" })
        // Who has just shown it changes the address.
        let changed = try await world.owner.send(.patch, APIPath.user, body: #"{"email": "new@example.com"}"#)
        #expect(changed.status == 200, "\(changed.text)")
    }

    @Test(
        "is not gone around by an address that Kii's users take once it is verified", arguments: [true, false],
        [true, false])
    func pendingAddress(byUpdate: Bool, isExempt: Bool) async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let (id, token) = (world.owner.logIn.user.id, try await world.ownerToken(.kii))
        try await world.decide("kii") { $0.demandsVerifiedEmail = true }
        _ = try await factors.enrol(world.owner)
        try await factors.change { $0.exemptsOldProtocols = isExempt }
        func save(_ body: String) async throws -> Answer {
            let path = EvictionWorld.kiiPath("/users/\(id)\(byUpdate ? "" : "/email-address")")
            return try await world.kii(byUpdate ? .post : .put, path, body, token: token)
        }
        let refused = try await save(#"{"emailAddress":"thief@example.com"}"#)
        #expect((400..<500).contains(refused.status), "\(refused.text)")
        #expect(try await world.mails().allSatisfy { $0.recipient != "thief@example.com" })
        // Apps send what they have read back as it is.
        let kept = try await save(#"{"emailAddress":"hana@example.com"}"#)
        #expect((200..<300).contains(kept.status), "\(kept.text)")
    }

    @Test("is needed also to have the code of an address sent again that Kii's users asked for before they had one")
    func resentBefore() async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let token = try await world.ownerToken(.kii)
        try await world.decide("kii") { $0.demandsVerifiedEmail = true }
        let path = EvictionWorld.kiiPath("/users/\(world.owner.logIn.user.id)/email-address")
        let asked = try await world.kii(.put, path, #"{"emailAddress":"thief@example.com"}"#, token: token)
        #expect((200..<300).contains(asked.status), "\(asked.text)")
        func mailCount() async throws -> Int {
            try await world.mails().count { $0.recipient == "thief@example.com" }
        }
        #expect(try await mailCount() == 1)
        let again = try await world.kii(.post, "\(path)/resend-verification", token: token)
        #expect(again.status == 204, "\(again.text)")
        #expect(try await mailCount() == 2)
        _ = try await factors.enrol(world.owner)
        // The address waits no more, so that there is nothing to send.
        _ = try await world.kii(.post, "\(path)/resend-verification", token: token)
        #expect(try await mailCount() == 2)
    }

    @Test(
        "ends what needs it from then on and was ordered without it: another address, and a transfer code",
        arguments: [EvictionTests.WayIn.pendingAddress, .orderedAddress, .transferCode])
    func orderedBefore(way: EvictionTests.WayIn) async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let enter = try await world.hold(way)
        _ = try await factors.enrol(world.owner)
        #expect(try await !enter())
        // Who has just shown it takes another address as before.
        let asked = try await world.owner.send(
            .post, APIPath.requestEmailVerification, body: #"{"email": "new@example.com"}"#)
        #expect(asked.status == 202, "\(asked.text)")
        try await world.verify(try #require(try await world.mails().first { $0.recipient == "new@example.com" }?.token))
        let user = try await world.owner.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.email == "new@example.com")
    }

    @Test("leaves a code for the present address, which is no other way in")
    func presentAddress() async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        _ = try await world.owner.send(.post, APIPath.requestEmailVerification)
        let token = try #require(try await world.mails().compactMap(\.token).first)
        _ = try await factors.enrol(world.owner)
        try await world.verify(token)
    }

    @Test("ends an address that Kii's users take once it is verified, ordered before it", arguments: [true, false])
    func pendingBefore(isWritten: Bool) async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let (id, token) = (world.owner.logIn.user.id, try await world.ownerToken(.kii))
        try await world.decide("kii") { $0.demandsVerifiedEmail = true }
        let ordered = try await world.kii(
            .put, EvictionWorld.kiiPath("/users/\(id)/email-address"), #"{"emailAddress":"thief@example.com"}"#,
            token: token)
        #expect((200..<300).contains(ordered.status), "\(ordered.text)")
        func mailed() async throws -> String? {
            try await world.mails().first { $0.recipient == "thief@example.com" }?.token
        }
        let early = try await isWritten ? mailed() : nil
        #expect((early != nil) == isWritten)
        _ = try await factors.enrol(world.owner)
        let late = try await mailed()
        #expect(late == early)
        guard let early else { return }
        let answer = try await world.server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(early)"}"#)
        expect(answer, 400, .codeRefused)
    }

    @Test("is not there for guests, nor where the application has none")
    func off() async throws {
        let world = try await SecondFactorWorld()
        expect(try await world.server.person().send(.post, APIPath.requestTOTP), 404, .secondFactorsNotEnabled)
        let person = try await world.person()
        let offer = try await world.offer(to: person)
        try await world.change { $0.mode = .off }
        expect(try await person.send(.post, APIPath.requestTOTP), 404, .secondFactorsNotEnabled)
        let body = try world.confirmation(offer)
        expect(try await person.send(.post, APIPath.totp, body: body), 404, .secondFactorsNotEnabled)
    }

    @Test(
        "changes nothing of what is read: a log-in by a key and a session's request need as many transactions as without it"
    )
    func hotPaths() async throws {
        let engine = try CountingEngine()
        let world = try await SecondFactorWorld(on: try await TestServer(store: engine))
        let person = try await world.person()
        func cost(_ work: () async throws -> Answer) async throws -> Int {
            let before = engine.transactions
            #expect(try await work().status == 200)
            return engine.transactions - before
        }
        _ = try await person.send(.get, APIPath.user)
        let logIn = try await cost { try await world.server.logIn(person.device) }
        _ = try await world.enrol(person)
        _ = try await person.send(.get, APIPath.user)
        #expect(try await cost { try await person.send(.get, APIPath.user) } == 0)
        #expect(try await cost { try await world.server.logIn(person.device) } == logIn)
    }
}
