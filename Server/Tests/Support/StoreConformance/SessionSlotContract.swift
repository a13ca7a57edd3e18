import Domain
import TestWorld

extension Contract {
    /// Which of a user's rows a session has, and how all of them are swept.
    static let sessionSlotContracts = [
        Contract("lets a device's session take the slot of its last one, whose token then leads nowhere") { engine in
            let samples = Samples()
            let user = samples.user()
            let sessions = (0..<3).map { samples.session(of: user, deviceKey: "key", after: .seconds($0)) }
            let tokens = (0..<3).map { SessionToken.Reference(samples.token(UInt8($0)), of: user.id) }
            let (slots, found, left) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                var slots: [[String]] = []
                for (session, token) in zip(sessions, tokens) {
                    try transaction.insert(
                        session, token: token, attempt: nil,
                        replacing: SessionReplacement(openedBefore: session.createdAt, maximum: 99))
                    slots.append(try samples.slots(in: transaction))
                }
                var found: [Session?] = []
                for token in tokens {
                    found.append(try transaction.session(token: token, in: user.application)?.session)
                }
                // The token says where to look: among another user's sessions, or by the index, it is not found.
                for wrong in [
                    SessionToken.Reference(tokens[2].digest), .init(tokens[2].digest, of: samples.user(after: 9).id),
                ] { found.append(try transaction.session(token: wrong, in: user.application)?.session) }
                return (slots, found, try transaction.sessions(of: user.id, in: user.application))
            }
            try expectEqual(slots, Array(repeating: [sessions[0].id.rawValue], count: 3))
            try expectEqual(found, [nil, nil, sessions[2], nil, nil])
            try expectEqual(left, [sessions[2]])
        },
        Contract("gives a session of another protocol a slot of its own, so that lists stay in their order") {
            engine in
            let samples = Samples()
            let user = samples.user()
            var (old, new) = (
                samples.session(of: user, deviceKey: "key"),
                samples.session(of: user, deviceKey: "key", after: .days(1))
            )
            for replacesNative in [false, true] {
                (old.protocolName, new.protocolName) = (replacesNative ? .native : .single, .single)
                let (first, second) = (old, new)
                let slots = try await engine.write { transaction throws(DomainError) in
                    try transaction.insert(first, token: samples.token(1), attempt: nil)
                    try transaction.insert(
                        second, token: samples.token(2), attempt: nil,
                        replacing: SessionReplacement(openedBefore: second.createdAt, maximum: 99))
                    let slots = try samples.slots(in: transaction)
                    _ = try transaction.endSession(second.id, of: user.id, in: user.application)
                    return slots
                }
                try expectEqual(slots, [second.id.rawValue])
            }
        },
        Contract("ends with a session or a device's key what came from them, and nothing else") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(after: 1))
            // One of a key and one without a key, and what came from each, on other keys too.
            let bound = samples.session(of: user, deviceKey: "key")
            let unbound = samples.session(of: user, after: .seconds(1))
            let origins = ["key", "key", unbound.id.rawValue, "other key", nil]
            let sessions = origins.enumerated().map { index, origin in
                var session = samples.session(
                    of: user, deviceKey: index == 1 ? "third key" : nil, after: .seconds(Int64(index) + 2))
                (session.method, session.origin) = (.pages, origin)
                return session
            }
            var foreign = samples.session(of: other, after: .seconds(9))
            foreign.origin = "key"
            // The key of the one that came from another key, by the way of log-in that ends.
            let keyed = samples.session(of: user, deviceKey: "other key", after: .seconds(8))
            let all = [bound, unbound] + sessions + [keyed, foreign]
            let (byKey, bySession, byNoKey, byMethod) = try await engine.write { transaction throws(DomainError) in
                func left(_ end: () throws(DomainError) -> Void) throws(DomainError) -> [Identifier<Session>] {
                    for (index, session) in all.enumerated() {
                        try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                    }
                    try end()
                    let left = try transaction.sessions(of: user.id, in: user.application)
                    _ = try transaction.endSessions(of: user.id, in: user.application, except: nil)
                    let others = try transaction.sessions(of: other.id, in: user.application)
                    _ = try transaction.endSessions(of: other.id, in: user.application, except: nil)
                    return left.map(\.id) + others.map(\.id)
                }
                return (
                    try left { () throws(DomainError) in
                        _ = try transaction.endSessions(of: user.id, in: user.application, deviceKeys: ["key"])
                    },
                    try left { () throws(DomainError) in
                        _ = try transaction.endSession(bound.id, of: user.id, in: user.application)
                    },
                    try left { () throws(DomainError) in
                        _ = try transaction.endSession(unbound.id, of: user.id, in: user.application)
                    },
                    try left { () throws(DomainError) in
                        _ = try transaction.endSessions(
                            of: user.id, openedBy: .automatic, in: user.application, except: bound.id)
                    }
                )
            }
            let ids = sessions.map(\.id)
            try expectEqual(byKey, [keyed.id, ids[4], ids[3], ids[2], unbound.id, foreign.id])
            try expectEqual(bySession, byKey)
            try expectEqual(byNoKey, [keyed.id, ids[4], ids[3], ids[1], ids[0], bound.id, foreign.id])
            try expectEqual(byMethod, [ids[4], ids[1], ids[0], bound.id, foreign.id])
        },
        Contract("ends the sessions in which something was shown since, with what came from them, and spares one") {
            engine in
            let samples = Samples()
            let user = samples.user()
            // Shown since, by another way, when it was opened, never, and since in the one that stays.
            let shown: [(methods: AuthenticationMethods, after: Duration?)] = [
                ([.passkey, .userVerification], .seconds(9)), (.password, .seconds(9)), (.passkey, .zero), ([], nil),
                (.passkey, .seconds(9)),
            ]
            var sessions = shown.enumerated().map { index, shown in
                var session = samples.session(of: user, after: .seconds(Int64(index)))
                session.methods = shown.methods
                session.authenticatedAt = shown.after.map { session.createdAt + $0 }
                return session
            }
            sessions[3].parent = sessions[0].id
            let all = sessions
            let (ended, left) = try await engine.write { transaction throws(DomainError) in
                for (index, session) in all.enumerated() {
                    try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                }
                return (
                    try transaction.endSessions(
                        of: user.id, showing: .passkey, in: user.application, except: all[4].id),
                    try transaction.sessions(of: user.id, in: user.application)
                )
            }
            try expectEqual(ended, 2)
            try expectEqual(left, [all[4], all[2], all[1]])
        },
        Contract("ends with a session what came from it, at whatever remove, and not all of its origin") { engine in
            let samples = Samples()
            let user = samples.user()
            // An app, a page of it, an app of that page, a page of that one, and another page of the first app.
            let parents: [Int?] = [nil, 0, 1, 2, 0]
            let keys: [String?] = ["key", nil, "other key", nil, nil]
            var made: [Session] = []
            for (index, parent) in parents.enumerated() {
                var session = samples.session(of: user, deviceKey: keys[index], after: .seconds(Int64(index)))
                if let parent {
                    (session.method, session.origin) = (.pages, "key")
                    session.parent = made[parent].id
                }
                made.append(session)
            }
            let sessions = made
            let left = try await engine.write { transaction throws(DomainError) in
                var left: [[Identifier<Session>]] = []
                for ended in sessions {
                    for (index, session) in sessions.enumerated() {
                        try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                    }
                    _ = try transaction.endSession(ended.id, of: user.id, in: user.application)
                    left.append(try transaction.sessions(of: user.id, in: user.application).map(\.id))
                    _ = try transaction.endSessions(of: user.id, in: user.application, except: nil)
                }
                return left
            }
            let ids = sessions.map(\.id)
            try expectEqual(
                left,
                [
                    [], [ids[4], ids[0]], [ids[4], ids[1], ids[0]], [ids[4], ids[2], ids[1], ids[0]],
                    [ids[3], ids[2], ids[1], ids[0]],
                ])
        },
        Contract("ends the same by a session, its key or its way of log-in: what came over a key that joined, too") {
            engine in
            let samples = Samples()
            let user = samples.user()
            // An app, its page, an app of that page whose key joined, a page of that one, what came from one that is gone; and
            // another device with its page.
            let keys: [String?] = ["key", nil, "joined key", nil, nil, "other key", nil]
            let origins: [String?] = [nil, "key", "key", "joined key", "joined key", nil, "other key"]
            let parents: [Int?] = [nil, 0, 1, 2, nil, nil, 5]
            var made: [Session] = []
            for (index, key) in keys.enumerated() {
                var session = samples.session(of: user, deviceKey: key, after: .seconds(Int64(index)))
                session.origin = origins[index]
                session.parent = parents[index].map { made[$0].id }
                if session.origin != nil { session.method = .pages }
                made.append(session)
            }
            let sessions = made
            let (left, counts) = try await engine.write { transaction throws(DomainError) in
                var (left, counts) = ([[Identifier<Session>]](), [Int]())
                for way in 0..<4 {
                    for (index, session) in sessions.enumerated() {
                        try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                    }
                    switch way {
                    case 0, 1:
                        let named: Set = way == 0 ? ["key"] : ["key", "joined key"]
                        counts.append(
                            try transaction.endSessions(of: user.id, in: user.application, deviceKeys: named))
                    case 2:
                        _ = try transaction.endSession(sessions[0].id, of: user.id, in: user.application)
                    default:
                        counts.append(
                            try transaction.endSessions(
                                of: user.id, openedBy: .automatic, in: user.application, except: sessions[5].id))
                    }
                    left.append(try transaction.sessions(of: user.id, in: user.application).map(\.id))
                    _ = try transaction.endSessions(of: user.id, in: user.application, except: nil)
                }
                return (left, counts)
            }
            try expectEqual(left, Array(repeating: [sessions[6].id, sessions[5].id], count: 4))
            try expectEqual(counts, [5, 5, 5])
        },
        Contract("lets what came from a session go on from another one, and end with that one") { engine in
            let samples = Samples()
            let user = samples.user()
            var made = (0..<5).map { samples.session(of: user, after: .seconds($0)) }
            let old = made[0].id
            for (index, origin, parent) in [(2, old.rawValue, 0), (3, old.rawValue, 2), (4, "key", 0)] {
                let from = made[parent].id
                made[index].origin = origin
                made[index].parent = from
            }
            let sessions = made
            let (moved, left) = try await engine.write { transaction throws(DomainError) in
                for (index, session) in sessions.enumerated() {
                    try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                }
                try transaction.reparentSessions(from: old, to: sessions[1].id, of: user.id, in: user.application)
                let moved = try transaction.sessions(of: user.id, in: user.application)
                var left: [Int] = []
                for ended in [old, sessions[1].id] {
                    _ = try transaction.endSession(ended, of: user.id, in: user.application)
                    left.append(try transaction.sessions(of: user.id, in: user.application).count)
                }
                return (moved, left)
            }
            let new = sessions[1].id
            try expectEqual(moved.map(\.parent), [new, sessions[2].id, new, nil, nil])
            try expectEqual(moved.map(\.origin), ["key", new.rawValue, new.rawValue, nil, nil])
            try expectEqual(left, [4, 0])
        },
        Contract("sweeps through all sessions in parts, and spares one that was used meanwhile") { engine in
            let samples = Samples()
            let user = samples.user()
            let sessions = (0..<7).map { samples.session(of: user, after: .seconds($0)) }
            let (parts, ends, left) = try await engine.write { transaction throws(DomainError) in
                for (index, session) in sessions.enumerated() {
                    try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                }
                let whenUsed = samples.now + .seconds(9)
                func sweep(
                    _ last: SessionExpiry.Position?, endedBy now: Timestamp, unusedSince instant: Timestamp
                ) throws(DomainError) -> SessionExpiry.Sweep {
                    try transaction.sweepSessions(
                        after: last, limit: 5, endedBy: now,
                        unusedSince: .init(of: .pages, since: samples.now + .days(9), ofOthers: instant))
                }
                let first = try sweep(nil, endedBy: samples.now, unusedSince: whenUsed)
                let second = try sweep(first.last, endedBy: samples.now, unusedSince: whenUsed)
                let used = try sweep(nil, endedBy: samples.now, unusedSince: samples.now + .seconds(2))
                let ended = try sweep(
                    nil, endedBy: sessions[1].expiresAt, unusedSince: samples.now - .seconds(1))
                let none = try sweep(nil, endedBy: samples.now, unusedSince: samples.now - .seconds(1))
                let brief = try transaction.sweepSessions(
                    after: nil, limit: 5, endedBy: samples.now,
                    unusedSince: .init(
                        of: .native, since: samples.now + .seconds(3), ofOthers: samples.now - .seconds(1)))
                try transaction.noteUse([
                    SessionTouch(
                        id: sessions[3].id, user: user.id, application: user.application,
                        at: samples.now + .seconds(99), address: nil, isFirstOfDay: false)
                ])
                try transaction.remove(first.found + second.found)
                let counts = [first, second, used, ended, none, brief].map(\.found.count)
                let ends = [first, second, none].map { $0.last == nil }
                return (counts, ends, try transaction.sessions(of: user.id, in: user.application))
            }
            // Of a part of five: all; then three that were used no later, and two that end no later; and four of a protocol whose
            // sessions may rest a shorter time than others.
            try expectEqual(parts, [5, 2, 3, 2, 0, 4])
            try expectEqual(ends, [false, true, false])
            try expectEqual(left.map(\.id), [sessions[3].id])
        },
    ]
}

extension Samples {
    /// Where all sessions stand.
    fileprivate func slots(in transaction: any Transaction) throws(DomainError) -> [String] {
        let later = now + .days(500)
        let unused = SessionExpiry.Disuse(of: .pages, since: later, ofOthers: later)
        return try transaction.sweepSessions(after: nil, limit: 9, endedBy: later, unusedSince: unused).found
            .map(\.slot)
    }
}
