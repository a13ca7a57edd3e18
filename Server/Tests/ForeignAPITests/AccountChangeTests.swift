import Domain
import Foundation
import HTTPTypes
import Okaeri
import OkaeriWire
import TestWorld
import Testing

/// Issue 18: what Kii's administrators and Parse's master key changed left no trace.
@Suite("A change of an account, whatever the protocol")
struct AccountChangeTests {
    /// A request that changes the account of `mika`, and what it must leave.
    struct ChangeRequest: Sendable, CustomTestStringConvertible {
        enum Actor: Sendable { case owner, administrator }

        let name: String
        /// The row of the table.
        let row: AccountChange
        let action: AuditEntry.Action
        /// Further rows, where one request makes two changes.
        var others: [AccountChange] = []
        var actor = Actor.owner
        /// How many mails tell of it, and the words by which they are known.
        var notice: String?
        /// Whether every other way in ends.
        var evicts = false
        let send: @Sendable (_ world: ForeignWorld, _ user: Account) async throws -> Answer

        var testDescription: String { name }
    }

    private static let (password, email) = ("was changed", "mail address")
    /// The words of the mails of rows that are the same in every protocol.
    private static let words: [AccountChange: String] = [
        .identifiersChanged: "with was changed", .disabled: "is blocked", .enabled: "is open again",
        .identityLinked: "was added",
        .deletionRequested: "will be deleted", .erasedAtOnce: "was erased",
    ]

