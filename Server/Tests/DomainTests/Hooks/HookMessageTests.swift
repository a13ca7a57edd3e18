import Testing

@testable import Domain

@Suite("The message of a hook")
struct HookMessageTests {
    @Test(
        "is one line that turns nothing around",
        arguments: [
            ("Please wait.", "Please wait."), ("", nil), (" \n\t ", nil), ("a\r\nb", "a b"), ("a\u{2028}b", "a b"),
            ("a\u{202E}b\u{2066}c", "a b c"), ("a\u{0000}b", "a b"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("もう一度", "もう一度"),
        ] as [(String, String?)])
    func lines(text: String, message: String?) {
        #expect(AskHook.message(text) == message)
    }

    @Test("is cut", arguments: [199, 200, 201, 10_000])
    func length(count: Int) {
        #expect(AskHook.message(String(repeating: "x", count: count))?.count == min(count, 200))
    }

    @Test("is none without one")
    func none() {
        #expect(AskHook.message(nil) == nil)
    }
}
