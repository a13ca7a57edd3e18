import Domain
import HTTPSupport
import OkaeriWire

/// A regular expression as SDKs write it: texts, `.`, `.*`, `.+`, anchors, and alternatives of those.
///
/// It becomes patterns that take time in proportion to the text they are tried on, so that no expression can keep the
/// server busy; all others are refused.
enum RegularExpression {
    private static let maximumCharacters = 500
    /// Alternatives, and pieces of each.
    private static let maximumParts = 20
    private static let special: Set<Character> = ["(", ")", "[", "]", "{", "}", "*", "+", "?"]

    /// - Throws: 102.
    static func condition(
        _ operand: JSONValue, _ options: JSONValue?, on field: UserField
    ) throws(ParseFault) -> UserCondition {
        guard case .string(let expression) = operand else { throw ParseFault(102, "bad regex") }
        var flags = ""
        switch options {
        case nil: break
        case .string(let text)?: flags = text
        default: throw ParseFault(102, "Bad $options value for query")
        }
        guard flags.allSatisfy({ "imxs".contains($0) }) else {
            throw .invalidQuery("Bad $options value for query: \(flags)")
        }
        guard expression.count <= maximumCharacters else { throw refusal }
        var reader = Reader(Array(expression), skipsSpace: flags.contains("x"))
        var patterns: [UserCondition] = []
        for pieces in try reader.alternatives() {
            guard pieces.count <= maximumParts else { throw refusal }
            patterns.append(.matches(field, TextPattern(pieces, ignoresCase: flags.contains("i"))))
        }
        guard patterns.count <= maximumParts else { throw refusal }
        return patterns.count == 1 ? patterns[0] : .any(patterns)
    }

    private static let refusal = ParseFault(
        102,
        "This regular expression is not offered: up to 20 texts, alternatives, anchors, the dot, .* and .+ are; groups, "
            + "classes and other repetitions are not.")

    /// Reads an expression from its beginning to its end.
    private struct Reader {
        private let characters: [Character]
        private let skipsSpace: Bool
        private var place = 0
        private var pieces: [TextPattern.Piece] = []
        private var isAnchored = false
        private var isEnded = false

        init(_ characters: [Character], skipsSpace: Bool) {
            self.characters = characters
            self.skipsSpace = skipsSpace
        }

        mutating func alternatives() throws(ParseFault) -> [[TextPattern.Piece]] {
            var alternatives: [[TextPattern.Piece]] = []
            while place < characters.count {
                let character = characters[place]
                place += 1
                switch character {
                case "|": alternatives.append(finished())
                case "^":
                    guard pieces.isEmpty else { throw refusal }
                    isAnchored = true
                case "$":
                    guard place == characters.count || characters[place] == "|" else { throw refusal }
                    isEnded = true
                case "\\": try readEscape()
                case ".": readDot()
                case let character where special.contains(character): throw refusal
                case let character where skipsSpace && character.isWhitespace: continue
                default: try append(character)
                }
            }
            alternatives.append(finished())
            return alternatives
        }

        /// `.`, `.*`, `.+`
        private mutating func readDot() {
            let next = place < characters.count ? characters[place] : nil
            if next != "*" { pieces.append(.anyCharacter) }
            guard next == "*" || next == "+" else { return }
            place += 1
            if pieces.last != .anything { pieces.append(.anything) }
        }

        /// `\.`, and `\Q…\E`, in which nothing is special.
        private mutating func readEscape() throws(ParseFault) {
            guard place < characters.count else { throw refusal }
            let character = characters[place]
            place += 1
            switch character {
            case "Q":
                while place < characters.count {
                    if characters[place] == "\\", place + 1 < characters.count, characters[place + 1] == "E" {
                        place += 2
                        return
                    }
                    append(text: characters[place])
                    place += 1
                }
            case "E": break
            // A letter after a backslash is a class of characters, or another meaning.
            case let character where character.isLetter || character.isNumber: throw refusal
            default: try append(character)
            }
        }

        /// A character for itself, unless it is to be repeated.
        private mutating func append(_ character: Character) throws(ParseFault) {
            if place < characters.count, ["*", "+", "?", "{"].contains(characters[place]) { throw refusal }
            append(text: character)
        }

        private mutating func append(text character: Character) {
            if case .text(let text)? = pieces.last {
                pieces[pieces.count - 1] = .text(text + String(character))
            } else {
                pieces.append(.text(String(character)))
            }
        }

        private mutating func finished() -> [TextPattern.Piece] {
            defer { (pieces, isAnchored, isEnded) = ([], false, false) }
            var whole = pieces
            if !isAnchored, whole.first != .anything { whole.insert(.anything, at: 0) }
            if !isEnded, whole.last != .anything { whole.append(.anything) }
            return whole
        }
    }
}
