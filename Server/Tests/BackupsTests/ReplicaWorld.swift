import Domain
import Foundation
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import Backups

/// A server's storage with its replica, whose clock stands still.
final class Primary {
    let world: TestWorld
    let application: Identifier<Application>
    let shipper: ReplicaShipper
    private let store: SQLiteStore
    private let found: Application?

    init(
        _ folder: TemporaryFolder, _ repository: FaultyRepository, _ key: BackupSecretKey,
        _ limits: ReplicaShipper.Limits = .init(), application: Identifier<Application>? = nil,
        at time: Timestamp? = nil
    ) async throws {
        store = try SQLiteStore(.folder(folder.path), role: .server)
        world = try TestWorld(store)
        if let time { world.clock.advance(by: max(.zero, time - world.clock.now)) }
        if let application {
            (self.application, found) = (application, nil)
        } else {
            let made = try await world.makeApplication()
            (self.application, found) = (made.id, made)
        }
        let clock = world.clock
        shipper = ReplicaShipper(
            store, folder: folder.path, to: repository, key: key.publicKey, program: "1",
            claim: try PrimaryClaim.forServer(of: folder.path, at: repository), limits: limits, now: { clock.now })
        // The repository is found, the stream begins, its copy is made.
        for _ in 0..<2 { tick() }
    }

    var now: Timestamp { world.clock.now }

    @discardableResult
    func logIn() async throws -> LogIn {
        try await world.logIn(TestDevice(), to: try #require(found))
    }

    /// What the three threads of a server do in a second.
    func tick(after span: Duration = .milliseconds(100)) {
        world.clock.advance(by: span)
        shipper.collect()
        shipper.ship()
        shipper.copyIfDue()
        world.clock.advance(by: .milliseconds(10))
        shipper.collect()
        shipper.ship()
    }

    func close() async {
        shipper.stop()
        await store.close()
    }
}

/// A repository that cannot be reached now and then, or stores something else than it was given.
final class FaultyRepository: BackupRepository {
    let isAway: Mutex<Bool>
    /// How many files can still be read; `nil` for all.
    let readsLeft = Mutex<Int?>(nil)
    /// How many parts of files can still be read; `nil` for all.
    let partsLeft = Mutex<Int?>(nil)
    /// Which byte of a stored file becomes another one, counted from its end when negative; `nil` for none.
    let spoiledByte = Mutex<Int?>(nil)
    private let inner: FolderRepository

    init(_ inner: FolderRepository, isAway: Bool) {
        self.inner = inner
        self.isAway = Mutex(isAway)
    }

    var description: String { inner.description }
    var draftFolder: String? { inner.draftFolder }

    private func check() throws(BackupFault) {
        guard !isAway.withLock({ $0 }) else { throw BackupFault("The store is away.") }
    }

    func names(beginningWith prefix: String, after last: String?) throws(BackupFault) -> [String] {
        try check()
        return try inner.names(beginningWith: prefix, after: last)
    }

    func store(
        _ draft: String, as name: String, replacing: Bool, _ tell: (Int, Int) -> Void
    ) throws(BackupFault) {
        try check()
        if let position = spoiledByte.withLock(\.self) {
            var bytes = FileManager.default.contents(atPath: draft) ?? Data()
            let index = position < 0 ? bytes.count + position : position
            if bytes.indices.contains(index) { bytes[index] ^= 1 }
            guard FileManager.default.createFile(atPath: draft, contents: bytes) else { throw OutputFile.fault(draft) }
        }
        try inner.store(draft, as: name, replacing: replacing, tell)
    }

    func claim(_ name: String, _ bytes: [UInt8]) throws(BackupFault) -> Bool {
        try check()
        return try inner.claim(name, bytes)
    }

    func file(_ name: String) throws(BackupFault) -> any ReadableFile {
        try check()
        let mayRead = readsLeft.withLock { left in
            guard let count = left else { return true }
            left = max(0, count - 1)
            return count > 0
        }
        guard mayRead else { throw BackupFault("The store went away.") }
        return FaultyFile(inner: try inner.file(name), repository: self)
    }

    fileprivate func checkPart() throws(BackupFault) {
        let mayRead = partsLeft.withLock { left in
            guard let count = left else { return true }
            left = max(0, count - 1)
            return count > 0
        }
        guard mayRead else { throw BackupFault("The store went away.") }
    }

    func remove(_ name: String) throws(BackupFault) {
        try check()
        try inner.remove(name)
    }
}

private struct FaultyFile: ReadableFile {
    let inner: any ReadableFile
    let repository: FaultyRepository

    var name: String { inner.name }
    var byteCount: Int { inner.byteCount }

    func read(from offset: Int, count: Int) throws(BackupFault) -> [UInt8] {
        try repository.checkPart()
        return try inner.read(from: offset, count: count)
    }
}

extension Timestamp {
    /// When the tests restore: as their clocks begin.
    static let atRestore = StandingClock().now
}

extension RestoreSource {
    /// A repository to restore from, which tells nobody how far it is.
    static func forTest(_ repository: any BackupRepository, key: BackupSecretKey) -> RestoreSource {
        RestoreSource(repository, key: key, at: .atRestore, tell: { _, _, _ in })
    }
}
