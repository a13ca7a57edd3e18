/// What a text must look like: pieces, one behind the other, from its beginning to its end.
///
/// It is all of regular expressions that is searched by: it takes time in proportion to the text, whatever the pattern.
package struct TextPattern: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        case text(String)
        /// Exactly one character.
        case anyCharacter
        /// Any number of characters, also none.
        case anything
    }

    package var pieces: [Piece]
    /// Whether ASCII letters are the same in capitals.
    package var ignoresCase: Bool

    package init(_ pieces: [Piece], ignoresCase: Bool = false) {
        self.pieces = pieces
        self.ignoresCase = ignoresCase
    }

    /// How many bytes its texts have, and one for each other piece.
    package var byteCount: Int {
        pieces.reduce(0) { sum, piece in
            if case .text(let text) = piece { sum + text.utf8.count } else { sum + 1 }
        }
    }
}
