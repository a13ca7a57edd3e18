import Domain
import OkaeriWire
import TestWorld
import Testing

/// Who may change what of an account, protocol by protocol, when its access list lets everybody write (requirement 50).
@Suite("Whatever an access list says")
struct AccountPermissionTests {
    enum Caller: CaseIterable { case owner, `operator`, listed, stranger, nobody }

    /// A change in one protocol's words.
    struct Change: Sendable, CustomTestStringConvertible {
        var method = "PUT"
        var body: String?
        /// What it needs.
        let permission: AccountChange

        var testDescription: String { "\(permission): \(method) \(body ?? "")" }
    }

    private static let anonymous = #"{"anonymous":{"id":"0A4F7C11-3D52-4E6B-9C8A-5B1E2F3D4C60"}}"#

    static let parseChanges = [
        Change(body: #"{"score":1}"#, permission: .profileChanged),
        Change(body: #"{"score":{"__op":"Increment","amount":1}}"#, permission: .profileChanged),
        Change(body: #"{"username":"stolen"}"#, permission: .identifiersChanged),
        Change(body: #"{"email":"thief@example.com"}"#, permission: .identifiersChanged),
        Change(body: #"{"email":{"__op":"Delete"}}"#, permission: .identifiersChanged),
        // It changes nothing; the answer would say that it is the victim's.
        Change(body: #"{"email":"victim@example.com"}"#, permission: .identifiersChanged),
        Change(body: #"{"score":1,"username":"VICTIM"}"#, permission: .identifiersChanged),
        Change(body: #"{"password":"another s3cret"}"#, permission: .passwordChanged),
        Change(body: #"{"ACL":{}}"#, permission: .aclChanged),
        Change(body: #"{"ACL":{"thief":{"read":true,"write":true}}}"#, permission: .aclChanged),
        Change(body: #"{"authData":\#(anonymous)}"#, permission: .identityLinked),
        Change(body: #"{"authData":{"anonymous":null}}"#, permission: .identityUnlinked),
        Change(method: "DELETE", permission: .erasedAtOnce),
    ]

    static let ncmbChanges = [
        Change(body: #"{"score":1}"#, permission: .profileChanged),
        Change(body: #"{"score":{"__op":"Increment","amount":1}}"#, permission: .profileChanged),
        Change(body: #"{"userName":"stolen"}"#, permission: .identifiersChanged),
        Change(body: #"{"mailAddress":"thief@example.com"}"#, permission: .identifiersChanged),
        Change(body: #"{"mailAddress":"no address"}"#, permission: .identifiersChanged),
        Change(body: #"{"mailAddress":"victim@example.com"}"#, permission: .identifiersChanged),
        Change(body: #"{"score":1,"mailAddress":"VICTIM@example.com"}"#, permission: .identifiersChanged),
        Change(body: #"{"acl":{}}"#, permission: .aclChanged),
        Change(body: #"{"acl":{"thief":{"read":true,"write":true}}}"#, permission: .aclChanged),
        Change(body: #"{"authData":\#(anonymous)}"#, permission: .identityLinked),
        Change(body: #"{"authData":{"anonymous":null}}"#, permission: .identityUnlinked),
        Change(method: "DELETE", permission: .erasedAtOnce),
    ]

    /// Everything that leads to the victim, or says who may what.
    private struct Account: Equatable {
        var user: User?
        var password: PasswordHash?

        /// But for what an access list gives away.
        var withoutFields: Account {
            var account = self
            account.user?.fields = [:]
            account.user?.updatedAt = Timestamp(milliseconds: 0)
            return account
        }
    }

    private static func account(_ id: String, in world: ForeignWorld) async throws -> Account {
        let application = world.application.id
        return try await world.reading { transaction throws(DomainError) in
            Account(
                user: try transaction.user(Identifier(rawValue: id), in: application),
                password: try transaction.passwordHash(of: Identifier<User>(rawValue: id), in: application))
        }
    }

    @Test("Parse lets only the user and operators change what the account is", arguments: parseChanges, Caller.allCases)
    func parse(change: Change, caller: Caller) async throws {
        let world = try await ForeignWorld()
        let thief = try await world.parseUser("thief")
        let list = #""*":{"read":true,"write":true},"\#(thief.id)":{"read":true,"write":true}"#
        let victim = try await world.parseUser(
            "victim", #","email":"victim@example.com","score":0,"ACL":{\#(caller == .stranger ? "" : list)}"#)
        let token: String? =
            switch caller {
            case .owner: victim.token
            case .listed, .stranger: thief.token
            case .operator, .nobody: nil
            }
        for path in ["/users", "/classes/_User"] {
            let before = try await Self.account(victim.id, in: world)
            let answer = try await world.parse(
                change.method, "\(path)/\(victim.id)", change.body, token: token, master: caller == .operator)
            let after = try await Self.account(victim.id, in: world)
            switch caller {
            case .owner, .operator:
                // A second time, what is gone is gone, and what is lost is not there.
                if path == "/users" { #expect(answer.status == 200, "\(answer.text)") }
            case .listed where change.permission == .profileChanged:
                #expect(answer.status == 200 && before.withoutFields == after.withoutFields)
                #expect(after.user?.fields["score"] != 0)
            case .listed, .stranger, .nobody:
                #expect(answer.parseCode == 206, "\(answer.text)")
                #expect(before == after)
            }
            if caller == .owner, change.permission == .passwordChanged { break }
        }
    }

    @Test(
        "NCMB lets only the member change what the account is, with a session or without", arguments: ncmbChanges,
        [Caller.owner, .listed, .stranger, .nobody])
    func ncmb(change: Change, caller: Caller) async throws {
        let world = try await ForeignWorld()
        let thief = try await world.ncmb("POST", "/users", #"{"userName":"thief","password":"x"}"#)
        let list = caller == .stranger ? "{}" : #"{"*":{"read":true,"write":true}}"#
        let victim = try await world.ncmb(
            "POST", "/users",
            #"{"userName":"victim","password":"x","mailAddress":"victim@example.com","score":0,"acl":\#(list)}"#)
        let id = try victim.text("objectId")
        let before = try await Self.account(id, in: world)
        let token: String? =
            switch caller {
            case .owner: try victim.text("sessionToken")
            case .listed, .stranger: try thief.text("sessionToken")
            case .operator, .nobody: nil
            }
        let answer = try await world.ncmb(change.method, "/users/\(id)", change.body, token: token)
        let after = try await Self.account(id, in: world)
        if caller == .owner {
            #expect([200, 400].contains(answer.status), "\(answer.text)")
        } else if change.permission == .profileChanged, caller != .stranger {
            #expect(answer.status == 200 && before != after && before.withoutFields == after.withoutFields)
        } else {
            #expect(try answer.status == 403 && answer.text("code") == "E403001", "\(answer.text)")
            #expect(before == after)
        }
    }

    @Test("nobody logs in as somebody else by an id that was linked without a session")
    func takeover() async throws {
        let world = try await ForeignWorld()
        let acl = #"{"*":{"read":true,"write":true}}"#
        let victim = try await world.ncmb(
            "POST", "/users", #"{"userName":"victim","password":"x","acl":\#(acl)}"#)
        let id = try victim.text("objectId")
        let linked = try await world.ncmb("PUT", "/users/\(id)", #"{"authData":\#(Self.anonymous)}"#)
        #expect(linked.status == 403)
        let logIn = try await world.ncmb("POST", "/users", #"{"authData":\#(Self.anonymous)}"#)
        #expect(try logIn.status == 201 && logIn.text("objectId") != id)
    }

    @Test("changes without a session are counted for the address, where each of them is an event")
    func strangersEvents() async throws {
        var settings = ApplicationSettings()
        settings.events.isStreamed = true
        let world = try await ForeignWorld(settings, server: [:])
        let member = try await world.ncmb(
            "POST", "/users", #"{"userName":"mina26","password":"x","acl":{"*":{"read":true,"write":true}}}"#)
        let path = "/users/\(try member.text("objectId"))"
        let key = RateLimitKey(
            application: world.application.id, kind: "user-profile-event", subject: "192.0.2.1")
        let now = world.clock.now
        // As many as 3,599 changes would have counted.
        try await world.importing { transaction throws(DomainError) in
            for _ in 0..<3599 { _ = try transaction.count(key, window: .seconds(3600), at: now) }
        }
        let last = try await world.ncmb("PUT", path, #"{"score":1}"#)
        #expect(last.status == 200, "\(last.text)")
        let refused = try await world.ncmb("PUT", path, #"{"score":2}"#)
        #expect(refused.status == 429, "\(refused.text)")
    }

    @Test("apps that send a whole member back change its fields alone")
    func wholeObject() async throws {
        let world = try await ForeignWorld()
        let thief = try await world.ncmb("POST", "/users", #"{"userName":"thief","password":"x"}"#)
        let acl = #"{"*":{"read":true,"write":true},"role:admin":{"write":true},"x":{}}"#
        let victim = try await world.ncmb(
            "POST", "/users",
            #"{"userName":"victim","password":"x","mailAddress":"victim@example.com","score":0,"acl":\#(acl)}"#)
        let id = try victim.text("objectId")
        let before = try await Self.account(id, in: world)
        let token = try thief.text("sessionToken")
        var whole = try await world.ncmb("GET", "/users/\(id)", token: token).json()
        #expect(whole["mailAddress"] == .null && whole["authData"] == .null)
        whole["score"] = 7
        let sent = String(decoding: try JSONBytesOfTest.bytes(of: .object(whole)), as: UTF8.self)
        let answer = try await world.ncmb("PUT", "/users/\(id)", sent, token: token)
        #expect(answer.status == 200, "\(answer.text)")
        let after = try await Self.account(id, in: world)
        #expect(after.user?.fields["score"] == 7 && before.withoutFields == after.withoutFields)
    }

    @Test(
        "nobody whom it lets write finds out by what is refused what they may not read",
        arguments: [#"{"*":{"write":true}}"#, #"{"*":{"read":true,"write":true}}"#])
    func unread(acl: String) async throws {
        let world = try await ForeignWorld([FieldRule(name: "mood", reader: .owner)])
        let victim = try await world.ncmb(
            "POST", "/users", #"{"userName":"victim","password":"x","mood":["sad"],"acl":\#(acl)}"#)
        let path = "/users/\(try victim.text("objectId"))"
        for operation in [#""AddUnique","objects":["sad"]"#, #""Remove","objects":["x"]"#, #""Increment","amount":1"#] {
            let refused = try await world.ncmb("PUT", path, #"{"mood":{"__op":\#(operation)}}"#)
            #expect(refused.status == 403, "\(refused.text)")
        }
        // Its name, which is no change where it is seen and sent back.
        let same = try await world.ncmb("PUT", path, #"{"userName":"victim"}"#)
        #expect(same.status == (acl.contains("read") ? 200 : 403), "\(same.text)")
        // The name that a member is shown with who has chosen none: its id says it to everybody.
        let guest = try await world.ncmb("POST", "/users", #"{"authData":\#(Self.anonymous),"acl":\#(acl)}"#)
        let id = try guest.text("objectId")
        let generated = try await world.ncmb("PUT", "/users/\(id)", #"{"userName":"\#(id.suffix(10))"}"#)
        #expect(generated.status == same.status, "\(generated.text)")
        let blind = try await world.ncmb("PUT", path, #"{"mood":["glad"]}"#)
        #expect(blind.status == 200, "\(blind.text)")
        let account = try await Self.account(try victim.text("objectId"), in: world)
        #expect(account.user?.fields["mood"] == ["glad"])
    }

    @Test("Kii lets nobody but the user and administrators change a user", arguments: ["POST", "PUT", "DELETE"])
    func kii(method: String) async throws {
        let world = try await ForeignWorld()
        let (thief, victim) = (try await world.kiiUser("thief"), try await world.kiiUser("victim"))
        let path = method == "PUT" ? "/users/\(victim.id)/password" : "/users/\(victim.id)"
        let body =
            method == "DELETE"
            ? nil
            : method == "PUT"
                ? #"{"oldPassword":"123ABC","newPassword":"456DEF"}"# : #"{"loginName":"stolen"}"#
        let before = try await Self.account(victim.id, in: world)
        for token in [thief.token, nil] {
            #expect(try await [401, 403, 404].contains(world.kii(method, path, body, token: token).status))
        }
        #expect(try await Self.account(victim.id, in: world) == before)
        let administrator = try await world.administrator()
        #expect(try await (200..<300).contains(world.kii(method, path, body, token: administrator).status))
    }

    @Test("the table says who may what, and everybody more may it too")
    func table() {
        // Each has all that those before it may.
        let ranks: [AccountRole] = [.stranger, .writer, .owner, .operator]
        let asked: [AccountChange] = [
            .profileChanged, .aclChanged, .identifiersChanged, .identityLinked, .identityUnlinked, .passwordChanged,
            .emailVerified, .disabled, .enabled, .erasedAtOnce,
        ]
        for change in asked {
            let may = ranks.map(change.policy.who.contains)
            #expect(may == may.sorted { !$0 && $1 } && may.contains(true), "\(change)")
            #expect(!change.policy.who.contains(.stranger))
            #expect(change.policy.who.contains(.writer) == (change == .profileChanged))
        }
    }
}
