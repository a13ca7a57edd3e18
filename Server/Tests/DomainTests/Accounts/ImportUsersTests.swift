import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What becomes of each record of an import, in the order of the file.
@Suite("An import of users")
struct ImportUsersTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func user(_ id: String, _ change: (inout User) -> Void = { _ in }) -> User {
        let now = world.clock.now
        var user = User(id: Identifier(rawValue: id), application: application.id, createdAt: now, updatedAt: now)
        change(&user)
        return user
    }

    private func take(
        _ users: [ImportedUser], isRehearsal: Bool = false, takesTwins: Bool = false, takesParts: Bool = false
    ) async throws -> [ImportOutcome] {
        try await world.modules.imports.importUsers(
            users, into: application.id, of: .yearly, by: .init(takesTwins: takesTwins, takesParts: takesParts),
            isRehearsal: isRehearsal)
    }

    private func stored(_ id: String) async throws -> User? {
        let tenant = application.id
        return try await world.engine.read { transaction throws(DomainError) in
            try transaction.user(Identifier(rawValue: id), in: tenant)
        }
    }

    private static func fields(of outcome: ImportOutcome?) -> [String] {
        switch outcome {
        case .refused(let faults), .importedInPart(let faults): Array(Set(faults.map(\.field))).sorted()
        case .imported, .present, nil: []
        }
    }

    private static func isInPart(_ outcome: ImportOutcome?) -> Bool {
        if case .importedInPart = outcome { true } else { false }
    }

    @Test("has an outcome for each record, and can be run again", arguments: [false, true])
    func order(takesParts: Bool) async throws {
        let users = [
            ImportedUser(user: user("one") { $0.username = "hana" }),
            ImportedUser(user: user("two") { $0.email = "no address" }),
            ImportedUser(user: user("three") { $0.email = "mika@example.com" }),
        ]
        for round in 0..<3 {
            // Nothing is written at first.
            let outcomes = try await take(users, isRehearsal: round == 0, takesParts: takesParts)
            try #require(outcomes.count == 3)
            let expected: ImportOutcome = round < 2 ? .imported : .present
            #expect(outcomes[0] == expected && outcomes[2] == expected, "\(round)")
            #expect(outcomes[1].isRefusal && Self.fields(of: outcomes[1]) == ["email"])
            #expect((try await stored("one") != nil) == (round > 0))
        }
        #expect(try await take([]) == [])
    }

    private static let parts: [(String, @Sendable (inout User) -> Void, isTaken: Bool)] = [
        ("username", { $0.username = String(repeating: "x", count: 256) }, true),
        ("email", { $0.email = "no address" }, true),
        ("displayName", { $0.displayName = "a\nb" }, true), ("locale", { $0.locale = "?" }, true),
        ("accessList", { $0.acl = ACL([.role(String(repeating: "r", count: 200)): [.read]]) }, true),
        ("fields.", { $0.fields = ["": 1] }, true), ("fields.f", { $0.fields = ["f": "\0"] }, true),
    ]

    @Test("takes users without what breaks a rule, when it shall", arguments: parts.indices, [false, true])
    func part(index: Int, takesParts: Bool) async throws {
        let (field, spoil, _) = Self.parts[index]
        var broken = user("one") { $0.phone = "+819012345678" }
        spoil(&broken)
        let outcome = try #require(try await take([ImportedUser(user: broken)], takesParts: takesParts).first)
        #expect(Self.fields(of: outcome) == [field])
        #expect(Self.isInPart(outcome) == takesParts && outcome.isRefusal == !takesParts)
        let kept = try await stored("one")
        #expect((kept != nil) == takesParts && kept?.phone == (takesParts ? "+819012345678" : nil))
        let values = [kept?.username, kept?.email, kept?.displayName, kept?.locale].compactMap { $0 }
        #expect(values.isEmpty && kept?.fields.isEmpty ?? true)
        // Without a list everybody reads where that is the application's rule.
        #expect(kept?.acl == (takesParts && field == "accessList" ? ACL() : nil))
    }

    @Test("takes a name of 500 characters at the most when it is spelled out", arguments: [(27, true), (28, false)])
    func spelledOut(count: Int, isTaken: Bool) async throws {
        // Eighteen letters each. An index of PostgreSQL holds 2,704 bytes.
        let name = String(repeating: "ﷺ", count: count)
        let outcome = try await take([ImportedUser(user: user("one") { $0.username = name })]).first
        #expect(outcome?.isRefusal == !isTaken && Self.fields(of: outcome) == (isTaken ? [] : ["username"]))
    }

    @Test("takes nobody without an id that can be kept")
    func id() async throws {
        let ids = [
            // Bytes count: who looks an id up does not look further than 128.
            (String(repeating: "i", count: 128), true), (String(repeating: "i", count: 129), false),
            (String(repeating: "は", count: 42), true), (String(repeating: "は", count: 43), false),
            // An access list with this user's entry would be everybody's, or a role's.
            ("*", false), ("role:editor", false), ("role:", false), ("**", true), ("role", true),
            ("me", false), ("Me", true),  // In paths of Parse and Kii it is the one who asks.
        ]
        for (number, (id, isTaken)) in ids.enumerated() {
            let outcome = try await take(
                [ImportedUser(user: user(id) { $0.username = "hana\(number)" })], takesParts: true
            ).first
            #expect(outcome?.isRefusal == !isTaken && Self.fields(of: outcome) == (isTaken ? [] : ["id"]), "\(id)")
        }
    }

    @Test("takes nobody whom nothing would lead to, unless a token does", arguments: [false, true])
    func noWayIn(hasToken: Bool) async throws {
        let nameless = user("one") { $0.email = "no address" }
        let outcome = try await take(
            [ImportedUser(user: nameless, tokens: hasToken ? [Secret("a token of before")] : [])], takesParts: true
        ).first
        #expect(outcome?.isRefusal == !hasToken && Self.fields(of: outcome) == ["email"])
        #expect((try await stored("one") != nil) == hasToken)
    }

    @Test("takes the smaller fields of somebody who has too many or too large ones", arguments: [0, 1, 2])
    func excess(count: Int) async throws {
        var fields: [String: JSONValue] = [:]
        for number in 0..<(count == 1 ? 101 : 2) { fields["small\(number)"] = .integer(Int64(number)) }
        if count > 0 { fields["large"] = .string(String(repeating: "x", count: count == 1 ? 100 : 32_768)) }
        let imported = ImportedUser(user: user("one") { ($0.username, $0.fields) = ("hana", fields) })
        let outcome = try await take([imported], takesParts: true).first
        #expect(Self.isInPart(outcome) == (count > 0))
        let kept = try #require(try await stored("one")).fields
        #expect(kept["large"] == nil && kept.count == (count == 1 ? 100 : 2))
        #expect(kept.allSatisfy { fields[$0.key] == $0.value })
        #expect(Self.fields(of: outcome).contains("fields.large") == (count > 0))
    }

    @Test(
        "keeps to one user for each name, but for twins where they are taken", arguments: [false, true], [false, true])
    func taken(isRehearsal: Bool, takesTwins: Bool) async throws {
        let users = [
            ImportedUser(user: user("one") { $0.username = "hana" }),
            ImportedUser(user: user("two") { $0.username = "HANA" }),
            ImportedUser(user: user("three") { $0.username = "hana" }),
            ImportedUser(user: user("four") { ($0.username, $0.email) = ("hana", "mika@example.com") }),
        ]
        let outcomes = try await take(users, isRehearsal: isRehearsal, takesTwins: takesTwins)
        #expect(outcomes.map(\.isRefusal) == [false, !takesTwins, true, true])
        #expect(outcomes.map(Self.fields(of:)) == [[], takesTwins ? [] : ["username"], ["username"], ["username"]])
        guard !isRehearsal else { return }
        let part = try await take([users[3]], takesTwins: takesTwins, takesParts: true).first
        #expect(Self.isInPart(part) && Self.fields(of: part) == ["username"])
        let four = try await stored("four")
        #expect(four?.email == "mika@example.com" && four?.username == nil)
    }

    @Test("takes an identity that leads to somebody already with nobody else", arguments: [false, true])
    func identities(takesParts: Bool) async throws {
        let identity = Identity(provider: .apple, subject: "subject", linkedAt: world.clock.now)
        _ = try await take([ImportedUser(user: user("one") { $0.identities = [identity] })])
        let second = ImportedUser(
            user: user("two") { ($0.username, $0.identities) = ("hana", [identity]) })
        let outcome = try await take([second], takesParts: takesParts).first
        #expect(outcome?.isRefusal == !takesParts && Self.fields(of: outcome) == ["identities.apple"])
        let kept = try await stored("two")
        #expect((kept != nil) == takesParts && kept?.identities.isEmpty ?? true)
        let tenant = application.id
        let owner = try await world.engine.read { transaction throws(DomainError) in
            try transaction.user(provider: .apple, subject: "subject", in: tenant)?.id
        }
        #expect(owner?.rawValue == "one")
    }

    @Test(
        "takes up to 50 tokens of 1 to 4,096 bytes each",
        arguments: [(0, 1, true), (50, 20, true), (51, 20, false), (1, 4096, true), (1, 4097, false), (1, 0, false)])
    func tokens(count: Int, bytes: Int, isTaken: Bool) async throws {
        let tokens = (0..<count).map { number in
            let text = String(number)
            return Secret(
                bytes < 2
                    ? String(repeating: "t", count: bytes) : text + String(repeating: "t", count: bytes - text.count))
        }
        let outcome = try await take([ImportedUser(user: user("one") { $0.username = "hana" }, tokens: tokens)]).first
        #expect(outcome == .imported || !isTaken)
        #expect(Self.fields(of: outcome) == (isTaken ? [] : ["tokens"]))
        for token in tokens where isTaken {
            let found = try await world.modules.sessions.findSession(
                token.revealed[...], in: application, of: .yearly)
            #expect(found?.user.id.rawValue == "one")
        }
    }

    @Test(
        "of sessions refuses what no session can be",
        arguments: [(1, 1, true), (4096, 1, true), (4097, 1, false), (0, 1, false), (1, 0, false), (1, -1, false)])
    func sessions(bytes: Int, milliseconds: Int, isTaken: Bool) async throws {
        _ = try await take([ImportedUser(user: user("one") { $0.username = "hana" })])
        let session = ImportedSession(
            user: Identifier(rawValue: "one"), application: application.id,
            token: Secret(String(repeating: "t", count: bytes)), protocolName: .yearly, method: .importing,
            createdAt: world.clock.now, expiresAt: world.clock.now + .milliseconds(milliseconds))
        for isRehearsal in [true, false] {
            let outcomes = try await world.modules.sessions.importSessions([session], isRehearsal: isRehearsal)
            #expect(outcomes.count == 1 && (outcomes.first == .imported) == isTaken)
            #expect(Self.fields(of: outcomes.first) == (isTaken ? [] : [bytes == 1 ? "expiresAt" : "token"]))
        }
    }

    @Test("of sessions needs the user, but for a rehearsal", arguments: [true, false])
    func sessionOfNobody(isRehearsal: Bool) async throws {
        let session = ImportedSession(
            user: Identifier(rawValue: "nobody"), application: application.id, token: Secret("token"),
            protocolName: .yearly, method: .importing, createdAt: world.clock.now)
        let outcomes = try await world.modules.sessions.importSessions([session], isRehearsal: isRehearsal)
        #expect(
            outcomes == [isRehearsal ? .imported : .refused([ValidationError(field: "user", rule: .notListed)])])
    }

    /// Whose session a token leads to.
    private func owner(of token: String) async throws -> String? {
        try await world.modules.sessions.findSession(token[...], in: application, of: .yearly)?.user.id.rawValue
    }

    /// A session as a file of sessions has it.
    private func session(_ token: String, of id: String) -> ImportedSession {
        ImportedSession(
            user: Identifier(rawValue: id), application: application.id, token: Secret(token), protocolName: .yearly,
            method: .importing, createdAt: world.clock.now)
    }

    @Test("brings no session back that has ended since, with users or in a file of its own", arguments: [true, false])
    func endedSessions(isWithUsers: Bool) async throws {
        let tokens = (0..<3).map { "a token of before, number \($0)" }
        let id = Identifier<User>(rawValue: "one")
        func run() async throws -> [ImportOutcome] {
            let person = user("one") { $0.username = "hana" }
            guard !isWithUsers else {
                return try await take([ImportedUser(user: person, tokens: tokens.map(Secret.init))])
            }
            _ = try await take([ImportedUser(user: person)])
            return try await world.modules.sessions.importSessions(
                tokens.map { session($0, of: "one") }, isRehearsal: false)
        }
        func owners() async throws -> [String?] {
            var owners: [String?] = []
            for token in tokens { owners.append(try await owner(of: token)) }
            return owners
        }
        #expect(try await run().allSatisfy { $0 == .imported })
        #expect(try await owners() == ["one", "one", "one"])
        let out = try #require(
            try await world.modules.sessions.findSession(tokens[1][...], in: application, of: .yearly)?.session.id)
        try await world.modules.sessions.endSession(out, of: id, in: application.id, by: .local)
        // Each would have a later end.
        for _ in 0..<2 {
            #expect(try await run().allSatisfy { $0 == .present })
            #expect(try await owners() == ["one", nil, "one"])
            world.clock.advance(by: .days(30))
        }
        _ = try await world.modules.administration.users.endAllSessions(of: id, in: application, by: .local)
        #expect(try await run().allSatisfy { $0 == .present })
        #expect(try await owners() == [nil, nil, nil])
    }

    @Test(
        "of tokens in a second file takes them for users who have ended nothing here, and for those whom nothing else leads to"
    )
    func secondFile() async throws {
        let people = [user("named") { $0.username = "hana" }, user("out") { $0.username = "mika" }, user("nameless")]
        let first = people.map { ImportedUser(user: $0, tokens: [Secret("first token of \($0.id)")]) }
        #expect(try await take(first) == [.imported, .imported, .imported])
        for id in ["out", "nameless"] {
            _ = try await world.modules.administration.users.endAllSessions(
                of: Identifier(rawValue: id), in: application, by: .local)
        }
        let second = people.map { ImportedUser(user: $0, tokens: [Secret("second token of \($0.id)")]) }
        #expect(try await take(second) == [.present, .present, .present])
        let sessions = people.map { session("third token of \($0.id)", of: $0.id.rawValue) }
        for isRehearsal in [true, false] {
            let outcomes = try await world.modules.sessions.importSessions(sessions, isRehearsal: isRehearsal)
            #expect(outcomes == [.imported, .present, .imported])
        }
        for number in ["second", "third"] {
            var owners: [String?] = []
            for person in people { owners.append(try await owner(of: "\(number) token of \(person.id)")) }
            #expect(owners == ["named", nil, "nameless"])
        }
    }

    @Test("brings no session back with a user who was erased since, nor the user whom nothing but sessions led to")
    func erased() async throws {
        let imported = [
            ImportedUser(user: user("named") { $0.username = "hana" }, tokens: [Secret("a token of before")]),
            ImportedUser(user: user("nameless"), tokens: [Secret("another token of before")]),
        ]
        #expect(try await take(imported) == [.imported, .imported])
        for person in imported {
            try await world.modules.deletion.eraseUser(person.user.id, in: application.id, by: .local)
        }
        #expect(try await take(imported) == [.imported, .present])
        #expect(try await owner(of: "a token of before") == nil)
        #expect(try await owner(of: "another token of before") == nil)
        #expect(try await stored("nameless") == nil)
    }

    @Test(
        "takes the fields of sessions within the limits of the application, in each way that they come",
        arguments: [100, 101, 150, 151], [true, false])
    func fieldsOfSessions(count: Int, isWide: Bool) async throws {
        try await world.modules.applications.changeFieldRules(of: application.id, mayLoosen: true, by: .local) {
            $0.limits = ProfileLimits(fields: isWide ? 150 : 100)
        }
        func kept(_ id: String) -> ImportedSession {
            var kept = session("a token of \(id)", of: id)
            for number in 0..<count { kept.fields["field\(number)"] = 1 }
            return kept
        }
        let (own, exported) = (user("own") { $0.username = "hana" }, user("exported") { $0.username = "mika" })
        var withSession = ImportedUser(user: own)
        withSession.sessions = [kept("own")]
        var withCredentials = ImportedUser(user: exported)
        var credentials = UserCredentials()
        let moved = MovedSession(kept("exported"), randomness: world.randomness, at: world.clock.now)
        credentials.sessions = [ExportedSession(session: moved.session, token: moved.token)]
        withCredentials.credentials = credentials
        let isTaken = count <= (isWide ? 150 : 100)
        #expect(try await take([withSession, withCredentials]).map(\.isRefusal) == [!isTaken, !isTaken])
        _ = try await take([ImportedUser(user: user("third") { $0.username = "taro" })])
        let outcomes = try await world.modules.sessions.importSessions([kept("third")], isRehearsal: false)
        #expect(outcomes.map(\.isRefusal) == [!isTaken])
        for id in ["own", "exported", "third"] {
            #expect(try await owner(of: "a token of \(id)") == (isTaken ? id : nil))
        }
    }

    @Test("leaves a user the newest of more sessions than log-ins leave", arguments: [true, false])
    func manySessions(isNewestFirst: Bool) async throws {
        _ = try await take([ImportedUser(user: user("one") { $0.username = "hana" })])
        let maximum = SessionIssuer.maximumSessionsPerUser
        let ages = (1...(2 * maximum)).map { Duration.seconds($0 * 60) }
        let sessions = (isNewestFirst ? ages : ages.reversed()).map { age in
            var old = session("a token of \(age)", of: "one")
            old.createdAt = world.clock.now - age
            return old
        }
        for expected in [ImportOutcome.imported, .present] {
            for part in [sessions.prefix(maximum), sessions.suffix(maximum)] {
                let outcomes = try await world.modules.sessions.importSessions(Array(part), isRehearsal: false)
                #expect(outcomes.allSatisfy { $0 == expected })
            }
            let left = try await world.modules.sessions.listSessions(of: Identifier(rawValue: "one"), in: application)
            #expect(left.count == maximum)
            // What came last is there too, however old it is.
            for age in ages.prefix(maximum - 1) { #expect(try await owner(of: "a token of \(age)") == "one") }
        }
    }

    @Test("wraps hashes of fast functions before they are stored, once, and not for those who are there")
    func fastHashes() async throws {
        let users = [
            ImportedUser(user: user("one") { $0.username = "hana" }, hash: PasswordHash(text: "fast:1")),
            ImportedUser(user: user("two") { $0.email = "no address" }, hash: PasswordHash(text: "fast:2")),
            ImportedUser(user: user("three") { $0.username = "mika" }, hash: PasswordHash(text: "slow:3")),
        ]
        for round in 0..<3 {
            let outcomes = try await take(users, isRehearsal: round == 0)
            #expect(outcomes.map(\.isRefusal) == [false, true, false])
            #expect(world.passwords.counted.wraps == (round == 0 ? 0 : 1))
            #expect(world.passwords.counted.share == (round == 0 ? nil : .imports))
        }
        let tenant = application.id
        for (id, text) in [("one", "wrapped:1"), ("three", "slow:3")] {
            let hash = try await world.engine.read { transaction throws(DomainError) in
                try transaction.passwordHash(of: Identifier(rawValue: id), in: tenant)
            }
            #expect(hash?.text == text)
        }
    }

    @Test("stores no fast hash of users who are taken in in part")
    func fastHashInPart() async throws {
        let broken = ImportedUser(
            user: user("one") { ($0.username, $0.email) = ("hana", "no address") }, hash: PasswordHash(text: "fast:1"))
        let outcome = try await take([broken], takesParts: true).first
        #expect(Self.isInPart(outcome) && Self.fields(of: outcome) == ["email"])
        let tenant = application.id
        let hash = try await world.engine.read { transaction throws(DomainError) in
            try transaction.passwordHash(of: Identifier(rawValue: "one"), in: tenant)
        }
        #expect(hash?.text == "wrapped:1")
    }
}
