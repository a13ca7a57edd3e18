import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// Whether what was typed is a user's, at its bounds.
@Suite("What names a user")
struct NamedUserTests {
    private static let now = StandingClock().now

    private static func user(_ name: String? = "Hana", email: String? = "hana@example.com") -> User {
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        (user.username, user.email) = (name, email)
        return user
    }

    private struct Case: Sendable {
        var candidates: [LogInIdentifier]?
        var required: LogInIdentifier?
        var isExact = false
        var isNamed: Bool
    }

    private static let (name, small) = (
        LogInIdentifier(.username, shown: "Hana"), LogInIdentifier(.username, shown: "hana")
    )
    private static let (email, otherEmail) = (
        LogInIdentifier(.email, shown: "HANA@example.com"), LogInIdentifier(.email, shown: "mika@example.com")
    )
    private static let phone = LogInIdentifier(.phone, shown: "+819012345678")

    private static let cases: [Case] = [
        Case(isNamed: true), Case(isExact: true, isNamed: true), Case(candidates: [], isNamed: false),
        Case(candidates: [name], isNamed: true), Case(candidates: [small], isNamed: true),
        Case(candidates: [name], isExact: true, isNamed: true),
        Case(candidates: [small], isExact: true, isNamed: false),
        Case(candidates: [email], isNamed: true), Case(candidates: [email], isExact: true, isNamed: false),
        Case(candidates: [phone], isNamed: false), Case(candidates: [phone, name], isNamed: true),
        Case(candidates: [otherEmail, phone], isNamed: false), Case(required: email, isNamed: true),
        Case(required: otherEmail, isNamed: false), Case(required: phone, isNamed: false),
        Case(candidates: [name], required: email, isNamed: true),
        Case(candidates: [name], required: phone, isNamed: false),
        Case(candidates: [phone], required: email, isNamed: false),
        Case(candidates: [name], required: email, isExact: true, isNamed: false),
    ]

    @Test("is one of what it may mean, with what must be there beside it", arguments: cases.indices)
    func named(index: Int) {
        let example = Self.cases[index]
        let isNamed = Self.user().isNamed(
            by: example.candidates, requiredIdentifier: example.required, isSpelledExactly: example.isExact)
        #expect(isNamed == example.isNamed, "\(example)")
    }

    @Test(
        "is a password too, in spite of case and width, and of nobody who has no name",
        arguments: [
            ("hana", true), ("HANA", true), ("Ｈａｎａ", true), ("hana1", false), ("han", false), ("hana ", false),
        ])
    func weak(text: String, isName: Bool) throws {
        let password = try #require(Password(text))
        #expect(password.isName(of: Self.user()) == isName)
        #expect(!password.isName(of: Self.user(nil)) && !password.isName(of: Self.user("mika")))
    }

    @Test("may mean an address as long as it can be one", arguments: [("@", 2), ("+", 2), ("a", 1)])
    func candidates(sign: String, count: Int) {
        let longest = sign + String(repeating: "1", count: 2047)
        #expect(LogInIdentifier.candidates(of: longest).count == count)
        #expect(LogInIdentifier.candidates(of: longest + "1").map(\.kind) == [.username])
        #expect(LogInIdentifier.candidates(of: longest + "1").map(\.shown) == [longest + "1"])
    }

    @Test(
        "has spaces around it, up to a length", arguments: [(0, true), (1003, true), (1004, false), (100_000, false)])
    func spaces(count: Int, isAddress: Bool) {
        let address = MailAddress(String(repeating: " ", count: count) + "a@example.com")
        #expect(address?.text == (isAddress ? "a@example.com" : nil))
    }

