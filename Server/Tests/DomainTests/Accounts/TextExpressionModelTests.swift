import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// An expression that both readers take means the same to both: as patterns for the database, and as an automaton.
@Suite("Expressions that are searched by as patterns")
struct TextExpressionModelTests {
    private static func holds(_ condition: UserCondition, _ text: String) -> Bool {
        switch condition {
        case .any(let parts): return parts.contains { holds($0, text) }
        case .matches(_, let pattern): return pattern.fits(text)
        default: return false
        }
    }

    @Test("find what the automaton of the same expression finds", arguments: UInt64(0)..<400)
    func automaton(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let alternatives = draw.list(of: 1 + draw.number(below: 3)) { draw in
            let parts = draw.list(of: draw.number(below: 5)) {
                $0.pick(["a", "B", "c", ".", ".*", ".+", "\\.", "\\Qa.*\\E", " ", "-"])
            }
            return draw.pick(["", "^"]) + parts.joined() + draw.pick(["", "$"])
        }
        let expression = alternatives.joined(separator: "|")
        let flags = draw.pick(["", "i", "x", "ix"])
        let condition = try TextExpression.condition(expression, flags: flags, on: .displayName)
        let automaton = try RegularExpression(expression, flags: flags)
        for _ in 0..<12 {
            let text = draw.text(of: draw.number(below: 7), from: "abcABC.* -")
            var budget = 100_000
            #expect(
                automaton.matches(text, within: &budget) == Self.holds(condition, text),
                "\(expression) \(flags) on \(text)")
        }
    }

    @Test(
        "are read into pieces",
        arguments: [
            ("", [.anything]), ("a", [.anything, .text("a"), .anything]), ("^a$", [.text("a")]), ("^$", []),
            ("^a.*b", [.text("a"), .anything, .text("b"), .anything]), ("^.+$", [.anyCharacter, .anything]),
            ("^..$", [.anyCharacter, .anyCharacter]), (".*a", [.anything, .text("a"), .anything]),
            ("^.*.*$", [.anything]), ("^\\Qa|b\\E", [.text("a|b"), .anything]), ("^\\Qa", [.text("a"), .anything]),
            ("^a\\|b$", [.text("a|b")]), ("^\\Q\\E$", []), ("^\\Qa\\", [.text("a\\"), .anything]),
            ("^花.子$", [.text("花"), .anyCharacter, .text("子")]),
        ] as [(String, [TextPattern.Piece])])
    func pieces(expression: String, pieces: [TextPattern.Piece]) throws {
        let condition = try TextExpression.condition(expression, on: .displayName)
        #expect(condition == .matches(.displayName, TextPattern(pieces)))
    }

    @Test(
        "are refused when a database would have to try, or when they are too long",
        arguments: [
            "a*", "a+", "a?", "a{2}", "(a)", "[ab]", "a$b", "a^", "\\d", "\\w", "\\", "\\1", "*", "+", "{", "}", ")",
            "]",
            "\\.*", "\\Qa\\E*", String(repeating: "a", count: 501), String(repeating: "花", count: 501),
            String(repeating: "a|", count: 20), "^" + String(repeating: "a.", count: 11) + "$",
            String(repeating: "🦊", count: 501),
        ])
    func refused(expression: String) {
        #expect(throws: TextExpression.Refusal.self, "\(expression.prefix(30))") {
            try TextExpression.condition(expression, on: .displayName)
        }
    }

    @Test(
        "are taken at their largest",
        arguments: [
            String(repeating: "a", count: 500), String(repeating: "花", count: 500), String(repeating: "🦊", count: 500),
            String(repeating: "a|", count: 19) + "a", "^" + String(repeating: "a.", count: 10) + "$",
        ])
    func largest(expression: String) throws {
        _ = try TextExpression.condition(expression, flags: String(repeating: "i", count: 20), on: .displayName)
        #expect(throws: TextExpression.Refusal.self) {
            try TextExpression.condition(expression, flags: String(repeating: "i", count: 21), on: .displayName)
        }
    }

    @Test("have a size of the bytes of their texts and one for each other piece", arguments: UInt64(0)..<50)
    func size(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        var (pieces, bytes): ([TextPattern.Piece], Int) = ([], 0)
        for _ in 0..<draw.number(below: 6) {
            let text = draw.text(of: draw.number(below: 4), from: "aé花🦊")
            pieces.append(draw.pick([.anything, .anyCharacter, .text(text)]))
            if case .text? = pieces.last { bytes += text.utf8.count } else { bytes += 1 }
        }
        let pattern = TextPattern(pieces)
        #expect(pattern.byteCount == bytes)
        let size = UserCondition.not(.all([.matches(.custom(["ab", "é"]), pattern), .exists(.custom(["a"]))])).size
        #expect(size == .init(terms: pieces.count + 4, depth: 3, bytes: 5, patternBytes: bytes))
    }

    private static let structures: [(JSONValue, bytes: Int)] = [
        (.null, 8), (true, 8), (1, 8), (0.5, 8), ("", 0), ("é", 2), ([], 2), ([:], 2), ([1], 11), (["é", "a"], 7),
        (["a": 1], 13), (["é": "花", "b": []], 2 + 7 + 5), ([["a": [["b": "c"]]]], 17),
    ]

    @Test("of a value inside others is counted with about the length of its text", arguments: structures.indices)
    func structure(index: Int) {
        let (value, bytes) = Self.structures[index]
        let size = UserCondition.equals(.custom(["ab"]), .structure(value)).size
        #expect(size.bytes == 2 + bytes, "\(value)")
    }
}
