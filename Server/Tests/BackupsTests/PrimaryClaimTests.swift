import Testing

@testable import Backups

@Suite("Which machine is the primary of a replica")
struct PrimaryClaimTests {
    private let folder = TemporaryFolder()
    private let other = TemporaryFolder()
    private let former = TemporaryFolder()
    private let repository = TemporaryFolder()
    private let key: BackupSecretKey

    init() throws {
        key = try BackupSecretKey()
        for folder in [folder, other, former, repository] { try folder.make() }
    }

    @Test("is clear at a repository that the replica moves to: who takes over there has a higher claim")
    func moved() async throws {
        let store = opened(repository)
        for _ in 0..<2 { _ = try PrimaryClaim.take(at: opened(former), for: folder.path) }
        let primary = try await Primary(folder, store, key)
        primary.tick(after: .seconds(10))
        #expect(try PrimaryClaim.highest(at: store) == 2 && primary.shipper.status.phase == .following)
        #expect(try PrimaryClaim.take(at: store, for: other.path).number == 3)
        primary.tick(after: .seconds(10))
        #expect(primary.shipper.status.phase == .fenced)
        await primary.close()
        #expect(throws: BackupFault.self) { try PrimaryClaim.forServer(of: folder.path, at: store) }
        #expect(try PrimaryClaim.forServer(of: other.path, at: store).number == 3)
    }

    @Test("is clear where a repository loses the claims, as by a rule that removes old files")
    func lost() async throws {
        let store = opened(repository)
        let name = "okaeri-primary-0000000001"
        let primary = try await Primary(folder, store, key)
        try store.remove(name)
        primary.tick(after: .seconds(10))
        #expect(try PrimaryClaim.highest(at: store) == 1 && primary.shipper.status.phase == .following)
        try store.remove(name)
        #expect(try PrimaryClaim.take(at: store, for: other.path).number == 1, "before the old primary looks")
        primary.tick(after: .seconds(10))
        #expect(primary.shipper.status.phase == .fenced)
        await primary.close()
        #expect(throws: BackupFault.self) { try PrimaryClaim.forServer(of: folder.path, at: store) }
    }

    @Test("does not depend on what another repository gave: that of another installation is refused", arguments: 1...3)
    func foreign(claims: Int) throws {
        for _ in 0..<claims { _ = try PrimaryClaim.take(at: opened(former), for: folder.path) }
        let store = opened(repository)
        for _ in 0..<2 { _ = try PrimaryClaim.take(at: store, for: other.path) }
        #expect(throws: BackupFault.self) { try PrimaryClaim.forServer(of: folder.path, at: store) }
        #expect(try PrimaryClaim.forServer(of: other.path, at: store).number == 2)
        #expect(try PrimaryClaim.forServer(of: folder.path, at: opened(former)).number == claims)
    }

    private func opened(_ folder: TemporaryFolder) -> FaultyRepository {
        FaultyRepository(FolderRepository(folder.path), isAway: false)
    }
}
