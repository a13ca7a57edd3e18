import Foundation
import Okaeri
import TestPostgreSQL

/// A primary struck under load, seen from outside.
struct Failover {
    typealias Instant = ContinuousClock.Instant

    let struckAt: Instant
    /// When the other server was first seen to take writes.
    let promotedAt: Instant
    /// The last time when it was seen not to.
    let unwritableUntil: Instant
    let signUps: [SignUpLoad.SignUp]
    /// What `/health/ready` answered, for each node; 0 for no answer.
    let readiness: [[Watch<Int>.Sample]]

    /// How many sign-ups each node must acknowledge before the blow, and after the promotion.
    private static let signUpsOfNode = 500

    /// After how long a server that was killed and takes writes again is no failover's; Patroni decides within seconds.
    private static let patience: Duration = .seconds(15)

    /// Puts load on the nodes, strikes the primary, and looks on until every node has served for a while again.
    static func watch(
        _ blow: PatroniCluster.Blow, _ cluster: PatroniCluster, _ servers: [TestServer], application: String
    ) async throws -> Failover {
        guard let primary = await cluster.primary() else { throw TestFault("there is no primary") }
        let load = SignUpLoad(on: servers, application: application)
        let readiness = servers.map { _ in Watch<Int>() }
        let promotion = Watch<Bool>()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                load.stop()
                promotion.stop()
                for watch in readiness { watch.stop() }
            }
            group.addTask { try await load.run(connections: 64) }
            for (watch, server) in zip(readiness, servers) {
                group.addTask {
                    // No answer is an answer here.
                    try await watch.run { (try? await server.send("GET", "/health/ready").status) ?? 0 }
                }
            }
            group.addTask { try await promotion.run { await cluster.primary(among: [1 - primary]) != nil } }
            _ = try await eventually("load on every node") { () -> Bool? in
                let isSeen = !promotion.samples.isEmpty && readiness.allSatisfy { $0.samples.last?.answer == 200 }
                return isSeen && Self.haveServed(servers.count, load, since: nil) ? true : nil
            }
            var (struckAt, looksFrom) = (Instant.now, Instant?.none)
            try cluster.strike(primary, blow)
            let promoted = try await eventually("the promotion of the standby") { () -> Watch<Bool>.Sample? in
                if let first = promotion.samples.first(where: \.answer) { return first }
                // Patroni starts a server that was killed where it was when the standby does not answer it just then: that
                // is no failover, and the next blow is to be one.
                if blow == .database, struckAt.duration(to: .now) > Self.patience,
                    readiness.allSatisfy({ $0.samples.last?.answer == 200 }),
                    await cluster.primary(among: [primary]) != nil
                {
                    looksFrom = readiness.compactMap { $0.samples.last?.begin }.min()
                    struckAt = .now
                    try cluster.strike(primary, blow)
                }
                return nil
            }
            _ = try await eventually("sign-ups on every node") { () -> Bool? in
                let isReady = readiness.allSatisfy { watch in
                    watch.samples.last.map { $0.begin > promoted.end && $0.answer == 200 } ?? false
                }
                return isReady && Self.haveServed(servers.count, load, since: promoted.end) ? true : nil
            }
            load.stop()
            promotion.stop()
            for watch in readiness { watch.stop() }
            try await group.waitForAll()
            return Failover(
                struckAt: struckAt, promotedAt: promoted.end,
                unwritableUntil: promotion.samples.last { !$0.answer }?.begin ?? struckAt, signUps: load.soFar,
                readiness: readiness.map { watch in
                    watch.samples.filter { sample in looksFrom.map { sample.begin >= $0 } ?? true }
                })
        }
    }

    /// Whether each of so many nodes acknowledged `signUpsOfNode` sign-ups that began after an instant.
    private static func haveServed(_ nodes: Int, _ load: SignUpLoad, since begin: Instant?) -> Bool {
        var counts = [Int](repeating: 0, count: nodes)
        for signUp in load.soFar where signUp.status == 201 && begin.map({ signUp.begin > $0 }) ?? true {
            counts[signUp.node] += 1
        }
        return counts.allSatisfy { $0 >= signUpsOfNode }
    }

    /// How long nobody took writes.
    var duration: Duration { struckAt.duration(to: promotedAt) }

    /// The users whom answers acknowledged.
    var acknowledged: [String] { signUps.compactMap(\.user) }

    /// How long after the promotion the last node acknowledged its first sign-up.
    var delay: Duration {
        let firsts = readiness.indices.map { node in
            signUps.filter { $0.node == node && $0.status == 201 && $0.end > promotedAt }.map(\.end).min()
        }
        return firsts.compactMap { $0.map { promotedAt.duration(to: $0) } }.max() ?? .seconds(3600)
    }

    /// The longest that a client waited for any answer.
    var longestAnswer: Duration { signUps.map { $0.begin.duration(to: $0.end) }.max() ?? .zero }

    /// What `/health/ready` said while no server took writes; the first second is for noticing.
    var readinessMeanwhile: [Int] {
        readiness.joined().filter { $0.begin > struckAt + .seconds(1) && $0.end < unwritableUntil }.map(\.answer)
    }

    /// What `/health/ready` said before the blow, and in the end.
    var readinessAround: [Int] {
        let before = readiness.joined().filter { $0.end < struckAt }.map(\.answer)
        return before + readiness.compactMap { $0.last?.answer }
    }

    /// The figures as a row of a table in `docs/operations/durability.md`.
    ///
    /// - Parameters:
    ///   - number: Which one it is.
    ///   - name: What happened to the primary.
    ///   - missing: How much of what was acknowledged is not there, of this failover and those before.
    /// - Returns: the row.
    func row(_ number: Int, _ name: String, missing: Int) -> String {
        func seconds(_ duration: Duration) -> String { String(format: "%.1f s", duration / .seconds(1)) }
        let refused = signUps.filter { $0.status == 503 }.count
        let logOuts = signUps.filter { if case .acknowledged = $0.logOut { true } else { false } }.count
        return "| \(number) | \(name) | \(seconds(duration)) | \(seconds(delay)) | \(acknowledged.count) | \(logOuts) "
            + "| \(refused) | \(seconds(longestAnswer)) | \(missing) |"
    }
}
