import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What may become a claim, at both ends of every limit.
@Suite("A rule of a claim")
struct ClaimRuleTests {
    private static let fields = FieldRules([
        FieldRule(name: "plan", writer: .server), FieldRule(name: "nick", writer: .owner),
    ])

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func faults(_ rule: ClaimRule) -> [ValidationError.Rule] {
        let faults = rule.faults(fields)
        let path = rule.name.utf8.count > 128 ? "claims.…" : "claims.\(rule.name)"
        #expect(faults.allSatisfy { $0.field == path }, "\(faults)")
        return faults.map(\.rule)
    }

    @Test(
        "has a name of plain characters, and so has the object that it is in",
        arguments: [
            ("plan", []), ("https://app.example/claims", []), ("a.b:c/d#e@f~g_h-i", []), ("A1", []), (letters(128), []),
            ("", [.empty]), (letters(129), [.tooLong(maximumCharacters: 128)]), ("a b", [.notAClaimName]),
            ("é", [.notAClaimName]), ("a*", [.notAClaimName]), ("a\n", [.notAClaimName]), ("a\"", [.notAClaimName]),
        ] as [(String, [ValidationError.Rule])])
    func names(name: String, rules: [ValidationError.Rule]) {
        #expect(Self.faults(ClaimRule(name, .user)) == rules)
        #expect(Self.faults(ClaimRule("x", within: name, .user)) == rules)
    }

