import Domain
import Storage
import TestWorld

extension Samples {
    /// A mail in the queue.
    func mail(
        in application: Identifier<Application>? = nil, dueAfter span: Duration = .zero, life: Duration = .seconds(600)
    ) -> QueuedMail {
        QueuedMail(
            id: randomness.newIdentifier(at: now), application: application ?? self.application, kind: .logInCode,
            sealed: [1, 0, 255], createdAt: now, expiresAt: now + life, nextTryAt: now + span)
    }

    func code(_ number: UInt8, of user: String, _ kind: MailKind = .logInCode, life: Duration = .seconds(600))
        -> MailedCode
    {
        MailedCode(
            application: application, handle: token(number), digest: token(number &+ 100), kind: kind,
            user: Identifier(rawValue: user), address: "花@example.jp", replaces: nil, expiresAt: now + life)
    }
}

extension Transaction {
    /// Takes mails that are due as workers do, one after the other.
    fileprivate func claimMail(
        dueBy now: Timestamp, limit: Int, lease: Timestamp, claim name: String
    ) throws(DomainError) -> [QueuedMail] {
        var claimed: [QueuedMail] = []
        while claimed.count < limit, let mail = try nextMail(notOf: []), let due = mail.nextTryAt, due <= now {
            guard let taken = try claim(mail, until: lease, by: name) else { break }
            claimed.append(taken)
        }
        return claimed
    }

    fileprivate func nextMailAt() throws(DomainError) -> Timestamp? { try nextMail(notOf: [])?.nextTryAt }
}

