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
            case .text(let text): text.replacing(#/[\\%_]/#) { "\\\($0.output)" }
            case .anyCharacter: "_"
            case .anything: "%"
            }
        }.joined()
    }

    private var glob: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text.replacing(#/[*?\[]/#) { "[\($0.output)]" }
            case .anyCharacter: "?"
            case .anything: "*"
            }
        }.joined()
    }
}
