import Domain
import Foundation
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import Backups

@Suite("A backup with something wrong")
struct BackupFaultTests {
    private let folder = TemporaryFolder()
    private let repository = TemporaryFolder()
    private let target = TemporaryFolder()
    private let key: BackupSecretKey

    init() throws {
        key = try BackupSecretKey()
        try repository.make()
    }

    @Test("leaves nothing half restored when its repository goes away at any read, and says that it did")
    func awayAtAnyRead() async throws {
        try await fill()
        let store = repositoryAtHand()
        _ = try make(in: store, checkedWith: nil)
        var reads = 0
        while true {
            store.partsLeft.withLock { $0 = reads }
            do {
                #expect(try restore(from: store).rows["users"] == 3)
                break
            } catch let fault as BackupFault {
                #expect(fault.description == "The store went away.", "\(reads) reads")
            }
            #expect(try files(in: target).isEmpty, "\(reads) reads")
            reads += 1
        }
        // Headers, checksums and contents of the backup and of the journal.
        #expect(reads > 6)
        #expect(try files(in: target) == ["okaeri.sqlite"])
    }

    @Test("leaves nothing half restored when its repository goes away between two files")
    func awayBetweenFiles() async throws {
        try await fill()
        let store = repositoryAtHand()
        _ = try make(in: store, checkedWith: nil)
        for files in 0..<2 {
            store.readsLeft.withLock { $0 = files }
            #expect(throws: BackupFault.self) { try restore(from: store) }
            #expect(try self.files(in: target).isEmpty)
        }
        store.isAway.withLock { $0 = true }
        #expect(throws: BackupFault.self) { try restore(from: store) }
        #expect(throws: BackupFault.self) { try make(in: store, checkedWith: nil) }
        #expect(try files(in: folder).isDisjoint(with: files(in: repository)))
    }

    @Test(
        "is noticed when it is made: a repository that stored something else is not believed",
        arguments: [0, 10, 200, 3000, -2000, -40, -1])
    func spoiled(byte: Int) async throws {
        try await fill()
        for secretKey in [nil, key] {
            let store = repositoryAtHand()
            store.spoiledByte.withLock { $0 = byte }
            #expect(throws: BackupFault.self, "byte \(byte)") { try make(in: store, checkedWith: secretKey) }
            #expect(try BackupCatalogue(store).backups.isEmpty)
            store.spoiledByte.withLock { $0 = nil }
            #expect(try make(in: store, checkedWith: secretKey).header.rows["users"] == 3)
            for name in try store.names() { try store.remove(name) }
        }
    }

    @Test("never takes the place of another one: of two that are made at one instant, the first stays")
    func sameInstant() async throws {
        try await fill()
        let store = repositoryAtHand()
        let first = try make(in: store, checkedWith: nil)
        let fault = #expect(throws: BackupFault.self) { try make(in: store, checkedWith: nil) }
        #expect(fault?.description.contains("another file \(first.name) already") == true, "\(fault as Any)")
        #expect(try BackupCatalogue(store).backups == [first.name])
        #expect(try restore(from: store).rows["users"] == 3)
    }

    @Test("is not one that a clock which was ahead has named: what is made later is the newest, and stays")
    func clockSetBack() async throws {
        try await fill()
        let store = repositoryAtHand()
        let first = try make(in: store, checkedWith: nil, at: Timestamp.atRestore + .days(3))
        let second = try make(in: store, keeping: 1, checkedWith: nil)
        #expect(second.removed == [first.name])
        #expect(second.header.madeAt == Timestamp.atRestore.milliseconds)
        #expect(try BackupCatalogue(store).backups == [second.name])
        #expect(try restore(from: store).rows["users"] == 3)
    }

