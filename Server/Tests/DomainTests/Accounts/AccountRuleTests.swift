import TestWorld
import Testing

@testable import Domain

/// What each protocol's user names and passwords may look like, at both ends of every limit.
@Suite("Rules of accounts")
struct AccountRuleTests {
    private static let any = AccountRules(
        userNames: .anyText(maximumCharacters: 5), passwords: .anyText(minimumCharacters: 2))
    private static let plain = AccountRules(userNames: .plain(3...6), passwords: .printable(4...8))

    private static func names(_ rules: AccountRules, _ name: String) -> [ValidationError.Rule] {
        let faults = rules.faults(ofUserName: name)
        #expect(faults.allSatisfy { $0.field == "username" })
        return faults.map(\.rule)
    }

    @Test(
        "of Okaeri's own user names: visible signs of one alphabet",
        arguments: [
            ("a", []), ("Hana Tanaka", []), (" hana ", []), ("花子", []), ("花子 Hana", []), ("김하나", []), ("a1_.-", []),
            ("Ελένη", []), ("Жанна", []), ("hana!#$%", []), ("é", []),
            ("", [.empty]), ("   ", [.empty]), ("ha\0na", [.controlCharacter]), ("ha\nna", [.controlCharacter]),
            ("hana@example.com", [.notAUserName]), ("ha＠na", [.notAUserName]), ("+8190", [.notAUserName]),
            ("＋8190", [.notAUserName]), ("a  b", [.notAUserName]), ("ha\u{200b}na", [.notAUserName]),
            ("ha\u{e000}na", [.notAUserName]), ("h\u{430}na", [.mixedScripts]), ("\u{397}ana", [.mixedScripts]),
            ("\u{3a3}\u{436}", [.mixedScripts]),
            // They look like `hana` and `mika`, and `İ` does not look like `i`.
            ("hana\u{2800}", [.notAUserName]), ("ha\u{1d159}na", [.notAUserName]), ("mi\u{307}ka", [.notAUserName]),
            ("mi\u{328}\u{307}ka", [.notAUserName]), ("m\u{131}\u{307}ka", [.notAUserName]), ("İbrahim", []),
            ("Irmak", []), ("ırmak", []), ("ė", []),
            (String(repeating: "a", count: 64), []), (String(repeating: "花", count: 64), []),
            (String(repeating: "a", count: 65), [.tooLong(maximumCharacters: 64)]),
            (String(repeating: "\u{fdfa}", count: 4), [.tooLong(maximumCharacters: 64)]),
            (String(repeating: "花", count: 65), [.tooLong(maximumCharacters: 64)]),
        ] as [(String, [ValidationError.Rule])])
    func visible(name: String, rules: [ValidationError.Rule]) {
        #expect(Self.names(.native, name) == rules)
    }

    @Test(
        "of any text: its length as it is written and as it is compared",
        arguments: [
            ("a", []), ("a@b.c", []), ("+1", []), ("aж", []), ("あいうえお", []), ("\u{200b}", []), ("", [.empty]),
            ("abcdef", [.tooLong(maximumCharacters: 5)]), ("ﬃﬃﬃ", [.tooLong(maximumCharacters: 5)]),
            ("\u{7}", [.controlCharacter]), ("  a  ", []),
        ] as [(String, [ValidationError.Rule])])
    func anyText(name: String, rules: [ValidationError.Rule]) {
        #expect(Self.names(Self.any, name) == rules)
    }

    @Test(
        "of plain signs: so many of a few",
        arguments: [
            ("abc", true), ("ABC123", true), ("a-_.b", true), ("ab", false), ("abcdefg", false), ("", false),
            ("a b", false),
            ("abé", false), ("ab@", false), ("ab\0", false), ("ａｂｃ", false), ("ab/", false),
        ])
    func plain(name: String, isTaken: Bool) {
        #expect(Self.names(Self.plain, name) == (isTaken ? [] : [.notAUserName]))
    }

    @Test("ask for no fewer characters than the application demands, in the form that is compared", arguments: 1...4)
    func demanded(minimum: Int) {
        for rules in [AccountRules.native, Self.any] {
            var rules = rules
            rules.userNameMinimumCharacters = minimum
            for (name, count) in [("a", 1), ("ab", 2), ("ﬁ", 2), ("e\u{301}", 1), ("abcd", 4), ("花子", 2)] {
                let wanted: [ValidationError.Rule] = count < minimum ? [.tooShort(minimumCharacters: minimum)] : []
                #expect(Self.names(rules, name) == wanted, "\(name) of \(minimum)")
            }
            // What breaks the form is said alone.
            #expect(Self.names(rules, "") == [.empty])
        }
    }

