import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("A second factor, when something goes wrong")
struct SecondFactorFaultTests {
    private let world = World()
    private let password = "wind over the sea 7"

    init() { world.server.secondFactorMode = .optional }

    private func owner() async throws -> TestTOTP {
        let okaeri = world.launch(vault: TestVault())
        try await okaeri.signUp(username: "hana", password: password)
        let offer = try await okaeri.requestTOTP()
        let app = TestTOTP(secret: offer.secret)
        try await okaeri.addTOTP(offer, code: app.code(at: world.clock.now))
        world.clock.advance(by: .seconds(30))
        return app
    }

    private func challenge(_ okaeri: OkaeriClient) async throws -> SecondFactorChallenge {
        let error = await #expect(throws: OkaeriError.self) {
            try await okaeri.logIn(identifier: "hana", password: password)
        }
        return try #require(error?.secondFactorChallenge)
    }

    @Test("a response that got lost is asked for again, and the code counts once")
    func lostResponse() async throws {
        let app = try await owner()
        let okaeri = world.launch(retry: RetryPolicy(maximumTries: 1))
        let challenge = try await challenge(okaeri)
        let proof = SecondFactorProof.totp(app.code(at: world.clock.now))
        world.server.fail(.lostResponse, path: APIPath.logInWithSecondFactor)
        await #expect(throws: OkaeriError.offline) { try await okaeri.logIn(secondFactor: proof, for: challenge) }
        let sessions = world.server.sessionCount
        #expect(try await okaeri.logIn(secondFactor: proof, for: challenge).user.username == "hana")
        #expect(world.server.sessionCount == sessions)
        let sent = world.server.requests(to: APIPath.logInWithSecondFactor)
        #expect(Set(sent.map(\.body)).count == 1)
    }

    @Test("an app that was closed at the code begins again, without harm")
    func closed() async throws {
        let app = try await owner()
        let vault = TestVault()
        _ = try await challenge(world.launch(vault: vault))
        let again = world.launch(vault: vault)
        #expect(await again.currentUser == nil)
        let challenge = try await challenge(again)
        try await again.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge)
        #expect(await again.currentUser?.username == "hana")
    }

    @Test("a wrong code can be tried again, and several make the person wait")
    func wrongCodes() async throws {
        let app = try await owner()
        let okaeri = world.launch(retry: RetryPolicy(maximumTries: 1))
        let challenge = try await challenge(okaeri)
        for _ in 0..<5 {
            await #expect(throws: OkaeriError.secondFactorRefused(.codeInvalid)) {
                try await okaeri.logIn(secondFactor: .totp("12345"), for: challenge)
            }
        }
        let right = SecondFactorProof.totp(app.code(at: world.clock.now))
        await #expect(throws: OkaeriError.rateLimited(retryAfter: .seconds(1))) {
            try await okaeri.logIn(secondFactor: right, for: challenge)
        }
        world.clock.advance(by: .seconds(1))
        try await okaeri.logIn(secondFactor: right, for: challenge)
    }

    @Test("a ticket that is over sends the person back to the beginning")
    func over() async throws {
        let app = try await owner()
        let okaeri = world.launch()
        let challenge = try await challenge(okaeri)
        #expect(challenge.expiresAt == world.clock.now.addingTimeInterval(300))
        world.clock.advance(by: .seconds(300))
        await #expect(throws: OkaeriError.secondFactorRefused(.ticketInvalid)) {
            try await okaeri.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge)
        }
        #expect(await okaeri.currentUser == nil)
    }

    @Test("a ticket is worth nothing on another device, nor after this one forgot its key")
    func otherKey() async throws {
        let app = try await owner()
        let okaeri = world.launch()
        let challenge = try await challenge(okaeri)
        let proof = SecondFactorProof.totp(app.code(at: world.clock.now))
        for thief in [world.launch(vault: TestVault()), okaeri] {
            if thief === okaeri { try await okaeri.forgetDevice() }
            await #expect(throws: OkaeriError.proofRefused(.proofInvalid)) {
                try await thief.logIn(secondFactor: proof, for: challenge)
            }
        }
    }

    @Test("a log-in that a forgotten device overtakes opens nothing")
    func overtaken() async throws {
        let app = try await owner()
        let okaeri = world.launch(inBackground: false)
        let challenge = try await challenge(okaeri)
        world.server.hold(path: APIPath.logInWithSecondFactor)
        let proof = SecondFactorProof.totp(app.code(at: world.clock.now))
        let logIn = Task { try await okaeri.logIn(secondFactor: proof, for: challenge) }
        await world.server.waitForRequests(1, to: APIPath.logInWithSecondFactor)
        try await okaeri.forgetDevice()
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await logIn.value }
        #expect(await okaeri.currentUser == nil)
    }

    private func problem(_ challenge: String, code: String = "second_factor_required") -> TransportResponse {
        let body = """
            {"type":"about:blank","title":"t","status":403,"code":"\(code)","secondFactor":\(challenge)}
            """
        return TransportResponse(
            status: 403, headers: ["Content-Type": Problem.mediaType], body: Data(body.utf8))
    }

    @Test("a challenge holds where the log-in cannot begin again with a free key", arguments: [1, 2])
    func noFreeKey(challenges: Int) async throws {
        let okaeri = world.launch(retry: RetryPolicy(maximumTries: 1))
        for number in 1...challenges {
            let taken =
                #"{"ticket":"\#(number)","factors":["totp"],"expiresAt":"2030-01-01T00:00:00Z","joinsDevice":false}"#
            world.server.fail(.response(problem(taken)), path: APIPath.logInWithPassword)
        }
        world.server.fail(.unreachable, path: APIPath.logInWithPassword)
        let challenge = try await challenge(okaeri)
        #expect(challenge.ticket.revealed == String(challenges) && challenge.start.rememberMe == .automatic)
    }

    @Test(
        "a hostile challenge does no harm",
        arguments: [
            #"{"ticket":"","factors":[],"expiresAt":"9999-12-31T23:59:59.999Z"}"#,
            #"{"ticket":"t","factors":["totp","astrology",""],"expiresAt":"0001-01-01T00:00:00Z"}"#,
            #"{"ticket":"t","factors":["totp"],"expiresAt":99999999999999999999}"#,
            #"{"ticket":"t","factors":["totp"],"expiresAt":"+999999999-01-01T00:00:00Z"}"#,
            #"{"ticket":7,"factors":"totp","expiresAt":null}"#, "null", "[]", "1e999",
        ])
    func hostileChallenge(challenge: String) async {
        let okaeri = world.launch(retry: RetryPolicy(maximumTries: 1))
        world.server.fail(.response(problem(challenge)))
        let error = await #expect(throws: OkaeriError.self) {
            try await okaeri.logIn(identifier: "hana", password: password)
        }
        guard let challenge = error?.secondFactorChallenge else { return }
        #expect(challenge.factors.count <= 16 && challenge.factors.allSatisfy { $0.rawValue.count <= 64 })
        await #expect(throws: OkaeriError.self) { try await okaeri.logIn(secondFactor: .totp("1"), for: challenge) }
        #expect(await okaeri.currentUser == nil)
    }

    @Test("a challenge with a hundred thousand factors is cut off, and each is short")
    func manyFactors() async {
        let okaeri = world.launch(retry: RetryPolicy(maximumTries: 1))
        let factors = Array(repeating: #""\#(String(repeating: "x", count: 5))""#, count: 100_000)
        let all = #"{"ticket":"t","factors":[\#(factors.joined(separator: ","))],"expiresAt":"2030-01-01T00:00:00Z"}"#
        world.server.fail(.response(problem(all)))
        let error = await #expect(throws: OkaeriError.self) {
            try await okaeri.logIn(identifier: "hana", password: password)
        }
        #expect(error?.secondFactorChallenge?.factors.count == 16)
    }

    @Test("a key whose link leads elsewhere has none, and negative counts are none")
    func hostileOffer() {
        let end = WireTime(millisecondsSince1970: 0)
        for link in ["https://evil.example/otpauth", "javascript:alert(1)", "", "otpauth"] {
            #expect(TOTPOffer(TOTPOfferResponse(ticket: "t", secret: "S", link: link, expiresAt: end)).link == nil)
        }
        let list = SecondFactorList(SecondFactorListResponse(factors: [], recoveryCodesLeft: .min))
        #expect(list.recoveryCodesLeft == 0)
    }

    @Test("nothing that is printed holds a ticket, a key or a code")
    func printed() throws {
        let end = WireTime(millisecondsSince1970: 0)
        let challenge = SecondFactorChallenge(
            SecondFactorChallengeBody(ticket: "hush-ticket", factors: ["totp"], expiresAt: end))
        let offer = TOTPOffer(
            TOTPOfferResponse(ticket: "hush-ticket", secret: "hush-key", link: "otpauth://hush", expiresAt: end))
        let values: [Any] = [
            challenge, offer, RecoveryCodes(["hush-code"]), SecondFactorProof.totp("hush-code"),
            OkaeriError.secondFactorRequired(challenge),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains("hush")) }
        }
    }
}
