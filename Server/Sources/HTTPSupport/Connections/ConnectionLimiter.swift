package import NIOCore
package import Logging
package import Domain
import Synchronization

/// Counts open connections, in all and for each address, and refuses what is above the limits (requirement 48).
package final class ConnectionLimiter: Sendable {
    package struct Limits: Sendable {
        /// How many connections there can be.
        package var all: Int
        /// How many of them one IPv4 address or one /64 network of IPv6 can have.
        package var perAddress: Int
        /// Whose connections are many people's: proxies. They count among all, and not by address.
        package var exempt: [IPNetwork]
        /// How many one /48 network of IPv6 can have, whose owner has 65,536 networks of /64: half of all, so that nobody alone keeps out
        /// everybody.
        var perSite: Int { max(perAddress, all / 2) }

        package init(all: Int, perAddress: Int, exempt: [IPNetwork]) {
            self.all = all
            self.perAddress = perAddress
            self.exempt = exempt
        }
    }

    /// Why a connection is refused.
    package enum Refusal: String, CaseIterable, Sendable {
        case all
        case address
    }

    private struct Counts {
        var all = 0
        var byAddress: [IPAddress: Int] = [:]
        var bySite: [IPAddress: Int] = [:]
    }

    private let limits: Limits
    private let metrics: ConnectionMetrics
    private let notes: OccasionalLog
    private let counts = Mutex(Counts())

    package init(_ limits: Limits, metrics: ConnectionMetrics, logger: Logger) {
        self.limits = limits
        self.metrics = metrics
        notes = OccasionalLog(logger)
    }

    /// How many connections are open.
    package var open: Int { counts.withLock(\.all) }

    /// Counts a connection until it closes.
    ///
    /// - Parameter channel: The connection, just accepted.
    /// - Returns: whether it may stay; it is not counted otherwise.
    package func admits(_ channel: any Channel) -> Bool {
        let peer = channel.remoteAddress.flatMap { IPAddress($0) }
        let counted = peer.flatMap { isExempt($0) ? nil : $0 }
        if let refusal = take(counted) {
            metrics.refused(refusal)
            notes.warn(
                "connections are refused: \(refusal == .all ? "too many in all" : "too many from one address")",
                ["peer": .string(peer?.text ?? "local")])
            return false
        }
        channel.closeFuture.whenComplete { _ in self.release(counted) }
        return true
    }

    private func isExempt(_ address: IPAddress) -> Bool {
        limits.exempt.contains { $0.contains(address) }
    }

    /// Counts a connection by its address; one without counts among all alone.
    private func take(_ address: IPAddress?) -> Refusal? {
        counts.withLock { counts in
            guard counts.all < limits.all else { return .all }
            if let address {
                let (group, site) = (address.limitGroup, address.siteLimitGroup)
                let taken = counts.byAddress[group] ?? 0
                let takenOfSite = site.flatMap { counts.bySite[$0] } ?? 0
                guard taken < limits.perAddress, takenOfSite < limits.perSite else { return .address }
                counts.byAddress[group] = taken + 1
                if let site { counts.bySite[site] = takenOfSite + 1 }
            }
            counts.all += 1
            return nil
        }
    }

    private func release(_ address: IPAddress?) {
        counts.withLock { counts in
            counts.all -= 1
            guard let address else { return }
            counts.byAddress.countDown(address.limitGroup)
            if let site = address.siteLimitGroup { counts.bySite.countDown(site) }
        }
    }
}

extension [IPAddress: Int] {
    /// Counts down; what is at none has no entry.
    fileprivate mutating func countDown(_ address: IPAddress) {
        guard let count = self[address] else { return }
        self[address] = count > 1 ? count - 1 : nil
    }
}

/// Whether there is a line at a time: at most once a minute.
private struct Occasion {
    private static let interval = Duration.seconds(60)

    private var last: ContinuousClock.Instant?
    private var left = 0

