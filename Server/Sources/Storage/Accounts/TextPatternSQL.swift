import Domain

extension TextPattern {
    /// The test of a text, to be written behind it. Both engines walk through the text once for each piece: they give up
    /// as soon as a piece is nowhere in what is left.
    func test(in dialect: Dialect, _ query: inout DynamicQuery) -> String {
        switch (dialect, ignoresCase) {
        // SQLite's LIKE never minds case, and its GLOB always does.
        case (.sqlite, false): "GLOB \(query.bind(text: glob))"
        case (.sqlite, true), (.postgresql, false): "LIKE \(query.bind(text: like)) ESCAPE '\\'"
        case (.postgresql, true): "ILIKE \(query.bind(text: like)) ESCAPE '\\'"
        }
    }

    private var like: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): Self.quoted(text, ["\\", "%", "_"]) { "\\\($0)" }
            case .anyCharacter: "_"
            case .anything: "%"
            }
        }.joined()
    }

    /// By Unicode scalars, as the engines read: a sign that is joined with another one is no character of its own.
    private static func quoted(
        _ text: String, _ signs: Set<Unicode.Scalar>, as quote: (Unicode.Scalar) -> String
    ) -> String {
        text.unicodeScalars.map { signs.contains($0) ? quote($0) : String($0) }.joined()
    }

    private var glob: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): Self.quoted(text, ["*", "?", "["]) { "[\($0)]" }
            case .anyCharacter: "?"
            case .anything: "*"
            }
        }.joined()
    }
}
