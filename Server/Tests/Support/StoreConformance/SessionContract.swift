import Domain
import TestWorld
import enum OkaeriWire.JSONValue

extension Contract {
    static let sessionContracts = [
        Contract("gives a session and its user back by token, within its application only") { engine in
            let samples = Samples()
            let user = samples.user("Hana")
            let session = samples.session(of: user, deviceKey: "key")
            let (found, foreign, unknown) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                return (
                    try transaction.session(token: samples.token(1), in: user.application),
                    try transaction.session(token: samples.token(1), in: samples.otherApplication),
                    try transaction.session(token: samples.token(2), in: user.application)
                )
            }
            try expectEqual(found?.session, session)
            try expectEqual(found?.user, user)
            try expect(foreign == nil && unknown == nil, "a foreign or unknown token found a session")
        },
        Contract("remembers the tokens that an import brought, within their application, also when nothing leads there")
        {
            engine in
            let samples = Samples()
            let found = try await engine.write { transaction throws(DomainError) in
                var found: [Bool] = []
                for _ in 0..<2 {
                    found.append(try transaction.wasImported(samples.token(1), in: samples.application))
                    try transaction.noteImported(samples.token(1), in: samples.application)
                }
                found.append(try transaction.wasImported(samples.token(1), in: samples.application))
                found.append(try transaction.wasImported(samples.token(1), in: samples.otherApplication))
                found.append(try transaction.wasImported(samples.token(2), in: samples.application))
                return found
            }
            try expectEqual(found, [false, true, true, false, false])
        },
        Contract("lists a user's sessions newest first, with the last noted use") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(after: 1))
            let older = samples.session(of: user)
            let newer = samples.session(of: user, after: .seconds(5))
            let use = SessionTouch(
                id: older.id, user: user.id, application: user.application, at: samples.now + .seconds(600),
                address: "192.0.2.1", isFirstOfDay: false)
            let listed = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(older, token: samples.token(1), attempt: nil)
                try transaction.insert(newer, token: samples.token(2), attempt: nil)
                try transaction.insert(samples.session(of: other), token: samples.token(3), attempt: nil)
                try transaction.noteUse([use])
                return try transaction.sessions(of: user.id, in: user.application)
            }
            var expected = older
            expected.lastUsedAt = use.at
            expected.address = "192.0.2.1"
            try expectEqual(listed, [newer, expected])
        },
        Contract("keeps the latest use of a session, in whatever order nodes write theirs") { engine in
            let samples = Samples()
            let user = samples.user()
            let session = samples.session(of: user)
            let listed = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                for (seconds, address) in [(900, "192.0.2.2"), (600, "192.0.2.1")] {
                    try transaction.noteUse([
                        SessionTouch(
                            id: session.id, user: user.id, application: user.application,
                            at: samples.now + .seconds(seconds), address: address, isFirstOfDay: false)
                    ])
                }
                return try transaction.sessions(of: user.id, in: user.application)
            }
            try expectEqual(listed.map(\.lastUsedAt), [samples.now + .seconds(900)])
            try expectEqual(listed.map(\.address), ["192.0.2.2"])
        },
        Contract("gives a user's sessions with their tokens, newest first, within the application") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(after: 1))
            let sessions = [samples.session(of: user, after: .seconds(5)), samples.session(of: user)]
            let (found, foreign) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(sessions[1], token: samples.token(1), attempt: nil)
                try transaction.insert(
                    sessions[0], token: SessionToken.Reference(samples.token(2), of: user.id), attempt: nil,
                    replacing: nil)
                try transaction.insert(samples.session(of: other), token: samples.token(3), attempt: nil)
                return (
                    try transaction.sessionsWithTokens(of: user.id, in: user.application),
                    try transaction.sessionsWithTokens(of: user.id, in: samples.otherApplication)
                )
            }
            let expected = zip(sessions, [2, 1]).map { ExportedSession(session: $0, token: samples.token($1)) }
            try expectEqual(found, expected)
            try expectEqual(foreign, [])
        },
        Contract("pages through the sessions that a protocol opened, in the order in which they were opened") {
            engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(in: samples.otherApplication))
            let old = Session.ProtocolName(rawValue: "old")
            let sessions = (0..<4).map { number in
                var session = samples.session(of: user, after: .seconds(number))
                session.protocolName = old
                return session
            }
            let found = try await engine.write { transaction throws(DomainError) in
                for (number, session) in zip(UInt8(1)..., sessions) {
                    try transaction.insert(session, token: samples.token(number), attempt: nil)
                }
                try transaction.insert(samples.session(of: other), token: samples.token(9), attempt: nil)
                var found: [(sessions: [Session], count: Int)] = []
                for (newestFirst, skip, limit) in [(false, 0, 10), (true, 1, 2), (false, 3, 5), (true, 4, 1)] {
                    found.append(
                        try transaction.sessions(
                            in: user.application, openedBy: old, newestFirst: newestFirst, skip: skip, limit: limit)
                    )
                }
                found.append(
                    try transaction.sessions(
                        in: user.application, openedBy: Session.ProtocolName(rawValue: "other"), newestFirst: true,
                        skip: 0, limit: 10))
                return found
            }
            try expectEqual(
                found.map(\.sessions), [sessions, [sessions[2], sessions[1]], [sessions[3]], [], []])
            try expectEqual(found.map(\.count), [4, 4, 4, 4, 0])
        },
        Contract("notes the day on which a user was there: at the first log-in and the first use of a day") { engine in
            let samples = Samples()
            let person = samples.user()
            let session = samples.session(of: person)
            let days = try await engine.write { transaction throws(DomainError) -> [Int64] in
                var (user, days) = (person, [Int64]())
                func look() throws(DomainError) {
                    days.append(try transaction.daySeen(of: user.id, in: user.application))
                }
                func use(after span: Duration, isFirstOfDay: Bool) throws(DomainError) {
                    try transaction.noteUse([
                        SessionTouch(
                            id: session.id, user: user.id, application: user.application, at: samples.now + span,
                            address: nil, isFirstOfDay: isFirstOfDay)
                    ])
                    try look()
                }
                try transaction.insert(user)
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                try look()
                // The day of a log-in comes later, with those of others.
                (user.previousLogInAt, user.lastLogInAt) = (user.lastLogInAt, samples.now + .days(2))
                try transaction.updateLogInTimes(of: user)
                try look()
                try transaction.noteDays([
                    UserPresence(of: user.id, in: user.application, at: samples.now + .days(2)),
                    UserPresence(of: .init(rawValue: "nobody"), in: user.application, at: samples.now + .days(2)),
                ])
                try look()
                try use(after: .days(3), isFirstOfDay: false)
                try use(after: .days(3), isFirstOfDay: true)
                // What comes late turns no day back.
                try use(after: .days(1), isFirstOfDay: true)
                try transaction.noteDays([UserPresence(of: user.id, in: user.application, at: samples.now + .days(1))])
                try look()
                return days
            }
            let first = samples.now.day
            // Who never logged in was never there.
            try expectEqual(days, [0, 0, first + 2, first + 2, first + 3, first + 3, first + 3])
        },
        Contract("keeps which installation a session belongs to, and ends a user's sessions of one installation") {
            engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(after: 1))
            var (phone, tablet) = (samples.session(of: user), samples.session(of: user, after: .seconds(1)))
            var stranger = samples.session(of: other)
            (phone.device.installation, tablet.device.installation) = ("phone", "tablet")
            stranger.device.installation = "phone"
            let sessions = [phone, tablet, stranger]
            let (left, strangers) = try await engine.write { transaction throws(DomainError) in
                for (index, session) in sessions.enumerated() {
                    try transaction.insert(session, token: samples.token(UInt8(index + 1)), attempt: nil)
                }
                try transaction.endSessions(of: user.id, installation: "phone", in: user.application)
                return (
                    try transaction.sessions(of: user.id, in: user.application),
                    try transaction.sessions(of: other.id, in: other.application)
                )
            }
            try expectEqual(left, [sessions[1]])
            try expectEqual(strangers, [sessions[2]])
        },
        Contract("keeps what an app stores in a session, and another end, of one session alone") { engine in
            let samples = Samples()
            let user = samples.user()
            let others = samples.session(of: user)
            var session = samples.session(of: user, after: .seconds(1))
            session.fields = ["theme": "dark"]
            var changed = session
            changed.fields = ["list": [1, "花", ["a": nil]]]
            changed.expiresAt = .latest
            changed.updatedAt = samples.now + .seconds(9)
            let (first, then) = (session, changed)
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(others, token: samples.token(1), attempt: nil)
                try transaction.insert(first, token: samples.token(2), attempt: nil)
                var found = [try transaction.sessions(of: user.id, in: user.application)]
                try transaction.updateObject(of: then)
                found.append(try transaction.sessions(of: user.id, in: user.application))
                return found
            }
            try expectEqual(found, [[first, others], [then, others]])
        },
        Contract("ends a session for its owner and for nobody else") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(after: 1))
            let session = samples.session(of: user)
            let answers = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                return [
                    try transaction.endSession(session.id, of: other.id, in: user.application),
                    try transaction.endSession(session.id, of: user.id, in: samples.otherApplication),
                    try transaction.session(token: samples.token(1), in: user.application) != nil,
                    try transaction.endSession(session.id, of: user.id, in: user.application),
                    try transaction.session(token: samples.token(1), in: user.application) != nil,
                    try transaction.endSession(session.id, of: user.id, in: user.application),
                ]
            }
            try expectEqual(answers, [false, false, true, true, false, false])
        },
        Contract("ends all other sessions, or all, and tells how many") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(after: 1))
            let sessions = (0..<4).map { samples.session(of: user, after: .seconds($0)) }
            let (ended, left, rest, others) = try await engine.write { transaction throws(DomainError) in
                for (index, session) in sessions.enumerated() {
                    try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                }
                try transaction.insert(samples.session(of: other), token: samples.token(9), attempt: nil)
                return (
                    try transaction.endSessions(of: user.id, in: user.application, except: sessions[1].id),
                    try transaction.sessions(of: user.id, in: user.application),
                    try transaction.endSessions(of: user.id, in: user.application, except: nil),
                    try transaction.sessions(of: other.id, in: user.application).count
                )
            }
            try expectEqual(ended, 3)
            try expectEqual(left, [sessions[1]])
            try expectEqual(rest, 1)
            try expectEqual(others, 1)
        },
        Contract("ends a device's earlier sessions and the oldest past the limit") { engine in
            let samples = Samples()
            let user = samples.user()
            let replaced = samples.session(of: user, deviceKey: "key")
            let otherDevice = samples.session(of: user, deviceKey: "other", after: .seconds(1))
            let parallel = samples.session(of: user, deviceKey: "key", after: .seconds(100))
            let next = samples.session(of: user, deviceKey: "key", after: .seconds(200))
            let keyless = samples.session(of: user, after: .seconds(300))
            let (byKey, byNumber, alone) = try await engine.write { transaction throws(DomainError) in
                for (index, session) in [replaced, otherDevice, parallel].enumerated() {
                    try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                }
                func open(_ session: Session, token: UInt8, before: Duration, maximum: Int) throws(DomainError)
                    -> [Session]
                {
                    try transaction.insert(
                        session, token: samples.token(token), attempt: nil,
                        replacing: SessionReplacement(openedBefore: samples.now + before, maximum: maximum))
                    return try transaction.sessions(of: user.id, in: user.application)
                }
                return (
                    try open(next, token: 3, before: .seconds(50), maximum: 100),
                    try open(keyless, token: 4, before: .zero, maximum: 1),
                    try open(samples.session(of: user, after: .seconds(400)), token: 5, before: .zero, maximum: 0).count
                )
            }
            try expectEqual(byKey, [next, parallel, otherDevice])
            try expectEqual(byNumber, [keyless, next])
            try expectEqual(alone, 1)
        },
        Contract("finds a session by its new token alone, whether or not either token names its user") { engine in
            let samples = Samples()
            let user = samples.user()
            let session = samples.session(of: user)
            let tokens = [
                SessionToken.Reference(samples.token(1)), .init(samples.token(2), of: user.id),
                .init(samples.token(3)), .init(samples.token(4), of: user.id), .init(samples.token(5), of: user.id),
            ]
            let found = try await engine.write { transaction throws(DomainError) -> [[Bool]] in
                try transaction.insert(user)
                try transaction.insert(session, token: tokens[0], attempt: nil, replacing: nil)
                var found: [[Bool]] = []
                for (index, token) in tokens.enumerated() {
                    if index == 3 { try transaction.updateAuthentication(of: session, token: token) }
                    if index != 3, index > 0 { try transaction.replaceToken(of: session, with: token) }
                    var answers: [Bool] = []
                    for token in tokens {
                        answers.append(try transaction.session(token: token, in: user.application) != nil)
                    }
                    found.append(answers)
                }
                return found
            }
            try expectEqual(found, (0..<5).map { step in (0..<5).map { $0 == step } })
        },
        Contract("finds the session of an attempt, and gives it a new token") { engine in
            let samples = Samples()
            let user = samples.user()
            let session = samples.session(of: user)
            let attempt = SessionAttempt(
                digest: samples.token(77), isNew: true, previousLogInAt: samples.now - .days(1))
            let (found, foreign, old, new) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(session, token: samples.token(1), attempt: attempt)
                try transaction.replaceToken(of: session, with: samples.token(2))
                return (
                    try transaction.session(attempt: attempt.digest, of: user.id, in: user.application),
                    try transaction.session(
                        attempt: attempt.digest, of: samples.user(after: 9).id, in: user.application),
                    try transaction.session(token: samples.token(1), in: user.application),
                    try transaction.session(token: samples.token(2), in: user.application)
                )
            }
            try expectEqual(found?.session, session)
            try expectEqual(found?.attempt, attempt)
            try expect(foreign == nil && old == nil && new?.session == session, "the token was not replaced")
        },
        Contract("finds a refreshed session by the former token of its last refresh alone, within its application") {
            engine in
            let samples = Samples()
            let user = samples.user()
            let session = samples.session(of: user, deviceKey: "key")
            let refreshes = (1...2).map { number in
                TokenRefresh(
                    former: samples.token(UInt8(number)), seed: [UInt8(number), 0, 255],
                    at: samples.now + .seconds(number), end: samples.now + .days(number))
            }
            let (found, foreign, token, replaced) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                var found: [TokenRefresh?] = []
                for (number, refresh) in refreshes.enumerated() {
                    try transaction.refreshToken(
                        of: session, with: SessionToken.Reference(samples.token(UInt8(number + 2))), after: refresh)
                    for former in (1...3).map({ samples.token(UInt8($0)) }) {
                        let result = try transaction.session(refreshedFrom: former, in: user.application)
                        guard result == nil || result?.session == session && result?.user == user else {
                            throw .storageUnavailable
                        }
                        found.append(result?.refresh)
                    }
                }
                let foreign = try transaction.session(
                    refreshedFrom: samples.token(2), in: samples.otherApplication)
                let token = try transaction.session(token: samples.token(3), in: user.application)
                // The session that takes its slot was not refreshed.
                let next = samples.session(of: user, deviceKey: "key", after: .seconds(9))
                try transaction.insert(
                    next, token: samples.token(9), attempt: nil,
                    replacing: SessionReplacement(openedBefore: next.createdAt, maximum: 99))
                let replaced = try transaction.session(refreshedFrom: samples.token(2), in: user.application)
                return (found, foreign, token?.session, replaced)
            }
            try expectEqual(found, [refreshes[0], nil, nil, nil, refreshes[1], nil])
            try expect(foreign == nil, "another application's session was found")
            try expectEqual(token, session)
            try expect(replaced == nil, "a session that was not refreshed has the refresh of the one before")
        },
    ]
}
