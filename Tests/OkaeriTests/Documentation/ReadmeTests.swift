import Foundation
import Testing

@Suite("The first code that people see")
struct ReadmeTests {
    private static var folder: URL { URL(fileURLWithPath: #filePath).deletingLastPathComponent() }

    private static func contents(_ path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    private static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Sees to it that the code compiles: each of its lines, one after the other, and what it imports.
    private func check(_ block: String) throws {
        let compiled = Self.lines(of: try Self.contents("ReadmeCode.swift"))
        let shown = Self.lines(of: block)
        let imports = shown.prefix { $0.hasPrefix("import ") }
        let code = shown.dropFirst(imports.count)
        #expect(!imports.isEmpty && Set(compiled).isSuperset(of: imports))
        #expect(code.count >= 5 && compiled.indices.contains { compiled[$0...].starts(with: code) })
        // What only the article's code imports would be missing in an app.
        let isOfWire = code.contains { $0.contains("UserChanges") }
        #expect(imports.contains("import OkaeriWire") == isOfWire)
    }

    @Test("is compiled with the tests", arguments: ["README.md", "README.ja.md", "README.ko.md"])
    func readme(name: String) throws {
        let blocks = try Self.contents("../../../\(name)").components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 1)
        for block in blocks { try check(#require(block.components(separatedBy: "```").first)) }
    }

    @Test("is compiled with the tests, where `make run` shows it too")
    func makeRun() throws {
        let script = try Self.contents("../../../scripts/run")
        let start = try #require(script.range(of: "begins at an empty Xcode project:\n"))
        let end = try #require(
            script.range(of: "3. Look around in a shell.", range: start.upperBound..<script.endIndex))
        try check(String(script[start.upperBound..<end.lowerBound]))
    }
}
