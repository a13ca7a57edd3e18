import Foundation
import Testing

@Suite("Commands of root in the data folder of another user", .enabled(if: geteuid() == 0))
struct FolderOwnerTests {
    private static let nobody: uid_t = 65_534

    private let source = TestFolder()
    private let repository = TestFolder()
    private let keys = TestFolder()

    @Test("leave a restored or copied database, and the claim of a take-over, to that user")
    func databases() async throws {
        let made = try await Program.run("application", "create", "Demo", "--data", source.path)
        #expect(made.status == 0, "\(made.errors)")
        let key = try await BackupKeyPair(in: keys)
        try repository.make()
        let stored = try await Program.run(
            "backup", "make", "--data", source.path, "--to", repository.path, "--key", key.public)
        #expect(stored.status == 0, "\(stored.errors)")
        let from = ["--from", repository.path, "--secret-key-file", key.secret]
        let (restored, copied) = (TestFolder(), TestFolder())
        for folder in [restored, copied] {
            try folder.make()
            #expect(chown(folder.path, Self.nobody, Self.nobody) == 0)
        }
        let restore = try await Program.run(["restore", "--data", restored.path] + from)
        #expect(restore.status == 0, "\(restore.errors)")
        let copy = try await Program.run("copy", "--from", source.path, "--to", copied.path)
        #expect(copy.status == 0, "\(copy.errors)")
        for path in [restored.path, copied.path] {
            for name in ["okaeri.sqlite", "server.lock"] { #expect(try owner(of: "\(path)/\(name)") == Self.nobody) }
        }
        // In a folder that has a database, only the claim is made.
        let claim = try await Program.run(["standby", "take-over", "--at-once", "--data", restored.path] + from)
        #expect(claim.status == 0, "\(claim.errors)")
        #expect(try owner(of: "\(restored.path)/replica-primary.json") == Self.nobody)
    }

    private func owner(of path: String) throws -> uid_t? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
    }
}