    @Test(
        "of passwords: their length in characters and bytes, and what a protocol can carry",
        arguments: [
            (.anyText(minimumCharacters: 2), "ab", []),
            (.anyText(minimumCharacters: 2), "a", [.tooShort(minimumCharacters: 2)]),
            (.anyText(minimumCharacters: 2), "あ", [.tooShort(minimumCharacters: 2)]),
            (.anyText(minimumCharacters: 0), "", []),
            (.anyText(minimumCharacters: 1), "", [.tooShort(minimumCharacters: 1)]),
            (.anyText(minimumCharacters: 1), "a\nb", []), (.anyText(minimumCharacters: 1), "a\0b", [.controlCharacter]),
            (.anyText(minimumCharacters: 1), String(repeating: "x", count: 1024), []),
            (.anyText(minimumCharacters: 1), String(repeating: "x", count: 1025), [.tooManyBytes(maximum: 1024)]),
            (.anyText(minimumCharacters: 1), String(repeating: "あ", count: 342), [.tooManyBytes(maximum: 1024)]),
            (.printable(4...8), "abcd", []), (.printable(4...8), "abcdefgh", []), (.printable(4...8), " ~ ~", []),
            (.printable(4...8), "abc", [.tooShort(minimumCharacters: 4)]),
            (.printable(4...8), "abcdefghi", [.tooLong(maximumCharacters: 8)]),
            (.printable(4...8), "abcé", [.controlCharacter]), (.printable(4...8), "abc\u{7f}", [.controlCharacter]),
            (.printable(4...8), "abc\t", [.controlCharacter]), (.strong, "a", nil),
        ] as [(AccountRules.Passwords, String, [ValidationError.Rule]?)])
    func passwords(form: AccountRules.Passwords, text: String, rules: [ValidationError.Rule]?) {
        #expect(AccountRules(userNames: .visible, passwords: form).faults(ofPassword: text) == rules)
    }

    @Test("are those of the application in Okaeri's own protocol, and in others when it says so")
    func held() {
        var demands = SignUpRules()
        demands.usernameMinimumCharacters = 4
        demands.isEmailRequired = true
        for holdsOldProtocols in [false, true] {
            demands.holdsOldProtocols = holdsOldProtocols
            let native = AccountRules.native.held(to: demands)
            #expect(native.userNameMinimumCharacters == 4 && native.demandsEmail)
            let foreign = Self.any.held(to: demands)
            #expect(foreign.userNameMinimumCharacters == (holdsOldProtocols ? 4 : 1))
            #expect(foreign.demandsEmail == holdsOldProtocols)
            let withoutEmail = AccountRules(userNames: .plain(1...9), passwords: .strong, takesEmail: false)
            #expect(!withoutEmail.held(to: demands).demandsEmail, "an app that cannot send one is not asked for one")
        }
    }

    @Test(
        "of an application let user names have 1 to 64 characters at least", arguments: [-1, 0, 1, 2, 63, 64, 65, .max])
    func demands(minimum: Int) {
        var rules = SignUpRules()
        rules.usernameMinimumCharacters = minimum
        let wanted: [ValidationError.Rule] =
            minimum < 1 ? [.tooShort(minimumCharacters: 1)] : minimum > 64 ? [.tooLong(maximumCharacters: 64)] : []
        #expect(rules.faults.map(\.rule) == wanted)
        #expect(rules.faults.allSatisfy { $0.field == "signUp.usernameMinimumCharacters" })
    }
}

@Suite("An id that a client made up")
struct AnonymousIdTests {
    private static let id = "0123abcd-4567-89AB-cdef-0123456789ab"

    @Test("is a UUID, each of whose signs counts")
    func form() throws {
        let known = try #require(AnonymousId(Self.id))
        #expect(try #require(AnonymousId(Self.id)) == known)
        for position in Self.id.indices where Self.id[position] != "-" {
            var other = Self.id
            other.replaceSubrange(position...position, with: Self.id[position] == "f" ? "e" : "f")
            #expect(try #require(AnonymousId(other)) != known, "\(other)")
            for wrong in ["g", "G", "z", " ", "-", "_", "é", "１", "Ａ", "\0"] {
                other.replaceSubrange(position...position, with: wrong)
                #expect(AnonymousId(other) == nil, "\(other)")
                other = Self.id
            }
        }
        #expect(AnonymousId(Self.id.uppercased()) != known)
    }

    @Test(
        "has five groups and no more around them",
        arguments: [
            "", "-", "----", id.replacing("-", with: ""), id + "-", "-" + id, id + "0", "{\(id)}", " \(id)",
            String(id.dropLast()),
        ])
    func groups(text: String) { #expect(AnonymousId(text) == nil) }
}
