/// How an application's screens look, on pages and in apps alike: one JSON file. What it leaves out is as standard.
public struct Theme: Codable, Hashable, Sendable {
    /// The name over the screens; absent for the application's.
    public var brand: String?
    /// The picture over the screens.
    public var logo: ThemePicture?
    /// How high the logo is, in points or pixels, 16 to 240.
    public var logoHeight: Int?
    /// Where the logo stands; absent for where it stands by default: in the middle in apps, at the beginning on pages.
    public var logoPosition: LogoPosition?
    /// The picture behind the screens.
    public var backgroundImage: ThemePicture?
    /// Pictures behind single screens of apps instead, by the screen's name, such as `logIn`; at most 32.
    public var backgroundImages: [String: ThemePicture] = [:]
    /// How round fields and buttons are, in points or pixels, 0 to 40.
    public var cornerRadius: Int?
    /// The shape of buttons.
    public var buttonShape: ButtonShape?
    /// The design of letters.
    public var font: FontDesign?
    /// Colours by day.
    public var light: Palette
    /// Colours by night.
    public var dark: Palette
    /// Texts instead of the standard ones, by language and key.
    public var texts: [String: [String: String]]

    /// Makes a theme; by default the standard one. Pictures and shapes are set afterwards.
    public init(
        brand: String? = nil, light: Palette = Palette(), dark: Palette = Palette(),
        texts: [String: [String: String]] = [:]
    ) {
        self.brand = brand
        self.light = light
        self.dark = dark
        self.texts = texts
    }

    private enum CodingKeys: String, CodingKey {
        case brand, logo, logoHeight, logoPosition, backgroundImage, backgroundImages, cornerRadius, buttonShape, font,
            light, dark, texts
    }

    /// Reads a theme. Unknown members are passed over; wrong values are not.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        brand = try members.decodeIfPresent(String.self, forKey: .brand)
        logo = try members.decodeIfPresent(ThemePicture.self, forKey: .logo)
        logoHeight = try members.decodeIfPresent(Int.self, forKey: .logoHeight)
        guard logoHeight.map((16...240).contains) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .logoHeight, in: members, debugDescription: "A logo is 16 to 240 high.")
        }
        logoPosition = try members.decodeIfPresent(LogoPosition.self, forKey: .logoPosition)
        backgroundImage = try members.decodeIfPresent(ThemePicture.self, forKey: .backgroundImage)
        backgroundImages =
            try members.decodeIfPresent([String: ThemePicture].self, forKey: .backgroundImages) ?? [:]
        guard backgroundImages.count <= 32 else {
            throw DecodingError.dataCorruptedError(
                forKey: .backgroundImages, in: members, debugDescription: "There are at most 32 pictures.")
        }
        cornerRadius = try members.decodeIfPresent(Int.self, forKey: .cornerRadius)
        guard cornerRadius.map((0...40).contains) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .cornerRadius, in: members, debugDescription: "A corner radius is 0 to 40.")
        }
        buttonShape = try members.decodeIfPresent(ButtonShape.self, forKey: .buttonShape)
        font = try members.decodeIfPresent(FontDesign.self, forKey: .font)
        light = try members.decodeIfPresent(Palette.self, forKey: .light) ?? Palette()
        dark = try members.decodeIfPresent(Palette.self, forKey: .dark) ?? Palette()
        texts = try members.decodeIfPresent([String: [String: String]].self, forKey: .texts) ?? [:]
    }
}

extension Theme {
    /// Day or night.
    public enum Appearance: String, CaseIterable, Hashable, Sendable {
        /// Dark letters on a bright ground.
        case light
        /// Bright letters on a dark ground.
        case dark
    }

    /// The shape of buttons. An open set; an unknown shape is shown rounded.
    public struct ButtonShape: RawRepresentable, Codable, Hashable, Sendable {
        /// The word as it is written.
        public let rawValue: String

        /// Makes a shape from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// With round corners.
        public static let rounded = ButtonShape(rawValue: "rounded")
        /// With half circles at the ends.
        public static let capsule = ButtonShape(rawValue: "capsule")
        /// With sharp corners.
        public static let square = ButtonShape(rawValue: "square")
    }

    /// The design of letters, all of them at hand on every system. An open set; an unknown one is shown as the system's.
    public struct FontDesign: RawRepresentable, Codable, Hashable, Sendable {
        /// The word as it is written.
        public let rawValue: String

