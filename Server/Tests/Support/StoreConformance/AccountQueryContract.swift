import Domain
import TestWorld
import enum OkaeriWire.JSONValue

extension Contract {
    static let accountQueryContracts = [
        Contract("counts failed log-ins of a subject until they are removed") { engine in
            let samples = Samples()
            let (one, two, application) = (samples.token(1), samples.token(2), samples.application)
            let found = try await engine.write { transaction throws(DomainError) in
                var found = [try transaction.failures(of: one, in: application)?.count]
                try transaction.write(LogInFailures(count: 1, lastAt: samples.now), of: one, in: application)
                try transaction.write(
                    LogInFailures(count: 2, lastAt: samples.now + .seconds(1)), of: one, in: application)
                try transaction.write(LogInFailures(count: 9, lastAt: samples.now), of: two, in: application)
                found.append(try transaction.failures(of: one, in: application)?.count)
                _ = try transaction.removeFailures(lastBefore: samples.now + .seconds(1), count: 9)
                found.append(try transaction.failures(of: one, in: application)?.count)
                found.append(try transaction.failures(of: two, in: application)?.count)
                try transaction.removeFailures(of: one, in: application)
                found.append(try transaction.failures(of: one, in: application)?.count)
                return found
            }
            try expectEqual(found, [nil, 2, 2, nil, nil])
        },
        Contract("keeps one transfer code of a user, and the transfers that codes made") { engine in
            let samples = Samples()
            let (user, application) = (samples.user(), samples.application)
            let codes = [1, 2].map { number in
                StoredTransferCode(
                    application: application, user: user.id, digest: samples.token(number), issuedAt: samples.now)
            }
            let transfer = samples.transfer(of: user, codeDigest: samples.token(2))
            let (found, removed) = try await engine.write { transaction throws(DomainError) in
                for code in codes { try transaction.replace(code) }
                var found = [
                    try transaction.transferCode(samples.token(1), in: application),
                    try transaction.transferCode(samples.token(2), in: application),
                ]
                let removed = [
                    try transaction.removeTransferCode(of: user.id, in: application),
                    try transaction.removeTransferCode(of: user.id, in: application),
                ]
                try transaction.replace(codes[0])
                _ = try transaction.removeTransferCodes(issuedBefore: samples.now + .milliseconds(1), count: 9)
                found.append(try transaction.transferCode(samples.token(1), in: application))
                return (found, removed)
            }
            try expectEqual(found, [nil, codes[1], nil])
            try expectEqual(removed, [true, false])
            let transfers = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(transfer)
                var found = [try transaction.transfer(codeDigest: samples.token(2), in: application)]
                _ = try transaction.removeTransfers(redeemedBefore: samples.now, count: 9)
                found.append(try transaction.transfer(codeDigest: samples.token(2), in: application))
                _ = try transaction.removeTransfers(redeemedBefore: samples.now + .milliseconds(1), count: 9)
                found.append(try transaction.transfer(codeDigest: samples.token(2), in: application))
                return found
            }
            try expectEqual(transfers, [transfer, transfer, nil])
        },
        Contract("ends the sessions of one device key, and removes its identity once") { engine in
            let samples = Samples()
            let (user, application) = (samples.user(), samples.application)
            let identity = Identity(provider: .device, subject: "one", linkedAt: samples.now)
            let (ended, owner, others, removed) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(identity, for: user.id, in: application)
                let session = samples.session(of: user, deviceKey: "one")
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                try transaction.insert(
                    samples.session(of: user, deviceKey: "two"), token: samples.token(2), attempt: nil)
                let owner = try transaction.owner(of: session.id, in: application, openedBy: nil)
                let other = Session.ProtocolName(rawValue: "parse")
                let others = [
                    try transaction.owner(of: session.id, in: application, openedBy: .native),
                    try transaction.owner(of: session.id, in: application, openedBy: other),
                    try transaction.owner(of: session.id, in: samples.otherApplication, openedBy: nil),
                ]
                let ended = try transaction.endSessions(of: user.id, in: application, deviceKeys: ["one"])
                let removed = [
                    try transaction.remove(.device, subject: "one", of: user.id, in: application),
                    try transaction.remove(.device, subject: "one", of: user.id, in: application),
                ]
                return (ended, owner, others, removed)
            }
            try expectEqual(ended, 1)
            try expectEqual(owner, user.id)
            try expectEqual(others, [user.id, nil, nil])
            try expectEqual(removed, [true, false])
        },
        Contract("lists merges and their tickets, and removes what expired") { engine in
            let samples = Samples()
            let (user, left, application) = (samples.user(after: 0), samples.user(after: 1), samples.application)
            let ticket = MergeTicket(
                application: application, digest: samples.token(1), user: user.id, other: left.id,
                expiresAt: samples.now + .seconds(5), shownBy: .password)
            let merges = [0, 1].map { samples.merge(of: user, left: left, after: $0) }
            let (found, tickets, all, rest) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(ticket)
                for merge in merges { try transaction.insert(merge) }
                return (
                    try transaction.merge(merges[0].id, of: user.id, in: application),
                    try transaction.mergeTickets(in: application, limit: 9),
                    try transaction.merges(in: application, before: nil, limit: 9),
                    try transaction.merges(in: application, before: merges[1].id, limit: 9)
                )
            }
            try expectEqual(found, merges[0])
            try expectEqual(tickets, [ticket])
            try expectEqual(all, merges.reversed())
            try expectEqual(rest, [merges[0]])
            let rowsLeft = try await engine.write { transaction throws(DomainError) in
                _ = try transaction.removeMergeTickets(endedBefore: samples.now + .seconds(6), count: 9)
                _ = try transaction.removeMerges(mergedBefore: samples.now + .milliseconds(1), count: 9)
                return try transaction.mergeTickets(in: application, limit: 9).count
                    + transaction.merges(in: application, before: nil, limit: 9).count
            }
            try expectEqual(rowsLeft, 0)
        },
        Contract("finds users to erase and idle users, and erases everything about one") { engine in
            let samples = Samples()
            let application = samples.application
            let (leaving, idle) = (samples.user("leaving", after: 0), samples.user("idle", after: 1))
            var requested = leaving
            requested.deletionRequestedAt = samples.now + .seconds(1)
            let standing = requested
            let (later, due, early, idlers, left) = try await engine.write { transaction throws(DomainError) in
                for user in [leaving, idle] { try transaction.insert(user) }
                try transaction.updateStanding(of: standing)
                let later = try transaction.usersLeaving(in: application, requestedAfter: samples.now, count: 9)
                let latest = try transaction.usersLeaving(
                    in: application, requestedAfter: samples.now + .seconds(1), count: 9)
                let early = try transaction.usersToErase(in: application, requestedBefore: samples.now, count: 9)
                let due = try transaction.usersToErase(
                    in: application, requestedBefore: samples.now + .seconds(1), count: 9)
                let idlers = try transaction.idleUsers(
                    in: application, loggedInBefore: samples.now + .seconds(1), after: leaving.id, count: 9)
                try transaction.erase(leaving.id, in: application)
                let left = try transaction.users(in: application, after: nil, limit: 9)
                return (later + latest, due, early, idlers, left)
            }
            try expectEqual(later, [leaving.id])
            try expectEqual(due, [leaving.id])
            try expectEqual(early, [])
            try expectEqual(idlers, [idle.id])
            try expectEqual(left, [idle])
        },
        Contract("keeps when a user was taken in, and finds nobody idle before the time since then") { engine in
            let samples = Samples()
            let application = samples.application
            let (own, moved) = (samples.user("own", after: 0), samples.user("moved", after: 1))
            let (times, found) = try await engine.write { transaction throws(DomainError) in
                for user in [own, moved] { try transaction.insert(user) }
                try transaction.noteImport(of: moved.id, in: application, at: samples.now + .seconds(5))
                // Another application's user of the same id is another user.
                try transaction.noteImport(of: own.id, in: samples.otherApplication, at: samples.now)
                var (times, found): ([Timestamp?], [[Identifier<User>]]) = ([], [])
                for user in [own, moved] { times.append(try transaction.importTime(of: user.id, in: application)) }
                for limit in [samples.now + .seconds(5), samples.now + .milliseconds(5001)] {
                    found.append(
                        try transaction.idleUsers(in: application, loggedInBefore: limit, after: nil, count: 9))
                }
                return (times, found)
            }
            try expectEqual(times, [nil, samples.now + .seconds(5)])
            try expectEqual(found, [[own.id], [own.id, moved.id]])
        },
        Contract("lists users by standing, newest first") { engine in
            let samples = Samples()
            let application = samples.application
            let users = (0..<4).map { samples.user("user \($0)", after: Int64($0)) }
            var disabled = users[1]
            disabled.disabledAt = samples.now
            let standing = disabled
            let found = try await engine.write { transaction throws(DomainError) in
                for user in users { try transaction.insert(user) }
                try transaction.updateStanding(of: standing)
                var found: [[Identifier<User>]] = []
                for leader in [UserLeader.all, .disabled, .leaving, .anonymous, .search("USER 3", isWhole: false)] {
                    found.append(try transaction.cursors(leader, in: application, from: nil, limit: 9).map(\.id))
                }
                return found
            }
            let all = users.map(\.id)
            try expectEqual(found, [all.reversed(), [all[1]], [], all.reversed(), [all[3]]])
        },
        Contract("lists the sessions of an application with everything that was written of them") { engine in
            let samples = Samples()
            let (user, application) = (samples.user(), samples.application)
            var written = samples.session(of: user, deviceKey: "key")
            written.device.installation = "installation"
            let session = written
            let listed = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                return [
                    try transaction.sessions(in: application, protocolName: nil, from: nil, limit: 9),
                    try transaction.sessions(
                        in: application, protocolName: .init(rawValue: "other"), from: nil, limit: 9),
                ]
            }
            try expectEqual(listed, [[session], []])
        },
        Contract("knows the length of the mail queue, and the address of a mailed code") { engine in
            let samples = Samples()
            let (user, application) = (samples.user(), samples.application)
            let code = MailedCode(
                application: application, handle: samples.token(1), digest: samples.token(2), kind: .logInCode,
                user: user.id, address: "hana@example.com", replaces: nil, expiresAt: samples.now + .seconds(9))
            let (empty, full, address) = try await engine.write { transaction throws(DomainError) in
                let empty = try transaction.mailQueueLength()
                for (number, next) in [samples.now, nil].enumerated() {
                    try transaction.insert(
                        QueuedMail(
                            id: samples.randomness.newIdentifier(at: samples.now + .milliseconds(number)),
                            application: application, kind: .logInCode, sealed: [1], createdAt: samples.now,
                            expiresAt: samples.now + .days(1), nextTryAt: next))
                }
                try transaction.replaceCode(with: code)
                let address = try transaction.mailedAddress(of: .logInCode, user: user.id, in: application)
                return (empty, try transaction.mailQueueLength(), address)
            }
            try expect(empty.waiting == 0 && empty.givenUp == 0 && empty.oldest == nil, "mail in an empty queue")
            try expect(full.waiting == 1 && full.givenUp == 1 && full.oldest == samples.now, "\(full)")
            try expect(address?.address == code.address && address?.expiresAt == code.expiresAt, "no address")
        },
        Contract("knows what was used, by kind") { engine in
            let samples = Samples()
            let application = samples.application
            let proofs = UsedProof.Kind.allCases.map { UsedProof($0, samples.token(1), until: samples.now) }
            let found = try await engine.write { transaction throws(DomainError) in
                var found: [Bool] = []
                for proof in proofs {
                    found.append(try transaction.wasUsed(proof, in: application))
                    found.append(try transaction.markUsed(proof, in: application))
                    found.append(try transaction.wasUsed(proof, in: application))
                    found.append(try transaction.wasUsed(proof, in: samples.otherApplication))
                }
                return found
            }
            try expectEqual(found, proofs.flatMap { _ in [false, true, true, false] })
        },
        Contract("tells of any number of things together which were used, in their order") { engine in
            let samples = Samples()
            let application = samples.application
            for count in [0, 1, 2, 499, 500, 501, 1100] {
                let proofs = (0..<count).map {
                    UsedProof(.providerRetry, SecretDigest(of: "\(count) \($0)".utf8), until: samples.now)
                }
                let used = proofs.indices.filter { $0 % 3 == 0 || $0 == count - 1 }.map { proofs[$0] }
                let (before, after, elsewhere) = try await engine.write { transaction throws(DomainError) in
                    let before = try transaction.used(among: proofs, in: application)
                    for proof in used { _ = try transaction.markUsed(proof, in: application) }
                    return (
                        before, try transaction.used(among: proofs, in: application),
                        try transaction.used(among: proofs, in: samples.otherApplication)
                    )
                }
                try expect(before.isEmpty && elsewhere.isEmpty, "\(before.count), \(elsewhere.count) of \(count)")
                try expectEqual(after, used)
            }
        },
        Contract("removes what has ended so many rows at a time, the oldest first") { engine in
            let samples = Samples()
            let application = samples.application
            let users = (1...5).map { samples.user(after: $0) }
            let (counts, left) = try await engine.write { transaction throws(DomainError) in
                // The last one is not over.
                for (index, user) in users.enumerated().reversed() {
                    let (digest, time) = (SecretDigest(of: "\(index)".utf8), samples.now + .milliseconds(index))
                    try transaction.write(LogInFailures(count: 1, lastAt: time), of: digest, in: application)
                    try transaction.keep(
                        RemovedDeviceKey(
                            application: application, thumbprint: "\(index)", user: user.id,
                            reason: .init(rawValue: "disabled"), removedAt: time))
                    try transaction.replace(
                        StoredTransferCode(application: application, user: user.id, digest: digest, issuedAt: time))
                    try transaction.insert(samples.transfer(of: user, codeDigest: digest, at: time))
                    try transaction.insert(
                        MergeTicket(
                            application: application, digest: digest, user: user.id, other: users[0].id,
                            expiresAt: time))
                    try transaction.insert(samples.merge(of: user, left: user, after: index, at: time))
                    try transaction.replaceCode(
                        with: MailedCode(
                            application: application, handle: digest, digest: digest, kind: .logInCode, user: user.id,
                            address: "hana@example.jp", replaces: nil, expiresAt: time))
                    try transaction.insert(
                        OutboxMail(
                            id: Identifier(rawValue: "\(index)"), application: application, sealed: [1],
                            createdAt: time))
                }
                let limit = samples.now + .milliseconds(4)
                var (counts, left): ([[Int]], [Bool]) = ([], [])
                for _ in 0..<3 {
                    counts.append([
                        try transaction.removeFailures(lastBefore: limit, count: 3),
                        try transaction.forgetRemovedDeviceKeys(before: limit, count: 3),
                        try transaction.removeTransferCodes(issuedBefore: limit, count: 3),
                        try transaction.removeTransfers(redeemedBefore: limit, count: 3),
                        try transaction.removeMergeTickets(endedBefore: limit, count: 3),
                        try transaction.removeMerges(mergedBefore: limit, count: 3),
                        try transaction.removeCodes(endedBefore: limit, count: 3),
                        try transaction.removeOutboxMail(before: limit, count: 3),
                    ])
                    let fourth = SecretDigest(of: "3".utf8)
                    left.append(try transaction.failures(of: fourth, in: application) != nil)
                    left.append(try transaction.transferCode(fourth, in: application) != nil)
                    left.append(try transaction.code(fourth, in: application) != nil)
                }
                return (counts, left)
            }
            try expectEqual(counts, [3, 1, 0].map { [Int](repeating: $0, count: 8) })
            try expectEqual(left, [true, true, true, false, false, false, false, false, false])
        },
        Contract("finds mails to erase and to remove part by part, and leaves those that changed meanwhile") { engine in
            let samples = Samples()
            let (now, end) = (samples.now, samples.now + .seconds(600))
            var mails = (0..<5).map { _ in samples.mail() }
            for index in mails.indices { mails[index].nextTryAt = nil }
            let (given, waiting) = (mails, samples.mail(dueAfter: .seconds(1)))
            let parts = try await engine.write { transaction throws(DomainError) -> [[Int]] in
                for mail in given { try transaction.insert(mail) }
                try transaction.insert(waiting)
                var parts: [[Int]] = [[], [], []]
                var last: QueuedMail.Position?
                for _ in 0..<3 {
                    let part = try transaction.mailToErase(ofNoUseAt: end, after: last, count: 2)
                    try transaction.erase(part, ofNoUseAt: end)
                    parts[0].append(part.count)
                    last = part.last
                }
                last = nil
                // An operator lets one be sent again after it was found.
                for _ in 0..<3 {
                    let part = try transaction.oldMail(before: now + .milliseconds(1), after: last, count: 2)
                    if last == nil, let first = part.first,
                        let mail = try transaction.queuedMail(first.id, in: first.application)
                    {
                        try transaction.makeDue(mail, at: now)
                    }
                    try transaction.remove(part, before: now + .milliseconds(1))
                    parts[1].append(part.count)
                    last = part.last
                }
                let left = try transaction.queuedMail(in: samples.application, after: nil, limit: 9)
                parts[2] = [left.count, left.count { $0.sealed == nil }]
                return parts
            }
            try expectEqual(parts, [[2, 2, 1], [2, 2, 1], [2, 1]])
        },
    ]
}