    private static let words = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "azp", "sid", "scope", "cnf", "typ", "nonce",
        "act", "may_act", "auth_time", "amr", "acr", "is_anonymous", "claims_version",
    ]

    @Test("is none that the token has itself, in any case of letters", arguments: words)
    func reserved(name: String) {
        for written in [name, name.uppercased()] {
            #expect(Self.faults(ClaimRule(written, .user)) == [.reserved])
            #expect(Self.faults(ClaimRule("x", within: written, .user)) == [.reserved])
            // Inside an object it is nobody else's.
            #expect(Self.faults(ClaimRule(written, within: "app", .user)).isEmpty)
        }
        #expect(Self.faults(ClaimRule(name + "_", .user)).isEmpty && ClaimRule.reserved.count == Self.words.count)
    }

    @Test(
        "of a field needs one that nobody but the server writes",
        arguments: [("plan", true), ("nick", false), ("unknown", false)])
    func field(name: String, isTaken: Bool) {
        let rule = ClaimRule("c", .field(name))
        #expect(Self.faults(rule) == (isTaken ? [] : [.notServersField]))
        #expect(AccessRules(claims: [rule]).unservedClaims(Self.fields).isEmpty == isTaken)
        #expect(AccessRules(claims: [rule]).claimedFields == [name])
        #expect(rule.field == name && ClaimRule("c", .user).field == nil)
    }

    @Test("of fields of others names them in order")
    func unserved() {
        let rules = AccessRules(claims: [
            ClaimRule("a", .field("z")), ClaimRule("b", .field("plan")), ClaimRule("c", .field("nick")),
            ClaimRule("d", .user),
        ])
        #expect(
            rules.unservedClaims(Self.fields) == [
                ValidationError(field: "fields.nick", rule: .notServersField),
                ValidationError(field: "fields.z", rule: .notServersField),
            ])
    }

    @Test("of a fixed value has one of at most 2048 bytes as JSON with its name")
    func constants() {
        func rule(_ value: JSONValue) -> ClaimRule { ClaimRule("c", .constant(value)) }
        #expect(Self.faults(rule(.null)) == [.required])
        // {"value":"…"} has twelve bytes beside the text.
        #expect(Self.faults(rule(.string(Self.letters(2036)))).isEmpty)
        #expect(Self.faults(rule(.string(Self.letters(2037)))) == [.tooManyBytes(maximum: 2048)])
        for value in [JSONValue.bool(false), .integer(0), .string(""), .array([]), .object([:])] {
            #expect(Self.faults(rule(value)).isEmpty, "\(value)")
        }
        #expect(Self.faults(rule(.string("\0"))) == [.controlCharacter])
    }

    @Test(
        "of names adds at most 20, each a name of a grant",
        arguments: [
            ([], []), (["everybody"], []), ((1...20).map { "n\($0)" }, []),
            ((1...21).map { "n\($0)" }, [.tooManyFields(maximum: 20)]), (["ok", "not ok", ""], [.notAGrantName]),
            (["", "not ok"], [.empty]), ([letters(64)], []), ([letters(65)], [.tooLong(maximumCharacters: 64)]),
        ] as [([String], [ValidationError.Rule])])
    func fixedNames(names: [String], rules: [ValidationError.Rule]) {
        for kind in ClaimRule.Names.allCases {
            let rule = ClaimRule("c", .names(kind, and: names))
            #expect(Self.faults(rule) == rules)
            #expect(rule.concernsEverybody == !names.isEmpty)
        }
    }

    @Test("differs from the others by its name and its object")
    func unique() {
        func faults(_ rules: ClaimRule...) -> [ValidationError] { AccessRules(claims: rules).claimFaults(Self.fields) }
        let twice = [ValidationError(field: "claims.a", rule: .notUnique)]
        #expect(faults(ClaimRule("a", .user), ClaimRule("b", .user)).isEmpty)
        #expect(faults(ClaimRule("a", .user), ClaimRule("a", .constant(true))) == twice)
        #expect(faults(ClaimRule("a", within: "o", .user), ClaimRule("a", within: "o", .user)) == twice)
        #expect(faults(ClaimRule("a", within: "o", .user), ClaimRule("a", within: "p", .user)).isEmpty)
        #expect(faults(ClaimRule("a", within: "o", .user), ClaimRule("a", .user)).isEmpty)
        // One name cannot be a value and an object of values.
        #expect(faults(ClaimRule("x", within: "a", .user), ClaimRule("a", .user)) == twice)
        #expect(faults(ClaimRule("a", .user), ClaimRule("x", within: "a", .user)) == twice)
        // What is wrong by itself is said alone.
        #expect(
            faults(ClaimRule("", .user), ClaimRule("", .user)).map(\.rule) == [.empty, .empty])
    }

    @Test("is one of 50 at the most, whose fixed values together have 4096 bytes")
    func together() {
        func faults(_ rules: [ClaimRule]) -> [ValidationError] { AccessRules(claims: rules).claimFaults(Self.fields) }
        #expect(faults((1...50).map { ClaimRule("c\($0)", .user) }).isEmpty)
        #expect(
            faults((1...51).map { ClaimRule("c\($0)", .user) })
                == [ValidationError(field: "claims", rule: .tooManyFields(maximum: 50))])
        // Braces, two commas, and for each of the three six bytes beside the text: 22 and the texts.
        func three(_ last: Int) -> [ClaimRule] {
            [1358, 1358, last].enumerated().map { ClaimRule("c\($0)", .constant(.string(Self.letters($1)))) }
        }
        #expect(faults(three(1358)).isEmpty)
        #expect(faults(three(1359)) == [ValidationError(field: "claims", rule: .tooManyBytes(maximum: 4096))])
    }
}

@Suite("The claims of a user")
struct UserClaimTests {
    private static let (editor, admin, team) = (
        Grant(id: Identifier(rawValue: "1"), name: "editor", content: .role(permissions: ["write", "read"])),
        Grant(id: Identifier(rawValue: "2"), name: "admin", content: .role(permissions: ["read", "all"])),
        Grant(
            id: Identifier(rawValue: "3"), name: "team",
            content: .group(roles: [Identifier(rawValue: "2"), Identifier(rawValue: "9")]))
    )
    private static let fields = FieldRules([FieldRule(name: "plan", writer: .server)])

