import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Every way in")
struct WaysInTests {
    /// All ways to come in as a user that there is already.
    enum Way: CaseIterable {
        case automatic, password, code, apple, transferCode, passwordReset

        /// How it is refused once it has ended; `nil` for what a user always logs in with.
        var ends: (Int, ErrorCode)? {
            switch self {
            case .automatic: (403, .deviceKeyRemoved)
            case .code, .passwordReset: (400, .codeRefused)
            case .transferCode: (403, .transferCodeRefused)
            case .password, .apple: nil
            }
        }

        var audited: AuditEntry.Action? {
            switch self {
            case .automatic: nil
            case .password, .code, .apple: .loggedIn
            case .transferCode: .transferCodeRedeemed
            case .passwordReset: .passwordReset
            }
        }
    }

    @Test("lets an active user in, and stands in the audit log with user, address and request", arguments: Way.allCases)
    func active(_ way: Way) async throws {
        let world = try await WaysInWorld(way)
        let answer = try await world.enter()
        #expect(answer.status == (way == .passwordReset ? 204 : 200), "\(answer.text)")
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        guard let action = way.audited else {
            #expect(!entries.contains { $0.action == .loggedIn && $0.at == world.server.clock.now })
            return
        }
        let entry = try #require(
            entries.first { $0.action == action && $0.at == world.server.clock.now && $0.result == .done })
        #expect(entry.actor == .user(world.user) && entry.target == .user(world.user))
        #expect(entry.origin.address == "192.0.2.1" && entry.origin.requestId != nil)
    }

    @Test("refuses a disabled user, and ends with that but for what the user logs in with", arguments: Way.allCases)
    func disabled(_ way: Way) async throws {
        let world = try await WaysInWorld(way)
        let application = world.server.application
        try await world.server.modules.accounts.setUserDisabled(
            world.user, in: application, isDisabled: true, by: .local)
        let (status, code) = way.ends ?? (403, .userDisabled)
        // The key's owner gets the error for a closed account, and not one that suggests another log-in.
        let isKey = way == .automatic
        expect(try await world.enter(), isKey ? 403 : status, isKey ? .userDisabled : code)
        expect(
            try await world.enter([("Okaeri-Restore", "true")]), isKey ? 403 : status, isKey ? .userDisabled : code)
        try await world.server.modules.accounts.setUserDisabled(
            world.user, in: application, isDisabled: false, by: .local)
        if way.ends != nil {
            expect(try await world.enter(), status, code)
        } else {
            // The refusal used nothing up.
            #expect([200, 204].contains(try await world.enter().status))
        }
    }

    @Test(
        "tells a user under deletion so, and restores by the header",
        arguments: Way.allCases.filter { $0 != .transferCode })
    func underDeletion(_ way: Way) async throws {
        let world = try await WaysInWorld(way)
        let erasedAt = try await world.server.modules.deletion.deleteUser(
            world.user, in: world.server.application, by: .local)
        let refused = try await world.enter()
        expect(refused, 403, .userDeleted)
        #expect(try refused.read(Problem.self).erasedAt?.millisecondsSince1970 == erasedAt.milliseconds)
        expect(try await world.enter([("Okaeri-Restore", "perhaps")]), 400, .invalidHeader)
        #expect([200, 204].contains(try await world.enter([("Okaeri-Restore", "true")]).status))
        let user = try await world.server.modules.directory.readUser(world.user, in: world.server.application.id)
        #expect(user.deletionRequestedAt == nil)
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        #expect(entries.contains { $0.action == .userRestored && $0.actor == .user(world.user) })
    }

    @Test("finds no transfer code of a user under deletion: the code went with the request")
    func transferCodeUnderDeletion() async throws {
        let world = try await WaysInWorld(.transferCode)
        _ = try await world.server.modules.deletion.deleteUser(world.user, in: world.server.application, by: .local)
        expect(try await world.enter([("Okaeri-Restore", "true")]), 403, .transferCodeRefused)
    }

    @Test("leaves refusals in the audit log, of known and unknown users alike", arguments: [true, false])
    func refusals(isKnown: Bool) async throws {
        let world = try await WaysInWorld(.password)
        let identifier = isKnown ? "hana@example.com" : "nobody@example.com"
        expect(try await world.server.logIn(identifier, "wrong password"), 401, .credentialRefused)
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        let entry = try #require(entries.first { $0.action == .loggedIn && $0.result == .refused })
        #expect(entry.actor == .unknown && entry.target == (isKnown ? .user(world.user) : nil))
        #expect(!String(reflecting: entry).contains("example.com"))
    }
}

/// One user who can come in by everything, and what one way in needs.
private struct WaysInWorld: Sendable {
    let apple: AppleWorld
    let way: WaysInTests.Way
    let user: Identifier<User>
    private let device: ProofMaker
    private let newDevice = ProofMaker()
    private let credential: FakeApple.Credential
    /// The code, the ticket, or the token that the way needs.
    private var secret = ""
    private var ticket = ""

    var server: TestServer { apple.server }

    init(_ way: WaysInTests.Way) async throws {
        self.way = way
        apple = try await AppleWorld(settings: ["dev": "on"])
        device = ProofMaker()
        let person = try await apple.person(device: device)
        user = Identifier(rawValue: person.logIn.user.id)
        let set = try await person.send(
            .put, APIPath.password, body: #"{"newPassword": "\#(AccountTests.password)"}"#)
        try #require(set.status == 200, "\(set.text)")
        switch way {
        case .automatic, .password, .apple: break
        case .transferCode: secret = try await person.issueCode().code
        case .code, .passwordReset:
            let path = way == .code ? APIPath.requestLogInCode : APIPath.requestPasswordReset
            let asked = try await apple.server.send(.post, path, body: #"{"email": "hana@example.com"}"#)
            if way == .code { ticket = try asked.read(LogInCodeRequestResponse.self).ticket }
            _ = try await apple.server.modules.messaging.deliverMail()
            let mails = try await apple.server.modules.messaging.readOutbox(of: apple.server.application.id)
            secret = try #require(mails.compactMap { way == .code ? $0.code : $0.token }.first)
        }
        apple.server.clock.advance(by: .seconds(1))
        credential = try apple.credential(nonce: "another")
    }

    /// Comes in, always by the same credential.
    func enter(_ headers: [(String, String)] = []) async throws -> Answer {
        switch way {
        case .automatic: try await server.logIn(device, headers)
        case .password: try await server.logIn("hana@example.com", AccountTests.password, headers: headers)
        case .code:
            try await server.send(
                .post, APIPath.logInWithCode, headers, body: #"{"ticket": "\#(ticket)", "code": "\#(secret)"}"#)
        case .apple: try await apple.logIn(token: credential.identityToken, nonce: "another", headers)
        case .transferCode: try await server.redeem(secret, on: newDevice, headers)
        case .passwordReset:
            try await server.send(
                .post, APIPath.resetPassword, headers,
                body: #"{"token": "\#(secret)", "newPassword": "a quite new secret"}"#)
        }
    }
}
