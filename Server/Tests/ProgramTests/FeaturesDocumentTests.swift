import Foundation
import Testing

@Suite("The map of features")
struct FeaturesDocumentTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let tables = Result { () throws -> [Table] in
        var tables: [Table] = []
        for (index, line) in try document().split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("|") else { continue }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if let last = tables.indices.last, tables[last].end == index {
                tables[last].end += 1
                tables[last].rows.append(cells)
            } else {
                tables.append(Table(end: index + 1, rows: [cells]))
            }
        }
        return tables
    }

    /// Lines of cells one after the other; the first are the names of the columns, the second draw a line.
    private struct Table {
        /// The index of the first line that is no part of it.
        var end: Int
        var rows: [[String]]
    }

    private static func document() throws -> String {
        try String(contentsOf: root.appendingPathComponent("docs/FEATURES.md"), encoding: .utf8)
    }

    /// The Swift files of both packages and of the examples, as paths from the root.
    private static let sources = ["Sources", "Tests", "Server/Sources", "Server/Tests", "Examples", "Fuzzing"]
        .flatMap { folder -> [String] in
            let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
                .map { "\(folder)/\($0)" }
        }

    /// The words in backticks of a cell: paths, or names of Swift files.
    private static func words(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 && !$0.element.contains(" ") }.map { String($0.element) }
    }

    /// The path of a word, and `nil` when no file is meant by it.
    private static func path(_ word: String) -> String? {
        if FileManager.default.fileExists(atPath: root.appendingPathComponent(word).path) { return word }
        return sources.first { $0.hasSuffix("/\(word).swift") }
    }

    @Test("names only files that exist, each of them without doubt, and use cases of every module of the rules")
    func paths() throws {
        let words = try Self.tables.get()
            .flatMap { $0.rows.dropFirst(2).flatMap { $0.dropFirst() } }.flatMap(Self.words)
        #expect(words.filter { Self.path($0) == nil }.isEmpty, "docs/FEATURES.md names what does not exist")
        let ambiguous = words.filter { word in Self.sources.count { $0.hasSuffix("/\(word).swift") } > 1 }
        #expect(ambiguous.isEmpty, "the name alone is not enough")
        let named = words.compactMap(Self.path)
        let rules = "Server/Sources/Domain"
        let slices = try FileManager.default.contentsOfDirectory(
            at: Self.root.appendingPathComponent(rules), includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map(\.lastPathComponent)
        #expect(slices.count > 5)
        for slice in slices {
            #expect(named.contains { $0.hasPrefix("\(rules)/\(slice)/") }, "no feature names the slice \(slice)")
        }
    }

    @Test("has as many cells in each row as its table has columns, names each row once, and tests for each feature")
    func cells() throws {
        let tables = try Self.tables.get()
        #expect(tables.map { $0.rows[0].first } == ["feature", "command", "verb"])
        for table in tables {
            let (names, rows) = (table.rows[0], table.rows.dropFirst(2))
            #expect(rows.count > 5)
            #expect(Set(rows.map { $0[0] }).count == rows.count, "a row stands there twice")
            for row in rows {
                #expect(row.count == names.count, "\(row[0])")
                #expect(row[0] != "" && row.last != "", "\(row[0]): nothing stands in the column “\(names.last ?? "")”")
            }
        }
        for feature in try #require(tables.first).rows.dropFirst(2) {
            let tests = Self.words(feature.last ?? "").compactMap(Self.path)
            #expect(
                !tests.isEmpty && tests.allSatisfy { $0.contains("Tests/") || $0.hasPrefix("scripts/check") },
                "\(feature[0])")
        }
    }

    @Test("names each command of the program")
    func commands() async throws {
        let documented = try Self.document()
        let commands = try await CommandTree.root().subcommands ?? []
        #expect(commands.count > 20)
        // “help” is the argument parser's, and “policy” prints tables for documents.
        for name in commands.map(\.commandName) where !["help", "policy"].contains(name) {
            #expect(documented.contains("`okaeri \(name)"), "okaeri \(name)")
        }
    }

    @Test("names each verb of make that checks, builds or runs something, with the script that does it")
    func verbs() throws {
        let makefile = try String(contentsOf: Self.root.appendingPathComponent("Makefile"), encoding: .utf8)
        let documented = try #require(try Self.tables.get().last).rows.dropFirst(2).map { $0[0] }
        let verbs = makefile.split(separator: "\n").filter { $0.contains(": ## ") }.compactMap {
            $0.split(separator: ":").first
        }
        #expect(verbs.count > 10)
        for verb in verbs where verb != "help" { #expect(documented.contains("`make \(verb)`"), "\(verb)") }
    }

    @Test("is held by a make that knows every verb of the project, and lists it with what it does")
    func makeHelp() async throws {
        let help = try await ChildProcess(
            "/usr/bin/env", ["make", "--no-print-directory", "-C", Self.root.path, "help"]
        )
        .finished()
        #expect(help.status == 0, "\(help.errors)")
        let listed = help.output.split(separator: "\n").dropFirst().map { $0.split(separator: " ", maxSplits: 1) }
        for verb in Self.verbsOfTheProject {
            #expect(listed.contains { $0.count == 2 && $0[0] == verb }, "make help does not list \(verb)")
        }
    }

    /// What somebody who knows such projects types without looking (CONTRIBUTING.md).
    private static let verbsOfTheProject = [
        "build", "test", "test-postgresql", "lint", "format", "check", "bench", "docs", "examples", "run",
    ]
}
