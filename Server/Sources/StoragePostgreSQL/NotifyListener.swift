import Domain
import Foundation
import Storage
import Synchronization
import Threads

/// A node's ear and mouth: one connection of its own that tells other nodes what this one changed, and hears what they
/// changed.
///
/// Changes are announced right after their commit, many at once, because `NOTIFY` within a transaction makes all such
/// transactions of a cluster commit one after the other. What a node could not tell before it died, others make good:
/// when a node falls silent without a goodbye, they forget everything they keep, again and again until a commit that
/// the node left behind must have ended. `NodeNews` has the rules.
final class NotifyListener: Sendable {
    /// What a node does not take that stands still, the server keeps for it, and when that is 8 GB, no transaction of any node can
    /// notify any more: who takes nothing for half a minute is no listener.
    private static let session = """
        SET statement_timeout = '3s'; SET synchronous_commit = off; SET tcp_user_timeout = '30s'; \
        LISTEN \(ChangeNotice.channel)
        """

    private let address: PostgreSQLAddress
    /// Who speaks.
    private let name: String
    private let lease: CacheLease
    private let signals: StoreSignals
    private let clock: any WallClock
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
    ///   - clock: The node's, which is compared with the database's.
    /// - Throws: `PostgreSQLOpenFault` when there is no connection to be had.
    init(_ address: PostgreSQLAddress, name: String, lease: CacheLease, signals: StoreSignals, clock: any WallClock)
        throws(PostgreSQLOpenFault)
    {
        self.address = address
        self.name = name
        self.lease = lease
        self.signals = signals
        self.clock = clock
        wakeUp = try WakeUp()
        // Used by the thread alone from here on.
        nonisolated(unsafe) let first = try PostgreSQLLink(address, session: Self.session)
        guard SystemThread.start("okaeri-changes", { [self] in run(first) }) else {
            throw PostgreSQLOpenFault("The system makes no thread now.")
        }
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
        var news = NodeNews(name: name)
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
                try serve(link, &news)
            } catch {
                news.disconnect()
                lease.set(by: news)
                if !isReported, !isClosed {
                    signals.report(fault: "No news of other nodes' changes; caches are not used. \(error.description)")
                }
                isReported = true
                next = nil
                wakeUp.wait(socket: nil, nanoseconds: NodeNews.Limits().interval)
            }
        }
        news.disconnect()
        lease.set(by: news)
        state.withLock { state in
            state.hasEnded = true
            state.whenEnded?.resume()
            state.whenEnded = nil
        }
    }

    /// Speaks and listens until the connection is gone or this node stops.
    private func serve(_ link: PostgreSQLLink, _ news: inout NodeNews) throws(PostgreSQLOpenFault) {
        news.connect(at: MonotonicTime.nanoseconds)
        var comparison = ClockComparison(from: MonotonicTime.nanoseconds)
        do throws(PostgreSQLFault) {
            while true {
                let (changes, isClosed) = state.withLock { state in (state.pending, state.isClosed) }
                let payloads = news.notices(telling: changes, isLast: isClosed, at: MonotonicTime.nanoseconds)
                    .flatMap { $0.payloads(from: name) }
                if !payloads.isEmpty {
                    for payload in payloads {
                        try link.send(text: "SELECT pg_notify($1, $2)", [ChangeNotice.channel, payload])
                    }
                    _ = try link.finish(payloads.count, within: .seconds(4))
                }
                if !changes.isEmpty { state.withLock { $0.pending.removeFirst(changes.count) } }
                if isClosed { return }
                // Before the news are taken: what comes along with the answer wakes nobody.
                if comparison.isDue(at: MonotonicTime.nanoseconds),
                    let finding = try ClockComparison.finding(link, clock)
                {
                    signals.report(fault: finding)
                }
                while let payload = link.nextNotification() {
                    let (sender, notice) = ChangeNotice.read(payload)
                    signals.announce(news.take(notice, from: sender, at: MonotonicTime.nanoseconds))
                }
                news.checkSilence(at: MonotonicTime.nanoseconds)
                lease.set(by: news)
                if state.withLock({ $0.pending.isEmpty && !$0.isClosed }) {
                    wakeUp.wait(socket: link.socket, nanoseconds: news.pause(at: MonotonicTime.nanoseconds))
                }
                try link.takeInput()
            }
        } catch {
            throw PostgreSQLOpenFault("The connection to \(address) broke: \(error.words).")
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