        /// Makes a design from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The system's own letters.
        public static let system = FontDesign(rawValue: "system")
        /// Letters with serifs.
        public static let serif = FontDesign(rawValue: "serif")
        /// Round letters.
        public static let rounded = FontDesign(rawValue: "rounded")
        /// Letters of one width.
        public static let monospaced = FontDesign(rawValue: "monospaced")
    }

    /// Where a logo stands. An open set; an unknown position is shown as none.
    public struct LogoPosition: RawRepresentable, Codable, Hashable, Sendable {
        /// The word as it is written.
        public let rawValue: String

        /// Makes a position from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Where lines begin.
        public static let leading = LogoPosition(rawValue: "leading")
        /// In the middle.
        public static let center = LogoPosition(rawValue: "center")
        /// Where lines end.
        public static let trailing = LogoPosition(rawValue: "trailing")
    }

    /// The picture behind a screen: its own, or that of all.
    ///
    /// - Parameter screen: The screen's name, such as `logIn`.
    /// - Returns: `nil` when there is neither.
    public func background(of screen: String) -> ThemePicture? {
        backgroundImages[screen] ?? backgroundImage
    }

    /// The text that guides people on a screen, by the key of its name and `.guide` in ``texts``: `logIn.guide`.
    ///
    /// - Parameters:
    ///   - screen: The screen's name, such as `logIn`.
    ///   - languages: BCP 47 tags, best first; then English, then any.
    /// - Returns: `nil` when there is none, or it is too long.
    public func guide(of screen: String, in languages: [String]) -> GuideText? {
        LocalizedText(texts.compactMapValues { $0["\(screen).guide"] }).text(in: languages).flatMap(GuideText.init)
    }

    /// The corner radius of buttons by their shape, when they are so high.
    ///
    /// - Parameter height: In the unit of the corner radius.
    /// - Returns: The radius.
    public func buttonRadius(height: Int) -> Int {
        switch buttonShape {
        case .capsule?: height / 2
        case .square?: 0
        default: cornerRadius ?? Theme.standardCornerRadius
        }
    }

    /// The corner radius of a theme that names none.
    public static var standardCornerRadius: Int { 10 }

    /// A colour, the theme's own or the standard one.
    public func colour(_ token: ColourToken, in appearance: Appearance) -> Colour {
        switch appearance {
        case .light: light.colours[token] ?? token.standard.light
        case .dark: dark.colours[token] ?? token.standard.dark
        }
    }
}

/// A picture of a theme: an https address, a `data:` address that holds the picture, or the name of one in the app.
public struct ThemePicture: Hashable, Sendable {
    /// Where the picture is.
    public enum Place: Hashable, Sendable {
        /// At an https address.
        case remote(String)
        /// In the address itself: media type and base64.
        case inline(mediaType: String, base64: String)
        /// In the app, or beside the pages, under a name.
        case asset(String)
    }

    /// The text in the theme's file.
    public let text: String
    /// Where the picture is.
    public let place: Place

    /// Reads where a picture is.
    ///
    /// - Returns: `nil` for any other kind of address, for signs that end an attribute or a style, and for more than
    ///   200,000 bytes.
    public init?(_ text: String) {
        guard (1...200_000).contains(text.utf8.count), !text.utf8.contains(where: Self.isHostile) else { return nil }
        self.text = text
        if text.hasPrefix("https://"), text.utf8.count > 8 {
            place = .remote(text)
        } else if text.hasPrefix("data:") {
            let parts = text.dropFirst(5).split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].hasSuffix(";base64") else { return nil }
            let mediaType = String(parts[0].dropLast(7))
            // No SVG: it can hold scripts.
            guard ["image/png", "image/jpeg", "image/webp", "image/gif"].contains(mediaType),
                parts[1].utf8.allSatisfy(Self.isBase64)
            else { return nil }
            place = .inline(mediaType: mediaType, base64: String(parts[1]))
        } else {
            guard text.utf8.allSatisfy(Self.isOfName), text.utf8.count <= 100, !text.contains("..") else { return nil }
            place = .asset(text)
        }
    }

    private static func isHostile(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7f || #""'()<>\`"#.utf8.contains(byte)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        isLetter(byte) || "+/=".utf8.contains(byte)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        isLetter(byte) || "-_./".utf8.contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension ThemePicture: Codable {
    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let picture = ThemePicture(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "A picture is an https address, a data address (PNG, JPEG, WebP, GIF), or a name."
                ))
        }
        self = picture
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
