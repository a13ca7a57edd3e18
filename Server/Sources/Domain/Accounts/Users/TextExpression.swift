/// A regular expression as SDKs write it: texts, `.`, `.*`, `.+`, anchors, and alternatives of those.
///
/// It becomes patterns that take time in proportion to the text they are tried on, so that no expression can keep the
/// server busy (decision 0027); all others are refused.
package enum TextExpression {
    /// Unicode scalars, so that a pile of accents counts.
    private static let maximumCharacters = 500
    /// Alternatives, and pieces of each.
    private static let maximumParts = 20
    private static let special = Array("()[]{}*+?".utf8)
    private static let repeating = Array("*+?{".utf8)

    /// An expression that is not offered.
    package struct Refusal: Error {}

    /// - Parameters:
    ///   - expression: Beside what is named above it may hold `\Q…\E`.
    ///   - flags: `i` folds ASCII letters, `x` overlooks white space; others change nothing here.
    ///   - field: What must look so.
    /// - Returns: the condition.
    /// - Throws: `Refusal`.
    package static func condition(
        _ expression: String, flags: String = "", on field: UserField
    ) throws(Refusal) -> UserCondition {
        guard expression.utf8.count <= 4 * maximumCharacters, expression.unicodeScalars.count <= maximumCharacters,
            flags.utf8.count <= maximumParts
        else { throw Refusal() }
        var reader = Reader(Array(expression), skipsSpace: flags.contains("x"))
        var patterns: [UserCondition] = []
        for pieces in try reader.alternatives() {
            guard pieces.count <= maximumParts else { throw Refusal() }
            patterns.append(.matches(field, TextPattern(pieces, ignoresCase: flags.contains("i"))))
        }
        guard patterns.count <= maximumParts else { throw Refusal() }
        return patterns.count == 1 ? patterns[0] : .any(patterns)
    }

    /// Reads an expression from its beginning to its end.
    private struct Reader {
        private let characters: [Character]
        private let skipsSpace: Bool
        private var position = 0
        private var pieces: [TextPattern.Piece] = []
        private var isAnchored = false
        private var isEnded = false

        init(_ characters: [Character], skipsSpace: Bool) {
            self.characters = characters
            self.skipsSpace = skipsSpace
        }

        mutating func alternatives() throws(Refusal) -> [[TextPattern.Piece]] {
            var alternatives: [[TextPattern.Piece]] = []
            while position < characters.count {
                let character = characters[position]
                position += 1
                switch character {
                case "|": alternatives.append(finished())
                case "^":
                    guard pieces.isEmpty else { throw Refusal() }
                    isAnchored = true
                case "$":
                    guard position == characters.count || characters[position] == "|" else { throw Refusal() }
                    isEnded = true
                case "\\": try readEscape()
                case ".": readDot()
                case let character where character.isAmong(special): throw Refusal()
                case let character where skipsSpace && character.isWhitespace: continue
                default: try append(character)
                }
            }
            alternatives.append(finished())
            return alternatives
        }

        /// `.`, `.*`, `.+`
        private mutating func readDot() {
            let next = position < characters.count ? characters[position] : nil
            if next != "*" { pieces.append(.anyCharacter) }
            guard next == "*" || next == "+" else { return }
            position += 1
            if pieces.last != .anything { pieces.append(.anything) }
        }

        /// `\.`, and `\Q…\E`, in which nothing is special.
        private mutating func readEscape() throws(Refusal) {
            guard position < characters.count else { throw Refusal() }
            let character = characters[position]
            position += 1
            switch character {
            case "Q":
                while position < characters.count {
                    if characters[position] == "\\", position + 1 < characters.count, characters[position + 1] == "E" {
                        position += 2
                        return
                    }
                    append(text: characters[position])
                    position += 1
                }
            case "E": break
            // A character of the alphabet after a backslash is a class of characters, or another meaning.
            case let character where character.isLetter || character.isNumber: throw Refusal()
            default: try append(character)
            }
        }

        /// A character for itself, unless it is to be repeated.
        private mutating func append(_ character: Character) throws(Refusal) {
            if position < characters.count, characters[position].isAmong(repeating) { throw Refusal() }
            append(text: character)
        }

        private mutating func append(text character: Character) {
            guard case .text(var text)? = pieces.last else {
                pieces.append(.text(String(character)))
                return
            }
            // Nobody else holds the text then, so that nothing of it is copied.
            pieces.removeLast()
            text.append(character)
            pieces.append(.text(text))
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

extension Character {
    /// Whether it is one of some signs of ASCII. A set of characters would bring each into its normal form first.
    fileprivate func isAmong(_ signs: [UInt8]) -> Bool { asciiValue.map(signs.contains) ?? false }
}
