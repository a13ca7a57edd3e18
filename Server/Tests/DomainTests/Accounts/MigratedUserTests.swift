import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// Claim by claim: what the hook at log-in says of a user whom the service of before has.
@Suite("A user whom the service of before describes")
struct MigratedUserTests {
    typealias Kind = LogInIdentifier.Kind

    private static let now = StandingClock().now
    private static let application = Application(
        id: Identifier(rawValue: "app"), name: "Test", adminKeyDigest: SecretDigest(of: []), settings: .init(),
        createdAt: now)
    private static let id = Identifier<User>(rawValue: "u")
    private static let typed: [Kind: String] = [
        .username: "hana", .email: "hana@example.com", .phone: "+819012345678",
    ]
    private static let claimOfKind: [Kind: String] = [
        .username: "preferred_username", .email: "email", .phone: "phone_number",
    ]

    private static func identifier(_ kind: Kind) -> LogInIdentifier {
        LogInIdentifier(kind, shown: typed[kind] ?? "")
    }

    private static func subject(_ identifier: LogInIdentifier?) -> HookSubject {
        var subject = HookSubject(User(id: id, application: application.id, createdAt: now, updatedAt: now))
        if let identifier { subject.logIn = (identifier: identifier, password: Secret("correct horse")) }
        return subject
    }

    private static func reason(
        _ claims: [String: JSONValue], fields: [String: JSONValue] = [:], typed kind: Kind = .username
    ) -> String? {
        MigratedUser.reason(
            against: fields, claims, of: subject(identifier(kind)), in: application, at: now)
    }

    private static func made(
        _ claims: [String: JSONValue], fields: [String: JSONValue] = [:], typed kind: Kind = .username
    ) -> (user: User, faults: [String]) {
        MigratedUser.user(fields, claims, id, identifier: identifier(kind), in: application, at: now)
    }

    @Test("is taken with no claim at all: what was typed names it", arguments: Kind.allCases)
    func bare(kind: Kind) {
        #expect(Self.reason([:], typed: kind) == nil)
        let (user, faults) = Self.made([:], typed: kind)
        #expect(faults == [] && user.id == Self.id && user.createdAt == Self.now && user.updatedAt == Self.now)
        for other in Kind.allCases {
            #expect(user.identifier(other) == (other == kind ? Self.typed[other] : nil), "\(other)")
        }
        #expect(user.emailVerifiedAt == nil && user.phoneVerifiedAt == nil)
    }

    @Test("is none where nothing was typed")
    func untyped() {
        let reason = MigratedUser.reason(
            against: [:], [:], of: Self.subject(nil), in: Self.application, at: Self.now)
        #expect(reason == "nothing was typed")
    }

    private static let texts = ["sub", "preferred_username", "email", "phone_number", "name", "locale"]
    private static let flags = ["email_verified", "phone_number_verified"]
    private static let noTexts: [JSONValue] = [true, false, 1, 1.5, "", [], ["a"], [:], ["a": "b"]]
    private static let noFlags: [JSONValue] = ["true", "false", "", 0, 1, [], [true], [:]]

    @Test("has a wrong form where a text is none", arguments: texts, noTexts)
    func wrongTexts(name: String, value: JSONValue) {
        #expect(Self.reason([name: value]) == "\(name) has a wrong form")
        #expect(Self.made([name: value]).faults == [name])
    }

    @Test("has a wrong form where a yes or no is none, and counts as unverified", arguments: flags, noFlags)
    func wrongFlags(name: String, value: JSONValue) {
        var claims: [String: JSONValue] = ["email": "hana@example.com", "phone_number": "+819012345678"]
        claims[name] = value
        #expect(Self.reason(claims) == "\(name) has a wrong form")
        let (user, faults) = Self.made(claims)
        #expect(faults == [name] && user.emailVerifiedAt == nil && user.phoneVerifiedAt == nil)
    }

    @Test("lacks what is null as if it were not said", arguments: texts + flags)
    func null(name: String) {
        #expect(Self.reason([name: .null]) == nil)
        #expect(Self.made([name: .null]).user == Self.made([:]).user)
    }

    @Test(
        "is made of the standard claims alone; anything else belongs into the fields",
        arguments: ["", "a", "Sub", "picture", "gender", "iss", "roles", "email_Verified"])
    func unknown(name: String) {
        let reason = Self.reason([name: "x", "name": "Hana"])
        #expect(reason == "the claim \(name) is none that a user is made of; put it into fields")
    }

    @Test("has the address and the number verified that it has and that the service verified", arguments: 0..<16)
    func verified(bits: Int) {
        func has(_ bit: Int) -> Bool { bits & 1 << bit != 0 }
        var claims: [String: JSONValue] = [
            "email_verified": .bool(has(0)), "phone_number_verified": .bool(has(1)),
        ]
        if has(2) { claims["email"] = "hana@example.com" }
        if has(3) { claims["phone_number"] = "+81 90-1234-5678" }
        #expect(Self.reason(claims) == nil)
        let user = Self.made(claims).user
        #expect((user.emailVerifiedAt == Self.now) == (has(0) && has(2)))
        #expect((user.phoneVerifiedAt == Self.now) == (has(1) && has(3)))
        #expect((user.emailVerifiedAt == nil) == !(has(0) && has(2)))
        #expect((user.phoneVerifiedAt == nil) == !(has(1) && has(3)))
        #expect(user.email == (has(2) ? "hana@example.com" : nil))
        #expect(user.phone == (has(3) ? "+819012345678" : nil), "a number is kept in one form")
    }

    @Test("is the user who was typed, however that was written", arguments: Kind.allCases)
    func same(kind: Kind) throws {
        let claim = try #require(Self.claimOfKind[kind])
        let others: [Kind: String] = [.username: "mika", .email: "mika@example.com", .phone: "+819087654321"]
        let spellings: [Kind: String] = [
            .username: "HANA", .email: "Hana@Example.com", .phone: "+81 90 1234 5678",
        ]
        let (spelling, other) = (try #require(spellings[kind]), try #require(others[kind]))
        #expect(Self.reason([claim: .string(spelling)], typed: kind) == nil)
        #expect(
            Self.reason([claim: .string(other)], typed: kind)
                == "the user has another \(kind.rawValue) than was typed")
    }

    private static let broken: [(claims: [String: JSONValue], fields: [String: JSONValue], field: String)] = [
        (["sub": .string(String(repeating: "x", count: 129))], [:], "id"),
        (["email": "no address"], [:], "email"), (["phone_number": "090"], [:], "phone"),
        (["name": .string(String(repeating: "x", count: 201))], [:], "displayName"),
        (["locale": "no language"], [:], "locale"), ([:], ["": 1], ProfileRules.path(of: "")),
        ([:], ["note": "\0"], ProfileRules.path(of: "note")),
        ([:], ["note": .string(String(repeating: "x", count: 40_000))], "fields"),
    ]

    @Test("keeps to the rules of every import", arguments: broken.indices)
    func rules(index: Int) {
        let row = Self.broken[index]
        #expect(Self.reason(row.claims, fields: row.fields) == "\(row.field) breaks a rule")
    }

    @Test("has id, name, language and fields as the service says")
    func whole() {
        let claims: [String: JSONValue] = ["sub": "old-1", "name": "Hana", "locale": "ja"]
        #expect(Self.reason(claims, fields: ["level": 7]) == nil)
        let user = Self.made(claims, fields: ["level": 7]).user
        #expect(user.id.rawValue == "old-1" && user.displayName == "Hana" && user.locale == "ja")
        #expect(user.fields == ["level": 7] && user.application == Self.application.id)
    }
}
