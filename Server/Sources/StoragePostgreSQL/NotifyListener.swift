import Domain
import Foundation
import Storage
import Synchronization

/// A node's ear and mouth: one connection of its own that tells other nodes what this one changed, and hears what they
/// changed.
///
/// Changes are announced right after their commit, many at once, because `NOTIFY` within a transaction makes all such
/// transactions of a cluster commit one after the other. What a node could not tell before it died, others make good:
/// when a node falls silent without a goodbye, they forget everything they keep, again and again until a commit that
/// the node left behind must have ended.
final class NotifyListener: Sendable {
    private static let interval: UInt64 = 250_000_000
    /// A node that nothing was heard of for so long counts as silent.
    private static let silence: UInt64 = 1_000_000_000
    /// For so long a commit of a silent node may still come.
    private static let aftermath: UInt64 = 30_000_000_000
    private static let session = """
        SET statement_timeout = '3s'; SET synchronous_commit = off; LISTEN \(ChangeNotice.channel)
        """

    private let address: PostgreSQLAddress
    /// Who speaks.
    private let name: String
    private let lease: CacheLease
    private let signals: StoreSignals
    private let wakeUp: WakeUp
    private let state = Mutex(State())

    private struct State: Sendable {
        var pending: [Change] = []
        var isClosed = false
        var whenEnded: CheckedContinuation<Void, Never>?
        var hasEnded = false
    }

    /// - Parameters:
    ///   - address: Where the database is.
    ///   - name: A word that no other node has.
    ///   - lease: What is renewed while all is heard.
    ///   - signals: Whom to tell of changes and faults.
    /// - Throws: `PostgreSQLOpenFault` when there is no connection to be had.
    init(_ address: PostgreSQLAddress, name: String, lease: CacheLease, signals: StoreSignals)
        throws(PostgreSQLOpenFault)
    {
        self.address = address
        self.name = name
        self.lease = lease
        self.signals = signals
        wakeUp = try WakeUp()
        // Used by the thread alone from here on.
        nonisolated(unsafe) let first = try PostgreSQLLink(address, session: Self.session)
        let thread = Thread { [self] in run(first) }
        thread.name = "okaeri-changes"
        thread.start()
    }

    /// Whether what is handed to `tell` will be heard by others at once.
    var isHeard: Bool { lease.epoch != nil }

    /// Tells other nodes of changes that are committed.
    func tell(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        state.withLock { $0.pending += changes }
        wakeUp.ring()
    }

    /// Tells what is waiting, says goodbye, and ends the connection.
    func close() async {
        state.withLock { $0.isClosed = true }
        wakeUp.ring()
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.whenEnded = continuation }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run(_ first: PostgreSQLLink) {
        var next: PostgreSQLLink? = first
        var isReported = false
        while !isClosed {
            do throws(PostgreSQLOpenFault) {
                let link: PostgreSQLLink
                if let first = next {
                    link = first
                } else {
                    link = try PostgreSQLLink(address, session: Self.session)
                }
                next = nil
                if isReported { signals.report(fault: "News of other nodes' changes is heard again.") }
                isReported = false
                try serve(link)
            } catch {
                lease.lose()
                if !isReported, !isClosed {
                    signals.report(fault: "No news of other nodes' changes; caches are not used. \(error.description)")
                }
                isReported = true
                next = nil
                wakeUp.wait(socket: nil, nanoseconds: Self.interval)
            }
        }
        lease.lose()
        state.withLock { state in
            state.hasEnded = true
            state.whenEnded?.resume()
            state.whenEnded = nil
        }
    }

    /// Speaks and listens until the connection is gone or this node stops.
    private func serve(_ link: PostgreSQLLink) throws(PostgreSQLOpenFault) {
        var hearing = Hearing(name: name, lease: lease, begunAt: MonotonicTime.nanoseconds + Self.interval)
        var heartbeatAt: UInt64 = 0
        do throws(PostgreSQLFault) {
            while true {
                let (changes, isClosed) = state.withLock { state in (state.pending, state.isClosed) }
                var payloads = ChangeNotice.payloads(changes, from: name)
                let now = MonotonicTime.nanoseconds
                if now >= heartbeatAt {
                    payloads.append(ChangeNotice.heartbeat(from: name, nanoseconds: now))
                    heartbeatAt = now + Self.interval
                }
                if isClosed { payloads.append(ChangeNotice.goodbye(from: name)) }
                if !payloads.isEmpty {
                    for payload in payloads {
                        try link.send(text: "SELECT pg_notify($1, $2)", [ChangeNotice.channel, payload])
                    }
                    _ = try link.finish(payloads.count, within: .seconds(4))
                    state.withLock { $0.pending.removeFirst(changes.count) }
                }
                if isClosed { return }
                while let payload = link.nextNotification() {
                    signals.announce(hearing.take(payload, at: MonotonicTime.nanoseconds))
                }
                hearing.checkSilence(at: MonotonicTime.nanoseconds, silence: Self.silence, aftermath: Self.aftermath)
                if state.withLock({ $0.pending.isEmpty && !$0.isClosed }) {
                    let left = heartbeatAt &- min(heartbeatAt, MonotonicTime.nanoseconds)
                    wakeUp.wait(socket: link.socket, nanoseconds: left)
                }
                try link.takeInput()
            }
        } catch {
            throw PostgreSQLOpenFault("The connection to \(address) broke: \(error.words).")
        }
    }
}

/// What a node makes of what it hears.
private struct Hearing {
    let name: String
    let lease: CacheLease
    /// Heartbeats sent before that do not count: until then every other node has been heard once.
    let begunAt: UInt64
    private var lastHeard: [String: UInt64] = [:]

    init(name: String, lease: CacheLease, begunAt: UInt64) {
        self.name = name
        self.lease = lease
        self.begunAt = begunAt
    }

    /// - Returns: what caches have to forget.
    mutating func take(_ payload: String, at now: UInt64) -> [Change] {
        let (sender, notice) = ChangeNotice.read(payload)
        if sender != name { lastHeard[sender] = now }
        switch notice {
        case .heartbeat(let sentAt):
            if sender == name, sentAt >= begunAt { lease.renew(sentAt: sentAt) }
            return []
        case .goodbye:
            lastHeard[sender] = nil
            return []
        case .changes(let changes):
            return sender == name ? [] : changes
        case .anything:
            if sender != name { lease.beginNewEpoch() }
            return []
        }
    }

    /// A node that fell silent may have left changes untold.
    mutating func checkSilence(at now: UInt64, silence: UInt64, aftermath: UInt64) {
        for (node, heard) in lastHeard where now &- heard > silence && now > heard {
            lease.beginNewEpoch()
            if now - heard > aftermath { lastHeard[node] = nil }
        }
    }
}

/// A signal that wakes a thread out of waiting for a socket.
private final class WakeUp: Sendable {
    private let reading: Int32
    private let writing: Int32

    init() throws(PostgreSQLOpenFault) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw PostgreSQLOpenFault("No pipe can be made: \(String(cString: strerror(errno))).")
        }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// A full pipe has rung already.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    func wait(socket: Int32?, nanoseconds: UInt64) {
        var descriptors = [pollfd(fd: reading, events: Int16(clamping: POLLIN), revents: 0)]
        if let socket { descriptors.append(pollfd(fd: socket, events: Int16(clamping: POLLIN), revents: 0)) }
        _ = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: max(1, nanoseconds / 1_000_000)))
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) > 0 {}
    }
}
