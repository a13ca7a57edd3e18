import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("Rules of new passwords")
struct PasswordRulesTests {
    private static func refusals(_ text: String?, minimum: Int = 8) async throws -> [ValidationError.Rule] {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.passwordMinimumCharacters = minimum
        let application = try await world.makeApplication("Flower Shop", settings: settings)
        var user = User(
            id: Identifier(rawValue: "u"), application: application.id, displayName: "花子さん",
            createdAt: world.clock.now, updatedAt: world.clock.now)
        user.username = "Hanako"
        user.email = "tanaka.h@example.com"
        let (rules, secret) = (PasswordRules(for: application, user: user, rules: .native), text.map(Secret.init(_:)))
        let refusal = await world.refusal { _ = try rules.check(secret, field: "password") }
        return (refusal?.validationErrors ?? []).map(\.rule)
    }

    @Test(
        "let through what is long enough and not obvious, whatever it is made of",
        arguments: [
            "xkcdtime", "correct horse battery staple", "        8 spaces", "ほげほげふがふが", "🐈🐕🐈🐕🐇🐇🐢🐢", "zq-zq-zq",
            "I met hanako in the park once", String(repeating: "ab ", count: 300),
        ])
    func accepted(text: String) async throws {
        #expect(try await Self.refusals(text) == [])
    }

    @Test(
        "refuse what is too short, by characters",
        arguments: ["a", "abcdefg", "ほげほげふがふ", "ﾎｹﾞﾎｹﾞ", "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}"])
    func short(text: String) async throws {
        #expect(try await Self.refusals(text) == [.tooShort(minimumCharacters: 8)])
    }

    @Test("ask for as many characters as the application says, but never fewer than eight", arguments: [1, 8, 15])
    func minimum(characters: Int) async throws {
        #expect(
            try await Self.refusals("xkcdtim", minimum: characters) == [
                .tooShort(minimumCharacters: max(8, characters))
            ])
        #expect(try await Self.refusals("xkcdtimexkcdtime", minimum: characters) == [])
    }

    @Test(
        "refuse what everybody tries first",
        arguments: [
            "password", "PassWord", "ｐａｓｓｗｏｒｄ", "12345678", "1234567890", "98765432", "qwertyuiop", "iloveyou",
            "aaaaaaaa",
            "ああああああああ", "abcdefgh", "password123!", "sakura123", "dkssudgktpdy",
        ])
    func common(text: String) async throws {
        #expect(try await Self.refusals(text) == [.tooCommon])
    }

    @Test(
        "refuse little more than a name of the application or the user",
        arguments: ["hanako99", "HANAKO1!", "flower shop1", "12tanaka.h", "花子さん花子さん"])
    func context(text: String) async throws {
        #expect(try await Self.refusals(text) == [.containsContext])
    }

    @Test("refuse what is missing, empty, too long, or holds control characters")
    func form() async throws {
        #expect(try await Self.refusals(nil) == [.required])
        #expect(try await Self.refusals("") == [.empty])
        #expect(try await Self.refusals(String(repeating: "あ", count: 342)) == [.tooManyBytes(maximum: 1024)])
        #expect(try await Self.refusals("abc\0defgh") == [.controlCharacter])
        #expect(try await Self.refusals("abc\ndefgh") == [.controlCharacter])
    }

    @Test("know three thousand common passwords")
    func list() {
        #expect(CommonPasswords.count >= 3000)
    }
}
