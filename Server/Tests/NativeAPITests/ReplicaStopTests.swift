import Backups
import Dispatch
import Domain
import Foundation
import OkaeriServer
import StorageSQLite
import Synchronization
import Testing

@Suite("A server with a replica that stops")
struct ReplicaStopTests {
    /// A machine that takes over has to have it.
    @Test("stores what is left beside a copy that the store does not take", .timeLimit(.minutes(5)))
    func copyUnderWay() async throws {
        let (data, files, key) = (Folder(), Folder(), try BackupSecretKey())
        try FileManager.default.createDirectory(atPath: files.path, withIntermediateDirectories: true)
        let store = try SQLiteStore(.folder(data.path), role: .server)
        let server = try await TestServer(store: store)
        let (clock, repository) = (server.clock, HeldRepository(FolderRepository(files.path)))
        let limits = ReplicaShipper.Limits()
        let shipper = ReplicaShipper(
            store, folder: data.path, to: repository, key: key.publicKey, program: "1",
            claim: try PrimaryClaim.forServer(of: data.path, at: repository), limits: limits, now: { clock.now })
        func ship() {
            clock.advance(by: .milliseconds(10))
            shipper.collect()
            shipper.ship()
        }
        // The repository is found, the stream begins, its copy is made, and the next one is due.
        ship()
        ship()
        shipper.copyIfDue()
        ship()
        #expect(shipper.status.isComplete)
        clock.advance(by: limits.copyAge)
        ship()
        repository.holdCopies()
        let worker = ReplicaWorker(shipper: shipper, logger: TestServer.silence, stop: {})
        let work = Task { try await worker.run() }
        _ = await repository.held.first { _ in true }
        let before = try repository.parts.count
        #expect(try await server.signUp("hana").status == 201)
        work.cancel()
        try await work.value
        #expect(try repository.parts.count > before, "\(shipper.status)")
        await store.close()
    }
}

/// A folder into which a copy does not come before nobody waits for it any more.
private final class HeldRepository: BackupRepository {
    /// Says when a copy is held.
    let held: AsyncStream<Void>
    private let isHeld: AsyncStream<Void>.Continuation
    private let holds = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)
    private let inner: FolderRepository

    init(_ inner: FolderRepository) {
        self.inner = inner
        (held, isHeld) = AsyncStream<Void>.makeStream()
    }

    var description: String { inner.description }
    var draftFolder: String? { inner.draftFolder }

    /// What can be restored, without drafts.
    var parts: [ReplicaPart] {
        get throws(BackupFault) {
            try names(beginningWith: "", after: nil).compactMap { ReplicaPart($0) }
        }
    }

    func holdCopies() { holds.withLock { $0 = true } }

    func names(beginningWith prefix: String, after last: String?) throws(BackupFault) -> [String] {
        try inner.names(beginningWith: prefix, after: last)
    }

    func store(
        _ draft: String, as name: String, replacing: Bool, _ tell: (Int, Int) -> Void
    ) throws(BackupFault) {
        if ReplicaPart(name)?.kind == .base, holds.withLock(\.self) {
            isHeld.yield()
            ended.wait()
            throw BackupFault("The store takes no copy.")
        }
        try inner.store(draft, as: name, replacing: replacing, tell)
    }

    func claim(_ name: String, _ bytes: [UInt8]) throws(BackupFault) -> Bool { try inner.claim(name, bytes) }
    func file(_ name: String) throws(BackupFault) -> any ReadableFile { try inner.file(name) }
    func remove(_ name: String) throws(BackupFault) { try inner.remove(name) }

    func end(within time: Duration) {
        if time == .zero { ended.signal() }
    }
}
