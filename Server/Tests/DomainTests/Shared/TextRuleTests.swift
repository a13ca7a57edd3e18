import Domain
import Testing

@Suite("Short texts")
struct TextRuleTests {
    private static func rules(
        _ text: String?, _ rule: TextRule = TextRule(maximumCharacters: 5)
    ) -> [ValidationError.Rule] {
        rule.faults(of: text, field: "name").map(\.rule)
    }

    @Test("may have any letters, up to the limit", arguments: ["a", "abcde", "花子さんだ", "🙂🙂🙂🙂🙂", "한국어", " ", "é"])
    func good(text: String) { #expect(Self.rules(text).isEmpty) }

    @Test(
        "are counted by Unicode scalars, so that a pile of accents is no single character",
        arguments: [
            "abcdef", "花子さんだよ", "e\u{301}\u{301}\u{301}\u{301}\u{301}", "👨‍👩‍👧‍👦", String(repeating: "花", count: 100_000),
        ])
    func long(text: String) { #expect(Self.rules(text) == [.tooLong(maximumCharacters: 5)]) }

    @Test("hold no control characters", arguments: ["\0", "a\nb", "a\u{7f}", "\u{9b}x", "\u{85}", "\t"])
    func control(text: String) { #expect(Self.rules(text) == [.controlCharacter]) }

    @Test("are not empty, unless they may be; what is absent breaks no rule")
    func empty() {
        #expect(Self.rules("") == [.empty])
        #expect(Self.rules("", TextRule(maximumCharacters: 5, mayBeEmpty: true)).isEmpty)
        #expect(Self.rules(nil).isEmpty)
    }

    @Test("name the field of every rule that they break")
    func both() {
        let faults = TextRule(maximumCharacters: 3).faults(of: "a\nbc", field: "device.name")
        #expect(faults.map(\.rule) == [.tooLong(maximumCharacters: 3), .controlCharacter])
        #expect(faults.allSatisfy { $0.field == "device.name" })
    }

    @Test(
        "in a list are looked at one by one, unless there are too many of them",
        arguments: [
            ([], 0, []), (["abc", "a"], 2, []), (["abc", "a"], 1, [.tooManyFields(maximum: 1)]),
            (["abcd", "a", "", "\n"], 4, [.tooLong(maximumCharacters: 3), .empty, .controlCharacter]),
            (["abcd", "a", "", "\n"], 3, [.tooManyFields(maximum: 3)]), (["a", "a"], 2, []),
        ] as [([String], Int, [ValidationError.Rule])])
    func list(texts: [String], maximum: Int, rules: [ValidationError.Rule]) {
        let faults = TextRule(maximumCharacters: 3).faults(ofEach: texts, atMost: maximum, field: "names")
        #expect(faults.map(\.rule) == rules)
        #expect(faults.allSatisfy { $0.field == "names" })
    }
}
