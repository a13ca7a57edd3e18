import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("Errors")
struct ErrorTests {
    static let samples = ErrorWords.table.map(\.error)

    @Test("have words that apps and logs rely on: none of them ever changes", arguments: ErrorWords.table)
    func words(pinned: ErrorWords.Pinned) {
        #expect(pinned.error.code == pinned.word)
    }

    @Test("have codes that are all different, and every case is pinned")
    func codes() {
        #expect(Set(Self.samples.map(\.code)).count == Self.samples.count)
        #expect(Set(Self.samples.map(ErrorWords.number(of:))) == Set(1...Self.samples.count))
        #expect(OkaeriError.refused(code: "new_word", status: 418, detail: nil).code == "new_word")
    }

    @Test("are one of five outcomes, as coarse as an alert needs it")
    func outcomes() {
        #expect(OkaeriError.offline.outcome == .noNetwork)
        #expect(OkaeriError.serverUnavailable(retryAfter: nil).outcome == .serverError)
        #expect(OkaeriError.applicationUnknown.outcome == .badPath)
        #expect(OkaeriError.unexpectedResponse(status: 404).outcome == .badPath)
        let refused = OkaeriError.credentialRefused
        #expect(refused.outcome == .refused(message: refused.errorDescription ?? ""))
        #expect(Result<Int, OkaeriError>.success(1).outcome == .success)
        #expect(Result<Int, OkaeriError>.failure(.offline).outcome == .noNetwork)
        for case .refused(let message) in Self.samples.map(\.outcome) { #expect(!message.isEmpty) }
    }

    @Test("have a text in every language", arguments: OkaeriError.MessageKey.allCases)
    func texts(key: OkaeriError.MessageKey) throws {
        let text = try #require(OkaeriError.texts[key])
        let all = [text.english, text.japanese, text.korean]
        #expect(all.allSatisfy { !$0.isEmpty } && Set(all).count == 3)
        #expect(text.english.utf8.allSatisfy { $0 < 128 })
    }

    @Test(
        "speak the first language that they know",
        arguments: [
            (["ja-JP"], "もう一度ログインしてください。"), (["ko"], "다시 로그인해 주세요."), (["fr", "ko-KR"], "다시 로그인해 주세요."),
            (["en-GB", "ja"], "Please log in again."), (["fr"], "Please log in again."), ([], "Please log in again."),
        ])
    func languages(preferred: [String], expected: String) {
        #expect(OkaeriError.notLoggedIn.message(in: preferred) == expected)
        #expect(OkaeriError.notLoggedIn.localizedDescription.isEmpty == false)
    }

    @Test(
        "of providers do not ask the person to try again what that does not help",
        arguments: [
            (ErrorCode.providerNotEnabled, .application), (.providerMisconfigured, .application),
            (.providerAlreadyLinked, .anotherLinked), (.identityUnknown, .removed), (.providerTokenInvalid, .provider),
            (.providerTokenReplayed, .provider), (.providerRefused, .provider),
        ] as [(ErrorCode, OkaeriError.MessageKey)])
    func providers(code: ErrorCode, key: OkaeriError.MessageKey) {
        #expect(OkaeriError.providerRefused(code).messageKey == key)
    }

    @Test(
        "of passkeys ask for another way in where the same passkey would be refused again",
        arguments: [
            (.unknown, .passkeyUnknown), (.invalid(rule: "user_handle"), .passkeyUnknown),
            (.invalid(rule: "challenge"), .passkey), (.invalid(rule: nil), .passkey),
        ] as [(PasskeyRefusal, OkaeriError.MessageKey)])
    func passkeys(reason: PasskeyRefusal, key: OkaeriError.MessageKey) {
        #expect(OkaeriError.passkeyRefused(reason).messageKey == key)
    }

    @Test("of the app's own service speak its words for the person, where it has sent some")
    func hook() {
        func message(_ detail: String?, code: ErrorCode = .hookRefused) -> String {
            OkaeriError.refused(code: code, status: 403, detail: detail).message(in: ["en"])
        }
        #expect(message("学校から招待を受けてください。") == "学校から招待を受けてください。")
        #expect(message("One\u{7} line.") == "One line.")
        #expect(message(String(repeating: "花", count: 100_000)) == String(repeating: "花", count: 200))
        for nothing in [nil, "", "\n", "e" + String(repeating: "\u{301}", count: 31)] {
            #expect(message(nothing) == "The app does not allow this.")
        }
        let general = OkaeriError.unexpectedResponse(status: 403).message(in: ["en"])
        #expect(message("for developers", code: "teapot") == general)
    }

    @Test("with a wrong clock tell people about the clock")
    func clock() {
        #expect(OkaeriError.proofRefused(.clockSkew).message(in: ["en"]).contains("clock"))
        #expect(!OkaeriError.proofRefused(.proofInvalid).message(in: ["en"]).contains("clock"))
    }

    @Test("that a newer server invents are carried as they are")
    func unknownCode() async throws {
        let world = World()
        world.server.fail(.problem(Problem(title: "t", status: 418, detail: "short and stout", code: "teapot")))
        let error = await #expect(throws: OkaeriError.self) { try await world.launch().logInAutomatically() }
        #expect(error == .refused(code: "teapot", status: 418, detail: "short and stout"))
        #expect(error?.isTemporary == false)
    }

    @Test(
        "that a newer server invents pass where their status says so: they keep nobody from being greeted",
        arguments: [408, 429, 500, 503])
    func unknownPassingCode(status: Int) async throws {
        let world = World()
        let user = try await world.launch(inBackground: false).logInAutomatically().user
        world.server.fail(.problem(Problem(title: "t", status: status, code: "teapot"), retryAfter: 60))
        let client = world.launch(inBackground: false)
        #expect(try await client.logInAutomatically().user == user)
        world.server.fail(.problem(Problem(title: "t", status: status, code: "teapot")), path: APIPath.logOut)
        await client.logOut()
        await world.server.waitForRequests(1, to: APIPath.logOut)
        // The first may be the one that the server refuses.
        await client.deliverPendingLogOuts()
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("of a server without mail are no busy server's")
    func noMail() async {
        let world = World()
        world.server.fail(.problem(Problem(title: "t", status: 503, code: .mailUnavailable)))
        let client = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        await #expect(throws: OkaeriError.refused(code: .mailUnavailable, status: 503, detail: nil)) {
            try await client.requestLogInCode(email: "hana@example.com")
        }
    }

    @Test(
        "tell answers that no Okaeri server gives",
        arguments: [
            TransportResponse(status: 200, body: Data("<html>".utf8)), TransportResponse(status: 302),
            TransportResponse(status: 404, headers: ["Content-Type": "text/html"], body: Data("no".utf8)),
            TransportResponse(status: 400, headers: ["Content-Type": "application/problem+json"], body: Data("{".utf8)),
        ])
    func strangeAnswers(answer: TransportResponse) async {
        let world = World()
        world.server.fail(.response(answer))
        await #expect(throws: OkaeriError.unexpectedResponse(status: answer.status)) {
            try await world.launch().logInAutomatically()
        }
    }

    @Test(
        "of HTTP dates are none for dates in the form that servers write",
        arguments: [
            ("Sat, 21 Nov 2026 00:15:42 GMT", 1_795_220_142.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ])
    func dates(text: String, seconds: TimeInterval) {
        #expect(HTTPDate.read(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "of HTTP dates are not read in other forms",
        arguments: [
            "", "Sat, 21 Nov 2026 00:15:42 CET", "Saturday, 21-Nov-26 00:15:42 GMT", "Sat, 31 Nov 2026 00:15:42 GMT",
        ])
    func badDates(text: String) {
        #expect(HTTPDate.read(text) == nil)
    }
}
