extension Theme {
    /// What a colour is for.
    public enum ColourToken: String, CaseIterable, Hashable, Sendable {
        /// Behind everything.
        case background
        /// Fields and cards.
        case surface
        /// Letters.
        case text
        /// Hints and what is not typed yet.
        case mutedText
        /// Around fields.
        case border
        /// The button that does what the screen is for.
        case primary
        /// Letters on it.
        case onPrimary
        /// The button beside it: sign-up on the log-in screen.
        case secondary
        /// Letters on it.
        case onSecondary
        /// What leads elsewhere.
        case link
        /// What is wrong.
        case danger
        /// What has gone well.
        case success
        /// Around what has the focus.
        case focus

        /// The name as a custom property of CSS: `--okaeri-on-primary`.
        public var cssName: String {
            rawValue.reduce(into: "--okaeri-") { name, character in
                name += character.isUppercase ? "-\(character.lowercased())" : String(character)
            }
        }

        /// The colours of a theme that names none. Ground, fields and log-in button by day are ParseUI's; its sign-up button
        /// was too pale for white letters (2.9), and its hints for a white ground (1.8): they are darker here.
        var standard: (light: Colour, dark: Colour) {
            switch self {
            case .background: (Colour(0xF9FBFF), Colour(0x101418))
            case .surface: (Colour(0xFFFFFF), Colour(0x1B2127))
            case .text: (Colour(0x14181C), Colour(0xF2F5F8))
            case .mutedText: (Colour(0x5A636B), Colour(0xA9B4BE))
            case .border: (Colour(0x7F8991), Colour(0x73808C))
            case .primary: (Colour(0x616A74), Colour(0xDDE5EC))
            case .onPrimary: (Colour(0xFFFFFF), Colour(0x14181C))
            case .secondary: (Colour(0x2F5FD0), Colour(0x8FB0FF))
            case .onSecondary: (Colour(0xFFFFFF), Colour(0x0B1B40))
            case .link: (Colour(0x2453C4), Colour(0x9CB9FF))
            case .danger: (Colour(0xB3261E), Colour(0xFFB4AB))
            case .success: (Colour(0x146C2E), Colour(0x8BD99B))
            case .focus: (Colour(0x2F5FD0), Colour(0x8FB0FF))
            }
        }
    }

    /// Colours by what they are for.
    public struct Palette: Codable, Hashable, Sendable {
        /// The colours that differ from the standard.
        public var colours: [ColourToken: Colour]

        /// Makes a palette.
        public init(_ colours: [ColourToken: Colour] = [:]) {
            self.colours = colours
        }

        /// Reads an object of colours. Names that this version does not know are passed over.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.singleValueContainer().decode([String: Colour].self)
            colours = members.reduce(into: [:]) { colours, member in
                if let token = ColourToken(rawValue: member.key) { colours[token] = member.value }
            }
        }

        /// Writes an object of colours.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(colours.reduce(into: [String: Colour]()) { $0[$1.key.rawValue] = $1.value })
        }
    }
}

/// Two colours that stand on each other, and how well people must be able to distinguish them (WCAG 2.2, AA).
public struct ContrastPair: Hashable, Sendable {
    /// The colour in front.
    public let front: Theme.ColourToken
    /// The colour behind it.
    public let back: Theme.ColourToken
    /// The least contrast: 4.5 for letters (1.4.3), 3 for edges of what is used (1.4.11).
    public let minimum: Double
}

/// Two colours of a theme with too little contrast.
public struct ContrastFault: Hashable, Sendable {
    /// By day or by night.
    public let appearance: Theme.Appearance
    /// Which colours.
    public let pair: ContrastPair
    /// Their contrast, 1 to 21.
    public let ratio: Double
}

extension Theme {
    /// All pairs that screens put on each other.
    public static var contrastPairs: [ContrastPair] {
        let letters: [ColourToken] = [.text, .mutedText, .link, .danger, .success]
        let edges: [ColourToken] = [.border, .focus]
        let grounds: [ColourToken] = [.background, .surface]
        return grounds.flatMap { ground in
            letters.map { ContrastPair(front: $0, back: ground, minimum: 4.5) }
                + edges.map { ContrastPair(front: $0, back: ground, minimum: 3) }
        } + [
            ContrastPair(front: .onPrimary, back: .primary, minimum: 4.5),
            ContrastPair(front: .onSecondary, back: .secondary, minimum: 4.5),
            ContrastPair(front: .primary, back: .background, minimum: 3),
            ContrastPair(front: .secondary, back: .background, minimum: 3),
        ]
    }

    /// The pairs that people with weak sight cannot tell apart; none for a theme that keeps WCAG 2.2 AA.
    public func contrastFaults() -> [ContrastFault] {
        Appearance.allCases.flatMap { appearance in
            Self.contrastPairs.compactMap { pair in
                let ratio = colour(pair.front, in: appearance).contrast(with: colour(pair.back, in: appearance))
                return ratio < pair.minimum ? ContrastFault(appearance: appearance, pair: pair, ratio: ratio) : nil
            }
        }
    }
}