    @Test(
        "is a phone number of 7 to 15 digits in up to 40 signs",
        arguments: [
            ("+1234567", true), ("+123456", false), ("+123456789012345", true), ("+1234567890123456", false),
            ("+1234567" + String(repeating: " ", count: 32), true),
            ("+1234567" + String(repeating: " ", count: 33), false), ("+0234567", false), ("1234567", false),
            ("+9" + String(repeating: "−", count: 32) + "123456", true),
        ])
    func phones(text: String, isNumber: Bool) { #expect((PhoneNumber(text) != nil) == isNumber) }

    private static let foreign: [(AccountRules.Passwords, String, [ValidationError.Rule])] = [
        (.anyText(minimumCharacters: 1), "", [.tooShort(minimumCharacters: 1)]),
        (.anyText(minimumCharacters: 1), "a", []),
        (.anyText(minimumCharacters: 1), "password", []), (.anyText(minimumCharacters: 1), "a\nb", []),
        (.anyText(minimumCharacters: 1), "a\0", [.controlCharacter]),
        (.anyText(minimumCharacters: 1), String(repeating: "x", count: 1024), []),
        (.anyText(minimumCharacters: 1), String(repeating: "x", count: 1025), [.tooManyBytes(maximum: 1024)]),
        (.anyText(minimumCharacters: 4), "花子花", [.tooShort(minimumCharacters: 4)]),
        (.anyText(minimumCharacters: 4), "花子花子", []),
        (.printable(4...50), "abc", [.tooShort(minimumCharacters: 4)]), (.printable(4...50), "abcd", []),
        (.printable(4...50), String(repeating: "~", count: 50), []),
        (.printable(4...50), String(repeating: " ", count: 51), [.tooLong(maximumCharacters: 50)]),
        (.printable(4...50), "abc\u{7f}", [.controlCharacter]), (.printable(4...50), "abcé", [.controlCharacter]),
        (.printable(4...50), "abc\n", [.controlCharacter]),
    ]

    @Test("has, in an old protocol, a password by that protocol's own rules", arguments: foreign.indices)
    func passwords(index: Int) async throws {
        let (passwords, text, wanted) = Self.foreign[index]
        let rules = AccountRules(userNames: .anyText(maximumCharacters: 255), passwords: passwords)
        #expect(rules.faults(ofPassword: text) == wanted)
        let check = PasswordRules(
            for: try await TestWorld(try SQLiteStore(.memory, role: .server)).makeApplication(), user: Self.user(),
            rules: rules)
        do throws(DomainError) {
            let password = try check.check(Secret(text), field: "password")
            #expect(wanted.isEmpty && !password.mustBeUnknown)
        } catch {
            #expect(error.validationErrors?.map(\.rule) == wanted && !wanted.isEmpty)
        }
    }

    private static let verified = ProviderEmail(address: "new@example.com", isVerified: true, isRelay: false)

    private static let emails: [(String?, ProviderEmail?, String?)] = [
        (nil, nil, nil), (nil, verified, "new@example.com"),
        (nil, ProviderEmail(address: "new@example.com", isVerified: false, isRelay: false), nil),
        (nil, ProviderEmail(address: "no address", isVerified: true, isRelay: false), nil),
        (nil, ProviderEmail(address: "TAKEN@example.com", isVerified: true, isRelay: false), nil),
        ("own@example.com", verified, "own@example.com"), ("own@example.com", nil, "own@example.com"),
    ]

    @Test("by a provider is a verified address that nobody has, for a user without one", arguments: emails.indices)
    func email(index: Int) async throws {
        let (own, sent, wanted) = Self.emails[index]
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        _ = try await world.makeUser(in: application, email: "taken@example.com", isVerified: true)
        let (made, now) = (try await world.signUp("hana", to: application).user, world.clock.now)
        let (user, isTaken) = try await world.engine.write { transaction throws(DomainError) in
            var user = made
            user.email = own
            let isTaken = try transaction.take(sent, after: nil, for: &user, at: now)
            return (user, isTaken)
        }
        #expect(user.email == wanted && isTaken == (own == nil && wanted != nil))
        #expect((user.emailVerifiedAt != nil) == isTaken)
    }

    @Test("by a provider is a display name, for a user without one", arguments: [nil, "Mika"], [nil, "Hana"])
    func displayName(own: String?, sent: String?) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let id = try await world.signUp("hana", to: application).user.id
        if let own { try await world.edit(id, in: application, UserEdit(displayName: .set(own))) }
        world.clock.advance(by: .seconds(1))
        let (before, now) = (try await world.modules.directory.readUser(id, in: application.id), world.clock.now)
        let audit = AuditTrail(
            clock: world.clock, randomness: world.randomness, seals: AuditSeals(try SealingKey.ofTests()),
            hasLimits: false)
        let taken = audit.takenAddress(in: application.id, from: .local, at: now)
        try await world.engine.write { transaction throws(DomainError) in
            var user = before
            try transaction.complete(&user, displayName: sent, email: nil, after: nil, recording: taken, at: now)
        }
        let after = try await world.modules.directory.readUser(id, in: application.id)
        #expect(after.displayName == own ?? sent)
        #expect((after.updatedAt == now) == (own == nil && sent != nil))
    }
}