extension Samples {
    func transfer(of user: User, codeDigest: SecretDigest, at time: Timestamp? = nil) -> Transfer {
        let device = DeviceDescription(
            name: "花のiPhone", model: "iPhone17,1", system: "iOS 19.1", appVersion: "2.4")
        var transfer = Transfer(
            id: randomness.newIdentifier(at: now), application: user.application, user: user.id,
            to: .init(key: "key", device: device, address: "2001:db8::7"), codeDigest: codeDigest,
            leftUser: randomness.newIdentifier(at: now), redeemedAt: time ?? now)
        transfer.acknowledgedAt = now + .seconds(1)
        transfer.undoneAt = now + .seconds(2)
        return transfer
    }

    func merge(of user: User, left: User, after offset: Int, at time: Timestamp? = nil) -> Merge {
        Merge(
            id: randomness.newIdentifier(at: now + .milliseconds(offset)), application: user.application,
            user: user.id, leftUser: left.id,
            moved: Merge.Moved(
                identities: [Identity(provider: .device, subject: "key", linkedAt: now)],
                before: Merge.Profile(displayName: "before", locale: "ja", fields: ["level": 1]),
                after: Merge.Profile(displayName: nil, locale: nil, fields: [:]),
                transfers: offset == 0 ? [] : [Identifier(rawValue: "transfer")]),
            mergedAt: time ?? now)
    }
}
