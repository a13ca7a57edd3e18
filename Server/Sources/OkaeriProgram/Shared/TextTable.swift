/// Rows of text in aligned columns, as a terminal shows them.
struct TextTable {
    private var rows: [[String]] = []

    /// A table with headings, or without.
    init(_ headings: String...) {
        if !headings.isEmpty { rows.append(headings) }
    }

    /// A list of names and values, one in a line.
    init(_ values: KeyValuePairs<String, String?>) {
        rows = values.map { [$0.key, Self.shown($0.value)] }
    }

    /// A list of names and values, one in a line.
    init(_ values: [(String, String)]) {
        rows = values.map { [$0.0, Self.shown($0.1)] }
    }

    /// Adds a row. A value that is not there shows as a dash.
    mutating func add(_ values: String?...) {
        rows.append(values.map(Self.shown(_:)))
    }

    /// The lines, each with spaces in front of it.
    func text(indentation: Int = 0) -> String {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].terminalWidth : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = String(repeating: " ", count: indentation)
            for (column, value) in row.enumerated() {
                line += value
                guard column < row.count - 1 else { break }
                line += String(repeating: " ", count: widths[column] - value.terminalWidth + 2)
            }
            return line
        }.joined(separator: "\n")
    }

    private static func shown(_ value: String?) -> String {
        guard let value, !value.isEmpty else { return "–" }
        return value.printable
    }
}

extension String {
    /// Names come from devices, people and files: what steers a terminal, ends a line, or turns the direction of writing, is not
    /// let through.
    var printable: String { replacingUnprintable { _ in false } }

    /// The same for a text of several lines, which keeps them and its columns.
    var readable: String { replacing("\r\n", with: "\n").replacingUnprintable { $0 == "\n" || $0 == "\t" } }

    private func replacingUnprintable(but isKept: (Unicode.Scalar) -> Bool) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            printable.append(scalar.isPrintable || isKept(scalar) ? scalar : "\u{FFFD}")
        }
        return String(printable)
    }
}

extension Unicode.Scalar {
    /// What joins characters to one, as in emoji and in Persian.
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]

    /// Whether it shows, or stands between what shows, and does nothing else.
    var isPrintable: Bool {
        if (0x20...0x7E).contains(value) { return true }
        let category = properties.generalCategory
        return category != .control && category != .format || Self.joiners.contains(self)
    }
}

extension String {
    /// How many columns of a terminal the text takes: two for each wide character (Unicode Standard Annex 11).
    var terminalWidth: Int {
        reduce(0) { $0 + $1.terminalWidth }
    }
}

extension Character {
    fileprivate var terminalWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation { return 2 }
        return switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}