    /// Whether there was a line within the last minute.
    func isRecent(at now: ContinuousClock.Instant) -> Bool {
        last.map { $0.duration(to: now) < Self.interval } ?? false
    }

    /// - Returns: how many lines were left out since the last one; `nil` when this one is left out too.
    mutating func take(at now: ContinuousClock.Instant) -> Int? {
        if let last, last.duration(to: now) < Self.interval {
            left += 1
            return nil
        }
        defer { (last, left) = (now, 0) }
        return left
    }
}

/// Writes a line at most once a minute, however often there is a reason: what strangers cause must not fill a disk.
package final class OccasionalLog: Sendable {
    private let logger: Logger
    private let state = Mutex(Occasion())

    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameters:
    ///   - message: The line.
    ///   - metadata: What goes with it; how many such lines were left out since the last one is added.
    ///   - now: When that is.
    package func warn(_ message: String, _ metadata: Logger.Metadata, at now: ContinuousClock.Instant = .now) {
        guard let left = state.withLock({ $0.take(at: now) }) else { return }
        var metadata = metadata
        if left > 0 { metadata["left_out"] = .stringConvertible(left) }
        logger.warning("\(message)", metadata: metadata)
    }
}

/// Tells of faults beside the program, such as a full disk, or somebody else's server that is away: of each one line a minute,
/// however many requests meet it.
package final class FaultLog: Sendable {
    /// Beyond so many different ones within a minute all others have one line together: tenants name servers as they like.
    private static let mostFaults = 256

    private let logger: Logger
    private let level: Logger.Level
    private let message: String
    /// By the bytes of the fault: a text of a stranger's would be sorted before it is hashed.
    private let occasions = Mutex<[[UInt8]: Occasion]>([:])

    /// - Parameters:
    ///   - logger: The log.
    ///   - level: Of the lines.
    ///   - message: The beginning of the lines.
    package init(_ logger: Logger, _ level: Logger.Level, _ message: String) {
        self.logger = logger
        self.level = level
        self.message = message
    }

    /// - Parameters:
    ///   - fault: What happened; how many such lines were left out since the last one is added.
    ///   - now: When that is.
    package func note(_ fault: String, at now: ContinuousClock.Instant = .now) {
        let left = occasions.withLock { occasions -> Int? in
            var key = Array(fault.utf8)
            if occasions[key] == nil, occasions.count >= Self.mostFaults {
                occasions = occasions.filter { $0.value.isRecent(at: now) }
                if occasions.count >= Self.mostFaults { key = [] }
            }
            return occasions[key, default: Occasion()].take(at: now)
        }
        guard let left else { return }
        var metadata: Logger.Metadata = ["fault": .string(fault)]
        if left > 0 { metadata["left_out"] = .stringConvertible(left) }
        logger.log(level: level, "\(message)", metadata: metadata)
    }
}

/// Which faults of requests have a line: of what does not work now one a minute for each code, however many requests meet it, and one
/// for all that have none.
package final class UnavailableLog: Sendable {
    private enum Subject: Hashable {
        case code(DomainError.Code)
        /// What an old protocol says in words of its own: an app's own Parse Server is away.
        case other
    }

    /// The status of what does not work now (RFC 9110 §15.6.4).
    private static let status = 503

    private let occasions = Mutex<[Subject: Occasion]>([:])

    package init() {}

    /// - Parameters:
    ///   - error: The fault.
    ///   - status: What was responded to it.
    ///   - now: When that is.
    /// - Returns: how many such lines were left out since the last one; `nil` when this one is left out too, and when what is
    ///   asked for was never set up, which is no fault.
    package func left(out error: any Error, status: Int, at now: ContinuousClock.Instant = .now) -> Int? {
        let subject: Subject
        if let error = error as? DomainError {
            guard error.kind == .unavailable else { return 0 }
            guard error.code != .mailUnavailable else { return nil }
            subject = .code(error.code)
        } else {
            guard status == Self.status else { return 0 }
            subject = .other
        }
        return occasions.withLock { $0[subject, default: Occasion()].take(at: now) }
    }
}
