import Domain
import Foundation
import StorageSQLite
import Synchronization
import Testing

@testable import Backups

@Suite("A replica with something wrong")
struct ReplicaFaultTests {
    private let folder = TemporaryFolder()
    private let repository = TemporaryFolder()
    private let target = TemporaryFolder()
    private let key: BackupSecretKey

    init() throws {
        key = try BackupSecretKey()
        try repository.make()
    }

    @Test("is refused with another key, and when a part or the copy is foreign or another's, and leaves no database")
    func foreign() async throws {
        let primary = try await Primary(folder, repositoryAtHand(), key)
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        await primary.close()
        let store = FolderRepository(repository.path)
        let other = try BackupSecretKey()
        #expect(throws: BackupFault.self) {
            try RestoreReplica(from: .forTest(store, key: other))(
                to: target.path, upTo: nil, journalOf: nil, keepsSessions: true)
        }
        #expect(throws: BackupFault.self) { try StandbyCopy(in: target.path, of: store, key: other).follow() }
        let parts = try store.names().compactMap { ReplicaPart($0) }
        let copy = try #require(parts.first { $0.isBase })
        let frames = try #require(parts.filter { !$0.isBase }.max { $0.number < $1.number })
        for (part, replacement) in [(copy, frames), (frames, copy)] {
            let path = "\(repository.path)/\(part.name)"
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for bytes in [
                try Data(contentsOf: URL(fileURLWithPath: "\(repository.path)/\(replacement.name)")),
                Data("SQLite format 3\u{0} and what follows that".utf8), whole.prefix(whole.count / 2), Data(),
            ] {
                try bytes.write(to: URL(fileURLWithPath: path))
                #expect(throws: BackupFault.self, "\(part.name), \(bytes.count) bytes") {
                    try restore(to: target)
                }
                #expect(throws: BackupFault.self) { try StandbyCopy(in: target.path, of: store, key: key).follow() }
                #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
                #expect(!FileManager.default.fileExists(atPath: target.path + "/standby.sqlite"))
            }
            try whole.write(to: URL(fileURLWithPath: path))
        }
        #expect(try restore(to: target).rows["users"] == 1)
    }

    @Test("is refused where a part begins at a position that no log has, as behind pages of any length")
    func positions() throws {
        func records(pageBytes: Int, frames: Int) throws -> [ReplicaContent.Record] {
            let length = #""pageBytes":\#(pageBytes),"frames":\#(frames)"#
            let sums = #""firstSalt":1,"secondSalt":2,"isBigEndian":true,"firstSum":3,"secondSum":4"#
            let description = Array(#"{"byteCount":0,"start":{\#(length),\#(sums)}}"#.utf8)
            return try ReplicaContent.records(in: BackupFrame.bigEndian(description.count) + description, of: "a part")
        }
        #expect(try records(pageBytes: 4096, frames: 7).count == 1)
        for (pageBytes, frames) in [
            (Int.max, 0), (.min, 0), (-1000, 0), (0, 0), (600, 0), (131_072, 0), (4096, .max), (4096, -1),
        ] as [(Int, Int)] {
            #expect(throws: BackupFault.self, "\(pageBytes), \(frames)") {
                try records(pageBytes: pageBytes, frames: frames)
            }
        }
    }

    @Test(
        "leaves no database when its repository goes away in the middle of a restore, and a standby goes on from where it was"
    )
    func awayInTheMiddle() async throws {
        let store = repositoryAtHand()
        let primary = try await Primary(folder, store, key)
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        let standby = StandbyCopy(in: target.path, of: store, key: key)
        let first = try standby.follow()
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        for reads in 0..<3 {
            store.readsLeft.withLock { $0 = reads }
            let new = TemporaryFolder()
            #expect(throws: BackupFault.self, "\(reads) files") {
                try RestoreReplica(from: .forTest(store, key: key))(
                    to: new.path, upTo: nil, journalOf: nil, keepsSessions: true)
            }
            #expect(!FileManager.default.fileExists(atPath: new.path + "/okaeri.sqlite"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: new.path).isEmpty)
        }
        store.readsLeft.withLock { $0 = 0 }
        #expect(throws: BackupFault.self) { try standby.follow() }
        #expect(StandbyCopy.time(in: target.path) == first)
        store.readsLeft.withLock { $0 = nil }
        #expect(try standby.follow() > first)
        await primary.close()
        #expect(try standby.takeOver(keepsSessions: true, now: { primary.now }) {}.claim == 2)
        #expect(try SQLiteSnapshot(checking: target.path + "/okaeri.sqlite").rows["users"] == 2)
    }

    @Test("tells at its end whether all is stored, which who takes over then has", arguments: [false, true])
    func atTheEnd(isAway: Bool) async throws {
        let store = repositoryAtHand()
        let primary = try await Primary(folder, store, key)
        primary.tick(after: .seconds(1))
        try await primary.logIn()
        store.isAway.withLock { $0 = isAway }
        let last = primary.shipper.stop()
        #expect(last.isComplete == !isAway && last.fault == (isAway ? "The store is away." : nil))
        store.isAway.withLock { $0 = false }
        await primary.close()
        #expect(try restore(to: target).rows["users"] == (isAway ? 0 : 1))
    }

    @Test("and a backup of a newer version are refused with the version, whatever database they are of")
    func newer() throws {
        let later = SQLiteInspection.latestSchemaVersion + 1
        for kind in [BackupHeader.Kind.database, .dump] {
            let header = BackupHeader(
                kind: kind, madeAt: 0, program: "9.9", schemaVersion: later, segment: "", rows: [:], byteCount: 0,
                digest: "", key: "")
            let fault = #expect(throws: BackupFault.self) { try RestoreBackup.check(header, of: "b", is: kind) }
            #expect(fault?.description.contains("\(later)") == true && fault?.description.contains("9.9") == true)
            #expect(throws: BackupFault.self) {
                try RestoreBackup.check(header, of: "b", is: kind == .dump ? .database : .dump)
            }
        }
        let part = ReplicaPart(
            stream: "20261123T041500.123Z-0a1b2c3d", number: 0, time: Timestamp(milliseconds: 1_795_252_542_000),
            kind: .base)
        let header = BackupHeader(
            kind: .replicaBase, madeAt: 0, program: "9.9", schemaVersion: later, segment: "", rows: [:], byteCount: 0,
            digest: "", key: key.publicKey.id, part: BackupHeader.Part(name: part.name, journal: [:]))
        var writer = try SealedFileWriter(
            path: "\(repository.path)/\(part.name)", header: header, key: key.publicKey)
        try writer.finish()
        let fault = #expect(throws: BackupFault.self) {
            try ReplicaCopy(
                of: part, to: target.path, from: FolderRepository(repository.path), key, { _, _ in })
        }
        #expect(fault?.description.contains("newer program") == true)
    }

    private func repositoryAtHand() -> FaultyRepository {
        FaultyRepository(FolderRepository(repository.path), isAway: false)
    }

    @discardableResult
    private func restore(to target: TemporaryFolder) throws -> RestoreReport {
        try RestoreReplica(from: .forTest(FolderRepository(repository.path), key: key))(
            to: target.path, upTo: nil, journalOf: nil, keepsSessions: false)
    }
}
