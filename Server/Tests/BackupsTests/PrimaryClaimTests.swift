import Foundation
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

    @Test(
        "is not said by a claim that the store does not give as it was stored: the server goes on, and stores nothing",
        arguments: ["", #"{"number":1,"#, "<html>maintenance</html>"])
    func unreadable(content: String) async throws {
        let store = opened(repository)
        let primary = try await Primary(folder, store, key)
        let claim = URL(fileURLWithPath: "\(repository.path)/okaeri-primary-0000000001")
        let written = try Data(contentsOf: claim)
        try Data(content.utf8).write(to: claim)
        let names = try Set(store.names())
        primary.tick(after: .seconds(120))
        #expect(primary.shipper.status.phase == .following)
        #expect(primary.shipper.status.fault?.contains("okaeri-primary-0000000001") == true)
        #expect(try PrimaryClaim.forServer(of: folder.path, at: store).number == 1)
        #expect(try Set(store.names()) == names)
        try written.write(to: claim)
        primary.tick(after: .seconds(120))
        #expect(primary.shipper.status.phase == .following && primary.shipper.status.fault == nil)
        await primary.close()
    }

    @Test("is not said by files that only begin like a claim, nor beyond the highest number that there is")
    func unlike() throws {
        let store = opened(repository)
        for ending in ["9223372036854775807", "9999999999999", "-000000003", "+000000003", "3", "0000000000", "copy"] {
            #expect(try store.claim("okaeri-primary-\(ending)", [1]))
        }
        #expect(try PrimaryClaim.highest(at: store) == nil)
        #expect(try PrimaryClaim.forServer(of: folder.path, at: store).number == 1)
        #expect(try PrimaryClaim.take(at: store, for: other.path).number == 2)
        #expect(try store.claim("okaeri-primary-9999999999", [1]))
        let fault = #expect(throws: BackupFault.self) { try PrimaryClaim.take(at: store, for: other.path) }
        #expect(fault?.description.contains("okaeri-primary-9999999999") == true)
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

    @Test("is not one with a copied data folder, until it takes over; to move a folder changes nothing")
    func copied() throws {
        let store = opened(repository)
        #expect(try PrimaryClaim.forServer(of: folder.path, at: store).number == 1)
        let name = "replica-primary.json"
        // As if it had been made an hour ago, in the same file.
        let written = try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
        let older = written.replacing(/"changedAt":(\d+)/) { #""changedAt":\#((Int64($0.1) ?? 0) - 3600)"# }
        #expect(older != written)
        try Data(older.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(other.path)/\(name)")
        let moved = "\(former.path)/moved"
        try FileManager.default.moveItem(atPath: folder.path, toPath: moved)
        #expect(try PrimaryClaim.forServer(of: moved, at: store).number == 1)
        for store in [store, FaultyRepository(FolderRepository(repository.path), isAway: true)] {
            let fault = #expect(throws: BackupFault.self) { try PrimaryClaim.forServer(of: other.path, at: store) }
            #expect(fault?.description.contains("take-over --data \(other.path)") == true)
        }
        #expect(try PrimaryClaim.take(at: store, for: other.path).number == 2)
        #expect(try PrimaryClaim.forServer(of: other.path, at: store).number == 2)
        #expect(throws: BackupFault.self) { try PrimaryClaim.forServer(of: moved, at: store) }
    }

    @Test("has the claim of an older program, which gets what tells it from a copy at the next start")
    func older() throws {
        let store = opened(repository)
        let claim = try PrimaryClaim.take(at: store, for: folder.path)
        let path = "\(folder.path)/replica-primary.json"
        try JSONEncoder().encode(claim).write(to: URL(fileURLWithPath: path))
        for _ in 0..<2 {
            #expect(try PrimaryClaim.forServer(of: folder.path, at: store) == claim)
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("changedAt"))
        }
    }

    private func opened(_ folder: TemporaryFolder) -> FaultyRepository {
        FaultyRepository(FolderRepository(folder.path), isAway: false)
    }
}
