import TestWorld
import Testing

@testable import Domain

@Suite("A password")
struct PasswordFormTests {
    @Test("has from one to 1024 bytes", arguments: [0, 1, 2, 1023, 1024, 1025, 100_000])
    func bytes(count: Int) {
        #expect((Password(String(repeating: "x", count: count)) != nil) == (1...1024).contains(count))
        #expect((Password(String(repeating: "é", count: count)) != nil) == (1...512).contains(count))
    }

    @Test(
        "is known in two readings where the composed form is another one",
        arguments: [("plain", 1), ("Ｏｋａｅｒｉ", 2), ("が", 1), ("か\u{3099}", 2), ("ﬁ", 2), ("é", 1), ("e\u{301}", 2)])
    func readings(text: String, count: Int) throws {
        let password = try #require(Password(text))
        #expect(password.readings.count == count && password.readings.first == Array(text.utf8))
        #expect(password.sent.revealed == text)
        #expect(Set(password.readings).count == count)
    }

    private static func user(_ name: String?) -> User {
        let now = StandingClock().now
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        user.username = name
        return user
    }

    @Test(
        "is a user's name whatever its case and width, and nothing less",
        arguments: [
            ("hana", "hana", true), ("HANA", "hana", true), ("ｈａｎａ", "hana", true), ("hana ", "hana", false),
            ("hana1", "hana", false), ("han", "hana", false), ("hana", nil, false),
        ] as [(String, String?, Bool)])
    func names(text: String, name: String?, isName: Bool) throws {
        #expect(try #require(Password(text)).isName(of: Self.user(name)) == isName)
    }

    // MARK: What everybody tries

    @Test("is common as one sign again and again, whatever the sign", arguments: UInt64(0)..<40)
    func repeated(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let sign = draw.text(of: 1, from: "a9 .-xあ花🐈")
        let count = 3 + draw.number(below: 40)
        #expect(CommonPasswords.contains(String(repeating: sign, count: count)))
    }

    @Test("is common as a run, forwards and backwards, over the end of the digits", arguments: 0..<10, 3..<25)
    func runs(start: Int, count: Int) {
        let up = (0..<count).map { String((start + $0) % 10) }.joined()
        let down = (0..<count).map { String((start - $0 + 1000) % 10) }.joined()
        #expect(CommonPasswords.contains(up) && CommonPasswords.contains(down))
        // One step beside it is none, but for a text that the list has.
        let steps = Array(up)
        let broken = String(steps.dropLast()) + (steps.last == "5" ? "2" : "5")
        if count > 12 { #expect(!CommonPasswords.contains(broken), "\(broken)") }
    }

    @Test(
        "is no run with steps of another kind",
        arguments: [
            ("acegikmoqsuwy", false), ("abcdefghijklm", true), ("zyxwvutsrqpon", true), ("aabbaabbaabbz", false),
            ("0918273645546", false), ("abcabcabcabcq", false), ("ab", true), ("", true), ("a", true),
        ])
    func otherRuns(text: String, isCommon: Bool) { #expect(CommonPasswords.contains(text) == isCommon) }

    // MARK: Words of the context

    private static func rules(_ words: [String?], minimum: Int = 8) -> PasswordRules {
        PasswordRules(minimumCharacters: minimum, words: words)
    }

    private static func faults(_ text: String?, _ rules: PasswordRules) -> [ValidationError.Rule] {
        do throws(DomainError) {
            _ = try rules.check(text.map { Secret($0) }, field: "password")
            return []
        } catch {
            return (error.validationErrors ?? []).map(\.rule)
        }
    }

    @Test("may hold a word with eight more signs, and not with fewer, wherever it stands", arguments: 0..<10, 0..<10)
    func context(before: Int, after: Int) {
        let word = "brzotka"
        let filling = Array("qz7!wv3#kx9$")
        let text = String(filling.prefix(before)) + word + String(filling.suffix(after))
        let faults = Self.faults(text, Self.rules([word, nil, "abc"], minimum: 0))
        #expect(faults == (before + after < 8 ? [.containsContext] : []), "\(text)")
        // Whatever its case, and in wide signs too.
        #expect(Self.faults(text.uppercased(), Self.rules([word], minimum: 0)) == faults)
    }

    @Test("may hold words of three signs: they say nothing", arguments: ["abc", "花子さん", "ab花", "abcd"])
    func shortWords(word: String) {
        let faults = Self.faults(word + "!7q", Self.rules([word], minimum: 0))
        #expect(faults == (word.unicodeScalars.count >= 4 ? [.containsContext] : []))
    }

    @Test(
        "is refused as a word of its context, up to the longest word that a password can be",
        arguments: [(4, true), (1023, true), (1024, true), (1025, false), (2000, false)])
    func longWords(bytes: Int, isRefused: Bool) {
        let word = String(String(repeating: "qz7!wv3#kx9$", count: 200).prefix(bytes))
        let faults = Self.faults(String(word.prefix(1024)), Self.rules([word], minimum: 0))
        #expect(faults == (isRefused ? [.containsContext] : []))
    }

    @Test("is refused beside what else is wrong, all at once")
    func together() {
        let other = ValidationError(field: "name", rule: .empty)
        for (text, rule) in [(nil, .required), ("short", .tooShort(minimumCharacters: 8))]
            as [(String?, ValidationError.Rule)]
        {
            do throws(DomainError) {
                _ = try Self.rules([]).check(text.map { Secret($0) }, field: "password", beside: [other])
                Issue.record("taken")
            } catch {
                #expect(error.validationErrors == [other, ValidationError(field: "password", rule: rule)])
            }
        }
        do throws(DomainError) {
            _ = try Self.rules([]).check(Secret("zq-zq-zq-7"), field: "password", beside: [other])
            Issue.record("taken")
        } catch {
            #expect(error.validationErrors == [other])
        }
    }

    // MARK: How long it has to be

    @Test(
        "has the fewest characters that the application asks for, more where it is the only factor",
        arguments: [0, 7, 8, 12, 64], [0, 8, 15, 64])
    func minimum(usual: Int, only: Int) {
        for mode in SecondFactorRules.Mode.allCases {
            for hasFactor in [true, false] {
                var settings = ApplicationSettings()
                (settings.passwordMinimumCharacters, settings.passwordOnlyMinimumCharacters) = (usual, only)
                settings.secondFactors.mode = mode
                var user = Self.user("hana")
                if hasFactor { user.secondFactorAt = user.createdAt }
                let isGuarded = mode != .off && hasFactor
                #expect(settings.passwordMinimum(of: user) == max(8, usual, isGuarded ? 0 : only))
                // Of somebody who is not known yet no factor is known.
                #expect(settings.passwordMinimum(of: nil) == max(8, usual, only))
            }
        }
    }

    @Test("may be asked to have from 8 to 64 characters", arguments: [-1, 0, 7, 8, 9, 63, 64, 65, .max])
    func minima(number: Int) {
        var settings = ApplicationSettings()
        settings.passwordMinimumCharacters = number
        let rule: ValidationError.Rule? =
            number < 8 ? .tooShort(minimumCharacters: 8) : number > 64 ? .tooLong(maximumCharacters: 64) : nil
        #expect(
            settings.passwordFaults
                == (rule.map { [ValidationError(field: "passwordMinimumCharacters", rule: $0)] } ?? []))
        settings.passwordOnlyMinimumCharacters = number
        #expect(
            settings.passwordFaults.map(\.field)
                == (rule == nil ? [] : ["passwordMinimumCharacters", "passwordOnlyMinimumCharacters"]))
    }
}

