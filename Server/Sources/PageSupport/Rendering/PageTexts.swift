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

    /// A text, with values for its parameters. The name itself when there is no such text.
    package func text(_ name: String, in language: PageLanguage, _ values: [String: String] = [:]) -> String {
        guard var text = known(name, in: language) else { return name }
        for (name, value) in values { text = Self.choosing(value == "1", of: name, in: text) }
        for (name, value) in values { text = text.replacing("{\(name)}", with: value) }
        return text
    }

    /// The text with one of each two forms that depend on a parameter.
    private static func choosing(_ isOne: Bool, of name: String, in text: String) -> String {
        var (chosen, rest) = ("", text[...])
        while let start = rest.firstRange(of: "{\(name)|"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            let forms = rest[start.upperBound..<end].split(separator: "|", omittingEmptySubsequences: false)
            chosen += rest[..<start.lowerBound]
            chosen += isOne ? forms[0] : forms[forms.count - 1]
            rest = rest[rest.index(after: end)...]
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
        for (group, members) in Dictionary(grouping: table, by: { $0.key.prefix { $0 != "." } }) {
            var texts: [String: any Sendable] = [:]
            for (name, text) in members { texts[String(name.dropFirst(group.count + 1))] = text }
            tree[String(group)] = texts
        }
        return tree
    }
}
