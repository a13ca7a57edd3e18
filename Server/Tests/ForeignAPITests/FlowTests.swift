import Foundation
import RecordedFlows
import Testing

@Suite("Apps of Kii, of Parse and of the envelope, as recorded")
struct FlowTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    static let files =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
        .filter { $0.hasSuffix(".http") }.map { String($0.dropLast(5)) }.sorted() ?? []

    @Test("get the answers that they count on", arguments: files)
    func flow(_ name: String) async throws {
        let flow = try Flow(Self.folder.appendingPathComponent("\(name).http"))
        try await flow.play(by: try await ForeignWorld().player)
    }

    @Test("are there for every SDK family")
    func families() {
        let parse = ["parse-ios", "parse-javascript", "parse-swift", "parse-rest-python"]
        for family in ["kii-android", "kii-ios", "kii-javascript", "kii-unity", "envelope"] + parse {
            #expect(Self.files.contains { $0.hasPrefix(family) }, "\(family) has no flow")
        }
    }
}
