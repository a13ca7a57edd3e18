import Domain
import Foundation
import OkaeriWire
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@Suite("The revocation journal")
struct RevocationJournalTests {
    private let folder = TemporaryFolder()

    @Test("notes what ended after a copy, and nothing that was undone; applied to the copy it ends it there too")
    func replay() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let kept = try await world.logIn(TestDevice(), to: application)
        let ended = try await world.logIn(TestDevice(), to: application)
        let segments = RevocationSegments(folder: folder.path)
        let segment = try segments.begin(lineage: "0a1b2c3d")
        let copy = folder.path + "/copy.sqlite"
        _ = try SQLiteSnapshot(of: folder.path, to: copy) { _, _ in }
        try await world.modules.sessions.endSession(ended.session.id, of: nil, in: application.id, by: .local)
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.write { transaction throws(DomainError) in
                _ = try transaction.endSession(kept.session.id, of: kept.user.id, in: application.id)
                throw .storageUnavailable
            }
        }
        await store.close()

        let text = try String(contentsOfFile: segments.path(of: segment), encoding: .utf8)
        #expect(text.split(separator: "\n").count == 1, "\(text)")
        let replay = try RevocationReplay(path: copy)
        try replay.apply(text)
        try replay.finish(at: .atRestore)
        #expect(!replay.isDamaged)
        #expect(try SQLiteSnapshot(checking: copy).rows["sessions"] == 1)
        #expect(try SQLiteSnapshot(checking: copy).rows["users"] == 2)
    }

    /// Ends two sessions while the journal cannot be written. Neither is answered, and the second is not committed.
    private func expectFirstAlone(
        _ logIns: [(user: User, session: Session)], in world: TestWorld, _ store: SQLiteStore
    ) async throws {
        for (user, session) in logIns {
            await #expect(throws: DomainError.storageUnavailable) {
                try await world.modules.sessions.endSession(session.id, of: nil, in: user.application, by: .local)
            }
        }
        let users = logIns.map(\.user)
        let left = try await store.read { transaction throws(DomainError) in
            try users.map { user throws(DomainError) in
                try transaction.sessions(of: user.id, in: user.application).count
            }
        }
        #expect(left == [0, 1], "the first was committed before it was noted")
    }

    @Test(
        "has what ended while the disk was full, and nothing more is committed before it has",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let ended = try await world.logIn(TestDevice(), to: application)
        let kept = try await world.logIn(TestDevice(), to: application)
        let segments = RevocationSegments(folder: folder.path)
        let segment = try segments.begin(lineage: "0a1b2c3d")
        let link = folder.path + "/revocations/open"
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
        try await expectFirstAlone([(ended.user, ended.session), (kept.user, kept.session)], in: world, store)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: segment)
        _ = try await world.logIn(TestDevice(), to: application)
        await store.close()
        let text = try String(contentsOfFile: segments.path(of: segment), encoding: .utf8)
        #expect(text.split(separator: "\n").count == 1 && text.contains("D sessions "), "\(text)")
    }

    @Test("waits for a process that keeps its lock for a while alone; the log says so, and nothing is lost by it")
    func stoppedProcess() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server, journalPatience: .zero)
        let world = try TestWorld(store)
        let faults = Mutex<[String]>([])
        store.observeFaults { fault in faults.withLock { $0.append(fault) } }
        let application = try await world.makeApplication()
        let ended = try await world.logIn(TestDevice(), to: application)
        let kept = try await world.logIn(TestDevice(), to: application)
        let segments = RevocationSegments(folder: folder.path)
        let segment = try segments.begin(lineage: "0a1b2c3d")
        // As a process has it that was stopped behind its commit.
        let lock = open(folder.path + "/revocations", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        try await expectFirstAlone([(ended.user, ended.session), (kept.user, kept.session)], in: world, store)
        let words = "another process of Okaeri holds its lock"
        #expect(faults.withLock { faults in faults.filter { $0.contains(words) }.count } >= 2)
        close(lock)
        _ = try await world.logIn(TestDevice(), to: application)
        await store.close()
        let text = try String(contentsOfFile: segments.path(of: segment), encoding: .utf8)
        #expect(text.split(separator: "\n").count == 1 && text.contains("D sessions "), "\(text)")
    }

    @Test("waits again, behind a lock that was kept for too long, for a process that has it for a commit")
    func busyProcess() async throws {
        let store = try SQLiteStore(
            .folder(folder.path), role: .server, journalPatience: .zero, laterJournalPatience: .seconds(600))
        let world = try TestWorld(store)
        let faults = Mutex(0)
        store.observeFaults { _ in faults.withLock { $0 += 1 } }
        let application = try await world.makeApplication()
        let ended = try await world.logIn(TestDevice(), to: application)
        _ = try RevocationSegments(folder: folder.path).begin(lineage: "0a1b2c3d")
        let lock = open(folder.path + "/revocations", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        await #expect(throws: DomainError.storageUnavailable) {
            try await world.modules.sessions.endSession(ended.session.id, of: nil, in: application.id, by: .local)
        }
        let before = faults.withLock { $0 }
        // The lines of before come first.
        async let next = store.write { transaction throws(DomainError) in
            try transaction.sessions(of: ended.user.id, in: application.id).count
        }
        for _ in 0..<10_000 { await Task.yield() }
        #expect(faults.withLock { $0 } == before, "the next commit waits")
        close(lock)
        let left = try await next
        #expect(left == 0)
        await store.close()
    }

    @Test(
        "has what was committed by a server that was killed before it wrote it down",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func killedBehindCommit() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let ended = try await world.logIn(TestDevice(), to: application)
        let segment = try RevocationSegments(folder: folder.path).begin(lineage: "0a1b2c3d")
        try FileManager.default.removeItem(atPath: folder.path + "/revocations/open")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/revocations/open", withDestinationPath: "/dev/full")
        await #expect(throws: DomainError.storageUnavailable) {
            try await world.modules.sessions.endSession(ended.session.id, of: nil, in: application.id, by: .local)
        }
        // The files as a kill leaves them between commit and line.
        let killed = TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path, toPath: killed.path)
        try FileManager.default.removeItem(atPath: killed.path + "/revocations/open")
        try FileManager.default.createSymbolicLink(
            atPath: killed.path + "/revocations/open", withDestinationPath: segment)
        await store.close()
        let segments = RevocationSegments(folder: killed.path)
        let pending = PendingRevocations.text(of: killed.path)
        #expect(pending.contains("D sessions "), "a restore finds it in the old folder")
        for _ in 1...2 {
            let next = try SQLiteStore(.folder(killed.path), role: .server)
            try await next.write { _ throws(DomainError) in }
            await next.close()
            let text = try String(contentsOfFile: segments.path(of: segment), encoding: .utf8)
            #expect(text.split(separator: "\n").map { $0 + "\n" }.joined() == pending, "\(text)")
        }
    }

    @Test("leaves nobody asked for a second factor that was removed after the copy")
    func secondFactors() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let now = world.clock.now
        var made: [TOTPFactor] = []
        for name in ["removed", "kept"] {
            var user = try await world.logIn(TestDevice(), to: application).user
            user.secondFactorAt = now
            let factor = TOTPFactor(
                id: Identifier(rawValue: name), of: user.id, in: application.id, name: name, sealedKey: [1],
                lastStep: 0, createdAt: now)
            let enrolled = user
            try await store.write { transaction throws(DomainError) in
                try transaction.insert(factor)
                try transaction.updateSecondFactor(of: enrolled)
            }
            made.append(factor)
        }
        let factors = made
        let copy = try JournaledCopy(of: folder)
        let removed = factors[0]
        try await store.write { transaction throws(DomainError) in try transaction.remove(removed) }
        await store.close()

        let restored = try copy.restored()
        let isAsked = try await restored.read { transaction throws(DomainError) in
            var isAsked: [Bool] = []
            for factor in factors {
                isAsked.append(try transaction.user(factor.user, in: application.id)?.hasSecondFactor ?? true)
            }
            return isAsked
        }
        #expect(isAsked == [false, true])
        await restored.close()
    }

    @Test("lets no device proof count again that counted after the copy was made")
    func usedProofs() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let device = TestDevice()
        _ = try await world.logIn(device, to: application)
        _ = try RevocationSegments(folder: folder.path).begin(lineage: "0a1b2c3d")
        let other = TemporaryFolder()
        try other.make()
        let copy = other.path + "/okaeri.sqlite"
        _ = try SQLiteSnapshot(of: folder.path, to: copy) { _, _ in }
        world.clock.advance(by: .seconds(5))
        let proof = try device.presented(at: world.clock.now)
        let request = LogInAutomatically.Request(
            application: application, proof: proof, address: TestWorld.address)
        _ = try await world.modules.logIns.logInAutomatically(request)
        await store.close()

        world.clock.advance(by: .seconds(1))
        try RevocationReplay(path: copy).finish(at: world.clock.now)
        let restored = try SQLiteStore(.folder(other.path), role: .server)
        let again = try TestWorld(restored, clock: world.clock, seed: 1)
        let fault = await #expect(throws: DomainError.self) {
            try await again.modules.logIns.logInAutomatically(request)
        }
        #expect(fault?.code == .clockSkew)
        world.clock.advance(by: .seconds(1))
        _ = try await again.logIn(device, to: application)
        await restored.close()
    }

    @Test("leaves address, contents and secret of events as they were last: nobody of before gets profiles again")
    func endpoints() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store, events: TestEventReceiver())
        let application = try await world.makeApplication().id
        let endpoints = world.modules.events.endpoints
        let made = try await endpoints.create(
            .init(url: "https://old.example.com", includesUser: true), in: application, by: .local
        ).endpoint
        let copy = try JournaledCopy(of: folder)
        _ = try await endpoints.change(
            made.id, in: application, by: .local, requiring: { _ in },
            { ($0.url, $0.includesUser) = ("https://new.example.com", false) })
        let last = try await endpoints.rotate(made.id, in: application, overlap: .standard, by: .local).endpoint
        await store.close()

        let restored = try copy.restored()
        let found = try await restored.read { transaction throws(DomainError) in
            try transaction.eventEndpoint(made.id, in: application)
        }
        #expect(found == last && last.sealedSecret != made.sealedSecret)
        await restored.close()
    }

    /// Asks nobody, and lets every address be asked.
    private struct AnyHook: HookCarrier {
        func mayAsk(_ url: String) -> Bool { true }
        func ask(_ request: HookRequest) async -> HookOutcome { .silent(reason: "nobody is there") }
    }

    @Test("leaves settings as they were last: a hook that was moved gets no passwords where it was")
    func settings() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store, hooks: AnyHook())
        let id = try await world.makeApplication().id
        let window = Hook.Window(until: world.clock.now + .days(30))
        func point(to host: String) async throws {
            _ = try await world.modules.hooks.manage.set(
                .logIn, to: .init(url: "https://\(host).example.com/hook", whenDown: .refuse, window: window), in: id,
                by: .local)
            _ = try await world.modules.applications.changeApplication(id, isCurrent: { _ in true }, by: .local) {
                $0.settings.audiences = ["https://\(host).example.com"]
                $0.settings.redirectAddresses = ["https://\(host).example.com/back"]
                $0.settings.proofRequired = host == "new"
            }
            let provider = StoredProvider(
                application: id,
                settings: ProviderSettings(
                    provider: .init(rawValue: "oidc"), audiences: [host], issuer: "https://\(host).example.com"),
                sealedSecret: Array(host.utf8), updatedAt: world.clock.now)
            let keys = ProtocolKeySet(application: id, protocolName: .init(rawValue: "ncmb"), publicKey: host)
            try await store.write { transaction throws(DomainError) in
                try transaction.save(provider)
                try transaction.save(keys)
            }
        }
        try await point(to: "old")
        let copy = try JournaledCopy(of: folder)
        try await point(to: "new")
        let rotated = try await world.modules.hooks.manage.rotate(.logIn, in: id, overlap: .standard, by: .local).hook
        await store.close()

        let restored = try copy.restored()
        let (application, providers, keys) = try await restored.read { transaction throws(DomainError) in
            (
                try transaction.application(id), try transaction.providers(of: id),
                try transaction.protocolKeys(of: id)
            )
        }
        let found = try #require(application).settings
        #expect(found.hooks == [.logIn: rotated] && rotated.url == "https://new.example.com/hook")
        #expect(found.audiences == ["https://new.example.com"] && found.proofRequired)
        #expect(found.redirectAddresses == ["https://new.example.com/back"])
        #expect(providers.map(\.settings.issuer) == ["https://new.example.com"])
        #expect(providers.map(\.sealedSecret) == [Array("new".utf8)])
        #expect(keys.map(\.publicKey) == ["new"])
        await restored.close()
    }

    @Test("lets a reader of events, who read more than the copy knows, miss nothing that happens afterwards")
    func positions() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        let made = try await world.makeApplication()
        let application = try await world.modules.events.changeSettings(
            of: made.id, isStreamed: true, retentionDays: nil, by: .local)
        let first = try await world.logIn(TestDevice(), to: application).user
        func read(_ world: TestWorld, after position: Int64) async throws -> ReadEvents.Page {
            try await world.modules.events.readEvents(in: made.id, after: position, types: [.userCreated], limit: 20)
        }
        let known = try await read(world, after: 0)
        #expect(known.events.map(\.user) == [first.id])
        let other = TemporaryFolder()
        try other.make()
        let copy = other.path + "/okaeri.sqlite"
        _ = try SQLiteSnapshot(of: folder.path, to: copy) { _, _ in }
        for _ in 0..<3 { _ = try await world.logIn(TestDevice(), to: application) }
        let lost = try await read(world, after: known.next)
        #expect(lost.events.count == 3)
        await store.close()

        try RevocationReplay(path: copy).finish(at: world.clock.now)
        world.clock.advance(by: .seconds(1))
        let restored = try SQLiteStore(.folder(other.path), role: .server)
        let again = try TestWorld(restored, clock: world.clock, seed: 1)
        let next = try await again.logIn(TestDevice(), to: application).user
        let page = try await read(again, after: lost.next)
        #expect(page.events.map(\.user) == [next.id])
        #expect(try await read(again, after: 0).events.map(\.user) == [first.id, next.id])
        let newest = try await again.modules.events.readEvents.newest(in: made.id, limit: 20)
        #expect(newest.filter { $0.type == .userCreated }.map(\.user) == [first.id, next.id])
        await restored.close()
    }

    @Test("costs nothing to write where no backup was ever made")
    func withoutBackup() async throws {
        let world = try TestWorld(try SQLiteStore(.folder(folder.path), role: .server))
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(TestDevice(), to: application)
        try await world.modules.sessions.endSession(logIn.session.id, of: nil, in: application.id, by: .local)
        #expect(RevocationSegments(folder: folder.path).names.isEmpty)
    }

    @Test(
        "is doubted when a line is damaged, torn, or of an unknown kind",
        arguments: [
            "D sessions t61,b62 0", "D sessions t61", "X sessions t61,b62 af63bd4c8601b7df", "nothing",
            "D nowhere t61,b62 cbf29ce484222325",
        ])
    func damaged(line: String) async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        await store.close()
        let replay = try RevocationReplay(path: folder.path + "/okaeri.sqlite")
        try replay.apply("\n\(line)\n")
        #expect(replay.isDamaged)
        try replay.finish(at: .atRestore)
    }

    @Test("is whole only from the backup's own segment on, without a gap")
    func chains() {
        let names = ["0a1b2c3d-00000001", "0a1b2c3d-00000002", "0a1b2c3d-00000004", "ffffffff-00000003"]
        #expect(RevocationSegments.chain(from: names[0], among: names) == nil)
        #expect(RevocationSegments.chain(from: names[0], among: Array(names[..<2])) == Array(names[..<2]))
        #expect(RevocationSegments.chain(from: names[1], among: Array(names[..<2])) == [names[1]])
        #expect(RevocationSegments.chain(from: "0a1b2c3d-00000003", among: names) == nil)
        #expect(RevocationSegments.chain(from: names[2], among: names) == [names[2]])
    }

    @Test("begins segments that follow each other")
    func segments() throws {
        try folder.make()
        let segments = RevocationSegments(folder: folder.path)
        #expect(try segments.begin(lineage: "0a1b2c3d") == "0a1b2c3d-00000001")
        #expect(try segments.begin(lineage: "ffffffff") == "0a1b2c3d-00000002")
        #expect(segments.open == "0a1b2c3d-00000002")
        segments.remove(before: "0a1b2c3d-00000002")
        #expect(segments.names == ["0a1b2c3d-00000002"])
    }
}
