import Foundation

/// A folder that goes away with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-\(UUID().uuidString)").path
    }

    deinit {
        // The folder may never have been made.
        try? FileManager.default.removeItem(atPath: path)
    }
}
