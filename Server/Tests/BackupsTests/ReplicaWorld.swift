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

/// A repository that cannot be reached now and then.
final class FaultyRepository: BackupRepository {
    let isAway: Mutex<Bool>
    /// How many files can still be read; `nil` for all.
    let readsLeft = Mutex<Int?>(nil)
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

    func store(_ draft: String, as name: String, _ tell: (Int, Int) -> Void) throws(BackupFault) {
        try check()
        try inner.store(draft, as: name, tell)
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
        return try inner.file(name)
    }

    func remove(_ name: String) throws(BackupFault) {
        try check()
        try inner.remove(name)
    }
}
