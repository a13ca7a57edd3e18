import Domain
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@Suite("Sending mail")
struct DeliverMailTests {
    private let carrier = TestCarrier()
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(SQLiteStore(.memory, role: .server), mail: .carrier(carrier))
        application = try await world.makeApplication("花アプリ")
    }

    @discardableResult
    private func queue(
        _ kind: MailKind = .emailChanged, life: Duration = .days(1), sealedBy key: SealingKey? = nil
    ) async throws -> QueuedMail {
        let sealing = MailSealing(key: try key ?? .ofTests(), randomness: world.randomness)
        let message = RenderedMessage(kind: kind, recipient: "hana@example.com", languages: ["ja"])
        let mail = try sealing.queued(
            .rendered(message), of: kind, in: application.id, at: world.clock.now, life: life)
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(mail) }
        return mail
    }

    private func queued() async throws -> [QueuedMail] {
        try await world.modules.messaging.listQueuedMail(in: application.id)
    }

    @Test("sends what waits and leaves nothing behind")
    func delivery() async throws {
        let mail = try await queue()
        let round = try await world.modules.messaging.deliverMail()
        #expect(round == DeliverMail.Round(delivered: 1))
        #expect(try await queued().isEmpty)
        let sent = try #require(carrier.delivered.first)
        #expect(sent.id == mail.id.rawValue)
        #expect(sent.recipient == "hana@example.com")
        #expect(sent.senderName == "花アプリ")
    }

    @Test("begins no other mail once the server stops, and sends what waits after the next start")
    func stopping() async throws {
        for _ in 0..<5 { try await queue() }
        let carrier = carrier
        let round = try await world.modules.messaging.deliverMail(while: { carrier.tries < 2 })
        #expect(round.delivered == 2 && carrier.tries == 2)
        #expect(try await world.modules.messaging.deliverMail().delivered == 3)
    }

    @Test("is in the database sealed: neither recipient nor words are there in the clear")
    func sealed() async throws {
        let mail = try await queue()
        let bytes = try #require(mail.sealed)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("hana") && !text.contains("email-changed"))
    }

    @Test("tries again after 5, 10, 20 … seconds, up to 15 minutes, a quarter more or less")
    func backOff() async throws {
        try await queue()
        var waits: [Duration] = []
        for _ in 0..<12 {
            carrier.plan(.failed(reason: "451"))
            let round = try await world.modules.messaging.deliverMail()
            #expect(round.postponed == 1 && round.fault == "451")
            let next = try #require(round.nextAt)
            #expect(try await queued().first?.lastFault == "451")
            waits.append(next - world.clock.now)
            // Not a millisecond too early.
            world.clock.advance(by: next - world.clock.now - .milliseconds(1))
            let tries = carrier.tries
            _ = try await world.modules.messaging.deliverMail()
            #expect(carrier.tries == tries)
            world.clock.advance(by: .milliseconds(1))
        }
        for (number, wait) in waits.enumerated() {
            let middle = min(Duration.seconds(5) * (1 << number), .seconds(900))
            #expect(wait >= middle * 3 / 4 && wait <= middle * 5 / 4, "\(number): \(wait)")
        }
        #expect(Set(waits.map { $0 / .seconds(1) / 5 }).count > 5)
        _ = try await world.modules.messaging.deliverMail()
        #expect(carrier.delivered.count == 1)
    }

    @Test("gives up what is refused, erases it once it is of no use, and keeps the reason")
    func refused() async throws {
        let mail = try await queue()
        carrier.plan(.refused(reason: "550"))
        let round = try await world.modules.messaging.deliverMail()
        #expect(round == DeliverMail.Round(givenUp: 1, fault: "550"))
        let left = try await queued()
        #expect(left.map(\.sealed) == [mail.sealed] && left.map(\.nextTryAt) == [nil])
        #expect(left.map(\.lastFault) == ["550"])
        world.clock.advance(by: .days(1))
        try await world.modules.sessions.purgeExpired()
        #expect(try await queued().map(\.sealed) == [nil])
        world.clock.advance(by: .days(5))
        #expect(try await world.modules.messaging.deliverMail() == DeliverMail.Round())
        try await world.modules.sessions.purgeExpired()
        #expect(try await queued().map(\.lastFault) == ["550"])
        world.clock.advance(by: .days(2))
        try await world.modules.sessions.purgeExpired()
        #expect(try await queued().isEmpty)
    }

    @Test("gives up a mail whose time would be over at the next try, or is over already")
    func expiry() async throws {
        try await queue(life: .seconds(3))
        carrier.plan(.failed(reason: "down"))
        #expect(try await world.modules.messaging.deliverMail() == DeliverMail.Round(givenUp: 1, fault: "down"))
        try await queue(life: .seconds(3))
        world.clock.advance(by: .seconds(3))
        #expect(try await world.modules.messaging.deliverMail().givenUp == 1)
        #expect(carrier.tries == 1)
        try await world.modules.sessions.purgeExpired()
        #expect(try await queued().allSatisfy { $0.sealed == nil })
    }

    @Test("takes over what a node that died had taken, when its time is over")
    func lease() async throws {
        try await queue()
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            guard let mail = try transaction.nextMail(notOf: []) else { return }
            _ = try transaction.claim(mail, until: now + DeliverMail.lease, by: "the dead")
        }
        #expect(try await world.modules.messaging.deliverMail() == DeliverMail.Round(nextAt: now + DeliverMail.lease))
        world.clock.advance(by: DeliverMail.lease)
        #expect(try await world.modules.messaging.deliverMail().delivered == 1)
    }

    @Test("gives up what was sealed under another key, and sends the rest")
    func otherKey() async throws {
        try await queue(sealedBy: SealingKey(bytes: [UInt8](repeating: 8, count: 32)))
        try await queue()
        let round = try await world.modules.messaging.deliverMail()
        #expect(round.delivered == 1 && round.givenUp == 1)
        #expect(try await queued().map(\.sealed) == [nil])
    }

    private var manage: ManageQueuedMail { world.modules.messaging.manageQueuedMail }

    @Test("sends again what was given up, and what waits for another try, when an operator says so")
    func again() async throws {
        let (refused, busy) = (try await queue(), try await queue())
        carrier.plan(.refused(reason: "550"), .failed(reason: "451"))
        let round = try await world.modules.messaging.deliverMail()
        #expect(round.givenUp == 1 && round.postponed == 1)
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
        for mail in [refused, busy] {
            let due = try await manage.retry(mail.id, in: application.id, by: .local)
            #expect(due.nextTryAt == world.clock.now && due.attempts == 1)
        }
        #expect(try await world.modules.messaging.deliverMail().delivered == 2)
        #expect(Set(carrier.delivered.map(\.id)) == [refused.id.rawValue, busy.id.rawValue])
        #expect(try await queued().isEmpty)
        #expect(
            await world.refusal { _ = try await manage.retry(busy.id, in: application.id, by: .local) }
                == .administration(.notFound))
    }

    @Test("sends all again at once that are of use, and tells how many they are")
    func allAgain() async throws {
        try await queue(life: .seconds(60))
        for _ in 0..<3 { try await queue() }
        let refusal = MailOutcome.refused(reason: "550")
        carrier.plan(refusal, refusal, refusal, refusal)
        #expect(try await world.modules.messaging.deliverMail().givenUp == 4)
        world.clock.advance(by: .seconds(60))
        #expect(try await manage.retryAll(in: application.id, by: .local) == 3)
        #expect(try await manage.retryAll(in: application.id, by: .local) == 0)
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .mailRetried))
        #expect(entries.map(\.details) == [["mails": "3"]], "where nothing is sent again, nothing is recorded")
        #expect(try await world.modules.messaging.deliverMail().delivered == 3)
        #expect(try await queued().count == 1)
    }

    @Test("does not send again what has a code that has expired, or was erased")
    func expiredAgain() async throws {
        let mail = try await queue(.logInCode, life: .seconds(600))
        carrier.plan(.refused(reason: "550"))
        _ = try await world.modules.messaging.deliverMail()
        world.clock.advance(by: .seconds(600))
        func retry() async -> DomainError? {
            await world.refusal { _ = try await manage.retry(mail.id, in: application.id, by: .local) }
        }
        #expect(await retry() == .administration(.mailExpired))
        try await world.modules.sessions.purgeExpired()
        #expect(await retry() == .administration(.mailExpired))
        #expect(try await world.modules.messaging.deliverMail() == DeliverMail.Round())
    }

    @Test("leaves alone what a node is sending, and loses nothing of what it took out")
    func underWay() async throws {
        let mail = try await queue()
        let now = world.clock.now
        let taken = try await world.engine.write { transaction throws(DomainError) in
            try transaction.claim(mail, until: now + DeliverMail.lease, by: "a node")
        }
        let left = try await manage.retry(mail.id, in: application.id, by: .local)
        #expect(left == taken)
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
        try await manage.drop(mail.id, in: application.id, by: .local)
        #expect(try await queued().isEmpty)
        #expect(
            await world.refusal { try await manage.drop(mail.id, in: application.id, by: .local) }
                == .administration(.notFound))
    }

    @Test("sends a crowd in one round")
    func crowd() async throws {
        for _ in 0..<11 { try await queue() }
        #expect(try await world.modules.messaging.deliverMail().delivered == 11)
    }

    @Test(
        "goes out at once while a mail server takes its time for the many mails of other applications",
        .timeLimit(.minutes(5)), arguments: 1...5)
    func shares(noisy: Int) async throws {
        let carrier = HeldCarrier()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), mail: .carrier(carrier))
        let sealing = MailSealing(key: try .ofTests(), randomness: world.randomness)
        func queue(_ number: Int, in name: String) async throws {
            let application = try await world.makeApplication(name)
            for _ in 0..<number {
                let message = RenderedMessage(kind: .emailChanged, recipient: "hana@example.com", languages: [])
                let mail = try sealing.queued(
                    .rendered(message), of: .emailChanged, in: application.id, at: world.clock.now, life: .days(1))
                try await world.engine.write { transaction throws(DomainError) in try transaction.insert(mail) }
            }
        }
        for number in 0..<noisy { try await queue(9, in: "\(HeldCarrier.held)\(number)") }
        let messaging = world.modules.messaging
        let ended = Tally()
        try await withThrowingTaskGroup(of: DeliverMail.Round.self) { group in
            for _ in 0..<DeliverMail.lanes {
                group.addTask {
                    let round = try await messaging.deliverMail()
                    ended.next()
                    return round
                }
            }
            // Each of them sends a mail that is held, or finds nothing that it may send.
            while carrier.gate.waiting + ended.value < DeliverMail.lanes { await Task.yield() }
            #expect(noisy > 1 || carrier.gate.waiting == 2)
            try await queue(2, in: "other")
            #expect(try await messaging.deliverMail() == DeliverMail.Round(delivered: 2))
            #expect(carrier.delivered == ["other", "other"])
            carrier.gate.open()
            var delivered = 0
            for try await round in group { delivered += round.delivered }
            #expect(delivered == 9 * noisy)
        }
    }

    @Test(
        "sends a second mail of an application beside the first one, while that of another waits for its time",
        .timeLimit(.minutes(5)))
    func secondLane() async throws {
        let carrier = HeldCarrier()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), mail: .carrier(carrier))
        let sealing = MailSealing(key: try .ofTests(), randomness: world.randomness)
        let now = world.clock.now
        let busy = try await world.makeApplication(HeldCarrier.held)
        let other = try await world.makeApplication("other")
        for (application, dueAt) in [(busy, now), (busy, now), (other, now + .seconds(60))] {
            let message = RenderedMessage(kind: .emailChanged, recipient: "hana@example.com", languages: [])
            let mail = try sealing.queued(
                .rendered(message), of: .emailChanged, in: application.id, at: dueAt, life: .days(1))
            try await world.engine.write { transaction throws(DomainError) in try transaction.insert(mail) }
        }
        let (messaging, ended) = (world.modules.messaging, Tally())
        try await withThrowingTaskGroup(of: DeliverMail.Round.self) { group in
            group.addTask { try await messaging.deliverMail() }
            while carrier.gate.waiting == 0 { await Task.yield() }
            group.addTask {
                let round = try await messaging.deliverMail()
                ended.next()
                return round
            }
            while carrier.gate.waiting + ended.value < 2 { await Task.yield() }
            #expect(carrier.gate.waiting == 2)
            carrier.gate.open()
            for try await round in group {
                #expect(round == DeliverMail.Round(delivered: 1, nextAt: now + .seconds(60)))
            }
        }
    }

    @Test(
        "has nothing to do, and no time to come again, while others send in all lanes", .timeLimit(.minutes(5)))
    func fullLanes() async throws {
        let carrier = HeldCarrier()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), mail: .carrier(carrier))
        let sealing = MailSealing(key: try .ofTests(), randomness: world.randomness)
        for number in 0...DeliverMail.lanes {
            let application = try await world.makeApplication("\(HeldCarrier.held)\(number)")
            let message = RenderedMessage(kind: .emailChanged, recipient: "hana@example.com", languages: [])
            let mail = try sealing.queued(
                .rendered(message), of: .emailChanged, in: application.id, at: world.clock.now, life: .days(1))
            try await world.engine.write { transaction throws(DomainError) in try transaction.insert(mail) }
        }
        let messaging = world.modules.messaging
        try await withThrowingTaskGroup(of: DeliverMail.Round.self) { group in
            for _ in 0..<DeliverMail.lanes { group.addTask { try await messaging.deliverMail() } }
            while carrier.gate.waiting < DeliverMail.lanes { await Task.yield() }
            #expect(try await messaging.deliverMail() == DeliverMail.Round())
            carrier.gate.open()
            var delivered = 0
            for try await round in group { delivered += round.delivered }
            #expect(delivered == DeliverMail.lanes + 1)
        }
    }

    @Test(
        "writes no code for a number to who has got another one since it was asked for", arguments: [true, false])
    func numberMeanwhile(hasAnother: Bool) async throws {
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let message = MessageRequest(
            kind: .phoneVerification, address: "+819012345678", of: user, by: nil, languages: [])
        let sealing = MailSealing(key: try .ofTests(), randomness: world.randomness)
        let mail = try sealing.queued(
            .request(message), of: .phoneVerification, in: application.id, at: world.clock.now, life: .days(1))
        var changed = user
        if hasAnother { changed.phone = "+819087654321" }
        let present = changed
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(mail)
            try transaction.updateIdentifiers(of: present)
        }
        // No text message goes out here: what is to be sent waits.
        let round = try await world.modules.messaging.deliverMail()
        #expect(round.postponed == (hasAnother ? 0 : 1))
        #expect(try await queued().count == (hasAnother ? 0 : 1))
    }

    @Test("gives a signal once mail is in the queue")
    func signal() async throws {
        var rings = world.modules.messaging.mailQueueSignal.listen().makeAsyncIterator()
        #expect(await rings.next() != nil, "there may have been mail before")
        try await queue()
        try await queue()
        #expect(await rings.next() != nil)
    }

    @Test("keeps mails in the outbox in development, newest first, sealed")
    func outbox() async throws {
        let world = try TestWorld(SQLiteStore(.memory, role: .server), mail: .outbox)
        let application = try await world.makeApplication("App")
        let sealing = MailSealing(key: try .ofTests(), randomness: world.randomness)
        for number in 0..<2 {
            let message = RenderedMessage(kind: .emailChanged, recipient: "hana\(number)@example.com", languages: [])
            let mail = try sealing.queued(
                .rendered(message), of: .emailChanged, in: application.id, at: world.clock.now, life: .days(1))
            try await world.engine.write { transaction throws(DomainError) in try transaction.insert(mail) }
            world.clock.advance(by: .seconds(1))
        }
        #expect(try await world.modules.messaging.deliverMail().delivered == 2)
        let mails = try await world.modules.messaging.readOutbox(of: application.id)
        #expect(mails.map(\.recipient) == ["hana1@example.com", "hana0@example.com"])
        let kept = try await world.engine.read { transaction throws(DomainError) in
            try transaction.outboxMail(in: application.id, limit: 9)
        }
        #expect(kept.allSatisfy { !String(decoding: $0.sealed, as: UTF8.self).contains("hana") })
        await #expect(throws: DomainError.applicationUnknown) {
            try await world.modules.messaging.readOutbox(of: Identifier(rawValue: "nobody"))
        }
    }
}

/// Holds the mails of some applications until its gate is open.
private final class HeldCarrier: MailCarrier {
    /// How the names of those applications begin.
    static let held = "busy"

    let gate = Gate()
    private let senders = Mutex<[String]>([])

    /// The applications whose mails were delivered, one after the other.
    var delivered: [String] { senders.withLock { $0 } }

    func deliver(_ message: MailMessage) async -> MailOutcome {
        if message.senderName.hasPrefix(Self.held) { await gate.pass() }
        senders.withLock { $0.append(message.senderName) }
        return .delivered
    }
}
