import Foundation
import Testing

@Suite("The privacy manifests")
struct PrivacyManifestTests {
    private struct Manifest: Decodable {
        struct API: Decodable {
            let category: String
            let reasons: [String]

            private enum CodingKeys: String, CodingKey {
                case category = "NSPrivacyAccessedAPIType"
                case reasons = "NSPrivacyAccessedAPITypeReasons"
            }
        }

        let isTracking: Bool
        let apis: [API]

        private enum CodingKeys: String, CodingKey {
            case isTracking = "NSPrivacyTracking"
            case apis = "NSPrivacyAccessedAPITypes"
        }
    }

    /// What the App Store wants a reason for, and the words by which a source shows it (Apple, "Describing use of
    /// required reason API").
    private static let categories: [(name: String, words: [String])] = [
        ("UserDefaults", ["UserDefaults"]),
        ("SystemBootTime", ["systemUptime", "mach_absolute_time"]),
        (
            "FileTimestamp",
            ["creationDate", "modificationDate", "ModificationDate", "lstat(", "fstat(", "fstatat(", "getattrlist"]
        ),
        ("DiskSpace", ["volumeAvailableCapacity", "volumeTotalCapacity", "systemFreeSize", "systemSize", "statfs"]),
        ("ActiveKeyboards", ["activeInputModes"]),
    ]

    private static var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
            .standardizedFileURL
    }

    private static func manifest(of target: String) throws -> Manifest? {
        let file = root.appendingPathComponent("Sources/\(target)/PrivacyInfo.xcprivacy")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
    }

    @Test(
        "give a reason for all that the App Store wants one for, and for nothing else",
        arguments: ["Okaeri", "OkaeriUI", "OkaeriWire"])
    func reasons(target: String) throws {
        let folder = Self.root.appendingPathComponent("Sources/\(target)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var used: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let code = try String(contentsOf: file, encoding: .utf8)
            for category in Self.categories where category.words.contains(where: { code.contains($0) }) {
                used.insert("NSPrivacyAccessedAPICategory\(category.name)")
            }
        }
        let manifest = try Self.manifest(of: target)
        #expect(Set(manifest?.apis.map(\.category) ?? []) == used)
        #expect(manifest?.apis.allSatisfy { !$0.reasons.isEmpty } != false)
        #expect(manifest?.isTracking != true)
    }

    @Test("come into apps with their targets", arguments: ["Okaeri", "OkaeriUI"])
    func resources(target: String) throws {
        let package = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let targets = package.components(separatedBy: ".target(").dropFirst().map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let found = try #require(targets.first { $0.hasPrefix("name: \"\(target)\",") })
        #expect(found.contains("resources: privacyManifest.resources"))
    }
}
