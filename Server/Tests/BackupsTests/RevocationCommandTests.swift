import Domain
import Foundation
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import Backups

/// A journal that is restored is read a part at a time.
@Suite("Lines of the revocation journal that are cut")
struct WholeLinesTests {
    @Test("are whole again wherever they are cut, and no part waits for the end", arguments: [1, 2, 3, 7, 8, 9, 1000])
    func parts(size: Int) {
        let text = "\nD sessions t61 1\nP users t62 é 2\n\n\(String(repeating: "x", count: 50))\ntorn"
        let bytes = Array(text.utf8)
        var lines = WholeLines()
        var taken: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let part = bytes[start..<min(start + size, bytes.count)]
            if let whole = lines.text(behind: part) { taken.append(whole) }
            #expect((lines.rest?.utf8.count ?? 0) <= 50 + size)
        }
        #expect(taken.allSatisfy { $0.hasSuffix("\n") })
        #expect(lines.rest == "torn")
        #expect(taken.joined() + "torn" == text)
    }
}

@Suite("The revocation journal of a server and commands beside it")
struct RevocationCommandTests {
    private let folder = TemporaryFolder()

    @Test("leaves settings as they were last where a command set them before the server did")
    func commandBeforeServer() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let id = try await world.makeApplication().id
        func set(_ audience: String, in world: TestWorld) async throws {
            _ = try await world.modules.applications.changeApplication(id, isCurrent: { _ in true }, by: .local) {
                $0.settings.audiences = [audience]
            }
        }
        let copy = try JournaledCopy(of: folder)
        try await set("https://first.example.com", in: world)
        let command = try SQLiteStore(.folder(folder.path), role: .command)
        try await set("https://second.example.com", in: try TestWorld(command, clock: world.clock, seed: 1))
        await command.close()
        try await set("https://third.example.com", in: world)
        // A later commit: what waits of the server's own is removed.
        _ = try await world.makeApplication()
        await store.close()

        let restored = try copy.restored(behind: PendingRevocations.text(of: folder.path))
        let found = try await restored.read { transaction throws(DomainError) in try transaction.application(id) }
        #expect(found?.settings.audiences == ["https://third.example.com"])
        await restored.close()
    }

    @Test("ends no provider that was there when the copy was made, though a command had removed the one before it")
    func commandBeforeCopy() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let id = application.id
        let logIn = try await world.logIn(TestDevice(), to: application)
        let provider = StoredProvider(
            application: id,
            settings: ProviderSettings(provider: .google, audiences: ["client"]), sealedSecret: nil,
            updatedAt: world.clock.now)
        // The server notes already: what waits is not written by its beginning.
        _ = try RevocationSegments(folder: folder.path).begin(lineage: "0a1b2c3d")
        try await store.write { transaction throws(DomainError) in try transaction.save(provider) }
        let command = try SQLiteStore(.folder(folder.path), role: .command)
        try await command.write { transaction throws(DomainError) in
            _ = try transaction.removeProvider(.google, of: id)
        }
        await command.close()
        try await store.write { transaction throws(DomainError) in try transaction.save(provider) }
        let copy = try JournaledCopy(of: folder)
        // Something that waits: the lines of others that wait are written before it.
        try await world.modules.sessions.endSession(logIn.session.id, of: nil, in: id, by: .local)
        await store.close()

        let restored = try copy.restored()
        let found = try await restored.read { transaction throws(DomainError) in try transaction.providers(of: id) }
        #expect(found.map(\.settings) == [provider.settings])
        await restored.close()
    }

    @Test("is what the server's log names, where a stopped command keeps its lock and has lines that wait for it")
    func stoppedCommand() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server, journalPatience: .zero)
        let world = try TestWorld(store)
        let faults = Mutex<[String]>([])
        store.observeFaults { fault in faults.withLock { $0.append(fault) } }
        let application = try await world.makeApplication()
        let first = try await world.logIn(TestDevice(), to: application)
        let segments = RevocationSegments(folder: folder.path)
        let segment = try segments.begin(lineage: "0a1b2c3d")
        // The server notes already: what waits is not written by its beginning.
        let second = try await world.logIn(TestDevice(), to: application)
        let command = try SQLiteStore(.folder(folder.path), role: .command, journalPatience: .zero)
        let lock = open(folder.path + "/revocations", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        await #expect(throws: DomainError.storageUnavailable) {
            try await command.write { transaction throws(DomainError) in
                _ = try transaction.endSession(first.session.id, of: first.user.id, in: application.id)
            }
        }
        #expect(faults.withLock { $0 }.isEmpty)
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.write { transaction throws(DomainError) in
                _ = try transaction.endSession(second.session.id, of: second.user.id, in: application.id)
            }
        }
        let words = "another process of Okaeri holds its lock"
        #expect(faults.withLock { faults in faults.filter { $0.contains(words) }.count } == 1)
        close(lock)
        try await store.write { transaction throws(DomainError) in
            _ = try transaction.endSession(second.session.id, of: second.user.id, in: application.id)
        }
        await command.close()
        await store.close()
        let text = try String(contentsOfFile: segments.path(of: segment), encoding: .utf8)
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("D sessions ") }.count == 2, "\(text)")
    }
}

/// A copy of a database, and the segment of the journal that has what ends after it.
struct JournaledCopy {
    private let folder = TemporaryFolder()
    private let segment: String

    init(of original: TemporaryFolder) throws {
        let segments = RevocationSegments(folder: original.path)
        segment = segments.path(of: try segments.begin(lineage: "0a1b2c3d"))
        try folder.make()
        _ = try SQLiteSnapshot(of: original.path, to: folder.path + "/okaeri.sqlite") { _, _ in }
    }

    /// What a restore makes of the two, and of lines that waited for the journal.
    func restored(behind waiting: String = "") throws -> SQLiteStore {
        let replay = try RevocationReplay(path: folder.path + "/okaeri.sqlite")
        try replay.apply(try String(contentsOfFile: segment, encoding: .utf8))
        try replay.apply(waiting)
        try replay.finish(at: .atRestore)
        #expect(!replay.isDamaged)
        return try SQLiteStore(.folder(folder.path), role: .server)
    }
}
