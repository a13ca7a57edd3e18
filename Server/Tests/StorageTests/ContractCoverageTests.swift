import Foundation
import Testing

/// Reads the sources: a requirement that no contract calls is one that an engine may break unnoticed.
@Suite("Contracts of a store")
struct ContractCoverageTests {
    private static let server = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("call every method that a transaction has")
    func coverage() throws {
        var required: Set<String> = []
        for text in try Self.texts(in: "Sources/Domain") {
            for protocolBody in text.matches(of: #/package protocol \w+Queries \{\n([\s\S]*?)\n\}/#) {
                required.formUnion(Self.signatures(in: String(protocolBody.1), after: "func "))
            }
        }
        var called: Set<String> = []
        for text in try Self.texts(in: "Tests/Support/StoreConformance") {
            called.formUnion(Self.signatures(in: text, after: "."))
        }
        #expect(required.count > 100)
        #expect(required.subtracting(called).sorted() == [])
    }

    private static func texts(in folder: String) throws -> [String] {
        let files = FileManager.default.enumerator(at: server.appending(path: folder), includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    /// Names with the labels of their arguments, `user(_:in:)`, of what is declared or called after a prefix.
    private static func signatures(in text: String, after prefix: String) -> Set<String> {
        var found: Set<String> = []
        var rest = text[...]
        while let start = rest.firstRange(of: prefix)?.upperBound {
            rest = rest[start...]
            let name = rest.prefix { $0.isLetter || $0.isNumber }
            let arguments = rest.dropFirst(name.count)
            guard !name.isEmpty, arguments.first == "(" else { continue }
            found.insert("\(name)(\(labels(of: arguments.dropFirst())))")
        }
        return found
    }

    /// The labels of arguments, up to the parenthesis that closes them.
    private static func labels(of text: Substring) -> String {
        var (depth, isInText, argument, labels) = (1, false, "", "")
        func finish() {
            guard argument.contains(where: { !$0.isWhitespace }) else { return }
            labels += (argument.firstMatch(of: #/^\s*(\w+)(?:\s+\w+)?\s*:/#)?.1).map { "\($0):" } ?? "_:"
            argument = ""
        }
        for character in text {
            if character == "\"" { isInText.toggle() }
            if !isInText {
                if "([{".contains(character) { depth += 1 }
                if ")]}".contains(character) { depth -= 1 }
                if depth == 0 { break }
                if character == ",", depth == 1 {
                    finish()
                    continue
                }
            }
            argument.append(character)
        }
        finish()
        return labels
    }
}
