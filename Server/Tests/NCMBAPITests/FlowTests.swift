import Domain
import Foundation
import RecordedFlows
import Testing

@Suite("Apps of NCMB, as recorded")
struct FlowTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    static let files =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
        .filter { $0.hasSuffix(".http") && !$0.hasPrefix("social-") }.map { String($0.dropLast(5)) }.sorted() ?? []

    @Test("get the answers that they count on", arguments: files)
    func flow(_ name: String) async throws {
        let flow = try Flow(Self.folder.appendingPathComponent("\(name).http"))
        try await flow.play(by: try await NCMBWorld(.takingPasswordsInAddresses).player)
    }

    @Test("are there for every SDK family")
    func families() {
        for family in ["android", "javascript", "kotlin", "objective-c", "swift", "unity"] {
            #expect(Self.files.contains { $0.hasPrefix(family) }, "\(family) has no flow")
        }
    }
}
