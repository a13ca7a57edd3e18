import Foundation
import Testing

@Suite("The sources")
struct StyleTests {
    @Test(
        "take time, names and chance from what is injected, but for the files that compose the defaults",
        arguments: ["Okaeri", "OkaeriTesting", "OkaeriUI", "OkaeriWire"])
    func injectedWorld(target: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/\(target)").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files
        where file.pathExtension == "swift" && !file.lastPathComponent.hasPrefix("System") {
            count += 1
            let code = try String(contentsOf: file, encoding: .utf8)
            for word in ["Date()", "Date.now", "UUID()", ".random(", "SystemRandomNumberGenerator", "print(", "try!"] {
                #expect(!code.contains(word), "\(word) in \(file.lastPathComponent)")
            }
        }
        #expect(count > 5)
    }
}
