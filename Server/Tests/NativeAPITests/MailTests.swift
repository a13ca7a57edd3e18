import Domain
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

/// A server whose mails go to the outbox, with one user whose address is known.
struct MailServerWorld: Sendable {
    let server: TestServer
    let store: SQLiteStore
    let person: Person

    init(
        settings: [String: String] = [:], application: ApplicationSettings = ApplicationSettings(),
        isVerified: Bool = true, locale: String? = nil
    ) async throws {
        store = try SQLiteStore(.memory, role: .server)
        server = try await TestServer(
            settings: ["dev": "on"].merging(settings) { $1 }, application: application, store: store)
        person = try await server.person(body: locale.map { #"{"user": {"locale": "\#($0)"}}"# })
        let (id, application, now) = (person.logIn.user.id, server.application.id, server.clock.now)
        try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(Identifier(rawValue: id), in: application) else {
                throw .userUnknown
            }
            user.email = "hana@example.com"
            user.emailVerifiedAt = isVerified ? now : nil
            try transaction.updateIdentifiers(of: user)
        }
    }

    /// Sends what is queued; what was ever sent, newest first.
    func mails() async throws -> [MailMessage] {
        _ = try await server.modules.messaging.deliverMail()
        // Ids of one millisecond have no order.
        server.clock.advance(by: .milliseconds(1))
        return try await server.modules.messaging.readOutbox(of: server.application.id)
    }

    func user() async throws -> UserBody {
        try await person.send(.get, APIPath.user).read(UserBody.self)
    }
}

@Suite("Codes by mail, over HTTP")
struct MailTests {
    @Test("log a person in on another device")
    func logIn() async throws {
        let world = try await MailServerWorld()
        let asked = try await world.server.send(
            .post, APIPath.requestLogInCode, [("Accept-Language", "fr, ko;q=0.9, ja;q=0.5")],
            body: #"{"email": " HANA@example.com "}"#)
        #expect(asked.status == 202)
        let ticket = try asked.read(LogInCodeRequestResponse.self)
        #expect(ticket.expiresInSeconds == 600)
        let mail = try #require(try await world.mails().first)
        #expect(mail.language == "ko" && mail.recipient == "hana@example.com")
        let code = try #require(mail.code)
        let device = ProofMaker()
        let body = #"{"ticket": "\#(ticket.ticket)", "code": "\#(code)", "device": {"name": "新しい電話"}}"#
        func send() async throws -> Answer {
            let proof = try device.proof(
                "POST", world.server.url(APIPath.logInWithCode), at: world.server.clock.now)
            return try await world.server.send(
                .post, APIPath.logInWithCode, [("DPoP", proof), ("Idempotency-Key", "attempt")], body: body)
        }
        let answer = try await send()
        #expect(answer.status == 200, "\(answer.text)")
        let logIn = try answer.read(LogInResponse.self)
        #expect(logIn.user.id == world.person.logIn.user.id && !logIn.isNew)
        // An answer that was lost can be asked for again; the code itself is used up.
        #expect(try await send().read(LogInResponse.self).session.id == logIn.session.id)
        expect(try await world.server.send(.post, APIPath.logInWithCode, body: body), 400, .codeRefused)
        let sessions = try await world.person.send(.get, APIPath.sessions).read(SessionListResponse.self).sessions
        #expect(sessions.map(\.createdWith).contains("code"))
        #expect(sessions.compactMap(\.device?.name) == ["新しい電話"])
    }

    /// How the session ends that a code has opened.
    enum End: CaseIterable {
        case logOut, removedKey, deletion
    }

    @Test(
        "count once under the name of their attempt too: when its session has ended they open no other, on no device",
        arguments: End.allCases)
    func ended(_ end: End) async throws {
        let world = try await MailServerWorld()
        let asked = try await world.server.send(
            .post, APIPath.requestLogInCode, body: #"{"email": "hana@example.com"}"#)
        let ticket = try asked.read(LogInCodeRequestResponse.self).ticket
        let code = try #require(try await world.mails().first?.code)
        func send(_ device: ProofMaker) async throws -> Answer {
            let proof = try device.proof(
                "POST", world.server.url(APIPath.logInWithCode), at: world.server.clock.now)
            return try await world.server.send(
                .post, APIPath.logInWithCode,
                [("DPoP", proof), ("Idempotency-Key", "attempt"), ("Okaeri-Restore", "true")],
                body: #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#)
        }
        let device = ProofMaker()
        let logIn = try await send(device).read(LogInResponse.self)
        let (id, application) = (Identifier<User>(rawValue: logIn.user.id), world.server.application)
        switch end {
        case .logOut:
            #expect(try await world.server.send(.post, APIPath.logOut, logIn.bearer).status == 204)
        case .removedKey:
            try await world.server.modules.accounts.removeDeviceKeys(
                device.thumbprint, of: id, in: application, by: .operator(.local))
        case .deletion:
            _ = try await world.server.modules.deletion.deleteUser(id, in: application, by: .local)
        }
        expect(try await send(device), 400, .codeRefused)
        expect(try await send(ProofMaker()), 400, .codeRefused)
        if end == .removedKey { expect(try await world.server.logIn(device), 403, .deviceKeyRemoved) }
        let user = try await world.server.modules.directory.readUser(id, in: application.id)
        // Nor was the account brought back.
        #expect((user.deletionRequestedAt != nil) == (end == .deletion))
        #expect(user.identities.count { $0.provider == .device } == (end == .removedKey ? 1 : 2))
        let sessions = try await world.server.modules.sessions.listSessions(of: id, in: application)
        #expect(!sessions.contains { $0.method == .code })
    }

    @Test("are ordered with the same answer for known and unknown addresses", arguments: [true, false])
    func uniformAnswers(isKnown: Bool) async throws {
        let world = try await MailServerWorld()
        let email = isKnown ? "hana@example.com" : "nobody@example.com"
        for (path, members) in [
            (APIPath.requestLogInCode, ["ticket", "expiresInSeconds"]),
            (APIPath.requestPasswordReset, ["expiresInSeconds"]),
        ] {
            let answer = try await world.server.send(.post, path, body: #"{"email": "\#(email)"}"#)
            #expect(answer.status == 202)
            #expect(Set(try answer.read(JSONValue.self).members.keys) == Set(members))
            #expect(
                Set(answer.headers.map(\.name.canonicalName)) == [
                    "content-type", "content-length", "request-id", "x-content-type-options", "cache-control",
                ])
        }
        #expect(try await world.mails().isEmpty != isKnown)
    }

    @Test("take the same time for known and unknown addresses, ordered and tried: 200 runs each")
    func uniformTimes() async throws {
        let world = try await MailServerWorld(settings: ["rate-limits": "off"])
        func ticket(_ email: String) async throws -> String {
            let answer = try await world.server.send(
                .post, APIPath.requestLogInCode, body: #"{"email": "\#(email)"}"#)
            return try answer.read(LogInCodeRequestResponse.self).ticket
        }
        func time(_ body: () async throws -> Void) async throws -> Double {
            let start = ContinuousClock.now
            try await body()
            return start.duration(to: .now) / .milliseconds(1)
        }
        func round() async throws -> [Samples] {
            var (orders, tries) = (Samples(), Samples())
            for number in 0..<200 {
                // What the one before leaves behind falls on either kind.
                for isKnown in number.isMultiple(of: 2) ? [true, false] : [false, true] {
                    let email = isKnown ? "hana@example.com" : "nobody@example.com"
                    orders.add(try await time { _ = try await ticket(email) }, isKnown)
                    let one = try await ticket(email)
                    _ = try await world.server.modules.messaging.deliverMail()
                    tries.add(
                        try await time {
                            let answer = try await world.server.send(
                                .post, APIPath.logInWithCode, body: #"{"ticket": "\#(one)", "code": "0000 0000"}"#)
                            expect(answer, 400, .codeRefused)
                        }, isKnown)
                }
            }
            return [orders, tries]
        }
        // Other tests at the same time make everything slower, and one round uncertain. What tells the kinds apart does so in
        // each round.
        var differences: [String] = []
        for _ in 0..<3 {
            let tellers = try await round().filter(\.tellsApart)
            if tellers.isEmpty { return }
            differences += tellers.map { "\($0.medianDifference) ms of \($0.median) ms, \($0.separability)" }
        }
        Issue.record("\(differences)")
    }

    @Test("cannot be ordered where no mail can be sent, to known and unknown users")
    func noMailServer() async throws {
        let world = try await MailServerWorld(settings: ["dev": "off"])
        for email in ["hana@example.com", "nobody@example.com"] {
            for path in [APIPath.requestLogInCode, APIPath.requestPasswordReset] {
                let answer = try await world.server.send(.post, path, body: #"{"email": "\#(email)"}"#)
                expect(answer, 503, .mailUnavailable)
            }
        }
        expect(try await world.person.send(.post, APIPath.requestEmailVerification), 503, .mailUnavailable)
    }

    @Test(
        "are refused without a right address",
        arguments: [
            #"{"email": ""}"#, #"{"email": "hana"}"#, #"{"email": "a@b@"}"#, #"{"email": "a@example.com\r\nBcc: b"}"#,
            #"{"email": 1}"#, "{}", #"{"email": "hana@example.com, eve@example.com"}"#,
        ])
    func badAddresses(body: String) async throws {
        let world = try await MailServerWorld()
        for path in [APIPath.requestLogInCode, APIPath.requestPasswordReset] {
            let answer = try await world.server.send(.post, path, body: body)
            expect(answer, 400, .invalidMember)
            #expect(try answer.read(Problem.self).errors?.map(\.field) == ["email"])
        }
        expect(try await world.server.send(.post, APIPath.requestLogInCode), 400, .malformedBody)
        #expect(try await world.mails().isEmpty)
    }

    @Test("can be ordered five times an hour for an address")
    func orderLimit() async throws {
        let world = try await MailServerWorld()
        for _ in 0..<5 {
            let answer = try await world.server.send(
                .post, APIPath.requestPasswordReset, body: #"{"email": "nobody@example.com"}"#)
            #expect(answer.status == 202)
        }
        let answer = try await world.server.send(
            .post, APIPath.requestPasswordReset, body: #"{"email": "nobody@example.com"}"#)
        expect(answer, 429, .rateLimited)
        #expect(answer.headers[.retryAfter] == "3600")
    }
}

/// Times of two kinds of requests, in milliseconds.
struct Samples {
    private var known: [Double] = []
    private var unknown: [Double] = []

    mutating func add(_ milliseconds: Double, _ isKnown: Bool) {
        if isKnown { known.append(milliseconds) } else { unknown.append(milliseconds) }
    }

    var median: Double { (known + unknown).sorted()[known.count] }

    var medianDifference: Double {
        abs(known.sorted()[known.count / 2] - unknown.sorted()[unknown.count / 2])
    }

    /// Whether somebody who measures can tell the kinds apart. A separability of 0.5 is no difference at all; chance alone
    /// moves that of 200 runs by 0.03.
    var tellsApart: Bool { medianDifference >= max(5, median / 8) || abs(separability - 0.5) >= 0.15 }

    /// How often a known one takes longer than an unknown one, of all pairs: the area under the ROC
    /// curve of a guess by time.
    var separability: Double {
        let longer = known.reduce(0) { count, time in count + unknown.count { $0 < time } }
        return Double(longer) / Double(known.count * unknown.count)
    }
}
