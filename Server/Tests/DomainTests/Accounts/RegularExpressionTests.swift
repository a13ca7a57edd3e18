import Domain
import Testing

@Suite("Regular expressions")
struct RegularExpressionTests {
    private func matches(_ expression: String, _ text: String, _ flags: String = "") throws -> Bool? {
        var budget = 1_000_000
        return try RegularExpression(expression, flags: flags).matches(text, within: &budget)
    }

    @Test(
        "match as those of apps do",
        arguments: [
            ("", "", "", true), ("abc", "xabcx", "", true), ("^abc$", "xabc", "", false), ("a.c", "abc", "", true),
            ("a.c", "a\nc", "", false), ("a.c", "a\nc", "s", true), ("[a-c]+", "xbx", "", true),
            ("^[^a-c]+$", "xyz", "", true), ("^[^a-c]+$", "xbz", "", false), ("[]a]", "]", "", true),
            ("[a\\]b]", "]", "", true), ("[a-]", "-", "", true), ("^\\d{2,3}$", "12", "", true),
            ("^\\d{2,3}$", "1234", "", false), ("^\\d{2}$", "123", "", false), ("^a{2,}$", "aaaa", "", true),
            ("^a{0}$", "", "", true), ("^(ab|cd)*$", "abcdab", "", true), ("^(ab|cd)*$", "abc", "", false),
            ("^(?:a|b|)c$", "c", "", true), ("colou?r", "color", "", true), ("^a*?$", "aaa", "", true),
            ("^(a*)*$", "aaab", "", false), ("(a*)+b", "aaab", "", true), ("ABC", "xabcx", "i", true),
            ("[A-C]", "b", "i", true), ("^[^a]$", "A", "i", false), ("^b", "a\nb", "", false),
            ("^b", "a\nb", "m", true),
            ("a$", "a\nb", "m", true), ("a b", "ab", "x", true), ("\\bcat\\b", "a cat.", "", true),
            ("\\bcat\\b", "concat", "", false), ("\\Bcat", "concat", "", true),
            ("\\w+@\\w+\\.\\w+", "a@b.co", "", true),
            ("\\Qa.b\\E", "a.b", "", true), ("[\\w-]+", "-", "", true),
            ("[^\\W]", "_", "", true), ("[\\D]", "7", "", false), ("日本.", "日本語", "", true), ("[あ-ん]", "か", "", true),
            ("^.$", "😀", "", true), ("\\s", "\u{3000}", "", true), ("\\.", "a", "", false), ("\\t", "\t", "", true),
        ])
    func match(expression: String, text: String, flags: String, expected: Bool) throws {
        #expect(try matches(expression, text, flags) == expected, "\(expression) in \(text)")
    }

    @Test(
        "are refused with what no automaton has, and with what is none",
        arguments: [
            "(a)\\1", "\\Qa.b*\\E+", "(?=a)", "(?!a)", "(?<=a)b", "(?<n>a)", "(", ")", "a)", "[a", "[z-a]",
            "[[:alpha:]]", "*a", "a**",
            // What ends too early, wherever that is.
            "[", "[^", "[]", "[^]", "[a-", "[a\\", "[a-\\", "[\\d-", "(?", "(?:", "(a|", "a{", "a{1", "a{1,", "a{,1}",
            "a{2", "a{3,2}", "a{101}", "a{99999999999999999999}", "\\", "\\p{L}", "^*", "[\\d-z]",
            String(repeating: "(", count: 30) + String(repeating: ")", count: 30),
            String(repeating: "a", count: 2001), "(a{100}){100}", "((a{9}){9}){9}){9}",
            String(repeating: "a{100}", count: 20),
        ])
    func refuse(expression: String) {
        #expect(throws: RegularExpression.Refusal.self, "\(expression)") { try RegularExpression(expression) }
    }

    @Test(
        "take steps in proportion to the text, however they are written, and stop when the budget is used up",
        arguments: ["(a+)+$", "(a|a)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*x", "(a?){50}a{50}$", "(x+x+)+y"])
    func proportion(expression: String) throws {
        let compiled = try RegularExpression(expression)
        func steps(_ length: Int) -> Int {
            var budget = 10_000_000
            _ = compiled.matches(String(repeating: "a", count: length) + "!", within: &budget)
            return 10_000_000 - budget
        }
        #expect(steps(2000) <= 3 * steps(1000))
        var budget = 100
        #expect(compiled.matches(String(repeating: "a", count: 100_000) + "!", within: &budget) == nil)
        #expect(budget <= 0)
    }

    @Test(
        "are read in no time, whatever is repeated within what",
        arguments: [
            String(repeating: "(", count: 19) + String(repeating: "){100}", count: 19),
            String(repeating: "(?:", count: 18) + "\\E" + String(repeating: "){100,}", count: 18),
            String(repeating: "(", count: 18) + "a{0}" + String(repeating: "){99,100}", count: 18),
            "((\(String(repeating: "()", count: 900))a){100}){9}",
        ])
    func repeatedNothing(expression: String) {
        let start = ContinuousClock.now
        // Whether it is offered or refused, it is known at once.
        var budget = 100_000
        if let compiled = try? RegularExpression(expression) { _ = compiled.matches("aaaa", within: &budget) }
        #expect(start.duration(to: .now) < .seconds(60))
    }

    @Test("with long classes of characters cost what looking through them takes")
    func longClasses() throws {
        // Every second letter, so that the ranges do not touch.
        let letters = (0..<400).compactMap { Unicode.Scalar(0x4e00 + 2 * $0) }
        let long = "[\(String(String.UnicodeScalarView(letters)))]"
        func steps(_ expression: String) throws -> Int {
            var budget = 1_000_000
            let text = String(repeating: "z", count: 1000)
            #expect(try RegularExpression(expression).matches(text, within: &budget) == false)
            return 1_000_000 - budget
        }
        #expect(try steps(long) > 40 * steps("[a-c]"))
    }
}
