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
        guard svg.utf8.count < 200_000 else { return nil }
        let bytes = Array(svg.utf8)
        guard let box = Self.value(behind: "viewBox=\"", in: bytes),
            let path = Self.value(behind: "<path d=\"", in: bytes)
        else { return nil }
        let numbers = box.split(separator: UInt8(ascii: " ")).compactMap {
            Int(String(decoding: $0, as: UTF8.self), radix: 10)
        }
        guard numbers.count == 4, numbers[0] == 0, numbers[1] == 0, numbers[2] == numbers[3],
            (21...250).contains(numbers[2])
        else { return nil }
        side = numbers[2]
        var bars: [Bar] = []
        for part in path.split(separator: UInt8(ascii: "M")) {
            // Each is within the picture before they are added.
            guard let words = Self.numbers(in: part), words.count == 5, words[2] == words[4], words[3] == 1,
                (0..<side).contains(words[0]), (0..<side).contains(words[1]), (1...side).contains(words[2]),
                words[0] + words[2] <= side
            else { return nil }
            bars.append(Bar(column: words[0], row: words[1], length: words[2]))
        }
        guard !bars.isEmpty else { return nil }
        self.bars = bars
    }

    /// What stands behind a text, up to a quotation mark.
    private static func value(behind start: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let start = Array(start.utf8)
        var rest = bytes[...]
        while let position = rest.firstIndex(of: start[0]) {
            rest = bytes[position...]
            if rest.starts(with: start) { return rest.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") } }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// The numbers in a text, whatever stands between them; `nil` for more or greater ones than any picture has.
    private static func numbers(in text: ArraySlice<UInt8>) -> [Int]? {
        var numbers: [Int] = []
        var isWithin = false
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                isWithin = false
                continue
            }
            if !isWithin { numbers.append(0) }
            isWithin = true
            let number = numbers[numbers.count - 1] * 10 + Int(truncatingIfNeeded: byte & 0xf)
            guard numbers.count <= 5, number < 1000 else { return nil }
            numbers[numbers.count - 1] = number
        }
        return numbers
    }
}