    @Test("and a replica leave no copy behind that a killed process had begun", arguments: [".restore-", ".standby-"])
    func abandoned(beginning: String) async throws {
        let store = repositoryAtHand()
        let primary = try await Primary(folder, store, key)
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        try target.make()
        // No process has the largest number, and this one has its own: in a container every one may have had it.
        for process in [Int32.max, getpid()] {
            for ending in ["sqlite", "sqlite-wal"] {
                let path = "\(target.path)/\(beginning)\(process).\(ending)"
                try Data("a copy".utf8).write(to: URL(fileURLWithPath: path))
            }
        }
        try Data("another's".utf8).write(to: URL(fileURLWithPath: "\(target.path)/.restore-of-somebody"))
        if beginning == ".standby-" {
            try StandbyCopy(in: target.path, of: store, key: key).follow()
        } else {
            _ = try RestoreReplica(from: .forTest(store, key: key))(
                to: target.path, upTo: nil, journalOf: nil, keepsSessions: true)
        }
        await primary.close()
        #expect(try files(in: target).filter { $0.hasPrefix(".") } == [".restore-of-somebody"])
    }

    @Test("is not what a damaged part of the journal is called: a check finds it, and a restore says what to do")
    func damagedJournal() async throws {
        try await fill()
        let store = repositoryAtHand()
        let made = try make(in: store, checkedWith: nil)
        let part = try #require(try store.names().first { $0.hasSuffix(".revocations") })
        let file = URL(fileURLWithPath: "\(repository.path)/\(part)")
        let whole = try Data(contentsOf: file)
        let check = CheckBackup(at: store) { _, _, _ in }
        for secretKey in [nil, key] { #expect(try check(nil, with: secretKey) == made.name) }
        var changed = whole
        changed[changed.index(before: changed.endIndex)] ^= 1
        for spoiled in [changed, whole.prefix(40), Data("nothing".utf8)] {
            try spoiled.write(to: file)
            for secretKey in [nil, key] {
                let fault = #expect(throws: BackupFault.self) { try check(nil, with: secretKey) }
                #expect(fault?.description.contains(part) == true, "\(fault as Any)")
            }
            let fault = #expect(throws: BackupFault.self) { try restore(from: store) }
            #expect(fault?.description.contains("take that file out of the repository") == true, "\(fault as Any)")
            #expect(fault?.description.contains("Take another one") == false)
            #expect(try files(in: target).isEmpty)
        }
        try store.remove(part)
        #expect(try check(nil, with: key) == made.name)
        #expect(try restore(from: store).rows["users"] == 3)
    }

    @Test("keeps servers, commands and other restores out of its folder until it has ended")
    func held() async throws {
        let hold = try RestoreHold(target.path)
        let busy = #expect(throws: BackupFault.self) { try RestoreHold(target.path) }
        #expect(busy?.description.contains("A restore or a copy into the folder counts as one") == true)
        for role in [SQLiteStore.Role.server, .command] {
            let fault = #expect(throws: SQLiteOpenFault.self) { try SQLiteStore(.folder(target.path), role: role) }
            #expect(fault?.description.contains("A restore or a copy into the folder counts as one") == true)
            #expect(try files(in: target) == ["server.lock"])
        }
        hold.release()
        await (try SQLiteStore(.folder(target.path), role: .server)).close()
        let full = #expect(throws: BackupFault.self) { try RestoreHold(target.path) }
        #expect(full?.description.contains("is not empty") == true)
    }

    private func fill() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        for _ in 0..<3 { _ = try await world.logIn(TestDevice(), to: application) }
        await store.close()
    }

    private func repositoryAtHand() -> FaultyRepository {
        FaultyRepository(FolderRepository(repository.path), isAway: false)
    }

    private func make(
        in store: FaultyRepository, keeping kept: Int? = nil, checkedWith secretKey: BackupSecretKey?,
        at time: Timestamp = .atRestore
    ) throws -> MakeBackup.Report {
        let make = MakeBackup(
            of: EmbeddedDatabase(folder: folder.path), to: store, key: key.publicKey, program: "1",
            tell: { _, _, _ in })
        return try make(keeping: kept, checkedWith: secretKey, at: time)
    }

    private func restore(from store: FaultyRepository) throws -> RestoreReport {
        try RestoreBackup(from: .forTest(store, key: key))(
            nil, to: target.path, journalOf: nil, keepsSessions: true)
    }

    private func files(in folder: TemporaryFolder) throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }
}