    private static func access(
        _ grants: [Grant], with fields: [String: JSONValue] = [:], _ claims: [ClaimRule],
        by rules: FieldRules = fields, of all: [Grant] = [editor, admin, team]
    ) -> Access {
        let now = StandingClock().now
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "a"), fields: fields, createdAt: now,
            updatedAt: now)
        user.grants = Set(grants.map(\.id))
        return AccessRules(all, claims: claims).access(of: user, rules)
    }

    @Test("come from roles, and from groups the roles of which are there, each name once and in order")
    func names() {
        let claims = ClaimRule.Names.allCases.map { ClaimRule($0.rawValue, .names($0, and: [])) }
        let both = Self.access([Self.editor, Self.team], claims)
        #expect(both.roles == ["admin", "editor"] && both.groups == ["team"])
        #expect(both.permissions == ["all", "read", "write"])
        #expect(
            both.claims == [
                "roles": ["admin", "editor"], "groups": ["team"], "permissions": ["all", "read", "write"],
            ])
        let one = Self.access([Self.editor], claims)
        #expect(one.groups.isEmpty && one.claims == ["roles": ["editor"], "permissions": ["read", "write"]])
        let none = Self.access([], claims)
        #expect(none == .none && none.version == nil)
    }

    @Test("of names have the fixed ones first, and none twice")
    func fixed() {
        let claims = [ClaimRule("r", .names(.roles, and: ["guest", "editor"]))]
        #expect(Self.access([Self.editor, Self.admin], claims).claims == ["r": ["guest", "editor", "admin"]])
        #expect(Self.access([], claims).claims == ["r": ["guest", "editor"]])
    }

    @Test(
        "of a field are there while it has a value and nobody but the server writes it",
        arguments: [
            (JSONValue.integer(1), true), (.bool(false), true), (.string(""), true), (.null, false), (nil, false),
        ])
    func field(value: JSONValue?, isThere: Bool) {
        let claims = [ClaimRule("p", .field("plan"))]
        var fields: [String: JSONValue] = ["other": 1]
        if let value { fields["plan"] = value }
        #expect(Self.access([], with: fields, claims).claims["p"] == (isThere ? value : nil))
        #expect(Self.access([], with: fields, claims, by: FieldRules([FieldRule(name: "plan")])).claims.isEmpty)
        #expect(Self.access([], with: fields, claims, by: FieldRules()).claims.isEmpty)
    }

    @Test("inside an object stand together, and the user's id and fixed values are everybody's")
    func objects() {
        let claims = [
            ClaimRule("id", within: "app", .user), ClaimRule("k", within: "app", .constant(7)), ClaimRule("id", .user),
            ClaimRule("x", within: "other", .constant([])),
        ]
        let access = Self.access([], claims)
        #expect(access.claims == ["app": ["id": "u", "k": 7], "id": "u", "other": ["x": []]])
        #expect(access.roles.isEmpty && access.groups.isEmpty && access.permissions.isEmpty)
    }

    @Test("have a version of twelve characters that is theirs alone")
    func version() throws {
        let one = try #require(Self.access([], [ClaimRule("k", .constant(7))]).version)
        #expect(one.count == 12)
        #expect(Self.access([Self.editor], [ClaimRule("k", .constant(7))]).version == one)
        #expect(Self.access([], [ClaimRule("k", .constant(8))]).version != one)
        #expect(Self.access([], [ClaimRule("l", .constant(7))]).version != one)
    }

    @Test("fit a token up to 4096 bytes", arguments: [(4084, true), (4085, false)])
    func size(count: Int, fits: Bool) {
        // {"claim":"…"} has twelve bytes beside the text.
        let access = Self.access([], [ClaimRule("claim", .constant(.string(String(repeating: "a", count: count))))])
        var refusal: DomainError?
        do throws(DomainError) { try access.requireFittingClaims() } catch { refusal = error }
        let tooMany = DomainError.fieldsRefused([
            ValidationError(field: "claims", rule: .tooManyBytes(maximum: 4096))
        ])
        #expect(refusal == (fits ? nil : tooMany))
        #expect(access.claims.isEmpty != fits && (access.version != nil) == fits)
    }

    @Test(
        "are none together when they are too large, and cost no more for every rule of the same large value",
        arguments: [
            (ClaimRule.Source.field("plan"), 90), (.field("plan"), 5000), (.names(.permissions, and: []), 90),
            (.names(.permissions, and: ["everybody"]), 5000), (.field("plan"), 78),
        ])
    func tooLarge(source: ClaimRule.Source, count: Int) {
        let rules = (0..<50).map { ClaimRule("c\($0)", within: "app", source) } + [ClaimRule("who", .user)]
        let text = String(repeating: "x", count: count)
        let role = Grant(id: Identifier(rawValue: "1"), name: "editor", content: .role(permissions: [text]))
        let access = Self.access([role], with: ["plan": .string(text)], rules, of: [role])
        #expect(access.hasTooLargeClaims && access.claims.isEmpty && access.version == nil)
        // What the user may is another matter.
        #expect(access.roles == ["editor"] && access.permissions == [text])
        let one = Self.access([role], with: ["plan": "pro"], [ClaimRule("p", .field("plan"))], of: [role])
        #expect(!one.hasTooLargeClaims && one.claims == ["p": "pro"])
    }

    @Test("come from each role once, however many groups give it", .timeLimit(.minutes(5)))
    func overlappingGroups() {
        let roles = (0..<32).map { number in
            Grant(
                id: Identifier(rawValue: "role\(number)"), name: "role\(number)",
                content: .role(permissions: Set((0..<100).map { "permission-\(number)-\($0)" })))
        }
        let groups = (0..<AccessRules.maximumGrantsOfUser).map { number in
            Grant(
                id: Identifier(rawValue: "group\(number)"), name: "group\(number)",
                content: .group(roles: Set(roles.map(\.id))))
        }
        for _ in 0..<100 {
            let access = Self.access(groups, [.roles], of: roles + groups)
            #expect(access.roles.count == 32 && access.permissions.count == 3200 && access.groups.count == 100)
        }
    }
}

