#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An opaque colour in sRGB, written `#RRGGBB` and in no other way, so that nothing else can be smuggled into a page.
public struct Colour: Hashable, Sendable {
    /// Red, 0 to 255.
    public let red: UInt8
    /// Green, 0 to 255.
    public let green: UInt8
    /// Blue, 0 to 255.
    public let blue: UInt8

    /// Mixes a colour.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// A colour from its 24 bits: `0xF9FBFF`.
    public init(_ bits: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: bits >> 16), green: UInt8(truncatingIfNeeded: bits >> 8),
            blue: UInt8(truncatingIfNeeded: bits))
    }

    /// Reads a colour: `#` and six hexadecimal digits. `nil` for anything else.
    public init?(hex text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 7, digits.first == UInt8(ascii: "#") else { return nil }
        var bits: UInt32 = 0
        for digit in digits.dropFirst() {
            guard let value = PercentEncodedText.digit(digit) else { return nil }
            bits = bits << 4 | UInt32(truncatingIfNeeded: value)
        }
        self.init(bits)
    }

    /// `#RRGGBB`.
    public var hex: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    /// How bright people see it, 0 to 1 (WCAG 2.2, definition of relative luminance).
    public var relativeLuminance: Double {
        func linear(_ channel: UInt8) -> Double {
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// How well two colours can be distinguished, 1 to 21 (WCAG 2.2, definition of contrast ratio).
    public func contrast(with other: Colour) -> Double {
        let (one, two) = (relativeLuminance, other.relativeLuminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }
}

extension Colour: Codable {
    /// Reads `#RRGGBB`.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let colour = Colour(hex: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A colour is written as #RRGGBB."))
        }
        self = colour
    }

    /// Writes `#RRGGBB`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
