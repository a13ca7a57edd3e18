import Domain
import TestWorld
import Testing

/// What an expression means, without an automaton: for each position where it begins, those where it can end.
private indirect enum Form: CustomStringConvertible {
    case sign(String)
    case dot, digit, noDigit, word, noWord, space
    case oneOf(String, isNegated: Bool)
    case start, end, edge, noEdge
    case sequence([Form])
    case choice([Form])
    case repeated(Form, least: Int, most: Int?, isLazy: Bool)

    static let signs = "abAB1_ -"
    private static let wordSigns = Set("abAB1_".unicodeScalars)

    /// As an app writes it.
    var description: String {
        switch self {
        case .sign(let text): text
        case .dot: "."
        case .digit: "\\d"
        case .noDigit: "\\D"
        case .word: "\\w"
        case .noWord: "\\W"
        case .space: "\\s"
        case .oneOf(let members, let isNegated): "[\(isNegated ? "^" : "")\(members.replacing("-", with: "\\-"))]"
        case .start: "^"
        case .end: "$"
        case .edge: "\\b"
        case .noEdge: "\\B"
        case .sequence(let parts): parts.map { "\($0)" }.joined()
        case .choice(let parts): "(?:" + parts.map { "\($0)" }.joined(separator: "|") + ")"
        case .repeated(let part, let least, let most, let isLazy):
            "(\(part))\(Self.times(least, most))\(isLazy ? "?" : "")"
        }
    }

    private static func times(_ least: Int, _ most: Int?) -> String {
        switch (least, most) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (0, 1?): "?"
        case (let least, nil): "{\(least),}"
        case (let least, let most?): least == most ? "{\(least)}" : "{\(least),\(most)}"
        }
    }

    func ends(_ text: [Unicode.Scalar], from position: Int) -> Set<Int> {
        func one(_ fits: (Unicode.Scalar) -> Bool) -> Set<Int> {
            position < text.count && fits(text[position]) ? [position + 1] : []
        }
        func isWord(_ position: Int) -> Bool {
            text.indices.contains(position) && Self.wordSigns.contains(text[position])
        }
        let isEdge = isWord(position - 1) != isWord(position)
        switch self {
        case .sign(let sign): return one { String($0) == sign }
        case .dot: return one { $0 != "\n" }
        case .digit: return one { $0 == "1" }
        case .noDigit: return one { $0 != "1" }
        case .word: return one(Self.wordSigns.contains)
        case .noWord: return one { !Self.wordSigns.contains($0) }
        case .space: return one { $0 == " " || $0 == "\n" }
        case .oneOf(let members, let isNegated): return one { members.unicodeScalars.contains($0) != isNegated }
        case .start: return position == 0 ? [position] : []
        case .end: return position == text.count ? [position] : []
        case .edge: return isEdge ? [position] : []
        case .noEdge: return isEdge ? [] : [position]
        case .sequence(let parts):
            return parts.reduce([position]) { positions, part in Set(positions.flatMap { part.ends(text, from: $0) }) }
        case .choice(let parts): return Set(parts.flatMap { $0.ends(text, from: position) })
        case .repeated(let part, let least, let most, _):
            func next(_ positions: Set<Int>) -> Set<Int> { Set(positions.flatMap { part.ends(text, from: $0) }) }
            var positions: Set<Int> = [position]
            for _ in 0..<least { positions = next(positions) }
            // Without a maximum: what is never left out of a text is found within its length.
            for _ in least..<(most ?? least + text.count + 1) { positions.formUnion(next(positions)) }
            return positions
        }
    }

    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return (0...scalars.count).contains { !ends(scalars, from: $0).isEmpty }
    }

    static func drawn(_ draw: inout SeededGenerator, depth: Int = 0) -> Form {
        let isLeaf = depth > 3 || draw.isOne(in: 3)
        guard !isLeaf else {
            switch draw.number(below: 14) {
            case 0: return .dot
            case 1: return .digit
            case 2: return .noDigit
            case 3: return .word
            case 4: return .noWord
            case 5: return .space
            case 6, 7:
                return .oneOf(draw.text(of: 1 + draw.number(below: 3), from: signs), isNegated: draw.isOne(in: 2))
            case 8: return draw.pick([.start, .end, .edge, .noEdge])
            default: return .sign(draw.text(of: 1, from: "abAB1_ -"))
            }
        }
        switch draw.number(below: 3) {
        case 0: return .choice(draw.list(of: 1 + draw.number(below: 3)) { drawn(&$0, depth: depth + 1) })
        case 1:
            let least = draw.number(below: 3)
            let most: Int? = draw.pick([nil, least, least + 1, least + 2])
            return .repeated(drawn(&draw, depth: depth + 1), least: least, most: most, isLazy: draw.isOne(in: 4))
        default: return .sequence(draw.list(of: draw.number(below: 4)) { drawn(&$0, depth: depth + 1) })
        }
    }
}

@Suite("The automaton of a regular expression")
struct RegularExpressionModelTests {
    @Test("matches exactly the texts that the expression means", arguments: UInt64(0)..<300)
    func model(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let form = Form.drawn(&draw)
        let expression = try RegularExpression("\(form)")
        for _ in 0..<12 {
            let text = draw.text(of: draw.number(below: 7), from: Form.signs + "\n")
            var budget = 1_000_000
            let found = expression.matches(text, within: &budget)
            #expect(found == form.matches(text), "\(form) on \(text.debugDescription)")
        }
    }