@Suite("Roles and groups")
struct GrantRuleTests {
    private static func role(_ id: String, _ name: String, _ permissions: Set<String> = []) -> Grant {
        Grant(id: Identifier(rawValue: id), name: name, content: .role(permissions: permissions))
    }

    private static func group(_ id: String, _ name: String, _ roles: Set<String> = []) -> Grant {
        Grant(
            id: Identifier(rawValue: id), name: name,
            content: .group(roles: Set(roles.map { Identifier(rawValue: $0) })))
    }

    @Test(
        "have names of plain characters",
        arguments: [
            ("a", []), ("read:users/*.-_", []), (String(repeating: "a", count: 64), []), ("", [.empty]),
            (String(repeating: "a", count: 65), [.tooLong(maximumCharacters: 64)]), ("a b", [.notAGrantName]),
            ("é", [.notAGrantName]), ("a@b", [.notAGrantName]), ("a#", [.notAGrantName]), ("`", [.notAGrantName]),
            ("{", [.notAGrantName]), ("[", [.notAGrantName]), ("azAZ09", []),
        ] as [(String, [ValidationError.Rule])])
    func names(name: String, rules: [ValidationError.Rule]) {
        #expect(Self.role("1", name).faults == rules.map { ValidationError(field: "name", rule: $0) })
        #expect(Self.group("1", name).faults == rules.map { ValidationError(field: "name", rule: $0) })
        #expect(Self.role("1", "r", [name]).faults == rules.map { ValidationError(field: "permissions", rule: $0) })
    }

