import Domain
import TestWorld

import enum OkaeriWire.JSONValue

extension Contract {
    static let proofContracts = [
        Contract("takes a proof once, until it is forgotten") { engine in
            let samples = Samples()
            let proof = samples.proof(1)
            let answers = try await engine.write { transaction throws(DomainError) in
                var answers = [
                    try transaction.markUsed(proof), try transaction.markUsed(proof),
                    try transaction.markUsed(samples.proof(2)),
                ]
                _ = try transaction.removeUsedProofs(endedBefore: proof.replayEnd, count: 10)
                answers.append(try transaction.markUsed(proof))
                _ = try transaction.removeUsedProofs(endedBefore: proof.replayEnd + .milliseconds(1), count: 10)
                answers.append(try transaction.markUsed(proof))
                return answers
            }
            try expectEqual(answers, [true, false, true, false, true])
        },
        Contract("forgets so many used things at a time, those that ended first") { engine in
            let samples = Samples()
            let proofs = (0..<5).map {
                UsedProof(.attempt, SecretDigest(of: "\($0)".utf8), until: samples.now + .milliseconds($0))
            }
            let (removed, left) = try await engine.write { transaction throws(DomainError) in
                for proof in proofs.reversed() { _ = try transaction.markUsed(proof, in: samples.application) }
                var (removed, left): ([Int], [Int]) = ([], [])
                for _ in 0..<3 {
                    removed.append(
                        try transaction.removeUsedProofs(endedBefore: samples.now + .milliseconds(4), count: 3))
                    left.append(try transaction.used(among: proofs, in: samples.application).count)
                }
                return (removed, left)
            }
            try expectEqual(removed, [3, 1, 0])
            try expectEqual(left, [2, 1, 1])
        },
    ]

    static let rateLimitContracts = [
        Contract("counts within a window and begins anew after it") { engine in
            let samples = Samples()
            let key = RateLimitKey(application: samples.application, kind: "kind", subject: "somebody")
            let other = RateLimitKey(application: samples.application, kind: "kind", subject: "somebody else")
            let window = Duration.seconds(60)
            let counts = try await engine.write { transaction throws(DomainError) in
                [
                    try transaction.count(key, window: window, at: samples.now).count,
                    try transaction.count(key, window: window, at: samples.now + .seconds(59)).count,
                    try transaction.count(other, window: window, at: samples.now + .seconds(59)).count,
                    try transaction.count(key, window: window, at: samples.now + .seconds(60)).count,
                ]
            }
            try expectEqual(counts, [1, 2, 1, 1])
            let last = try await engine.write { transaction throws(DomainError) -> [Int] in
                let within = try transaction.count(key, window: window, at: samples.now + .seconds(61))
                let limit = samples.now + .seconds(61)
                func counters(after key: RateLimitKey?) throws(DomainError) -> [RateLimitKey] {
                    try transaction.counters(startedBefore: limit, after: key, count: 1000)
                        .filter { $0.application == samples.application }
                }
                let all = try counters(after: nil)
                guard all.count == 2, try counters(after: all[0]) == [all[1]] else { return [] }
                try transaction.remove(all, startedBefore: limit)
                return [within.count, try transaction.count(key, window: window, at: samples.now + .seconds(61)).count]
            }
            try expectEqual(last, [2, 1])
        },
        Contract("counts in no window that begins later than it lasts: the clock was set back") { engine in
            let samples = Samples()
            let key = RateLimitKey(application: samples.application, kind: "kind", subject: "somebody")
            let window = Duration.seconds(60)
            let counts = try await engine.write { transaction throws(DomainError) -> [Int] in
                var counts: [Int] = []
                for seconds in [0, -60, -61, -61, -2] {
                    let now = samples.now + .seconds(seconds)
                    counts.append(try transaction.counted(key, window: window, at: now)?.count ?? 0)
                    counts.append(try transaction.count(key, window: window, at: now).count)
                }
                return counts
            }
            try expectEqual(counts, [0, 1, 1, 2, 0, 1, 1, 2, 2, 3])
        },
        Contract("takes a count back, and never below nothing") { engine in
            let samples = Samples()
            let key = RateLimitKey(application: samples.application, kind: "kind", subject: "somebody")
            let counts = try await engine.write { transaction throws(DomainError) in
                try transaction.uncount(key)
                var counts = [try transaction.counted(key, window: .seconds(60), at: samples.now)?.count]
                for _ in 0..<2 { _ = try transaction.count(key, window: .seconds(60), at: samples.now) }
                for _ in 0..<3 {
                    try transaction.uncount(key)
                    counts.append(try transaction.counted(key, window: .seconds(60), at: samples.now)?.count)
                }
                return counts
            }
            try expectEqual(counts, [nil, 1, 0, 0])
        },
    ]

