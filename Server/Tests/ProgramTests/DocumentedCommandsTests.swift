import Foundation
import Testing

/// Takes the calls of the program out of all documents and compares them with the commands that it has.
@Suite("Commands in the documents")
struct DocumentedCommandsTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Documents in use. Decisions and the changelog tell of their time.
    private static let documents: [String] = {
        let manager = FileManager.default
        // A root that cannot be read has no documents, which the test sees.
        let top = (try? manager.contentsOfDirectory(atPath: root.path)) ?? []
        let below = ["docs", "Examples", "Sources"].flatMap { folder in
            (manager.enumerator(atPath: root.appendingPathComponent(folder).path)?.compactMap { $0 as? String } ?? [])
                .map { "\(folder)/\($0)" }
        }
        return (top + below).filter {
            $0.hasSuffix(".md") && !$0.hasPrefix("docs/decisions/") && $0 != "CHANGELOG.md"
        }.sorted()
    }()

    @Test("exist, with their options")
    func exist() async throws {
        let tree = try await CommandTree.root()
        var count = 0
        for document in Self.documents {
            let text = try String(contentsOf: Self.root.appendingPathComponent(document), encoding: .utf8)
            for call in Self.calls(of: "okaeri", in: text) {
                count += 1
                let fault = tree.fault(in: call)
                #expect(fault == nil, "\(document): okaeri \(call.joined(separator: " "))")
            }
        }
        #expect(Self.documents.count > 60 && count > 300)
    }

    @Test("of make exist")
    func verbs() throws {
        let makefile = try String(contentsOf: Self.root.appendingPathComponent("Makefile"), encoding: .utf8)
        let verbs = Set(makefile.matches(of: /(?m)^([a-z-]+):/).map { String($0.output.1) })
        for document in Self.documents {
            let text = try String(contentsOf: Self.root.appendingPathComponent(document), encoding: .utf8)
            for call in Self.calls(of: "make", in: text) {
                #expect(call.first.map(verbs.contains) == true, "\(document): make \(call.joined(separator: " "))")
            }
        }
    }

    @Test(
        "stand beside pages of the dashboard by the names that these have",
        arguments: [("en", "docs/operations/dashboard.md", "page"), ("ja", "docs/ja/operations/dashboard.md", "ページ")])
    func pages(language: String, document: String, head: String) throws {
        let texts = try JSONDecoder().decode(
            [String: String].self,
            from: Data(
                contentsOf: Self.root.appendingPathComponent("Server/Sources/Dashboard/Texts/\(language).json")))
        let names = Set(texts.filter { $0.key.hasPrefix("nav.") || $0.key.hasPrefix("tabs.") }.values)
        let text = try String(contentsOf: Self.root.appendingPathComponent(document), encoding: .utf8)
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("| \(head) |") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
        let shown = rows.map { $0.dropFirst(2).prefix { $0 != "|" }.trimmingCharacters(in: .whitespaces) }
        // One row is about the page of a user, which has the user's name.
        #expect(rows.count > 15 && shown.filter { !names.contains($0) }.count == 1, "\(shown)")
    }

    @Test(
        "that do not exist are found",
        arguments: [
            "```sh\nokaeri aplication list\n```", "`okaeri user lst`", "Do `okaeri serve --liten X` first.",
            "```\nsudo -u okaeri okaeri application create \"A b\" \\\n    --enabel ncmb\n```",
            "```sh\n.build/release/okaeri status --jsn | less\n```",
        ])
    func faults(text: String) async throws {
        let tree = try await CommandTree.root()
        let calls = Self.calls(of: "okaeri", in: text)
        #expect(calls.count == 1 && calls.allSatisfy { tree.fault(in: $0) != nil }, "\(calls)")
    }

    /// The words behind a program's name, in blocks of commands and between backticks.
    private static func calls(of program: String, in text: String) -> [[String]] {
        var commands: [Substring] = []
        var prose = ""
        let joined = text.replacing("\\\n", with: " ")
        for (number, part) in joined.split(separator: /(?m)^ *```/, omittingEmptySubsequences: false).enumerated() {
            if number.isMultiple(of: 2) {
                prose += part
            } else if !part.hasPrefix("swift") {
                commands += part.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            }
        }
        for (number, part) in prose.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        where !number.isMultiple(of: 2) && part.contains(/^(\S*\/)?(okaeri|make)/) {
            commands.append(part)
        }
        return commands.flatMap { command in
            // A text in quotes is one word; a comment and what follows a sign of the shell are no part of the call.
            let plain = command.replacing(/"[^"]*"|“[^”]*”/, with: "X").replacing(/(^|\s)#.*/, with: "")
            let call = /(?:^|[\s\/|(])(okaeri|make)(?:-dev)? +([a-z][a-z-]*(?:\s[^|()&;]*)?)(?=$|[\s|()&;])/
            return plain.matches(of: call)
                .filter { $0.output.1 == program }
                .map { $0.output.2.split(whereSeparator: \.isWhitespace).map(String.init) }
                .map { $0.first == program ? Array($0.dropFirst()) : $0 }
        }
    }
}