    @Test("have up to a hundred permissions, which are shown in order")
    func permissions() {
        let names = Set((0..<100).map { "p\($0)" })
        #expect(Self.role("1", "r", names).faults.isEmpty)
        #expect(
            Self.role("1", "r", names.union(["q"])).faults
                == [ValidationError(field: "permissions", rule: .tooManyFields(maximum: 100))])
        #expect(Self.role("1", "r", ["b", "a", "c"]).permissions == ["a", "b", "c"])
        #expect(Self.group("1", "g", ["2"]).permissions.isEmpty && Self.role("1", "r", ["a"]).roles.isEmpty)
        #expect(Self.role("1", "r").kind == .role && Self.group("1", "g").kind == .group)
    }

    @Test("have one name of a kind, whatever its case, and groups have roles that are there")
    func unique() {
        let twice = [ValidationError(field: "name", rule: .notUnique)]
        #expect(AccessRules([Self.role("1", "a"), Self.role("2", "b"), Self.group("3", "a")]).faults.isEmpty)
        #expect(AccessRules([Self.role("1", "a"), Self.role("2", "A")]).faults == twice)
        #expect(AccessRules([Self.group("1", "a"), Self.group("2", "A")]).faults == twice)
        let unknown = [ValidationError(field: "roles", rule: .notListed)]
        #expect(AccessRules([Self.role("1", "a"), Self.group("2", "g", ["1"])]).faults.isEmpty)
        #expect(AccessRules([Self.role("1", "a"), Self.group("2", "g", ["1", "3"])]).faults == unknown)
        #expect(AccessRules([Self.group("1", "a"), Self.group("2", "g", ["1"])]).faults == unknown)
    }

    @Test("are a thousand at the most, in 128 KiB of names and ids")
    func together() {
        let thousand = (0..<1000).map { Self.role("\($0)", "r\($0)") }
        #expect(AccessRules(thousand).faults.isEmpty)
        #expect(
            AccessRules(thousand + [Self.group("g", "g")]).faults
                == [ValidationError(field: "name", rule: .tooManyFields(maximum: 1000))])
        // 127 roles of 1024 bytes, and one that has what is left: a name of four characters and permissions.
        func rules(_ last: Int) -> AccessRules {
            AccessRules(
                (0..<128).map { number in
                    let name = String(number + 1000)
                    return Self.role(
                        name, name,
                        Set((0..<20).map { "\($0 + 10)" + String(repeating: "x", count: 49) }))
                } + [Self.role("last", "last", [String(repeating: "y", count: last)])])
        }
        // 128 × (4 + 20 × 51) = 131,072.
        #expect(rules(0).faults == [ValidationError(field: "name", rule: .tooManyBytes(maximum: 131_072))])
        var full = rules(0)
        full[Identifier(rawValue: "last")] = nil
        #expect(full.faults.isEmpty)
    }

    @Test("are found by kind and name, and one that goes leaves the groups that gave it")
    func finding() {
        var rules = AccessRules([
            Self.role("1", "b"), Self.role("2", "a"), Self.group("3", "a", ["1", "2"]), Self.group("4", "z", ["2"]),
        ])
        #expect(rules.sorted(.role).map(\.name) == ["a", "b"] && rules.sorted(.group).map(\.name) == ["a", "z"])
        #expect(rules.named("A", .role)?.id.rawValue == "2" && rules.named("A", .group)?.id.rawValue == "3")
        #expect(rules.named("z", .role) == nil)
        rules[Identifier(rawValue: "2")] = nil
        #expect(rules[Identifier(rawValue: "2")] == nil && rules.grants.count == 3)
        #expect(rules[Identifier(rawValue: "3")]?.roles == [Identifier(rawValue: "1")])
        #expect(rules[Identifier(rawValue: "4")]?.roles.isEmpty == true)
        rules[Identifier(rawValue: "1")] = Self.role("1", "other")
        #expect(rules[Identifier(rawValue: "3")]?.roles == [Identifier(rawValue: "1")], "a change takes nothing away")
    }
}
