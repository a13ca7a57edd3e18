package import Domain

extension TextPattern {
    /// Whether a text is of this form, found out in the plainest way: what storage's own way is compared with.
    package func fits(_ text: String) -> Bool {
        Self.fit(pieces[...], Array(ignoresCase ? text.lowercased() : text)[...], ignoresCase)
    }

    private static func fit(_ pieces: ArraySlice<Piece>, _ text: ArraySlice<Character>, _ ignoresCase: Bool) -> Bool {
        guard let piece = pieces.first else { return text.isEmpty }
        let rest = pieces.dropFirst()
        switch piece {
        case .text(let part):
            let part = ignoresCase ? part.lowercased() : part
            return text.starts(with: part) && fit(rest, text.dropFirst(part.count), ignoresCase)
        case .anyCharacter: return !text.isEmpty && fit(rest, text.dropFirst(), ignoresCase)
        case .anything: return (0...text.count).contains { fit(rest, text.dropFirst($0), ignoresCase) }
        }
    }
}
