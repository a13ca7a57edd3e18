import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What the service of before says of a user, claim by claim.
@Suite("A user as the service of before describes it")
struct MigratedUserTests {
    private static let now = StandingClock().now
    private static let application = Application(
        id: Identifier(rawValue: "app"), name: "Test", adminKeyDigest: SecretDigest(of: []),
        settings: ApplicationSettings(), createdAt: now)
    private static let hana = LogInIdentifier(.username, shown: "hana")

    private static func user(
        _ claims: [String: JSONValue], typed: LogInIdentifier = MigratedUserTests.hana
    ) -> (user: User, faults: [String]) {
        MigratedUser.user(
            ["plan": "gold"], claims, Identifier(rawValue: "drawn"), identifier: typed, in: application, at: now)
    }

    private static func reason(
        _ claims: [String: JSONValue], typed: LogInIdentifier? = MigratedUserTests.hana
    ) -> String? {
        var subject = HookSubject(
            User(id: Identifier(rawValue: "drawn"), application: application.id, createdAt: now, updatedAt: now))
        subject.logIn = typed.map { (identifier: $0, password: Secret("a long enough secret")) }
        return MigratedUser.reason(against: [:], claims, of: subject, in: application, at: now)
    }

    @Test("has what the claims say")
    func everything() {
        let (user, faults) = Self.user([
            "sub": "old-1", "preferred_username": "hana", "email": "hana@example.com", "email_verified": true,
            "phone_number": "+81 90 1234 5678", "phone_number_verified": true, "name": "花", "locale": "ja",
        ])
        #expect(faults.isEmpty && user.id.rawValue == "old-1" && user.username == "hana")
        #expect(user.email == "hana@example.com" && user.emailVerifiedAt == Self.now)
        #expect(user.phone == "+819012345678" && user.phoneVerifiedAt == Self.now)
        #expect(user.displayName == "花" && user.locale == "ja" && user.fields == ["plan": "gold"])
    }

    @Test(
        "is verified by a claim that says so, and only where there is what it verifies",
        arguments: [nil, .null, false, true] as [JSONValue?], [true, false])
    func verified(claim: JSONValue?, isThere: Bool) {
        var claims: [String: JSONValue] = isThere ? ["email": "h@example.com", "phone_number": "+819012345678"] : [:]
        claims["email_verified"] = claim
        let email = Self.user(claims)
        let isVerified = isThere && claim == .bool(true)
        #expect(email.faults.isEmpty && (email.user.emailVerifiedAt != nil) == isVerified)
        #expect(email.user.phoneVerifiedAt == nil)
        claims["email_verified"] = nil
        claims["phone_number_verified"] = claim
        let phone = Self.user(claims)
        #expect(phone.faults.isEmpty && (phone.user.phoneVerifiedAt != nil) == isVerified)
        #expect(phone.user.emailVerifiedAt == nil)
    }

    @Test(
        "has what was typed, where the service says nothing of it",
        arguments: [
            LogInIdentifier(.username, shown: "hana"), LogInIdentifier(.email, shown: "hana@example.com"),
            LogInIdentifier(.phone, shown: "+819012345678"),
        ])
    func typed(identifier: LogInIdentifier) {
        let (user, faults) = Self.user([:], typed: identifier)
        #expect(faults.isEmpty && user.id.rawValue == "drawn")
        #expect(user.typedIdentifiers.map(\.kind) == [identifier.kind])
        #expect(user.identifier(identifier.kind) == identifier.shown)
        #expect(Self.reason([:], typed: identifier) == nil)
    }

    @Test(
        "has claims of their form",
        arguments: ["sub", "preferred_username", "email", "phone_number", "name", "locale"],
        ["", 1, true, [], [:]] as [JSONValue])
    func texts(name: String, value: JSONValue) {
        #expect(Self.user([name: value]).faults == [name])
        #expect(Self.reason([name: value]) == "\(name) has a wrong form")
        #expect(Self.user([name: .null]).faults.isEmpty)
    }

    @Test(
        "is verified by true or false alone", arguments: ["email_verified", "phone_number_verified"],
        ["true", 1, 0, [], [:]] as [JSONValue])
    func flags(name: String, value: JSONValue) {
        #expect(Self.user([name: value]).faults == [name])
        #expect(Self.reason([name: value]) == "\(name) has a wrong form")
    }

    @Test("has no other claims, is whom somebody typed, and breaks no rule")
    func reasons() {
        #expect(Self.reason([:], typed: nil) == "nothing was typed")
        #expect(
            Self.reason(["plan": "gold"])
                == "the claim plan is none that a user is made of; put it into fields")
        #expect(Self.reason(["preferred_username": "mika"]) == "the user has another username than was typed")
        #expect(Self.reason(["preferred_username": "HANA"]) == nil)
        #expect(Self.reason(["sub": .string(String(repeating: "x", count: 128))]) == nil)
        #expect(Self.reason(["sub": .string(String(repeating: "x", count: 129))])?.hasSuffix("breaks a rule") == true)
        #expect(Self.reason(["locale": "not a language"])?.hasSuffix("breaks a rule") == true)
    }
}