    static let accessTokenContracts = [
        Contract("keeps signing keys, newest first, and lets old ones go") { engine in
            let samples = Samples()
            let keys = (0..<3).map { number in
                SealedSigningKey(
                    id: "key \(number)", sealed: [UInt8(number), 0, 255], createdAt: samples.now + .seconds(number))
            }
            let (all, left) = try await engine.write { transaction throws(DomainError) in
                for key in keys { try transaction.insert(key) }
                let all = try transaction.signingKeys()
                try transaction.removeSigningKeys(except: ["key 2", "key 1"])
                return (all, try transaction.signingKeys())
            }
            try expectEqual(all, keys.reversed())
            try expectEqual(left, [keys[2], keys[1]])
        },
        Contract("gives an application back as it was written, and all of them by age") { engine in
            let samples = Samples()
            let applications = (0..<2).map { number in
                var settings = ApplicationSettings(
                    proofRequired: number == 1, sessionIdleLifetime: .seconds(77), sessionLifetime: .days(3),
                    audiences: ["https://api.example.com"])
                settings.fieldRules = fieldRules(isClosed: number == 1)
                settings.userListViews = [UserListView(name: "空"), fullView(at: samples.now)]
                return Application(
                    id: samples.randomness.newIdentifier(at: samples.now + .milliseconds(number)),
                    name: "アプリ \(number)", adminKeyDigest: samples.token(UInt8(number)), settings: settings,
                    createdAt: samples.now)
            }
            let (one, none, all) = try await engine.write { transaction throws(DomainError) in
                for application in applications.reversed() { try transaction.insert(application) }
                return (
                    try transaction.application(applications[1].id),
                    try transaction.application(Identifier(rawValue: "nobody")), try transaction.applications()
                )
            }
            try expectEqual(one, applications[1])
            try expectEqual(none, nil)
            try expectEqual(all, applications)
        },
    ]
}

/// A rule of every kind, with everything that a rule can have.
private func fieldRules(isClosed: Bool) -> FieldRules {
    let rules = FieldKind.allCases.enumerated().map { index, kind in
        FieldRule(name: "\(kind.rawValue) 項目", kind: kind, isRequired: index.isMultiple(of: 2))
    }
    var whole = FieldRule(
        name: "coins", kind: .object, reader: .owner, writer: .server,
        standard: ["gold": 1, "list": [true, nil, "\u{1f}"], "rate": 0.5])
    whole.labels = ["ja": "コイン", "en": "Coins"]
    return FieldRules(rules + [whole, FieldRule(name: "flag", reader: .server, writer: .server)], isClosed: isClosed)
}

private func fullView(at now: Timestamp) -> UserListView {
    var view = UserListView(name: "all")
    view.kind = .weak
    view.provider = .apple
    view.protocolName = .single
    view.seenSince = now
    view.notSeenSince = now + .days(1)
    view.search = "x"
    view.columns = [.name, .id]
    view.fields = ["level"]
    return view
}