    static let changeRequests: [ChangeRequest] = [
        ChangeRequest(
            name: "native password", row: .passwordChanged, action: .passwordChanged, notice: password, evicts: true
        ) {
            world, user in
            try await world.native(
                "PUT", "/v1/user/password", #"{"currentPassword":"s3cret","newPassword":"a quite new secret"}"#,
                token: user.native)
        },
        ChangeRequest(
            name: "native address", row: .addressChanged, action: .identifiersChanged, notice: email, evicts: true
        ) {
            world, user in
            try await world.native("PATCH", "/v1/user", #"{"email":"new@example.com"}"#, token: user.native)
        },
        ChangeRequest(name: "native user name", row: .identifiersChanged, action: .identifiersChanged) { world, user in
            try await world.native("PATCH", "/v1/user", #"{"username":"mikan"}"#, token: user.native)
        },
        ChangeRequest(name: "log out everywhere", row: .otherSessionsEnded, action: .otherSessionsEnded, evicts: true) {
            world, user in
            try await world.native("DELETE", "/v1/user/sessions", token: user.native)
        },
        ChangeRequest(name: "native transfer code", row: .transferCodeIssued, action: .transferCodeIssued) {
            world, user in
            try await world.native("POST", "/v1/user/transfer-code", token: user.native)
        },
        ChangeRequest(name: "native deletion", row: .deletionRequested, action: .deletionRequested) { world, user in
            try await world.native("DELETE", "/v1/user", token: user.native)
        },
        ChangeRequest(name: "native other device keys", row: .otherDeviceKeysRemoved, action: .otherDeviceKeysRemoved) {
            world, user in
            try await world.native("DELETE", "/v1/user/device-keys", token: user.native)
        },
        ChangeRequest(name: "kii status again", row: .enabled, action: .userEnabled, actor: .administrator) {
            world, user in
            let id = Identifier<Domain.User>(rawValue: user.id)
            let (application, now) = (world.application.id, world.clock.now)
            try await world.importing { transaction throws(DomainError) in
                guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
                user.disabledAt = now
                try transaction.updateStanding(of: user)
            }
            return try await world.kii(
                "PUT", "/users/\(user.id)/status", #"{"disabled":false}"#, token: world.administrator())
        },
        ChangeRequest(
            name: "parse verification by master key, given", row: .emailVerified, action: .emailVerified,
            actor: .administrator
        ) { world, user in
            let id = Identifier<Domain.User>(rawValue: user.id)
            let application = world.application.id
            try await world.importing { transaction throws(DomainError) in
                guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
                user.emailVerifiedAt = nil
                try transaction.updateIdentifiers(of: user)
            }
            return try await world.parse("PUT", "/users/\(user.id)", #"{"emailVerified":true}"#, master: true)
        },
        ChangeRequest(
            name: "kii password", row: .passwordChanged, action: .passwordChanged, notice: password, evicts: true
        ) {
            world, user in
            try await world.kii(
                "PUT", "/users/me/password", #"{"oldPassword":"s3cret","newPassword":"n3wpass"}"#, token: user.kii)
        },
        ChangeRequest(
            name: "kii password by an administrator", row: .passwordChanged, action: .passwordChanged,
            actor: .administrator,
            notice: password, evicts: true
        ) { world, user in
            try await world.kii(
                "PUT", "/users/\(user.id)/password", #"{"newPassword":"n3wpass"}"#,
                token: world.administrator())
        },
        ChangeRequest(
            name: "kii address", row: .addressChanged, action: .identifiersChanged, notice: email, evicts: true
        ) {
            world, user in
            try await world.kii(
                "PUT", "/users/me/email-address", #"{"emailAddress":"new@example.com"}"#, token: user.kii)
        },
        ChangeRequest(
            name: "kii address by an administrator", row: .addressChanged, action: .identifiersChanged,
            actor: .administrator, notice: email,
            evicts: true
        ) { world, user in
            try await world.kii(
                "PUT", "/users/\(user.id)/email-address", #"{"emailAddress":"new@example.com"}"#,
                token: world.administrator())
        },
        ChangeRequest(
            name: "kii login name by an administrator", row: .identifiersChanged, action: .identifiersChanged,
            actor: .administrator
        ) { world, user in
            try await world.kii(
                "POST", "/users/\(user.id)", #"{"loginName":"mikan_1"}"#, token: world.administrator())
        },
        ChangeRequest(
            name: "kii fields by an administrator", row: .profileChanged, action: .userChanged, actor: .administrator
        ) { world, user in
            try await world.kii("POST", "/users/\(user.id)", #"{"score":5}"#, token: world.administrator())
        },
        ChangeRequest(name: "kii status", row: .disabled, action: .userDisabled, actor: .administrator, evicts: true) {
            world, user in
            try await world.kii(
                "PUT", "/users/\(user.id)/status", #"{"disabled":true}"#, token: world.administrator())
        },
        ChangeRequest(
            name: "parse password", row: .passwordChanged, action: .passwordChanged, notice: password, evicts: true
        ) {
            world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"password":"n3w"}"#, token: user.parse)
        },
        ChangeRequest(
            name: "parse password by master key", row: .passwordChanged, action: .passwordChanged,
            actor: .administrator, notice: password,
            evicts: true
        ) { world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"password":"n3w"}"#, master: true)
        },
        ChangeRequest(
            name: "parse address", row: .addressChanged, action: .identifiersChanged, notice: email, evicts: true
        ) {
            world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"email":"new@example.com"}"#, token: user.parse)
        },
        ChangeRequest(
            name: "parse address by master key", row: .addressChanged, action: .identifiersChanged,
            actor: .administrator, notice: email,
            evicts: true
        ) { world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"email":"new@example.com"}"#, master: true)
        },
        ChangeRequest(name: "parse user name", row: .identifiersChanged, action: .identifiersChanged) { world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"username":"mikan"}"#, token: user.parse)
        },
        ChangeRequest(name: "parse access list", row: .aclChanged, action: .aclChanged) { world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"ACL":{"*":{"read":true}}}"#, token: user.parse)
        },
        ChangeRequest(
            name: "parse lock by master key", row: .disabled, action: .userDisabled, others: [.aclChanged],
            actor: .administrator, evicts: true
        ) { world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"ACL":{}}"#, master: true)
        },
        ChangeRequest(
            name: "parse fields by master key", row: .profileChanged, action: .userChanged, actor: .administrator
        ) {
            world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"score":5}"#, master: true)
        },
        ChangeRequest(
            name: "parse verification by master key", row: .identifiersChanged, action: .identifiersChanged,
            actor: .administrator
        ) {
            world, user in
            try await world.parse("PUT", "/users/\(user.id)", #"{"emailVerified":false}"#, master: true)
        },
        ChangeRequest(name: "parse anonymous id", row: .identityLinked, action: .identityLinked) { world, user in
            try await world.parse(
                "PUT", "/users/\(user.id)",
                #"{"authData":{"anonymous":{"id":"a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"}}}"#, token: user.parse)
        },
        ChangeRequest(
            name: "ncmb address", row: .addressChanged, action: .identifiersChanged, notice: email, evicts: true
        ) {
            world, user in
            try await world.ncmb("PUT", "/users/\(user.id)", #"{"mailAddress":"new@example.com"}"#, token: user.ncmb)
        },
        ChangeRequest(name: "ncmb user name", row: .identifiersChanged, action: .identifiersChanged) { world, user in
            try await world.ncmb("PUT", "/users/\(user.id)", #"{"userName":"mikan"}"#, token: user.ncmb)
        },
        ChangeRequest(name: "ncmb access list", row: .aclChanged, action: .aclChanged) { world, user in
            try await world.ncmb("PUT", "/users/\(user.id)", #"{"acl":{"*":{"read":true}}}"#, token: user.ncmb)
        },
        ChangeRequest(name: "ncmb deletion", row: .erasedAtOnce, action: .userErased) { world, user in
            try await world.ncmb("DELETE", "/users/\(user.id)", token: user.ncmb)
        },
        ChangeRequest(
            name: "kii deletion by an administrator", row: .erasedAtOnce, action: .userErased, actor: .administrator
        ) {
            world, user in
            try await world.kii("DELETE", "/users/\(user.id)", token: world.administrator())
        },
        ChangeRequest(
            name: "parse deletion by master key", row: .erasedAtOnce, action: .userErased, actor: .administrator
        ) {
            world, user in
            try await world.parse("DELETE", "/users/\(user.id)", master: true)
        },
    ]

    @Test("leaves one entry with actor, address and request, and tells the owner", arguments: changeRequests)
    func trace(asked: ChangeRequest) async throws {
        let world = try await world()
        let account = try await account(at: world)
        // What comes before, such as an administrator's log-in, is another second's.
        world.clock.advance(by: .seconds(1))
        let began = world.clock.now
        let answer = try await asked.send(world, account)
        #expect([200, 201, 202, 204].contains(answer.status), "\(answer.text)")
        let all = try await world.modules.administration.audit.list(in: world.application.id)
            .filter { $0.at >= began && $0.target == .user(Identifier(rawValue: account.id)) && $0.action != .loggedIn }
        let rows = [asked.row] + asked.others
        #expect(Set(all.map(\.action)) == Set(rows.map(\.policy.action)) && all.count == rows.count, "\(all)")
        let entries = all.filter { $0.action == asked.action }
        #expect(entries.count == 1, "\(entries.map(\.action))")
        let entry = try #require(entries.first)
        #expect(entry.target == .user(Identifier(rawValue: account.id)) && entry.result == .done)
        let administrator = AuditEntry.Actor(rawValue: "protocol-key:\(asked.name.prefix { $0 != " " })")
        #expect(entry.actor == (asked.actor == .owner ? .user(Identifier(rawValue: account.id)) : administrator))
        #expect(["192.0.2.1", "127.0.0.1"].contains(entry.origin.address) && entry.origin.requestId != nil)
        #expect(!String(reflecting: entry).contains("example.com") && !String(reflecting: entry).contains("n3w"))
        _ = try await world.modules.messaging.deliverMail()
        let mails = try await world.modules.messaging.readOutbox(of: world.application.id)
            .filter { $0.recipient == "mika@example.com" }.map(\.subject)
        let sent = mails.filter { $0.contains(Self.words[asked.row] ?? "was changed") }
        #expect(sent.count == (asked.row.policy.mail == nil ? 0 : 1), "\(mails)")
        if let notice = asked.notice { #expect(sent.first?.contains(notice) == true) }
    }

    @Test("is asked for by routes for each row that the mobile backends or a session can ask for without a code")
    func rows() {
        let walked = Set(Self.changeRequests.map(\.row))
        let expected: Set<AccountChange> = [
            .profileChanged, .aclChanged, .identifiersChanged, .addressChanged, .emailVerified, .passwordChanged,
            .disabled, .enabled, .identityLinked, .otherDeviceKeysRemoved, .otherSessionsEnded, .transferCodeIssued,
            .deletionRequested, .erasedAtOnce,
        ]
        #expect(walked == expected)
    }

    @Test("is what its row says", arguments: changeRequests)
    func row(asked: ChangeRequest) {
        #expect(asked.row.policy.action == asked.action)
        #expect((asked.row.policy.mail != nil) == (asked.notice != nil || Self.words[asked.row] != nil))
        #expect((asked.row.policy.evicts.isSuperset(of: Eviction.everything)) == asked.evicts)
        let maker: AccountRole = asked.actor == .owner ? .owner : .operator
        #expect(asked.row.policy.who.contains(maker))
    }

    @Test("ends sessions of every protocol and the rest", arguments: changeRequests.filter(\.evicts))
    func evicts(asked: ChangeRequest) async throws {
        let world = try await world()
        let account = try await account(at: world)
        // A thief's, in every protocol. NCMB has one session of a user: it is the owner's too.
        var held: [(SpokenProtocol, SpokenProtocol.Pass)] = []
        for spoken in SpokenProtocol.all where spoken.name != "ncmb" || asked.name.hasPrefix("ncmb") == false {
            held.append((spoken, try #require(try await spoken.logIn(world, "mika", "s3cret"))))
        }
        let id = Identifier<Domain.User>(rawValue: account.id)
        let application = world.application.id
        let now = world.clock.now
        try await world.importing { transaction throws(DomainError) in
            for provider in [Identity.Provider.device, .anonymous] {
                try transaction.insert(
                    Identity(provider: provider, subject: "thief", linkedAt: now), for: id, in: application)
            }
        }
        let code = try await world.modules.transfers.issueTransferCode(to: id, in: world.application, by: .local)
        // Logging in at NCMB ended the session that the owner had there.
        let ncmb = try #require(held.first { $0.0.name == "ncmb" }?.1.token ?? account.ncmb)
        let owner = Account(
            id: account.id, parse: account.parse, kii: account.kii, ncmb: ncmb, native: account.native)
        let answer = try await asked.send(world, owner)
        #expect([200, 201, 202, 204].contains(answer.status), "\(answer.text)")
        for (spoken, pass) in held { #expect(try await spoken.read(world, pass) == nil, "\(spoken.name)") }
        let user = try await world.modules.directory.readUser(id, in: application)
        #expect(user.identities.isEmpty, "\(user.identities)")
        #expect(user.credentialsVersion > 0)
        await #expect(throws: (any Error).self) {
            try await world.device().redeemTransferCode(code.code.revealed)
        }
    }

    @Test("as its making: of users without a session there is an entry too")
    func registrations() async throws {
        let world = try await world()
        _ = try await SpokenProtocol.envelope.register(world, "mina", "s3cret")
        #expect(try await SpokenProtocol.kii.register(world, "mina_1", "s3cret").status == 201)
        let made = try await world.modules.administration.audit.list(in: world.application.id).filter {
            $0.action == .userCreated
        }
        #expect(made.count == 2)
        #expect(made.allSatisfy { $0.origin.address == "192.0.2.1" && $0.origin.requestId != nil && $0.target != nil })
    }

    @Test("as the upgrade of Kii's pseudo users, whose token stays")
    func upgrade() async throws {
        let world = try await world()
        let pseudo = try await world.pseudoUser()
        let answer = try await world.kii(
            "POST", "/users/me", #"{"loginName":"one_1","password":"123ABC"}"#, token: pseudo.token)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await world.kii("GET", "/users/me", token: pseudo.token).status == 200)
        let entries = try await world.modules.administration.audit.list(in: world.application.id)
        let entry = try #require(entries.first { $0.action == .userUpgraded })
        #expect(entry.actor == .user(Identifier(rawValue: pseudo.id)) && entry.origin.requestId != nil)
        #expect(!entries.contains { $0.action == .identifiersChanged })
    }

    @Test("leaves Kii's pseudo users their token when they are disabled: it is all that they have")
    func pseudoUser() async throws {
        let world = try await world()
        let pseudo = try await world.pseudoUser()
        let administrator = try await world.administrator()
        for (isDisabled, status) in [(true, 401), (false, 200)] {
            let changed = try await world.kii(
                "PUT", "/users/\(pseudo.id)/status", #"{"disabled":\#(isDisabled)}"#, token: administrator)
            #expect(changed.status == 204)
            #expect(try await world.kii("GET", "/users/me", token: pseudo.token).status == status)
        }
    }

    @Test("as the link and the unlinking of accounts elsewhere, in Kii")
    func links() async throws {
        let world = try await ForeignWorld.withSocialAccounts().world
        let user = try await world.kiiUser("one_1")
        let body = #"{"accessToken":"hana"}"#
        for (path, action) in [("link", AuditEntry.Action.identityLinked), ("unlink", .identityUnlinked)] {
            let answer = try await world.kii("POST", "/users/\(user.id)/facebook/\(path)", body, token: user.token)
            #expect(answer.status == 204, "\(answer.text)")
            let entries = try await world.modules.administration.audit.list(in: world.application.id).filter {
                $0.action == action
            }
            #expect(entries.count == 1 && entries.first?.details == ["provider": "facebook"])
            #expect(entries.first?.origin.address == "192.0.2.1" && entries.first?.origin.requestId != nil)
        }
    }
}
