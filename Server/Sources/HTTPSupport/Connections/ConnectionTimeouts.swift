package import Domain
package import NIOCore
import Synchronization

/// Cuts connections that take too long. Each event loop looks at its connections about once a second: neither a request
/// nor a connection has a timer of its own, and no request reads the clock for it. Who has taken nothing of a long answer for longest
/// is cut before that when clients leave too much unread together: a short request can have an answer of a megabyte.
package final class ConnectionTimeouts: Sendable {
    /// How long what may last.
    package struct Limits: Sendable {
        /// For the head of a request, and for a connection without one.
        package var idle: TimeAmount
        /// For a client to take what was written for it: in each such span it must take `minimumBytes`, or everything.
        package var write: TimeAmount
        /// How many bytes of long answers the clients of one event loop may leave unread together.
        package var unreadBytes: Int
        /// Who keeps connections open for the next client's request.
        package var proxies: [IPNetwork]

        package init(
            idle: TimeAmount, write: TimeAmount, unreadBytes: Int = 64 * 1024 * 1024, proxies: [IPNetwork] = []
        ) {
            self.idle = idle
            self.write = write
            self.unreadBytes = unreadBytes
            self.proxies = proxies
        }

        /// What a client must take in the time for writing: 1000 bytes a second.
        package var minimumBytes: Int { max(1, Int(clamping: write.nanoseconds / 1_000_000)) }
        /// For a connection of a proxy between two requests. Longer than proxies keep theirs (nginx 60 seconds, load balancers up to
        /// 600), so that it is they who close it: a request can be on its way while the server does, and a proxy answers 502 then
        /// and must not repeat a `POST` (RFC 9112 §9.3.1).
        package static let keptByProxies = TimeAmount.seconds(620)
        /// For a client to hang up after the server has said that it will send no more (RFC 9112 §9.6).
        package static let lingering = TimeAmount.seconds(2)
        /// For a client that takes nothing, or does not send the rest of its request, while the server stops.
        package static let stopping = TimeAmount.seconds(5)

        /// What is left of them while the server stops: it waits for what it answers, not for its clients.
        var whileStopping: Self {
            Self(idle: min(idle, Self.stopping), write: min(write, Self.stopping), unreadBytes: unreadBytes)
        }

        /// Whether a client has sent nothing for too long.
        ///
        /// - Parameters:
        ///   - time: Since something was noted; that happened up to a period later.
        ///   - channel: The connection, when it is between two requests; else `nil`.
        /// - Returns: whether it is to be cut.
        func isIdle(for time: TimeAmount, between channel: (any Channel)?) -> Bool {
            guard time > idle + period else { return false }
            guard let address = channel?.remoteAddress.flatMap({ IPAddress($0) }),
                proxies.contains(where: { $0.contains(address) })
            else { return true }
            return time > max(idle, Self.keptByProxies) + period
        }

        /// How often connections are looked at.
        var period: TimeAmount { min(.seconds(1), .nanoseconds(min(idle, write).nanoseconds / 4)) }
    }

    /// Why a connection is cut.
    package enum Cause: String, CaseIterable, Sendable {
        /// No request came, or its head or body did not go on.
        case idle
        /// The client took too little of its answers.
        case slowReader = "slow_reader"
        /// The client did not hang up after the last answer.
        case lingering
    }

    let limits: Limits
    private let metrics: ConnectionMetrics
    private let sweeps = Mutex<[ObjectIdentifier: NIOLoopBound<ConnectionSweep>]>([:])

    package init(_ limits: Limits, metrics: ConnectionMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    /// Who looks at the connections of a loop. Called on that loop.
    func sweep(of loop: any EventLoop) -> ConnectionSweep {
        sweeps.withLock { sweeps in
            if let known = sweeps[ObjectIdentifier(loop)] { return known }
            let made = NIOLoopBound(ConnectionSweep(loop, limits, metrics), eventLoop: loop)
            sweeps[ObjectIdentifier(loop)] = made
            return made
        }.value
    }
}

/// The connections of one event loop, whose thread alone touches this.
final class ConnectionSweep {
    /// How many connections are looked at before others have their turn on the loop.
    private static let atOnce = 512
    /// How many connections are looked at once more before one is cut.
    private static let looks = 64

    /// The time when connections were last looked at, by which they note what happens to them.
    private(set) var now: NIODeadline
    private let loop: any EventLoop
    private let limits: ConnectionTimeouts.Limits
    private let metrics: ConnectionMetrics
    private var connections: [ObjectIdentifier: FastPathHandler] = [:]
    /// The connections with more unread than their buffers should hold: how much it is, and when that was noted.
    private var unread: [ObjectIdentifier: (bytes: Int, order: UInt64)] = [:]
    private var unreadBytes = 0
    private var notes: UInt64 = 0
    private var isScheduled = false

    init(_ loop: any EventLoop, _ limits: ConnectionTimeouts.Limits, _ metrics: ConnectionMetrics) {
        self.loop = loop
        self.limits = limits
        self.metrics = metrics
        now = loop.now
    }

    func add(_ connection: FastPathHandler) {
        connections[ObjectIdentifier(connection)] = connection
        metrics.opened.add()
        guard !isScheduled else { return }
        now = loop.now
        schedule()
    }

    func remove(_ connection: FastPathHandler) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        forget(ObjectIdentifier(connection))
        metrics.closed.add()
    }

    /// Notes how much a client has not taken yet, when its buffer begins or ends to be full.
    ///
    /// - Parameters:
    ///   - connection: Its connection.
    ///   - bytes: 0 for a buffer that is not full.
    func note(_ connection: FastPathHandler, unreadBytes bytes: Int) {
        let id = ObjectIdentifier(connection)
        forget(id)
        guard bytes > 0, connections[id] != nil else { return }
        hold(id, bytes)
        var looks = Self.looks
        while unreadBytes > limits.unreadBytes, let oldest = unread.min(by: { $0.value.order < $1.value.order }) {
            forget(oldest.key)
            let slowest = connections[oldest.key]
            let left = slowest?.pendingBytes ?? 0
            // Who has taken something since it was noted waits from now on; who takes nothing goes first.
            if looks > 0, left < oldest.value.bytes {
                looks -= 1
                if left > 0 { hold(oldest.key, left) }
                continue
            }
            metrics.cut(.slowReader)
            slowest?.drop()
        }
    }

    private func hold(_ id: ObjectIdentifier, _ bytes: Int) {
        notes &+= 1
        unread[id] = (bytes, notes)
        unreadBytes += bytes
    }

    private func forget(_ id: ObjectIdentifier) {
        unreadBytes -= unread.removeValue(forKey: id)?.bytes ?? 0
    }

    private func schedule() {
        isScheduled = true
        loop.assumeIsolated().scheduleTask(in: limits.period) {
            self.now = self.loop.now
            self.look(at: Array(self.connections.values)[...])
        }
    }

    private func look(at rest: ArraySlice<FastPathHandler>) {
        for connection in rest.prefix(Self.atOnce) {
            guard let cause = connection.cut(at: now, limits) else { continue }
            metrics.cut(cause)
        }
        let rest = rest.dropFirst(Self.atOnce)
        if !rest.isEmpty {
            loop.assumeIsolated().execute { self.look(at: rest) }
        } else if connections.isEmpty {
            isScheduled = false
        } else {
            schedule()
        }
    }
}

/// Whether a client takes what is written for it.
struct WriteProgress {
    private var since: NIODeadline?
    private var pending = 0
    private var taken = 0
    private var writes = 0

    /// - Parameters:
    ///   - now: The time.
    ///   - bytes: What waits for the client to take it.
    ///   - writes: How often something was written until now.
    ///   - limits: What is too slow.
    /// - Returns: whether the client took too little for too long.
    mutating func isStalled(
        at now: NIODeadline, pending bytes: Int, writes: Int, _ limits: ConnectionTimeouts.Limits
    ) -> Bool {
        guard bytes > 0 else {
            since = nil
            return false
        }
        guard let begin = since, writes == self.writes, taken + pending - bytes < limits.minimumBytes else {
            (since, pending, taken, self.writes) = (now, bytes, 0, writes)
            return false
        }
        taken += pending - bytes
        pending = bytes
        return now - begin >= limits.write
    }
}