extension Contract {
    static let mailContracts = [
        Contract("hands out mail that is due, the longest waiting first, and keeps it for the taker") { engine in
            let samples = Samples()
            let mails = [
                samples.mail(dueAfter: .seconds(2)), samples.mail(in: samples.otherApplication),
                samples.mail(dueAfter: .seconds(9)), samples.mail(dueAfter: .seconds(1)),
            ]
            let lease = samples.now + .seconds(100)
            let (first, second, third, next) = try await engine.write { transaction throws(DomainError) in
                for mail in mails { try transaction.insert(mail) }
                func claim(_ name: String, at now: Timestamp) throws(DomainError) -> [QueuedMail] {
                    try transaction.claimMail(dueBy: now, limit: 2, lease: lease, claim: name)
                }
                return (
                    try claim("a", at: samples.now + .seconds(2)), try claim("b", at: samples.now + .seconds(2)),
                    try claim("c", at: samples.now + .seconds(2)), try transaction.nextMailAt()
                )
            }
            try expectEqual(first.map(\.id), [mails[1].id, mails[3].id])
            try expectEqual(second.map(\.id), [mails[0].id])
            try expectEqual(third, [])
            try expectEqual(next, samples.now + .seconds(9))
            try expectEqual(first.map(\.attempts), [1, 1])
            try expectEqual(first.map(\.claim), ["a", "a"])
            try expectEqual(first.map(\.sealed), [[1, 0, 255], [1, 0, 255]])
            let again = try await engine.write { transaction throws(DomainError) in
                try transaction.claimMail(dueBy: lease, limit: 9, lease: lease + .seconds(1), claim: "d")
            }
            try expectEqual(again.map(\.attempts).sorted(), [1, 2, 2, 2])
        },
        Contract("passes over the mails of some applications, and gives a mail to one taker alone") { engine in
            let samples = Samples()
            let mails = [
                samples.mail(), samples.mail(in: samples.otherApplication, dueAfter: .seconds(1)),
                samples.mail(in: Identifier(rawValue: "third"), dueAfter: .seconds(2)),
            ]
            let lease = samples.now + .seconds(100)
            let (found, taken, again, later) = try await engine.write { transaction throws(DomainError) in
                for mail in mails { try transaction.insert(mail) }
                var found: [QueuedMail?] = []
                for number in 0...mails.count {
                    found.append(try transaction.nextMail(notOf: Set(mails.prefix(number).map(\.application))))
                }
                let taken = try transaction.claim(mails[0], until: lease, by: "a")
                let again = try transaction.claim(mails[0], until: lease, by: "b")
                return (found, taken, again, try transaction.nextMail(notOf: [])?.id)
            }
            try expectEqual(found.map { $0?.id }, mails.map { Optional($0.id) } + [nil])
            try expectEqual(taken?.claim, "a")
            try expectEqual(taken?.attempts, 1)
            try expectEqual(again, nil)
            try expectEqual(later, mails[1].id)
        },
        Contract("passes over a mail of a kind that only a newer program knows, which stays for that") { engine in
            let samples = Samples()
            let mails = [
                samples.mail(), samples.mail(in: samples.otherApplication), samples.mail(dueAfter: .seconds(1)),
                samples.mail(in: samples.otherApplication, dueAfter: .seconds(2)),
            ]
            let (found, listed, length, none) = try await engine.write { transaction throws(DomainError) in
                for mail in mails { try transaction.insert(mail) }
                guard let sql = transaction as? SQLTransaction else { throw .storageUnavailable }
                try sql.connection.run(
                    "UPDATE mail_queue SET kind = 'of-tomorrow' WHERE next_try_at = $1", [.time(samples.now)])
                let found = [
                    try transaction.nextMail(notOf: []), try transaction.nextMail(notOf: [samples.application]),
                ]
                let listed = try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                let length = try transaction.mailQueueLength().waiting
                try sql.connection.run("UPDATE mail_queue SET kind = 'of-tomorrow'")
                return (found, listed, length, try transaction.nextMail(notOf: []))
            }
            try expectEqual(found, [mails[2], mails[3]])
            try expectEqual(listed, [mails[2]])
            try expectEqual(length, 4)
            try expectEqual(none, nil)
        },
        Contract("lets a mail be due that would wait beyond an instant, or waits untried, and no other") { engine in
            let samples = Samples()
            let (now, lease) = (samples.now, samples.now + .seconds(60))
            let found = try await engine.write { transaction throws(DomainError) in
                func due(beyond limit: Timestamp, at now: Timestamp) throws(DomainError) -> Timestamp? {
                    let waits = try transaction.hasMailWaiting(beyond: limit, at: now)
                    let changed = try transaction.shortenMailWaits(beyond: limit, to: now, count: 1)
                    guard changed == (waits ? 1 : 0) else { throw .storageUnavailable }
                    let next = try transaction.nextMail(notOf: [])
                    return next?.nextTryAt
                }
                try transaction.insert(samples.mail())
                let untried = [
                    try due(beyond: lease, at: now), try due(beyond: lease, at: now - .milliseconds(1)),
                ]
                _ = try transaction.claimMail(dueBy: now, limit: 1, lease: lease, claim: "mine")
                let tried = [try due(beyond: lease, at: now), try due(beyond: lease - .milliseconds(1), at: now)]
                return untried + tried
            }
            try expectEqual(found, [now, now - .milliseconds(1), lease, now])
        },
        Contract("lets nobody but the taker finish, postpone or rewrite a mail") { engine in
            let samples = Samples()
            let mail = samples.mail()
            let left = try await engine.write { transaction throws(DomainError) -> [Bool] in
                try transaction.insert(mail)
                var taken = try transaction.claimMail(
                    dueBy: samples.now, limit: 1, lease: samples.now + .seconds(60), claim: "mine")[0]
                taken.sealed = [9]
                taken.nextTryAt = samples.now + .seconds(5)
                taken.lastFault = "理由"
                var unclaimed = mail
                unclaimed.nextTryAt = nil
                var theirs = taken
                theirs.claim = "theirs"
                var areForeignWritten: [Bool] = []
                for foreign in [theirs, unclaimed] {
                    try transaction.remove(foreign)
                    try transaction.postpone(foreign)
                    areForeignWritten.append(try transaction.replaceContent(of: foreign))
                }
                let kept = try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                let own = try transaction.replaceContent(of: taken)
                try transaction.postpone(taken)
                let written = try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                var postponed = taken
                postponed.claim = nil
                // It was given back.
                try transaction.remove(taken)
                let isKept = try transaction.queuedMail(mail.id, in: samples.application) == postponed
                let later = samples.now + .seconds(99)
                guard let again = try transaction.claim(postponed, until: later, by: "again") else { return [] }
                try transaction.remove(again)
                let gone = try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                return [
                    kept.map(\.nextTryAt) == [samples.now + .seconds(60)], kept.map(\.claim) == ["mine"],
                    areForeignWritten == [false, false], own, written == [postponed], isKept, gone.isEmpty,
                ]
            }
            try expectEqual(left, [Bool](repeating: true, count: 7))
        },
        Contract("tells the workers when a mail is to be tried again") { engine in
            let samples = Samples()
            let mail = samples.mail()
            try await engine.write { transaction throws(DomainError) in try transaction.insert(mail) }
            let changes = try await engine.write { transaction throws(DomainError) in
                guard var taken = try transaction.claim(mail, until: samples.now + .seconds(60), by: "mine"),
                    let sql = transaction as? SQLTransaction
                else { throw .storageUnavailable }
                taken.nextTryAt = samples.now + .seconds(5)
                try transaction.postpone(taken)
                return sql.changes
            }
            try expectEqual(changes, [.mailQueued])
        },
        Contract("keeps what a mail says that was given up while it is of use, and the rest for longer") { engine in
            let samples = Samples()
            let mail = samples.mail()
            let outbox = OutboxMail(
                id: mail.id, application: samples.application, sealed: [7], createdAt: samples.now)
            let (dead, claimed, next, kept, gone) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(mail)
                try transaction.insert(outbox)
                try transaction.insert(outbox)
                var taken = try transaction.claimMail(
                    dueBy: samples.now, limit: 1, lease: samples.now + .seconds(60), claim: "mine")[0]
                var written = taken
                written.sealed = [9]
                _ = try transaction.replaceContent(of: written)
                taken.nextTryAt = nil
                taken.lastFault = "550"
                try transaction.postpone(taken)
                let inUse = try transaction.mailToErase(
                    ofNoUseAt: mail.expiresAt - .milliseconds(1), after: nil, count: 9)
                // As one that is of use again meanwhile.
                let position = QueuedMail.Position(application: mail.application, id: mail.id)
                try transaction.erase([position], ofNoUseAt: mail.expiresAt - .milliseconds(1))
                var dead = try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                let ended = try transaction.mailToErase(ofNoUseAt: mail.expiresAt, after: nil, count: 9)
                try transaction.erase(ended, ofNoUseAt: mail.expiresAt)
                let erased = try transaction.mailToErase(ofNoUseAt: mail.expiresAt, after: nil, count: 9)
                dead += try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                let claimed = try transaction.claimMail(
                    dueBy: samples.now + .days(9), limit: 1, lease: samples.now, claim: "x")
                let next = try transaction.nextMailAt()
                let young = try transaction.oldMail(before: samples.now, after: nil, count: 9)
                try transaction.remove([position], before: samples.now)
                _ = try transaction.removeOutboxMail(before: samples.now, count: 9)
                let kept = try transaction.outboxMail(in: samples.application, limit: 9)
                let old = try transaction.oldMail(before: samples.now + .milliseconds(1), after: nil, count: 9)
                try transaction.remove(old, before: samples.now + .milliseconds(1))
                _ = try transaction.removeOutboxMail(before: samples.now + .milliseconds(1), count: 9)
                let found = [inUse, ended, erased, young, old].map(\.count)
                let queue = try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                let rest = try transaction.outboxMail(in: samples.application, limit: 9)
                return (dead, claimed, next, kept, queue.isEmpty && rest.isEmpty && found == [0, 1, 0, 0, 1])
            }
            try expectEqual(dead.map(\.sealed), [[9], nil])
            try expectEqual(dead.map(\.lastFault), ["550", "550"])
            try expectEqual(claimed, [])
            try expectEqual(next, nil)
            try expectEqual(kept, [outbox])
            try expect(gone, "old mail stayed")
        },
        Contract("lets mails be due at once that wait or were given up, and no other") { engine in
            let samples = Samples()
            let now = samples.now
            let (given, waiting, underWay, other) = (
                samples.mail(), samples.mail(dueAfter: .seconds(60)), samples.mail(),
                samples.mail(in: samples.otherApplication, dueAfter: .seconds(60))
            )
            var erased = samples.mail(dueAfter: .seconds(60))
            erased.sealed = nil
            let mails = [given, waiting, underWay, other, erased]
            let found = try await engine.write { transaction throws(DomainError) -> [Bool] in
                for mail in mails { try transaction.insert(mail) }
                guard var dead = try transaction.claim(given, until: now + .seconds(60), by: "dead"),
                    let taken = try transaction.claim(underWay, until: now + .seconds(60), by: "taken")
                else { return [] }
                dead.nextTryAt = nil
                try transaction.postpone(dead)
                func due() throws(DomainError) -> [Timestamp?] {
                    var times: [Timestamp?] = []
                    for mail in mails {
                        times.append(try transaction.queuedMail(mail.id, in: mail.application)?.nextTryAt)
                    }
                    return times
                }
                let late = now + .seconds(60)
                try transaction.makeDue(taken, at: now)
                let before = try due() == [nil, late, late, late, late]
                let one = try transaction.makeMailDue(in: samples.application, at: now, limit: 1)
                let oldest = given.id.rawValue < waiting.id.rawValue ? given : waiting
                let ofOldest = try transaction.queuedMail(oldest.id, in: oldest.application)?.nextTryAt
                let first = try due().count { $0 == now }
                let rest = try transaction.makeMailDue(in: samples.application, at: now, limit: 9)
                let all = try due() == [now, now, late, late, late]
                let none = try transaction.makeMailDue(in: samples.application, at: given.expiresAt, limit: 9)
                try transaction.makeDue(other, at: now + .seconds(1))
                let foreign = try due() == [now, now, late, now + .seconds(1), late]
                let again = try transaction.claim(
                    transaction.queuedMail(given.id, in: given.application) ?? given, until: late, by: "again")
                try transaction.drop(taken)
                let gone = try transaction.queuedMail(underWay.id, in: underWay.application) == nil
                return [
                    before, one == 1, ofOldest == now, first == 1, rest == 1, all, none == 0, foreign,
                    again?.attempts == 2, gone,
                ]
            }
            try expectEqual(found, [Bool](repeating: true, count: 10))
        },
        Contract("lists the mails of an application page by page") { engine in
            let samples = Samples()
            let mails = (0..<5).map { _ in samples.mail() }
            let pages = try await engine.write { transaction throws(DomainError) -> [[QueuedMail]] in
                for mail in mails { try transaction.insert(mail) }
                try transaction.insert(samples.mail(in: samples.otherApplication))
                var pages: [[QueuedMail]] = []
                for _ in 0..<4 {
                    pages.append(
                        try transaction.queuedMail(in: samples.application, after: pages.last?.last?.id, limit: 2))
                }
                return pages
            }
            let sorted = mails.sorted { $0.id.rawValue < $1.id.rawValue }
            try expectEqual(pages.dropLast().flatMap(\.self), sorted)
            try expectEqual(pages.map(\.count), [2, 2, 1, 0])
        },
        Contract("keeps one code of a kind for a user, until it is used or over") { engine in
            let samples = Samples()
            let answers = try await engine.write { transaction throws(DomainError) -> [Bool] in
                var first = samples.code(1, of: "hana")
                try transaction.replaceCode(with: first)
                try transaction.replaceCode(with: samples.code(2, of: "taro"))
                try transaction.replaceCode(with: samples.code(3, of: "hana", .passwordReset))
                let read = try transaction.code(first.handle, in: samples.application)
                first.usedBy = samples.token(9)
                try transaction.markUsed(first)
                let used = try transaction.code(first.handle, in: samples.application)
                let foreign = try transaction.code(first.handle, in: samples.otherApplication)
                try transaction.replaceCode(with: samples.code(4, of: "hana", life: .seconds(601)))
                let replaced = try transaction.code(first.handle, in: samples.application)
                _ = try transaction.removeCodes(endedBefore: samples.now + .seconds(601), count: 9)
                let left = [UInt8](2...4).map { samples.token($0) }
                var present: [Bool] = []
                for handle in left { present.append(try transaction.code(handle, in: samples.application) != nil) }
                try transaction.removeCode(of: .logInCode, user: Identifier(rawValue: "hana"), in: samples.application)
                let removed = try transaction.code(left[2], in: samples.application)
                return [
                    read == samples.code(1, of: "hana"), used == first, foreign == nil, replaced == nil,
                    present == [false, false, true], removed == nil,
                ]
            }
            try expectEqual(answers, [Bool](repeating: true, count: 6))
        },
    ]

    static let mailRaceContracts = [
        Contract("sends each of twenty mails once when ten nodes look for mail at once") { engine in
            let carrier = TestCarrier()
            let world = try TestWorld(engine, mail: .carrier(carrier))
            let application = try await world.makeApplication()
            let key = try SealingKey.ofTests()
            let sealing = MailSealing(key: key, randomness: world.randomness)
            let mails = try (0..<20).map { number in
                try sealing.queued(
                    .rendered(
                        RenderedMessage(kind: .emailChanged, recipient: "hana\(number)@example.com", languages: [])),
                    of: .emailChanged, in: application.id, at: world.clock.now, life: .days(1))
            }
            try await engine.write { transaction throws(DomainError) in
                for mail in mails { try transaction.insert(mail) }
            }
            _ = try await together(10) { _ in try await world.modules.messaging.deliverMail() }
            try expectEqual(Set(carrier.delivered.map(\.recipient)).count, 20)
            try expectEqual(carrier.tries, 20)
            try expectEqual(try await world.modules.messaging.listQueuedMail(in: application.id), [])
        },
        Contract("lets one of twenty log-ins at once with one code through") { engine in
            let carrier = TestCarrier()
            let world = try TestWorld(engine, mail: .carrier(carrier))
            let application = try await world.makeApplication()
            _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
            let ticket = try await world.modules.messaging.requestLogInCode(
                email: "hana@example.com", in: application, languages: [], from: TestWorld.address
            ).ticket
            _ = try await world.modules.messaging.deliverMail()
            let code = carrier.delivered.first?.code ?? ""
            let refusals = try await together(5) { _ -> DomainError? in
                do {
                    _ = try await world.modules.logIns.logInWithCode(
                        .init(
                            application: application, ticket: ticket.revealed, code: code,
                            client: LogInClient(.native, from: TestWorld.address, origin: .local)))
                    return nil
                } catch { return error as? DomainError }
            }
            try expectEqual(refusals.filter { $0 == nil }.count, 1)
            try expectEqual(refusals.filter { $0 == .codeRefused }.count, 4)
        },
    ]
}
