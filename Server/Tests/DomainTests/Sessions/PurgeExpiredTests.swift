import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What the server clears away every minute, and what it keeps until its last millisecond.
@Suite("What is expired")
struct PurgeExpiredTests {
    private static let day = 86_400_000

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func purge() async throws -> Int { try await world.modules.sessions.purgeExpired() }

    private func sessions(of user: Identifier<User>) async throws -> Int {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.sessions(of: user, in: application.id).count
        }
    }

    private func insert(
        _ name: Session.ProtocolName, for user: Identifier<User>, lastUsedAt: Timestamp, expiresAt: Timestamp
    ) async throws {
        let (now, number) = (world.clock.now, world.randomness.bytes(8))
        let session = Session(
            id: world.randomness.newIdentifier(at: now), application: application.id, user: user,
            client: .init(address: nil), protocolName: name, method: .password,
            times: .init(createdAt: now, lastUsedAt: lastUsedAt, expiresAt: expiresAt))
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                session, token: SessionToken.Reference(SecretDigest(of: number)), attempt: nil, replacing: nil)
        }
    }

    @Test("lets a mail be due that a clock which was ahead has queued, or has made wait for longer than any does")
    func waitsOfAClockAhead() async throws {
        let now = world.clock.now
        let waits: [(attempts: Int, wait: Duration)] = [
            (1, DeliverMail.longestWait), (1, DeliverMail.longestWait + .milliseconds(1)),
            (0, .milliseconds(1)),
        ]
        for (number, (attempts, wait)) in waits.enumerated() {
            var mail = QueuedMail(
                id: world.randomness.newIdentifier(at: now), application: application.id, kind: .logInCode,
                sealed: [UInt8(number)], createdAt: now, expiresAt: now + .days(9), nextTryAt: now + wait)
            mail.attempts = attempts
            let queued = mail
            try await world.engine.write { transaction throws(DomainError) in try transaction.insert(queued) }
        }
        _ = try await purge()
        let times = try await world.engine.read { transaction throws(DomainError) in
            try transaction.queuedMail(in: application.id, after: nil, limit: 9).compactMap(\.nextTryAt).sorted()
        }
        #expect(times == [now, now, now + DeliverMail.longestWait])
    }

    @Test(
        "are sessions at the end of their life or five minutes after their idle time, by the rules of their protocol",
        arguments: [-1, 0, 1])
    func sessions(offset: Int) async throws {
        let user = try await world.signUp("hana", to: application).user.id
        let (before, now) = (try await sessions(of: user), world.clock.now)
        let name = Session.ProtocolName.single
        let rules = application.settings.sessionRules(of: ProtocolRegistry.samples[name])
        let instant = now + .days(30)
        // One that reaches its end then, one that was used last so long before, and one that lives.
        try await insert(name, for: user, lastUsedAt: instant, expiresAt: instant - .milliseconds(offset))
        try await insert(
            name, for: user,
            lastUsedAt: instant - rules.idleLifetime - PurgeExpired.useIsWritten - .milliseconds(offset),
            expiresAt: instant + .days(900))
        try await insert(name, for: user, lastUsedAt: instant, expiresAt: instant + .days(900))
        world.clock.advance(by: .days(30))
        let isOver = offset >= 0
        #expect(try await purge() == (isOver ? 2 : 0))
        #expect(try await sessions(of: user) == before + (isOver ? 1 : 3))
        #expect(try await purge() == 0)
    }

    @Test("are no sessions of a protocol without end, however long nobody uses them")
    func endless() async throws {
        let user = try await world.signUp("hana", to: application).user.id
        let now = world.clock.now
        try await insert(.endless, for: user, lastUsedAt: now, expiresAt: now + SessionRules.endless)
        world.clock.advance(by: .days(10_000))
        _ = try await purge()
        let left = try await world.engine.read { transaction throws(DomainError) in
            try transaction.sessions(of: user, in: application.id)
        }
        #expect(left.map(\.protocolName) == [.endless])
    }

    @Test("are device proofs ten minutes after their end", arguments: [599_999, 600_000, 600_001])
    func proofs(after: Int) async throws {
        let end = world.clock.now
        let proof = UsedProof(.attempt, SecretDigest(of: [1]), until: end)
        try await world.engine.write { transaction throws(DomainError) in
            _ = try transaction.markUsed(proof, in: application.id)
        }
        world.clock.advance(by: .milliseconds(after))
        _ = try await purge()
        let isKept = try await world.engine.read { transaction throws(DomainError) in
            try transaction.wasUsed(proof, in: application.id)
        }
        #expect(isKept == (after <= 600_000))
    }

    @Test("are counters a day after their window began", arguments: [day - 1, day, day + 1])
    func counters(after: Int) async throws {
        let key = RateLimitKey(application: application.id, kind: "test", subject: "s")
        let begun = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            _ = try transaction.count(key, window: .days(2), at: begun)
        }
        world.clock.advance(by: .milliseconds(after))
        _ = try await purge()
        let now = world.clock.now
        let count = try await world.engine.read { transaction throws(DomainError) in
            try transaction.counted(key, window: .days(2), at: now)?.count
        }
        #expect(count == (after <= Self.day ? 1 : nil))
    }

    @Test("are all of a great many marks, counters, wrong passwords and mails, in parts")
    func parts() async throws {
        let (count, begun) = (PurgeExpired.partSize * 5 / 2, world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            for number in 0..<count {
                let digest = SecretDigest(of: "\(number)".utf8)
                _ = try transaction.markUsed(UsedProof(.attempt, digest, until: begun), in: application.id)
                let key = RateLimitKey(application: application.id, kind: "test", subject: "\(number)")
                _ = try transaction.count(key, window: .seconds(60), at: begun)
                try transaction.write(.next(after: nil, at: begun), of: digest, in: application.id)
                try transaction.insert(
                    QueuedMail(
                        id: Identifier(rawValue: "\(number)"), application: application.id, kind: .logInCode,
                        sealed: [1], createdAt: begun, expiresAt: begun + .seconds(600), nextTryAt: nil))
            }
        }
        world.clock.advance(by: .days(2))
        _ = try await purge()
        let end = Timestamp(milliseconds: .max)
        let left = try await world.engine.write { transaction throws(DomainError) in
            [
                try transaction.removeUsedProofs(endedBefore: end, count: count),
                try transaction.counters(startedBefore: end, after: nil, count: count).count,
                try transaction.removeFailures(lastBefore: end, count: count),
                try transaction.mailToErase(ofNoUseAt: end, after: nil, count: count).count,
                try transaction.oldMail(before: end, after: nil, count: count).count,
            ]
        }
        #expect(left == [0, 0, 0, 0, count])
        world.clock.advance(by: .days(6))
        _ = try await purge()
        let mails = try await world.engine.read { transaction throws(DomainError) in
            try transaction.oldMail(before: end, after: nil, count: count)
        }
        #expect(mails.isEmpty)
    }

    @Test("are wrong passwords a day after the last", arguments: [day - 1, day, day + 1])
    func failures(after: Int) async throws {
        let subject = SecretDigest(of: [2])
        let begun = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.write(.next(after: nil, at: begun), of: subject, in: application.id)
        }
        world.clock.advance(by: .milliseconds(after))
        _ = try await purge()
        let kept = try await world.engine.read { transaction throws(DomainError) in
            try transaction.failures(of: subject, in: application.id)
        }
        #expect((kept != nil) == (after <= Self.day))
    }

    @Test("are merges once nobody can undo them, and tickets at their end")
    func merges() async throws {
        let guest = try await world.logIn(TestDevice(), to: application).user
        let hana = try await world.signUp("hana", to: application).user
        let ticket = MergeTicket(
            application: application.id, digest: MergeTicket.digest(of: "t"), user: guest.id, other: hana.id,
            expiresAt: world.clock.now + MergeTicket.lifetime)
        let merge = try await world.modules.administration.users.merge(
            guest.id, into: hana.id, in: application, by: .local)
        // The merge has ended the guest's own ones.
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(ticket) }
        func present() async throws -> [Bool] {
            try await world.engine.read { transaction throws(DomainError) in
                [
                    try transaction.merge(merge, of: hana.id, in: application.id) != nil,
                    try transaction.mergeTicket(ticket.digest, in: application.id) != nil,
                ]
            }
        }
        world.clock.advance(by: MergeTicket.lifetime - .milliseconds(1))
        _ = try await purge()
        #expect(try await present() == [true, true])
        world.clock.advance(by: .milliseconds(2))
        _ = try await purge()
        #expect(try await present() == [true, false])
        world.clock.advance(by: Merge.undoSpan - MergeTicket.lifetime - .milliseconds(2))
        _ = try await purge()
        #expect(try await present() == [true, false])
        world.clock.advance(by: .milliseconds(2))
        _ = try await purge()
        #expect(try await present() == [false, false])
    }

    enum Kept: CaseIterable {
        case outboxMail, mailedCode, transferCode, transfer, removedDeviceKey, adminSession, adminLink, adminKey

        var life: Duration {
            switch self {
            case .outboxMail: .days(7)
            case .mailedCode: .seconds(600)
            case .transferCode: .days(1)
            case .transfer, .removedDeviceKey: .days(400)
            case .adminSession: .seconds(3600)
            case .adminLink: .days(1)
            // Behind its end: until then it can be seen why a program is refused.
            case .adminKey: .days(30)
            }
        }
    }

    @Test(
        "are mails, codes, transfers, removed keys and what lets admins in a millisecond after their time",
        arguments: Kept.allCases, [-1, 0, 1])
    func kept(kind: Kept, offset: Int) async throws {
        let (id, now) = (application.id, world.clock.now)
        let user = try await world.signUp("hana", to: application).user.id
        let digest = SecretDigest(of: [3])
        try await world.engine.write { transaction throws(DomainError) -> Void in
            switch kind {
            case .outboxMail:
                try transaction.insert(
                    OutboxMail(id: Identifier(rawValue: "m"), application: id, sealed: [1], createdAt: now))
            case .mailedCode:
                try transaction.replaceCode(
                    with: MailedCode(
                        application: id, handle: digest, digest: digest, kind: .passwordReset, user: user,
                        address: "hana@example.com", replaces: nil, expiresAt: now + kind.life))
            case .transferCode:
                try transaction.replace(
                    StoredTransferCode(application: id, user: user, digest: digest, issuedAt: now))
            case .transfer:
                try transaction.insert(
                    Transfer(
                        id: Identifier(rawValue: "t"), application: id, user: user,
                        to: .init(key: "key", device: DeviceDescription(), address: nil), codeDigest: digest,
                        leftUser: nil, redeemedAt: now))
            case .removedDeviceKey:
                try transaction.keep(
                    RemovedDeviceKey(
                        application: id, thumbprint: "key", user: user, reason: .tooMany, removedAt: now))
            case .adminSession:
                try transaction.insert(
                    AdminSession(digest: digest, admin: Identifier(rawValue: "admin"), createdAt: now))
            case .adminLink:
                try transaction.insert(
                    AdminLink(digest: digest, admin: nil, sealedTOTP: [1], expiresAt: now + kind.life))
            case .adminKey:
                try transaction.insert(
                    AdminKey(
                        id: Identifier(rawValue: "key"), digest: digest, name: "CI", scopes: [.readUsers],
                        reach: .init(applications: nil, networks: []),
                        maker: .init(id: Identifier(rawValue: "admin"), name: "Hana"), createdAt: now, expiresAt: now))
            }
        }
        world.clock.advance(by: kind.life + .milliseconds(offset))
        _ = try await purge()
        let isKept = try await world.engine.read { transaction throws(DomainError) -> Bool in
            switch kind {
            case .outboxMail: return try !transaction.outboxMail(in: id, limit: 9).isEmpty
            case .mailedCode: return try transaction.code(digest, in: id) != nil
            case .transferCode: return try transaction.transferCode(digest, in: id) != nil
            case .transfer: return try transaction.transfer(codeDigest: digest, in: id) != nil
            case .removedDeviceKey: return try transaction.removedDeviceKey("key", in: id) != nil
            case .adminSession: return try transaction.adminSession(digest) != nil
            case .adminLink: return try transaction.adminLink(digest) != nil
            case .adminKey: return try transaction.adminKey(digest) != nil
            }
        }
        #expect(isKept == (offset <= 0))
    }
}
