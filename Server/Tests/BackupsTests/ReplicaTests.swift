import Domain
import Foundation
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import Backups

@Suite("The replica")
struct ReplicaTests {
    private let folder = TemporaryFolder()
    private let repository = TemporaryFolder()
    private let target = TemporaryFolder()
    private let key: BackupSecretKey

    init() throws {
        key = try BackupSecretKey()
        try repository.make()
    }

    @Test("gives the database back as it was at each time, and refuses times before its first copy")
    func times() async throws {
        let primary = try await Primary(folder, away(false), key)
        var users: [(Timestamp, Int)] = []
        for count in 1...4 {
            try await primary.logIn()
            primary.tick()
            users.append((primary.now, count))
            primary.tick(after: .seconds(10))
        }
        await primary.close()
        for (time, count) in users {
            let target = TemporaryFolder()
            let report = try restore(to: target, upTo: time)
            #expect(report.rows["users"] == count && report.time.map { $0 <= time } == true)
        }
        #expect(try restore(to: target, upTo: nil).rows["users"] == 4)
        #expect(throws: BackupFault.self) {
            try restore(to: TemporaryFolder(), upTo: Timestamp(milliseconds: users[0].0.milliseconds - 60_000))
        }
        // A folder with a database is never written to.
        #expect(throws: BackupFault.self) { try restore(to: target, upTo: nil) }
    }

    @Test("revives no session that ended after the time, with the old folder's journal or without it")
    func revocations() async throws {
        let primary = try await Primary(folder, away(false), key)
        let (kept, ended) = (try await primary.logIn(), try await primary.logIn())
        primary.tick()
        let time = primary.now
        primary.tick(after: .seconds(5))
        try await primary.world.modules.sessions.endSession(
            ended.session.id, of: nil, in: primary.application, by: .local)
        primary.tick(after: .seconds(5))
        await primary.close()
        _ = kept
        let complete = try restore(to: target, upTo: time, journalOf: folder.path)
        #expect(complete.doubt == nil && !complete.endedAll && complete.rows["sessions"] == 1, "\(complete)")
        let doubted = try restore(to: TemporaryFolder(), upTo: time)
        #expect(doubted.doubt != nil && doubted.endedAll && doubted.rows["sessions"] == 0)
        let asked = try restore(to: TemporaryFolder(), upTo: time, keepsSessions: true)
        #expect(asked.doubt != nil && asked.rows["sessions"] == 1 && asked.rows["users"] == 2)
    }

    @Test("revives no session that ended in the last commit before a kill, which is in the old folder's database alone")
    func lastCommit() async throws {
        let primary = try await Primary(folder, away(false), key)
        let ended = try await primary.logIn()
        primary.tick()
        let time = primary.now
        let link = folder.path + "/revocations/open"
        let segment = try #require(RevocationSegments(folder: folder.path).open)
        try FileManager.default.removeItem(atPath: link)
        // A folder: nothing can be written there.
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        await #expect(throws: DomainError.storageUnavailable) {
            try await primary.world.modules.sessions.endSession(
                ended.session.id, of: nil, in: primary.application, by: .local)
        }
        // The files as a kill leaves them between commit and line.
        let killed = TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path, toPath: killed.path)
        for folder in [folder, killed] {
            let link = folder.path + "/revocations/open"
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: segment)
        }
        await primary.close()
        let report = try restore(to: target, upTo: time, journalOf: killed.path)
        #expect(report.doubt == nil && report.rows["users"] == 1 && report.rows["sessions"] == 0, "\(report)")
    }

    @Test("has lines of the journal that are longer than what is read at once, and those behind them")
    func longLines() throws {
        try folder.make()
        let segments = RevocationSegments(folder: folder.path)
        let path = segments.path(of: try segments.begin(lineage: "0a1b2c3d"))
        var tails = try JournalTails(of: folder.path, positionsAt: folder.path + "/positions")
        let text = "\nfirst\n\(String(repeating: "x", count: 3 << 20))\nlast\n"
        try Data((text + "torn").utf8).write(to: URL(fileURLWithPath: path))
        let texts = try tails.read()
        #expect(texts.joined() == text && tails.positions.values.map { $0 } == [text.utf8.count])
        let more = try tails.read()
        #expect(more.isEmpty)
    }

    @Test("is whole behind each of its parts, and refuses one that is missing")
    func cuts() async throws {
        let primary = try await Primary(folder, away(false), key)
        for _ in 1...4 {
            try await primary.logIn()
            primary.tick(after: .seconds(1))
        }
        await primary.close()
        var names = try FolderRepository(repository.path).names(beginningWith: ReplicaPart.beginning, after: nil)
            .filter { $0.hasSuffix(".frames") }.sorted()
        #expect(names.count >= 5)
        let second = try #require(names.dropFirst().first)
        let (path, aside) = ("\(repository.path)/\(second)", "\(target.path).part")
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        #expect(throws: BackupFault.self) { try restore(to: TemporaryFolder(), upTo: nil) }
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        var last = 4
        while names.count > 2, let name = names.popLast() {
            try FileManager.default.removeItem(atPath: "\(repository.path)/\(name)")
            let users = try restore(to: TemporaryFolder(), upTo: nil).rows["users"] ?? 0
            #expect(users <= last)
            last = users
        }
        #expect(last < 4)
    }

    @Test("refuses a part that is cut at any byte, or changed, and leaves no database")
    func everyByte() async throws {
        let primary = try await Primary(folder, away(false), key)
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        await primary.close()
        let store = FolderRepository(repository.path)
        let parts = try store.names().compactMap { ReplicaPart($0) }.filter { !$0.isBase }
        let part = try #require(parts.max { $0.number < $1.number })
        let path = "\(repository.path)/\(part.name)"
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        for count in stride(from: 0, to: whole.count, by: 1) {
            try Data(whole[..<count]).write(to: URL(fileURLWithPath: path))
            #expect(throws: BackupFault.self, "\(count) bytes") { try ReplicaContent.read(part, at: store, key) }
        }
        try Data(whole[..<(whole.count / 2)]).write(to: URL(fileURLWithPath: path))
        #expect(throws: BackupFault.self) { try restore(to: target, upTo: nil) }
        #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
        // Another part under its name is not taken for it.
        try Data(whole).write(to: URL(fileURLWithPath: path))
        let other = ReplicaPart(
            stream: part.stream, number: part.number, time: part.time + .seconds(1), kind: part.kind)
        try FileManager.default.moveItem(atPath: path, toPath: "\(repository.path)/\(other.name)")
        #expect(throws: BackupFault.self) { try restore(to: target, upTo: nil) }
    }

    @Test("goes on in a new stream when its repository was away for too long, and the disk stays bounded")
    func storeAway() async throws {
        let store = away(false)
        var limits = ReplicaShipper.Limits()
        limits.spoolBytes = 60_000
        let primary = try await Primary(folder, store, key, limits)
        primary.tick()
        store.isAway.withLock { $0 = true }
        for _ in 0..<60 {
            try await primary.logIn()
            primary.tick(after: .seconds(1))
            #expect(primary.shipper.status.waitingBytes <= limits.spoolBytes)
        }
        #expect(primary.shipper.status.phase == .away && primary.shipper.status.fault != nil)
        #expect(primary.shipper.status.lag >= .seconds(50))
        store.isAway.withLock { $0 = false }
        for _ in 0..<3 { primary.tick(after: .seconds(1)) }
        #expect(primary.shipper.status.phase == .following && primary.shipper.status.lag <= .seconds(1))
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        await primary.close()
        #expect(try restore(to: target, upTo: nil).rows["users"] == 61)
        #expect(Set(try ReplicaCatalogue(store).bases.map(\.stream)).count == 2)
    }

    @Test("loses nothing when its repository was away for a while")
    func shortBreak() async throws {
        let store = away(false)
        let primary = try await Primary(folder, store, key)
        primary.tick()
        store.isAway.withLock { $0 = true }
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        let time = primary.now
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        store.isAway.withLock { $0 = false }
        primary.tick(after: .seconds(1))
        await primary.close()
        #expect(try restore(to: target, upTo: time).rows["users"] == 1)
        #expect(try restore(to: TemporaryFolder(), upTo: nil).rows["users"] == 2)
        #expect(try ReplicaCatalogue(store).bases.count == 1)
    }

    @Test("begins anew when the server starts again, and keeps what ended meanwhile")
    func restart() async throws {
        let store = away(false)
        var primary = try await Primary(folder, store, key)
        let ended = try await primary.logIn()
        primary.tick(after: .seconds(1))
        let time = primary.now
        await primary.close()
        // Nothing of this reaches the first stream.
        let between = try SQLiteStore(.folder(folder.path), role: .server)
        try await TestWorld(between, seed: 7).modules.sessions.endSession(
            ended.session.id, of: nil, in: primary.application, by: .local)
        await between.close()
        primary = try await Primary(folder, store, key, application: primary.application, at: time + .seconds(60))
        primary.tick(after: .seconds(1))
        await primary.close()
        let report = try restore(to: target, upTo: time, keepsSessions: true)
        #expect(report.rows["users"] == 1 && report.rows["sessions"] == 0)
    }

    @Test("has a new copy after a while, gives back each state of the time that is kept, and nothing of before stays")
    func retention() async throws {
        let store = away(false)
        var limits = ReplicaShipper.Limits()
        (limits.copyAge, limits.kept) = (.seconds(3600), .seconds(3 * 3600))
        let primary = try await Primary(folder, store, key, limits)
        var users: [(time: Timestamp, count: Int)] = []
        for count in 1...16 {
            try await primary.logIn()
            primary.tick(after: .seconds(1))
            users.append((primary.now, count))
            primary.tick(after: .seconds(1800))
        }
        let end = primary.now
        await primary.close()
        let catalogue = try ReplicaCatalogue(store)
        let limit = end - limits.kept
        #expect(catalogue.bases.count >= 3, "copies each hour")
        // One copy alone is from before the time: the one from which its oldest state is made.
        let oldest = try #require(catalogue.bases.last { $0.time <= limit } ?? catalogue.bases.first)
        #expect(catalogue.bases.filter { $0.time <= limit + .seconds(3700) }.count <= 3)
        let names = try store.names().compactMap { ReplicaPart($0) }
        #expect(names.allSatisfy { $0.number >= catalogue.bases[0].number }, "parts that no copy needs")
        for (time, count) in users where time >= limit {
            #expect(try restore(to: TemporaryFolder(), upTo: time).rows["users"] == count)
        }
        let before = try #require(users.first { $0.time < oldest.time - .seconds(3600) })
        #expect(throws: BackupFault.self) { try restore(to: TemporaryFolder(), upTo: before.time) }
        // A copy is younger than an hour and a half when the next one comes.
        for (one, next) in zip(catalogue.bases, catalogue.bases.dropFirst()) {
            #expect(next.time - one.time >= limits.copyAge && next.time - one.time < .seconds(5500))
        }
    }

    @Test("is followed by a standby, which takes over; the old primary stops and stores nothing more")
    func takeOver() async throws {
        let store = away(false)
        let primary = try await Primary(folder, store, key)
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        let standby = StandbyCopy(in: target.path, of: store, key: key)
        try standby.follow()
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        #expect(try standby.follow() == StandbyCopy.time(in: target.path))
        try await primary.logIn()
        let report = try standby.takeOver(keepsSessions: true, now: { primary.now }) {
            primary.tick(after: .seconds(2))
        }
        #expect(report.claim == 2)
        primary.tick(after: .seconds(10))
        #expect(primary.shipper.status.phase == .fenced)
        let before = try store.names().count
        try await primary.logIn()
        primary.tick(after: .seconds(10))
        #expect(try store.names().count == before)
        await primary.close()
        #expect(throws: BackupFault.self) { try PrimaryClaim.forServer(of: folder.path, at: store) }
        #expect(try PrimaryClaim.forServer(of: target.path, at: store).number == 2)
        // All that the old one stored before it noticed is there.
        let new = try SQLiteStore(.folder(target.path), role: .server)
        await new.close()
        #expect(try SQLiteSnapshot(checking: target.path + "/okaeri.sqlite").rows["users"] == 3)
    }

    @Test("goes on behind what a clock that was ahead has stored, for a restore and for a standby")
    func clockWasAhead() async throws {
        let store = away(false)
        var primary = try await Primary(folder, store, key, at: StandingClock().now + .days(3))
        let ended = try await primary.logIn()
        try await primary.logIn()
        primary.tick(after: .seconds(1))
        let standby = StandbyCopy(in: target.path, of: store, key: key)
        try standby.follow()
        await primary.close()
        let between = try SQLiteStore(.folder(folder.path), role: .server)
        try await TestWorld(between, seed: 7).modules.sessions.endSession(
            ended.session.id, of: nil, in: primary.application, by: .local)
        await between.close()
        // The server starts again with the right time.
        primary = try await Primary(folder, store, key, application: primary.application)
        primary.tick(after: .seconds(1))
        await primary.close()
        #expect(try restore(to: TemporaryFolder(), upTo: nil, keepsSessions: true).rows["sessions"] == 1)
        _ = try standby.takeOver(keepsSessions: true, now: { primary.now }) {}
        #expect(try SQLiteSnapshot(checking: target.path + "/okaeri.sqlite").rows["sessions"] == 1)
    }

    @Test("is written by no machine that is no primary any more, also when its clock is set back")
    func claimAndClock() async throws {
        let store = away(false)
        try target.make()
        let primary = try await Primary(folder, store, key)
        primary.tick(after: .seconds(1))
        _ = try PrimaryClaim.take(at: store, for: target.path)
        primary.tick(after: .seconds(-3600))
        #expect(primary.shipper.status.phase == .fenced)
        await primary.close()
    }

    @Test("says that nothing was written, and has a new copy, when the clock is set back")
    func clockSetBack() async throws {
        let store = away(false)
        let primary = try await Primary(folder, store, key)
        primary.tick(after: .seconds(1))
        let before = Set(try store.names())
        primary.world.clock.advance(by: .seconds(-3 * 86_400))
        primary.tick(after: .seconds(61))
        let new = try store.names().filter { !before.contains($0) }.compactMap { ReplicaPart($0) }
        #expect(new.contains(where: \.isBase) && !new.allSatisfy(\.isBase), "\(new.map(\.name))")
        for _ in 0..<3 { primary.tick(after: .seconds(61)) }
        await primary.close()
        #expect(try ReplicaCatalogue(store).bases.count == 2, "a copy at each look")
    }

    @Test("of many machines makes one the primary")
    func claims() throws {
        let store = away(false)
        var numbers: [Int] = []
        for _ in 0..<5 {
            let folder = TemporaryFolder()
            try folder.make()
            numbers.append(try PrimaryClaim.take(at: store, for: folder.path).number)
        }
        #expect(numbers == Array(1...5))
        #expect(try PrimaryClaim.highest(at: store) == 5)
        #expect(try store.claim("okaeri-primary-0000000005", [1]) == false)
    }

    @Test("has names that say what they are, and takes no others for its own")
    func names() {
        for kind in [ReplicaPart.Kind.base, .frames(endsBatch: true), .frames(endsBatch: false)] {
            let part = ReplicaPart(
                stream: "20261123T041500.123Z-0a1b2c3d", number: 12, time: Timestamp(milliseconds: 1_795_252_542_000),
                kind: kind)
            #expect(ReplicaPart(part.name) == part)
        }
        for name in ["", "okaeri-replica-", "okaeri-replica-a-0a1b2c3d-1-2-end.frames", "okaeri-20261123.backup"] {
            #expect(ReplicaPart(name) == nil)
        }
    }

    private func away(_ isAway: Bool) -> FaultyRepository {
        FaultyRepository(FolderRepository(repository.path), isAway: isAway)
    }

    @discardableResult
    private func restore(
        to target: TemporaryFolder, upTo time: Timestamp?, journalOf oldFolder: String? = nil,
        keepsSessions: Bool = false
    ) throws -> RestoreReport {
        try RestoreReplica(from: .forTest(FolderRepository(repository.path), key: key))(
            to: target.path, upTo: time, journalOf: oldFolder, keepsSessions: keepsSessions)
    }
}