@Suite("The scheme of a password's hash")
struct PasswordSchemeTests {
    private static let bcrypt = "$2b$10$" + String(repeating: "x", count: 53)
    private static let argon = "$argon2id$v=19$m=65536,t=3,p=1$c2FsdHNhbHQ$" + String(repeating: "h", count: 43)

    private static let rows: [(hash: String, text: String?, head: String)] = [
        (bcrypt, "$2b$10$", "$2b$10$"), ("$2a$12$" + String(repeating: "y", count: 53), "$2a$12$", "$2a$12$"),
        (argon, "$argon2id$v=19$m=65536,t=3,p=1$11$43", "$argon2id$v=19$m=65536,t=3,p=1$"),
        (
            "$pbkdf2-sha256$i=29000$saltsaltsaltsaltsaltsa$" + String(repeating: "r", count: 43),
            "$pbkdf2-sha256$i=29000$22$43", "$pbkdf2-sha256$i=29000$"
        ),
        ("$scrypt$ln=14,r=8,p=1$salt$hash", "$scrypt$ln=14,r=8,p=1$4$4", "$scrypt$ln=14,r=8,p=1$"),
        ("$a$b$", "$a$1$0", "$a$"), ("$a$b", nil, ""), ("", nil, ""), ("plain", nil, ""), ("$", nil, ""),
        ("$$", nil, ""), ("$$$", "$$0$0", "$$"),
    ]

    @Test("is all that decides how long a comparison takes", arguments: rows.indices)
    func schemes(index: Int) throws {
        let row = Self.rows[index]
        let scheme = PasswordScheme(of: PasswordHash(text: row.hash))
        #expect(scheme?.text == row.text)
        guard let scheme else { return }
        #expect(scheme.head == row.head && row.hash.hasPrefix(scheme.head))
        // A decoy is of the same scheme, as long as the hash, and another one.
        #expect(PasswordScheme(of: scheme.decoy) == scheme)
        #expect(scheme.decoy.text.utf8.count == row.hash.utf8.count && scheme.decoy.text.hasPrefix(scheme.head))
        if row.hash != "$a$b$", row.hash != "$$$" { #expect(scheme.decoy.text != row.hash) }
    }

    @Test("is none of a hash beyond 1024 bytes", arguments: [1023, 1024, 1025])
    func length(count: Int) {
        let text = "$a$b$" + String(repeating: "x", count: count - 5)
        #expect((PasswordScheme(of: PasswordHash(text: text)) != nil) == (count <= 1024))
    }

    @Test(
        "that was stored in another form makes no decoy at all",
        arguments: ["", "$", "$a", "$a$x$y", "$a$1025$1", "$a$-1$1", "$a$1$99999999999999999999"])
    func broken(text: String) { #expect(PasswordScheme(text: text).decoy.text == "") }
}
