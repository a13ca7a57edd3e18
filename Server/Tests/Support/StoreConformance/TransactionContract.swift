import Domain
import Storage
import Synchronization
import TestWorld

extension Contract {
    static let transactionContracts = [
        Contract("undoes all of a transaction that throws, and nothing of its neighbours") { engine in
            let samples = Samples()
            let users = (0..<40).map { samples.user("user \($0)", after: Int64($0)) }
            let refusals = await withTaskGroup(of: Bool.self) { group in
                for (index, user) in users.enumerated() {
                    group.addTask {
                        do {
                            try await engine.write { transaction throws(DomainError) in
                                try transaction.insert(user)
                                if index % 2 == 1 { throw DomainError.userUnknown }
                            }
                            return false
                        } catch { return error as? DomainError == .userUnknown }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(refusals, 20)
            let present = try await engine.read { transaction throws(DomainError) in
                try transaction.users(in: samples.application, after: nil, limit: 100)
            }
            try expectEqual(present, users.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
        },
        Contract("refuses a second statement where one was announced, and counts exactly with one") { engine in
            let samples = Samples()
            let key = RateLimitKey(application: samples.application, kind: "kind", subject: "somebody")
            do {
                try await engine.writeStatement { transaction throws(DomainError) in
                    _ = try transaction.userCount(in: samples.application)
                    try transaction.insert(samples.user())
                }
                throw ContractFault(description: "two statements were run")
            } catch let error as DomainError where error == .storageUnavailable {}
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await engine.writeStatement { transaction throws(DomainError) in
                            try transaction.count(key, window: .seconds(60), at: samples.now).count
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expectEqual(counts.sorted(), Array(1...50))
        },
        Contract("removes expired rows, in statements that need not run alone") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            _ = try await world.logIn(TestDevice(), to: application)
            world.clock.advance(by: .days(1000))
            try expectEqual(try await world.modules.sessions.purgeExpired(), 1)
        },
        Contract("announces a change once it is committed, and never one that was undone") { engine in
            let samples = Samples()
            let user = samples.user()
            let heard = Heard()
            engine.observeChanges { heard.note($0) }
            try await engine.write { transaction throws(DomainError) in try transaction.insert(user) }
            do {
                try await engine.write { transaction throws(DomainError) in
                    try transaction.updateProfile(of: user)
                    throw DomainError.userUnknown
                }
            } catch {}
            try expectEqual(heard.changes, [])
            let session = samples.session(of: user)
            try await engine.write { transaction throws(DomainError) in
                try transaction.updateProfile(of: user)
                try transaction.insert(session, token: samples.token(1), attempt: nil)
                _ = try transaction.endSession(session.id, of: user.id, in: user.application)
            }
            try expectEqual(
                heard.changes, [.user(user.application, user.id), .session(user.application, samples.token(1))])
        },
    ]
}

private final class Heard: Sendable {
    private let kept = Mutex<[Change]>([])
    func note(_ change: Change) { kept.withLock { $0.append(change) } }
    var changes: [Change] { kept.withLock { $0 } }
}