    @Test("reads the forms of repetition as ranges of how often", arguments: 0...4)
    func repetition(count: Int) throws {
        let text = String(repeating: "a", count: count)
        for (times, range) in [
            ("*", 0...9), ("+", 1...9), ("?", 0...1), ("{0}", 0...0), ("{2}", 2...2), ("{2,}", 2...9), ("{1,3}", 1...3),
            ("{0,2}", 0...2), ("{03}", 3...3),
        ] {
            for lazy in ["", "?"] {
                var budget = 10_000
                let expression = try RegularExpression("^a\(times)\(lazy)$")
                #expect(expression.matches(text, within: &budget) == range.contains(count), "\(times)\(lazy)")
            }
        }
    }

    @Test("is the same for a class of characters, its range, and the alternatives of it", arguments: UInt64(0)..<40)
    func classes(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let ends = [UInt32](draw.list(of: 2) { 0x61 + UInt32($0.number(below: 26)) }.sorted())
        let members = (ends[0]...ends[1]).compactMap { Unicode.Scalar($0).map { String($0) } }
        let range = "[\(members[0])-\(members[members.count - 1])]"
        let expressions = try [
            range, "[\(members.joined())]", "(?:\(members.joined(separator: "|")))",
        ].map { try RegularExpression("^\($0)$") }
        let without = try RegularExpression("^[^\(members.joined())]$")
        for sign in "`abcdefghijklmnopqrstuvwxyz{AZ0あ".unicodeScalars.map({ String($0) }) {
            var budget = 10_000
            let isMember = members.contains(sign)
            for expression in expressions {
                #expect(expression.matches(sign, within: &budget) == isMember, "\(range) \(sign)")
            }
            #expect(without.matches(sign, within: &budget) == !isMember, "[^\(members.joined())] \(sign)")
        }
    }

    @Test(
        "takes an escape for the same signs by itself, within a class, and as what is not in the opposite one",
        arguments: ["d", "w", "s"])
    func escapes(name: String) throws {
        let opposite = name.uppercased()
        let within = try ["\\\(name)", "[\\\(name)]", "[^\\\(opposite)]", "[\\\(name)\\\(name)]"].map {
            try RegularExpression("^\($0)$")
        }
        let without = try ["\\\(opposite)", "[\\\(opposite)]", "[^\\\(name)]"].map { try RegularExpression("^\($0)$") }
        func isMember(_ scalar: Unicode.Scalar) -> Bool {
            let isDigit = "0123456789".unicodeScalars.contains(scalar)
            return switch name {
            case "d": isDigit
            case "w": isDigit || scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic
            default: "\t\n\u{b}\u{c}\r \u{a0}\u{2028}\u{2029}\u{3000}".unicodeScalars.contains(scalar)
            }
        }
        let values = Array(0...0x17f) + [0x2027, 0x2028, 0x2029, 0x202a, 0x2fff, 0x3000, 0x3001, 0x10ffff] as [UInt32]
        for scalar in values.compactMap({ Unicode.Scalar($0) }) {
            var budget = 100_000
            let found = within.map { $0.matches(String(scalar), within: &budget) }
            let notFound = without.map { $0.matches(String(scalar), within: &budget) }
            #expect(found.allSatisfy { $0 == isMember(scalar) }, "\(name) \(scalar.value)")
            #expect(notFound.allSatisfy { $0 == !isMember(scalar) }, "\(opposite) \(scalar.value)")
        }
    }

    @Test("folds capitals of ASCII with the flag i, and nothing else", arguments: UInt64(0)..<60)
    func capitals(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let word = draw.text(of: 1 + draw.number(below: 5), from: "abcxyzABCXYZéÉßж1")
        let text = draw.isOne(in: 2) ? word.uppercased() : word.lowercased()
        func folded(_ text: String) -> [UInt32] {
            text.unicodeScalars.map { (0x41...0x5a).contains($0.value) ? $0.value + 32 : $0.value }
        }
        var budget = 10_000
        let isSame = folded(word) == folded(text)
        #expect(
            try RegularExpression("^\(word)$", flags: "i").matches(text, within: &budget) == isSame, "\(word) \(text)")
        let isExact = Array(word.unicodeScalars) == Array(text.unicodeScalars)
        #expect(try RegularExpression("^\(word)$").matches(text, within: &budget) == isExact, "\(word) \(text)")
    }

    @Test(
        "takes up to a hundred repetitions, twenty levels and a thousand states, and no more",
        arguments: [
            ("a{100}", true), ("a{101}", false), ("(?:a{10}){99}", true), ("(?:a{10}){100}", false),
            (String(repeating: "(", count: 19) + "a" + String(repeating: ")", count: 19), true),
            (String(repeating: "(", count: 20) + "a" + String(repeating: ")", count: 20), false),
            (String(repeating: "a", count: 999), true), (String(repeating: "a", count: 1000), false),
        ])
    func bounds(expression: String, isTaken: Bool) {
        #expect(((try? RegularExpression(expression)) != nil) == isTaken, "\(expression.prefix(20))")
    }
}
