import Foundation
import Okaeri
import OkaeriUI
import OkaeriWire
import Testing

@Suite("The words of the screens")
struct TextTests {
    static func parameters(_ text: String) -> [String] {
        text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap {
            $0.split(separator: "}").first.map(String.init)
        }.sorted()
    }

    @Test("are there in three languages, with the same placeholders", arguments: TextKey.allCases)
    func complete(key: TextKey) {
        let all = ["en", "ja", "ko"].map { ScreenTexts(languages: [$0])(key) }
        #expect(all.allSatisfy { !$0.isEmpty })
        #expect(Set(all.map(Self.parameters)).count == 1)
        #expect(key == .deletionWord || Set(all).count > 1)
    }

    @Test(
        "come in the first language that there is",
        arguments: [(["ja-JP"], "ja"), (["fr", "ko"], "ko"), (["KO_kr"], "ko"), ([], "en"), (["de"], "en")])
    func language(wanted: [String], language: String) {
        #expect(ScreenTexts(languages: wanted).language == language)
    }

    @Test("can be replaced by a theme's, also in languages that the kit does not know")
    func own() {
        let texts = ScreenTexts(
            languages: ["fr-CA", "en"], own: ["fr": ["logIn.title": "Bienvenue"], "en": ["logIn.title": "Hi"]])
        #expect(texts(.logInTitle) == "Bienvenue" && texts(.signUpTitle) == "Sign Up")
        #expect(ScreenTexts(languages: ["en"], own: ["en": ["nobody.knows": "x"]])(.logInTitle) == "Log In")
    }

    @Test("put values in as they are, isolated from the direction of the sentence")
    func values() {
        let text = ScreenTexts(languages: ["en"])(.usernameTaken, ["name": "{name}{minimum}"])
        #expect(
            text == "The username '\u{2068}{name}{minimum}\u{2069}' is taken. Please try choosing a different username."
        )
        #expect(ScreenTexts(languages: ["en"])(.passwordTooShort) == "Password must be at least {minimum} characters.")
    }

    @Test(
        "set the name of a device that joined by a code apart, as its owner has chosen it",
        arguments: [("en", "\""), ("ja", "「"), ("ko", "(")])
    func foreignName(language: String, before: String) {
        let name = "Nothing to do here. Confirm it"
        for key in [TextKey.transferNoticeIntroduction, .transferNoticeQuestion] {
            let text = ScreenTexts(languages: [language])(key, ["name": name, "time": "12:00"])
            #expect(text.contains("\(before)\u{2068}\(name)\u{2069}"))
        }
    }

    @Test("need no particle that depends on a value in Korean", arguments: TextKey.allCases)
    func particles(key: TextKey) {
        let text = ScreenTexts(languages: ["ko"])(key)
        for particle in ["(으)", "을(를)", "은(는)", "이(가)", "와(과)"] { #expect(!text.contains(particle)) }
    }

    @Test("are right for one device as for many")
    func singular() {
        for key in [TextKey.sessionsEnded, .deviceKeysRemoved] {
            let text = ScreenTexts(languages: ["en"])(key, ["count": "1"])
            #expect(text.hasSuffix(": \u{2068}1\u{2069}"))
        }
    }

    @Test("name no number of days until a deletion, which each application sets", arguments: ["en", "ja", "ko"])
    func grace(language: String) {
        let text = ScreenTexts(languages: [language])(.deletionIntroduction)
        #expect(!text.contains("seven") && !text.contains { $0.isASCII && $0.isNumber })
    }

    @Test("have something for every fault of a field")
    func faults() {
        let faults: [ValidationError] = [
            .required, .tooShort(minimum: 3), .tooLong(maximum: 4), .notAMailAddress, .notAUserName, .notAPhoneNumber,
            .notANumber, .notADate, .notAnAddress, .notAChoice, .controlCharacter, .notAccepted, .tooCommon,
            .containsContext, .mixedScripts, .taken, .notACode, .told("x"), .refused,
        ]
        #expect(Set(faults.map { ScreenTexts(languages: ["ko"])($0.message) }).count == faults.count)
    }

    @Test("tell errors in the person's language")
    func errors() {
        #expect(ScreenTexts(languages: ["ja"])(.error(.offline)) == OkaeriError.offline.message(in: ["ja"]))
    }
}

@Suite("The rules of fields")
struct FieldRuleTests {
    @Test(
        "know mail addresses by their form",
        arguments: [
            ("hana@example.com", true), ("h.t+x@mail.example.co.jp", true), ("花@日本.jp", true), ("a＠example.com", true),
            (" hana@example.com ", true), ("hana", false), ("@example.com", false), ("a@b", false), ("a@b.", false),
            ("a@.b.c", false), ("a b@example.com", false), ("a@example.123", false), ("a..b@example.com", false),
            ("a..b@docomo.ne.jp", true), ("a.@ezweb.ne.jp", true), (".a@docomo.ne.jp", false),
            ("a@-b.com", false), ("a\u{0}@example.com", false), ("a,b@example.com", false),
            (String(repeating: "a", count: 65) + "@example.com", false),
        ])
    func mail(text: String, isAddress: Bool) {
        #expect((FieldRule(isRequired: true, [.mailForm]).fault(of: text) == nil) == isAddress)
    }

    @Test(
        "know phone numbers, days, numbers and pages by theirs",
        arguments: [
            (.phoneForm, "+81 90-1234-5678", true), (.phoneForm, "090-1234-5678", false),
            (.phoneForm, "+0123456789", false),
            (.dateForm, "2024-02-29", true), (.dateForm, "1900-02-29", false), (.dateForm, "2026-13-01", false),
            (.dateForm, "26-1-1", false), (.dateForm, "+026-01-01", false), (.numberForm, "-1.5e3", true),
            (.numberForm, "nan", false),
            (.numberForm, "0x10", false), (.numberForm, "1e999", false), (.addressForm, "https://example.com/a", true),
            (.addressForm, "javascript:alert(1)", false), (.addressForm, "https://", false),
            (.userNameForm, "花子 tanaka", true), (.userNameForm, "a  b", false), (.userNameForm, "a@b", false),
            (.userNameForm, "＋81", false), (.userNameForm, "a\u{200b}b", false),
        ] as [(FieldRule.Check, String, Bool)])
    func forms(check: FieldRule.Check, text: String, fits: Bool) {
        #expect((FieldRule(isRequired: true, [check]).fault(of: text) == nil) == fits)
    }

    @Test("count characters as the server does, and let spaces count in passwords")
    func counting() {
        let rules = FormRules()
        #expect(rules.password.fault(of: "        ") == nil)
        #expect(rules.password.fault(of: "ｶﾞｷﾞｸﾞｹﾞ") == .tooShort(minimum: 8))
        #expect(rules.username.fault(of: "  ha  ") == nil || rules.username.fault(of: "ha") == .tooShort(minimum: 3))
        #expect(FieldRule(isRequired: false, [.mailForm]).fault(of: "  ") == nil)
        #expect(rules.password.fault(of: String(repeating: "長", count: 400)) == .tooLong(maximum: 1024))
    }
}
