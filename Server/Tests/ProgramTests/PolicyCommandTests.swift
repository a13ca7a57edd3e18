import Foundation
import Testing

@Suite("okaeri policy")
struct PolicyCommandTests {
    @Test("prints the tables that the threat model shows")
    func tables() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let model = try String(contentsOf: root.appendingPathComponent("docs/threat-model.md"), encoding: .utf8)
        let finished = try await Program.run("policy")
        #expect(finished.status == 0 && finished.errors.isEmpty)
        let end = "<!-- end of policy -->"
        let tables = finished.output.components(separatedBy: end).dropLast()
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) + "\n\n" + end }
        #expect(!tables.isEmpty)
        for table in tables {
            #expect(model.contains(table), "docs/threat-model.md has another table than “okaeri policy” prints")
        }
        #expect(model.components(separatedBy: end).count == tables.count + 1)
    }
}
