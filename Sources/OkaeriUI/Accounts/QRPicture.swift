import Foundation

/// The dark squares of a QR code, read from the document that the server draws, so that a screen can draw them itself.
public struct QRPicture: Hashable, Sendable {
    /// A row of dark squares.
    public struct Bar: Hashable, Sendable {
        /// The first square, from the left.
        public let column: Int
        /// The row, from above.
        public let row: Int
        /// How many squares.
        public let length: Int
    }

    /// How many squares a side has, the white border included.
    public let side: Int
    /// The dark squares.
    public let bars: [Bar]

    /// Reads the server's document: `viewBox="0 0 29 29"`, a white ground, and one path of `M4 4h7v1h-7z`. `nil` for any
    /// other document.
    public init?(svg: String) {
        guard svg.utf8.count < 200_000, let box = Self.value(of: "viewBox", in: svg[...]) else { return nil }
        let numbers = box.split(separator: " ").compactMap { Int($0, radix: 10) }
        guard numbers.count == 4, numbers[0] == 0, numbers[1] == 0, numbers[2] == numbers[3],
            (21...250).contains(numbers[2]), let path = svg.range(of: "<path d=\"")
        else { return nil }
        side = numbers[2]
        let text = svg[path.upperBound...].prefix { $0 != "\"" }
        var bars: [Bar] = []
        for part in text.split(separator: "M") {
            let words = part.split { !"0123456789".contains($0) }.compactMap { Int($0, radix: 10) }
            // Each is within the picture before they are added.
            guard words.count == 5, words[2] == words[4], words[3] == 1, (0..<side).contains(words[0]),
                (0..<side).contains(words[1]), (1...side).contains(words[2]), words[0] + words[2] <= side
            else { return nil }
            bars.append(Bar(column: words[0], row: words[1], length: words[2]))
        }
        guard !bars.isEmpty else { return nil }
        self.bars = bars
    }

    private static func value(of attribute: String, in svg: Substring) -> String? {
        guard let position = svg.range(of: "\(attribute)=\"") else { return nil }
        return String(svg[position.upperBound...].prefix { $0 != "\"" })
    }
}
