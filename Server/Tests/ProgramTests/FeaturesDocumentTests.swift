import Foundation
import Testing

@Suite("The map of features")
struct FeaturesDocumentTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("names only files that exist, and names use cases of every slice of the rules")
    func paths() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/FEATURES.md"), encoding: .utf8)
        let named = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.contains("/") }.map { String($0.element) }
        let missing = named.filter {
            !FileManager.default.fileExists(atPath: Self.root.appendingPathComponent($0).path)
        }
        #expect(missing.isEmpty, "docs/FEATURES.md names what does not exist")
        let rules = "Server/Sources/Domain"
        let slices = try FileManager.default.contentsOfDirectory(
            at: Self.root.appendingPathComponent(rules), includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map(\.lastPathComponent)
        #expect(slices.count > 5)
        for slice in slices {
            #expect(named.contains { $0.hasPrefix("\(rules)/\(slice)/") }, "no feature names the slice \(slice)")
        }
    }
}
