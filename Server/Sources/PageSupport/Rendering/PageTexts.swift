import Domain
import EmbeddedFiles
import Foundation

/// String tables: one flat JSON object per language, `{"logIn.title": "Log in"}`. Templates find a text by its name:
/// `{{t.logIn.title}}`. Parameters are written in braces: `At least {minimum} characters.` A word that depends on a number
/// has two forms, the one of 1 and the one of all others: `{count} {count|user|users}`.
package struct PageTexts: Sendable {
    package let tables: [PageLanguage: [String: String]]
    private let trees: [PageLanguage: [String: any Sendable]]

    /// What is wrong with a table.
    package enum Fault: Error {
        case unreadable(PageLanguage)
    }

    /// The tables of all languages in a folder below `Server/Sources`, for `init`.
    package static func tables(in folder: String) -> [PageLanguage: [[UInt8]]] {
        PageLanguage.allCases.reduce(into: [:]) {
            $0[$1] = [EmbeddedFiles.bytes(of: "\(folder)/\($1.rawValue).json")]
        }
    }

    /// - Parameter files: Tables as JSON; those of one language are joined, the later one wins.
    /// - Throws: `Fault`.
    package init(_ files: [PageLanguage: [[UInt8]]]) throws {
        var tables: [PageLanguage: [String: String]] = [:]
        for (language, parts) in files {
            for part in parts {
                guard let table = try? JSONDecoder().decode([String: String].self, from: Data(part)) else {
                    throw Fault.unreadable(language)  // Which part of it is wrong, a test says.
                }
                tables[language, default: [:]].merge(table) { $1 }
            }
        }
        self.tables = tables
        trees = tables.mapValues { Self.tree($0) }
    }

    private init(tables: [PageLanguage: [String: String]]) {
        self.tables = tables
        trees = tables.mapValues { Self.tree($0) }
    }

    /// The tables with some texts in the place of others.
    package func replacing(_ own: [PageLanguage: [String: String]]) -> PageTexts {
        guard !own.isEmpty else { return self }
        var tables = tables
        for (language, texts) in own { tables[language, default: [:]].merge(texts) { $1 } }
        return PageTexts(tables: tables)
    }

    /// A text as it stands in the tables; `nil` when there is none of that name.
    package func known(_ name: String, in language: PageLanguage) -> String? {
        tables[language]?[name] ?? tables[.english]?[name]
    }

    /// A text, with values for its parameters, which turn nothing around them. The name itself when there is no text.
    package func text(_ name: String, in language: PageLanguage, _ values: [String: String] = [:]) -> String {
        guard var text = known(name, in: language) else { return name }
        for (name, value) in values { text = Self.choosing(value == "1", of: name, in: text) }
        return Self.filling(text, with: values)
    }

    /// The text with values for its parameters. What stands in a value is no parameter.
    private static func filling(_ text: String, with values: [String: String]) -> String {
        guard !values.isEmpty else { return text }
        var (filled, rest) = ("", text[...])
        while let end = rest.utf8.firstIndex(of: UInt8(ascii: "}")) {
            let next = rest.utf8.index(after: end)
            if let start = rest[..<end].utf8.lastIndex(of: UInt8(ascii: "{")),
                let value = values[String(rest[rest.utf8.index(after: start)..<end])]
            {
                filled += rest[..<start]
                filled += value.bidiIsolated
            } else {
                filled += rest[..<next]
            }
            rest = rest[next...]
        }
        filled += rest
        return filled
    }

    /// The text with one of each two forms that depend on a parameter.
    private static func choosing(_ isOne: Bool, of name: String, in text: String) -> String {
        var (chosen, rest) = ("", text[...])
        while let start = rest.firstRange(of: "{\(name)|"),
            let end = rest[start.upperBound...].utf8.firstIndex(of: UInt8(ascii: "}"))
        {
            let forms = rest[start.upperBound..<end].pieces(at: "|", keepsEmpty: true)
            chosen += rest[..<start.lowerBound]
            chosen += isOne ? forms[0] : forms[forms.count - 1]
            rest = rest[rest.utf8.index(after: end)...]
        }
        chosen += rest
        return chosen
    }

    /// All texts as templates ask for them.
    package func tree(in language: PageLanguage) -> [String: any Sendable] {
        trees[language] ?? [:]
    }

    /// `logIn.title` becomes the member `title` of the member `logIn`.
    private static func tree(_ table: [String: String]) -> [String: any Sendable] {
        var tree: [String: any Sendable] = [:]
        for (group, members) in Dictionary(grouping: table, by: { $0.key.before(".") }) {
            var texts: [String: any Sendable] = [:]
            for (name, text) in members { texts[String(name.dropFirst(group.count + 1))] = text }
            tree[String(group)] = texts
        }
        return tree
    }
}

extension String {
    /// The text as it stands in a sentence or beside other text: nothing in it changes the direction of what is around
    /// it (UAX #9 §2.7). Signs that order other text are left out, and what runs from right to left is isolated.
    package var bidiIsolated: String {
        let isOrdered = unicodeScalars.contains { $0.properties.isBidiControl }
        guard isOrdered || unicodeScalars.contains(where: \.isFromRightToLeft) else { return self }
        return "\u{2068}\(withoutBidiControls)\u{2069}"
    }

    /// The text without signs that order other text, for an element that isolates what it holds (`bdi`): who copies it from
    /// there gets nothing else along.
    package var withoutBidiControls: String { String(unicodeScalars.filter { !$0.properties.isBidiControl }) }

    /// The first sign for which something is drawn, as avatars have it; empty without any.
    package var initial: String {
        let seen = first { character in
            character.unicodeScalars.contains {
                !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
            }
        }
        return seen.map { String($0).uppercased() } ?? ""
    }
}

extension [String?] {
    /// What strangers wrote, one beside the other; empty without any.
    package var joinedBidiIsolated: String { compactMap { $0?.bidiIsolated }.joined(separator: " · ") }
}

extension Unicode.Scalar {
    /// The blocks whose letters run from right to left (Unicode's DerivedBidiClass.txt).
    fileprivate var isFromRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
