import Domain
import KiiAPI
import OkaeriWire
import TestWorld
import Testing

@Suite("Addresses that Kii's administrators look after")
struct KiiAdministratorTests {
    private func world() async throws -> ForeignWorld {
        var settings = ApplicationSettings()
        settings.foreignOptions[.kii] = ForeignOptions(demandsVerifiedEmail: true)
        settings.foreignOptions[.kii]?.demandsVerifiedPhone = true
        return try await ForeignWorld(settings, server: ["rate-limits": "off", "dev": "on"])
    }

    private static let addresses = [
        ("email-address", "emailAddress", "one@example.com", "EMAIL"),
        ("phone-number", "phoneNumber", "+819012345678", "PHONE"),
    ]

    @Test("are verified by their word", arguments: addresses)
    func verified(path: String, member: String, address: String, name: String) async throws {
        let world = try await world()
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let target = "/users/\(user.id)/\(path)"
        let set = try await world.kii("PUT", target, #"{"\#(member)":"\#(address)","verified":true}"#, token: admin)
        #expect(set.status == 204, "\(set.text)")
        #expect(try await world.kii("GET", target, token: admin).json()["verified"] == .bool(true))
        #expect(!(try await world.kiiToken("\(name):\(address)")).isEmpty)
        let actions = try await world.modules.administration.audit.list(in: world.application.id)
            .filter { $0.actor == .protocolKey(.kii) && $0.target == .user(Identifier(rawValue: user.id)) }.map(
                \.action)
        let verified: AccountChange = name == "PHONE" ? .phoneVerified : .emailVerified
        #expect(Set(actions) == [verified.policy.action, AccountChange.identifiersChanged.policy.action])
        // Nothing is left to be shown by a message.
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
        let taken = try await world.kii("PUT", target, #"{"\#(member)":"\#(address)","verified":false}"#, token: admin)
        #expect(taken.status == 204)
        #expect(try await world.kii("GET", target, token: admin).json()["verified"] == .bool(false))
    }

    @Test("are not verified by the word of the user, nor without a word", arguments: addresses, [true, false])
    func unverified(address: (String, String, String, String), byUser: Bool) async throws {
        let world = try await world()
        let (path, member, text, _) = address
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let set = try await world.kii(
            "PUT", "/users/\(user.id)/\(path)", #"{"\#(member)":"\#(text)"\#(byUser ? #","verified":true"# : "")}"#,
            token: byUser ? user.token : admin)
        #expect(set.status == 204, "\(set.text)")
        let read = try await world.kii("GET", "/users/\(user.id)/\(path)", token: admin)
        #expect(try read.json()["verified"] == .bool(false))
    }

    @Test("have codes that administrators read and renew, before any message is written", arguments: addresses)
    func codes(path: String, member: String, address: String, name: String) async throws {
        let world = try await world()
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let target = "/users/\(user.id)/\(path)"
        let none = try await world.kii("GET", "\(target)/verification-code", token: admin)
        #expect(none.status == 404 && none.code == "USER_ADDRESS_NOT_FOUND")
        #expect(try await world.kii("PUT", target, #"{"\#(member)":"\#(address)"}"#, token: user.token).status == 204)
        let first = try await world.kii("GET", "\(target)/verification-code", token: admin)
        #expect(first.status == 200, "\(first.text)")
        let second = try await world.kii("POST", "\(target)/reset-verification-code", token: admin)
        let (old, new) = (try first.text("verificationCode"), try second.text("verificationCode"))
        #expect(second.status == 200 && old != new && new.count == (name == "PHONE" ? 6 : 28))
        #expect(try await world.kii("GET", "\(target)/verification-code", token: admin).text("verificationCode") == new)
        // The message that was ordered says the code that is good when it is written.
        _ = try await world.modules.messaging.deliverMail()
        let messages = try await world.modules.messaging.readOutbox(of: world.application.id)
        #expect(
            messages.contains { $0.recipient == address && $0.text.filter { $0 != "-" && $0 != " " }.contains(new) })
        for (code, status) in [(old, 403), (new, 200)] {
            let verified = try await world.kii(
                "POST", "/users/me/\(path)/verify", #"{"verificationCode":"\#(code)"}"#, token: user.token)
            #expect(verified.status == status, "\(verified.text)")
        }
        for (method, call) in [("GET", "verification-code"), ("POST", "reset-verification-code")] {
            let over = try await world.kii(method, "\(target)/\(call)", token: admin)
            #expect(over.status == 404 && over.code == "VERIFICATION_CODE_NOT_FOUND", "\(over.text)")
            #expect(try await world.kii(method, "\(target)/\(call)", token: user.token).code == "UNAUTHORIZED")
        }
    }

    @Test("leave an entry in the audit log each time that they see a code, by reading it or by another one")
    func recordedCodes() async throws {
        let world = try await world()
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let target = "/users/\(user.id)/email-address"
        let set = try await world.kii("PUT", target, #"{"emailAddress":"one@example.com"}"#, token: user.token)
        #expect(set.status == 204, "\(set.text)")
        func readings() async throws -> [AuditEntry] {
            try await world.modules.administration.audit.list(in: world.application.id).filter {
                $0.action == .usersRead && $0.target == .user(Identifier(rawValue: user.id))
            }
        }
        let before = try await readings().count
        for (number, call) in [("GET", "verification-code"), ("POST", "reset-verification-code")].enumerated() {
            let seen = try await world.kii(call.0, "\(target)/\(call.1)", token: admin)
            #expect(seen.status == 200, "\(seen.text)")
            let entries = try await readings()
            #expect(entries.count == before + number + 1)
            #expect(entries.allSatisfy { $0.actor == .protocolKey(.kii) })
        }
        // Who may not see it leaves none.
        _ = try await world.kii("GET", "\(target)/verification-code", token: user.token)
        #expect(try await readings().count == before + 2)
    }

    @Test("have no codes of other users, nor those that another way of the server made")
    func codesOfOthers() async throws {
        let world = try await world()
        let (admin, one) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let two = try await world.kiiUser("two_2")
        for (user, address) in [(one, "one@example.com"), (two, "two@example.com")] {
            let body = #"{"emailAddress":"\#(address)"}"#
            #expect(try await world.kii("PUT", "/users/me/email-address", body, token: user.token).status == 204)
        }
        let read = try await world.kii("GET", "/users/\(one.id)/email-address/verification-code", token: admin)
        let stolen = try await world.kii(
            "POST", "/users/me/email-address/verify", #"{"verificationCode":"\#(read.text("verificationCode"))"}"#,
            token: two.token)
        #expect(stolen.status == 403, "\(stolen.text)")
    }

    @Test("have a truth for their state, and nothing else")
    func malformed() async throws {
        let world = try await world()
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let refused = try await world.kii(
            "PUT", "/users/\(user.id)/email-address", #"{"emailAddress":"one@example.com","verified":"yes"}"#,
            token: admin)
        #expect(refused.status == 400 && refused.code == "INVALID_INPUT_DATA")
    }
}

@Suite("What administrators of old protocols read")
struct AdministratorReadingTests {
    @Test("of sessions stands there too, with their users or without", arguments: ["", "?include=user", "?include=*"])
    func sessions(query: String) async throws {
        let world = try await ForeignWorld(server: ["rate-limits": "off"])
        let user = try await world.parseUser("mika")
        func readings() async throws -> [AuditEntry.Actor] {
            try await world.modules.administration.audit.list(
                in: world.application.id, matching: AuditFilter(action: .usersRead)
            ).map(\.actor)
        }
        #expect(try await world.parse("GET", "/sessions\(query)", token: user.token).status == 200)
        #expect(try await readings().isEmpty)
        #expect(try await world.parse("GET", "/sessions\(query)", master: true).results().count == 1)
        #expect(try await readings() == [AuditEntry.Actor(rawValue: "protocol-key:parse")])
    }

    @Test("of many users stands in the audit log under the name of the key, once in ten minutes from one address")
    func lists() async throws {
        let world = try await ForeignWorld(server: ["rate-limits": "off"])
        let user = try await world.kiiUser("one_1")
        func readings() async throws -> [AuditEntry.Actor] {
            try await world.modules.administration.audit.list(
                in: world.application.id, matching: AuditFilter(action: .usersRead)
            ).map(\.actor)
        }
        #expect(try await world.parse("GET", "/users").status == 200)
        #expect(try await world.kii("GET", "/users/\(user.id)", token: user.token).status == 200)
        #expect(try await readings().isEmpty)
        #expect(try await world.parse("GET", "/users?limit=1&count=1", master: true).status == 200)
        #expect(try await readings() == [AuditEntry.Actor(rawValue: "protocol-key:parse")])
        #expect(try await world.parse("GET", "/aggregate/_User?distinct=username", master: true).status == 200)
        #expect(try await readings().count == 1)
        world.clock.advance(by: .seconds(600))
        #expect(try await world.parse("GET", "/aggregate/_User?distinct=username", master: true).status == 200)
        #expect(try await readings().count == 2)
        let query = #"{"userQuery": {"clause": {"type": "all"}}}"#
        #expect(
            try await world.kii("POST", "/users/query", query, token: try await world.administrator()).status == 200)
        #expect(try await readings().filter { $0 == .protocolKey(.kii) }.count == 1)
        #expect(try await readings().count == 3)
    }
}
