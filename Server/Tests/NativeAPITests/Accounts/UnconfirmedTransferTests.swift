import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// Somebody has read a guest's transfer code from the screen, and enters it first.
@Suite("A guest's device that joined by a transfer code")
struct UnconfirmedTransferTests {
    /// What the owner alone may do.
    enum Change: CaseIterable {
        case upgrade, password, address, link, passkey, oldKey, otherKeys, everywhere, code, export, deletion

        /// What takes one request and nothing else of the application.
        static let simple: [Change] = [.upgrade, .oldKey, .otherKeys, .everywhere, .code, .export, .deletion]
    }

    /// The owner's phone, and the device that joined.
    struct Pair {
        let server: TestServer
        let old: Person
        let new: Person

        init() async throws {
            server = try await TestServer(
                settings: ["public-url": TestServer.url], application: PasskeyWorld.settings)
            old = try await server.person()
            new = try await server.joined(try await old.issueCode().code, on: ProofMaker())
            #expect(new.logIn.user.id == old.logIn.user.id)
        }

        func send(_ change: Change, by person: Person, isProven: Bool = false) async throws -> Answer {
            let (method, path, body): (HTTPRequest.Method, String, String?) =
                switch change {
                case .upgrade: (.post, APIPath.upgrade, #"{"username": "hana", "password": "four quiet words"}"#)
                case .password: (.put, APIPath.password, #"{"newPassword": "four quiet words"}"#)
                case .address: (.post, APIPath.requestEmailVerification, #"{"email": "thief@example.com"}"#)
                case .link: (.post, APIPath.identity("facebook"), #"{"accessToken": "thief"}"#)
                case .passkey: (.post, APIPath.requestPasskey, nil)
                case .oldKey: (.delete, APIPath.deviceKey(old.device.thumbprint), nil)
                case .otherKeys: (.delete, APIPath.deviceKeys, nil)
                case .everywhere: (.delete, APIPath.sessions, nil)
                case .code: (.post, APIPath.transferCode, nil)
                case .export: (.get, APIPath.export, nil)
                case .deletion: (.delete, APIPath.user, nil)
                }
            guard isProven else { return try await person.send(method, path, body: body) }
            let proof = try person.device.proof(
                method.rawValue, server.url(path), at: server.clock.now, token: person.token)
            return try await server.send(
                method, path, [("Authorization", "DPoP \(person.token)"), ("DPoP", proof)], body: body)
        }
    }

    @Test(
        "is refused what the owner alone may do, also with a proof by its key and after a launch",
        arguments: Change.allCases)
    func refused(change: Change) async throws {
        let pair = try await Pair()
        let again = try await pair.server.person(pair.new.device)
        for (person, isProven) in [(pair.new, false), (pair.new, true), (again, false), (again, true)] {
            let answer = try await pair.send(change, by: person, isProven: isProven)
            expect(answer, 403, .transferUnconfirmed)
            let until = try answer.read(Problem.self).undoUntil
            #expect(until?.millisecondsSince1970 == (pair.server.clock.now + .days(1)).milliseconds)
        }
        let user = try await pair.old.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.isAnonymous && user.identities.count == 2)
        // The person plays on meanwhile.
        let changed = try await again.send(.patch, APIPath.user, body: #"{"fields": {"level": 8}}"#)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try await pair.old.send(.get, APIPath.user).status == 200)
    }

    @Test("is out entirely when the old phone undoes the transfer, whose key it could not remove")
    func undone() async throws {
        let pair = try await Pair()
        expect(try await pair.send(.oldKey, by: pair.new, isProven: true), 403, .transferUnconfirmed)
        expect(try await pair.send(.upgrade, by: pair.new), 403, .transferUnconfirmed)
        let notice = try #require(try await pair.server.person(pair.old.device).notices().first)
        #expect(try await pair.old.undo(notice.id).status == 204)
        expect(try await pair.new.send(.get, APIPath.user), 401, .sessionInvalid)
        expect(try await pair.server.logIn(pair.new.device), 403, .deviceKeyRemoved)
        expect(try await pair.server.logIn("hana", "four quiet words"), 401, .credentialRefused)
        #expect(try await pair.send(.upgrade, by: pair.old).status == 200)
    }

    @Test("may do all that the owner may as soon as the old phone acknowledges it", arguments: Change.allCases)
    func acknowledged(change: Change) async throws {
        let pair = try await Pair()
        expect(try await pair.send(change, by: pair.new), 403, .transferUnconfirmed)
        try await pair.old.acknowledgeNotices()
        let answer = try await pair.send(change, by: pair.new)
        #expect(answer.code != .transferUnconfirmed)
        if Change.simple.contains(change) { #expect((200..<300).contains(answer.status), "\(answer.text)") }
    }

    @Test("may do so after a day, to the millisecond, when nobody has the old phone", arguments: Change.simple)
    func dayLater(change: Change) async throws {
        let pair = try await Pair()
        pair.server.clock.advance(by: .days(1) - .milliseconds(1))
        let early = try await pair.send(change, by: try await pair.server.person(pair.new.device))
        expect(early, 403, .transferUnconfirmed)
        pair.server.clock.advance(by: .milliseconds(1))
        #expect(
            try early.read(Problem.self).undoUntil?.millisecondsSince1970 == pair.server.clock.now.milliseconds)
        let answer = try await pair.send(change, by: try await pair.server.person(pair.new.device))
        #expect((200..<300).contains(answer.status), "\(answer.text)")
    }

    @Test("proves nothing by its key, neither to the API nor to the hosted pages")
    func presence() async throws {
        let pair = try await Pair()
        let (server, new) = (pair.server, pair.new)
        let proof = try new.device.proof(
            "POST", server.url(APIPath.reauthenticate), at: server.clock.now, token: new.token)
        expect(
            try await new.send(.post, APIPath.reauthenticate, [("DPoP", proof)], body: "{}"), 403,
            .transferUnconfirmed)
        let browser = Browser(server)
        try await browser.open(accountOf: new, isProven: true)
        let changes: [(String, [String: String])] = [
            ("upgrade", ["username": "hana", "password": "four quiet words"]), ("sessions", [:]), ("transfer", [:]),
            ("delete", ["sure": "on"]), ("identity", ["key": pair.old.device.thumbprint]), ("export", [:]),
        ]
        for (name, fields) in changes {
            let shown = try await browser.get(browser.path("account"))
            let page = try await browser.post(browser.path("account/\(name)"), fields, token: shown.token)
            #expect(page.answer.status == 403, "\(name): \(page.html)")
        }
        let user = try await pair.old.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.isAnonymous && user.identities.count == 2)
        try await pair.old.acknowledgeNotices()
        let shown = try await browser.get(browser.path("account"))
        let page = try await browser.post(browser.path("account/upgrade"), changes[0].1, token: shown.token)
        #expect(page.answer.status == 303, "\(page.html)")
    }

    @Test("gets no ticket for a merge into an account of its holder")
    func merge() async throws {
        let pair = try await Pair()
        #expect(try await pair.server.signUp("hana").status == 201)
        let body = #"{"username": "hana", "password": "\#(AccountTests.password)"}"#
        let refused = try await pair.new.send(.post, APIPath.upgrade, body: body)
        expect(refused, 403, .transferUnconfirmed)
        #expect(try refused.read(Problem.self).merge == nil)
        try await pair.old.acknowledgeNotices()
        expect(try await pair.new.send(.post, APIPath.upgrade, body: body), 409, .identifierTaken)
    }

    @Test(
        "is asked about on the account page that the old phone opens, and nowhere else",
        arguments: [("en", "Was that you?"), ("ja", "引き継ぎの確認"), ("ko", "기기 변경 확인")], [true, false])
    func onPages(words: (String, String), isMine: Bool) async throws {
        let pair = try await Pair()
        let (old, new) = (Browser(pair.server), Browser(pair.server))
        try await old.open(accountOf: pair.old)
        try await new.open(accountOf: pair.new)
        let (language, question) = words
        let page = "account?lang=\(language)"
        #expect(try await !new.get(new.path(page)).html.contains(question))
        let shown = try await old.get(old.path(page))
        #expect(shown.html.contains(question))
        let notice = try #require(try await pair.old.notices().first)
        #expect(shown.html.components(separatedBy: #"value="\#(notice.id)""#).count == 3)
        let answered = try await old.post(
            old.path("account/notice"), [(isMine ? "mine" : "notMine"): notice.id], token: shown.token)
        let done = isMine ? "noticeConfirmed" : "noticeUndone"
        try #require(answered.location == old.path("account") + "?done=\(done)", "\(answered.html)")
        #expect(try await !old.get(old.path(page)).html.contains(question))
        #expect(try await pair.new.send(.get, APIPath.user).status == (isMine ? 200 : 401))
        if isMine { #expect(try await pair.send(.export, by: pair.new).status == 200) }
        // What is answered is answered.
        let again = try await old.post(old.path("account/notice"), ["mine": notice.id], token: shown.token)
        #expect(again.location == old.path("account"))
    }

    @Test("leaves one entry and one event when the old phone acknowledges it, and none once nothing waits for that")
    func trace() async throws {
        let pair = try await Pair()
        let (modules, application) = (pair.server.modules, pair.server.application.id)
        try await modules.events.changeSettings(of: application, isStreamed: true, retentionDays: nil, by: .local)
        func entries() async throws -> [AuditEntry] {
            try await modules.administration.audit.list(in: application).filter {
                $0.action.rawValue == "transfer.confirmed"
            }
        }
        let notice = try #require(try await pair.old.acknowledgeNotices().first)
        let user = Identifier<User>(rawValue: pair.old.logIn.user.id)
        let entry = try #require(try await entries().first)
        #expect(entry.actor == .user(user) && entry.target == .user(user) && entry.details["transfer"] == notice.id)
        #expect(entry.origin.address == "192.0.2.1" && entry.origin.requestId?.isEmpty == false)
        let events = try await modules.events.readEvents(in: application, after: 0, limit: 100).events
        #expect(events.map(\.type.rawValue) == ["transfer.confirmed"])
        #expect(try await pair.old.send(.delete, APIPath.notice(notice.id)).status == 204)
        _ = try await pair.server.joined(try await pair.old.issueCode().code, on: ProofMaker())
        pair.server.clock.advance(by: .days(1))
        #expect(try await pair.server.person(pair.old.device).acknowledgeNotices().count == 1)
        #expect(try await entries().count == 1)
    }

    @Test("neither acknowledges nor undoes another device that joined after it: each waits for the old phone")
    func another() async throws {
        let pair = try await Pair()
        pair.server.clock.advance(by: .seconds(1))
        let third = try await pair.server.joined(try await pair.old.issueCode().code, on: ProofMaker())
        let notices = try await pair.old.notices()
        try #require(notices.count == 2)
        let (first, second) = (notices[0], notices[1])
        expect(try await pair.new.send(.delete, APIPath.notice(second.id)), 403, .transferUnconfirmed)
        expect(try await pair.new.undo(second.id), 403, .transferUnconfirmed)
        #expect(try await third.send(.delete, APIPath.notice(first.id)).status == 204)
        #expect(try await pair.old.notices().count == 2)
        // One does not stand for the other.
        #expect(try await pair.old.send(.delete, APIPath.notice(second.id)).status == 204)
        #expect(try await pair.send(.export, by: third).status == 200)
        expect(try await pair.send(.export, by: pair.new), 403, .transferUnconfirmed)
        #expect(try await pair.old.send(.delete, APIPath.notice(first.id)).status == 204)
        #expect(try await pair.send(.export, by: pair.new).status == 200)
    }

    @Test("is not there any more as the owner when the old phone registers the guest, though its session is fresh")
    func registeredMeanwhile() async throws {
        let pair = try await Pair()
        #expect(try await pair.send(.upgrade, by: pair.old).status == 200)
        for change in [Change.password, .otherKeys, .everywhere, .code, .export, .deletion] {
            expect(try await pair.send(change, by: pair.new, isProven: true), 403, .reauthenticationRequired)
        }
        // Who knows the password is the owner.
        let shown = try await pair.new.send(
            .post, APIPath.reauthenticate, body: #"{"password": "four quiet words"}"#)
        let token = try shown.read(ReauthenticationResponse.self).session.token
        let export = try await pair.server.send(.get, APIPath.export, [("Authorization", "Bearer \(token)")])
        #expect(export.status == 200, "\(export.text)")
    }

    @Test(
        "of a registered user has waited for nothing, which the account page does not say otherwise",
        arguments: [
            ("en", "stays in your account", "use everything"), ("ja", "このままアカウントを使えます", "すべての機能"),
            ("ko", "계속 사용할 수 있습니다", "모든 기능"),
        ])
    func onPagesOfRegistered(language: String, words: String, others: String) async throws {
        let server = try await TestServer(settings: ["public-url": TestServer.url])
        let old = try await server.person()
        let upgrade = #"{"username": "hana", "password": "four quiet words"}"#
        #expect(try await old.send(.post, APIPath.upgrade, body: upgrade).status == 200)
        _ = try await server.joined(try await old.issueCode().code, on: ProofMaker())
        let browser = Browser(server)
        try await browser.open(accountOf: old)
        let shown = try await browser.get(browser.path("account"))
        // What a device calls itself is no part of the sentence.
        #expect(shown.html.contains("“Unknown device” joined your account"), "\(shown.html)")
        let notice = try #require(try await old.notices().first)
        let answered = try await browser.post(
            browser.path("account/notice"), ["mine": notice.id], token: shown.token)
        let done = try #require(answered.location)
        #expect(done == browser.path("account") + "?done=noticeKept")
        let said = try await browser.get("\(done)&lang=\(language)").html
        #expect(said.contains(words) && !said.contains(others))
    }

    @Test("of a registered user waits for nobody: the password proves the owner, as before")
    func registered() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let upgrade = #"{"username": "hana", "password": "four quiet words"}"#
        #expect(try await old.send(.post, APIPath.upgrade, body: upgrade).status == 200)
        let new = try await server.joined(try await old.issueCode().code, on: ProofMaker())
        expect(try await new.send(.delete, APIPath.deviceKeys), 403, .reauthenticationRequired)
        let shown = try await new.send(.post, APIPath.reauthenticate, body: #"{"password": "four quiet words"}"#)
        let token = try shown.read(ReauthenticationResponse.self).session.token
        let removed = try await server.send(.delete, APIPath.deviceKeys, [("Authorization", "Bearer \(token)")])
        #expect(removed.status == 200, "\(removed.text)")
    }
}
