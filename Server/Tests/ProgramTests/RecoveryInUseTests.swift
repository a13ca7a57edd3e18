import Foundation
import Okaeri
import OkaeriWire
import TestPostgreSQL
import TestWorld
import Testing

@Suite("okaeri restore --revocations-only beside a node", .serialized)
struct RecoveryInUseTests {
    private let repository = TestFolder()
    private let keys = TestFolder()

    @Test("is refused and ends nothing: who names the database in use by mistake logs nobody out")
    func inUse() async throws {
        let nodes = try await Nodes(1)
        let session = try await nodes.loggedIn(at: 0).session
        let key = try await BackupKeyPair(in: keys)
        try repository.make()
        let made = try await Program.run(
            ["backup", "make", "--to", repository.path, "--key", key.public], environment: nodes.environment)
        #expect(made.status == 0, "\(made.errors)")
        let restore = ["restore", "--revocations-only", "--from", repository.path, "--secret-key-file", key.secret]
        let refused = try await Program.run(restore, environment: nodes.environment)
        #expect(refused.status == 1 && refused.errors.contains("is in use"), "\(refused.errors)")
        #expect(try await nodes.status(session.token, at: 0) == 200)
        let journal = try await nodes.cluster.run("SELECT to_regclass('revocations')::text", in: nodes.database)
        #expect(journal == [["revocations"]])
        try await nodes.servers[0].stop()
        let done = try await Program.run(restore, environment: nodes.environment)
        #expect(done.status == 0, "\(done.errors)")
    }
}
