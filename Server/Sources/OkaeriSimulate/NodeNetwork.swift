import Domain
import Storage
import TestWorld

/// Time as nodes measure it, what is due in it, and the database's way of telling all who listen in one order.
///
/// Unchecked: a simulation runs on one thread; so with the others here.
final class NodeNetwork: @unchecked Sendable {
    private struct Event {
        let time: UInt64
        let work: () -> Void
    }

    static let millisecond: UInt64 = 1_000_000

    /// Nanoseconds that only go forward.
    private(set) var now: UInt64 = 1_000_000_000
    /// By time, the next one last.
    private var events: [Event] = []
    private(set) var listeners: [NodeListener] = []
    var generator: SeededGenerator
    var hasFaults = true
    /// How many transactions did not reach the database, or their answers the node.
    var faultCount = 0
    private(set) var noticeCount = 0

    init(seed: UInt64) { generator = SeededGenerator(state: seed) }

    /// Lets time go by, and does what is due in it at its time. During a leap everything stands still, and is late.
    func advance(by span: Duration) {
        let (seconds, attoseconds) = span.components
        guard seconds >= 0, attoseconds >= 0 else { return }
        let end = now + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
        if seconds > 30 { now = end }
        while let next = events.last, next.time <= end {
            events.removeLast()
            now = max(now, next.time)
            next.work()
        }
        now = end
    }

    /// Lets time go by in the middle of a step: what is due comes late.
    func hold(for milliseconds: Int64) { now += UInt64(clamping: milliseconds) * Self.millisecond }

    func at(_ time: UInt64, _ work: @escaping () -> Void) {
        // Of two at one time, the first one that was asked for is the first.
        let index = events.partitioningIndex { $0.time <= time }
        events.insert(Event(time: max(time, now), work: work), at: index)
    }

    /// How long a message is on its way.
    func delay() -> UInt64 {
        var milliseconds = generator.number(below: 6)
        if hasFaults, generator.isOne(in: 20) { milliseconds = generator.number(below: 200) }
        if hasFaults, generator.isOne(in: 300) { milliseconds = generator.number(below: 2_000) }
        return UInt64(milliseconds) * Self.millisecond + UInt64(generator.number(below: 1_000_000))
    }

    /// All ways are open again.
    func heal() { for listener in listeners { (listener.cutUntil, listener.storeCutUntil) = (0, 0) } }

    func add(_ listener: NodeListener) { listeners.append(listener) }
    func remove(_ listener: NodeListener) { listeners.removeAll { $0 === listener } }

    /// The database tells everybody who listens now.
    func publish(_ notice: ChangeNotice, from sender: String) {
        noticeCount += 1
        for listener in listeners { listener.deliver(notice, from: sender) }
    }

    /// Something happens to the ways between a node and the database.
    func trouble(_ listener: NodeListener) {
        let long = UInt64(generator.number(below: generator.isOne(in: 4) ? 60_000 : 4_000)) * Self.millisecond
        switch generator.number(below: 6) {
        case 0: listener.cutUntil = now + long
        case 1: listener.storeCutUntil = now + long
        case 2: (listener.cutUntil, listener.storeCutUntil) = (now + long, now + long)
        case 3: listener.standsUntil = now + long / 4
        default: listener.breakConnection()
        }
    }
}

extension Array {
    /// The first index whose element is as asked; all behind it are too.
    fileprivate func partitioningIndex(where matches: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if matches(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// What a node sends and hears, as `NotifyListener` does: it sends what is new and waits for the database, then hears.
final class NodeListener: CacheValidity, @unchecked Sendable {
    private static let patience = 4_000 * NodeNetwork.millisecond
    private static let pause = 250 * NodeNetwork.millisecond

    let name: String
    private let network: NodeNetwork
    private var news: NodeNews
    /// What was committed and not announced yet.
    private var pending: [Change] = []
    /// How many of these the database was sent last.
    private var sentCount = 0
    private var inbox: [(sender: String, notice: ChangeNotice)] = []
    /// The number of the present connection; what belongs to an earlier one is lost.
    private var connection = 0
    private var isConnected = false
    /// Whether the database tells this connection.
    private var isListening = false
    private var isClosing = false
    private(set) var isClosed = false
    /// When what waits for the database's answer was sent.
    private var sentAt: UInt64?
    private var hasAnswer = false
    private var timer: UInt64?
    // Messages do not overtake each other.
    private var latestUp: UInt64 = 0
    private var latestDown: UInt64 = 0
    /// Until when nothing of the listener reaches the database, and nothing of that the listener.
    var cutUntil: UInt64 = 0
    /// The same of transactions.
    var storeCutUntil: UInt64 = 0
    /// Until when the listener's thread does not run.
    var standsUntil: UInt64 = 0
    /// Forgets what another node changed.
    var onChange: (Change) -> Void = { _ in }
    var whenClosed: () -> Void = {}

    init(_ name: String, on network: NodeNetwork) {
        self.name = name
        self.network = network
        news = NodeNews(name: name)
        network.add(self)
        connect()
    }

    var epoch: UInt64? { news.isTrusted(at: network.now) ? news.epoch : nil }
    var isHeard: Bool { epoch != nil }
    var reachesStore: Bool { network.now >= storeCutUntil }

    func tell(_ change: Change) {
        pending.append(change)
        wake(at: network.now)
    }

    /// Tells what is left, and says goodbye.
    func close(_ whenClosed: @escaping () -> Void) {
        (isClosing, self.whenClosed) = (true, whenClosed)
        guard isConnected else { return die() }
        wake(at: network.now)
    }

    /// Ends without a word.
    func die() {
        guard !isClosed else { return }
        (isClosed, isListening, isConnected) = (true, false, false)
        news.disconnect()
        network.remove(self)
        whenClosed()
    }

    func breakConnection() {
        guard isConnected else { return }
        connection += 1
        (isConnected, isListening, sentAt, hasAnswer, inbox) = (false, false, nil, false, [])
        news.disconnect()
        if isClosing { return die() }
        network.at(network.now + Self.pause) { [self] in connect() }
    }

    private func connect() {
        guard !isClosed, !isConnected else { return }
        guard network.now >= cutUntil else {
            return network.at(network.now + 3_000 * NodeNetwork.millisecond + Self.pause) { [self] in connect() }
        }
        let number = connection
        network.at(network.now + network.delay()) { [self] in
            guard connection == number, !isClosed, !isListening else { return }
            isListening = true
            down(number) { [self] in
                isConnected = true
                news.connect(at: network.now)
                wake(at: network.now)
            }
        }
    }

    /// The database tells.
    func deliver(_ notice: ChangeNotice, from sender: String) {
        guard isListening else { return }
        down(connection) { [self] in
            inbox.append((sender, notice))
            wake(at: network.now)
        }
    }

    private func down(_ number: Int, _ work: @escaping () -> Void) {
        latestDown = max(latestDown, max(network.now, cutUntil) + network.delay())
        network.at(latestDown) { [self] in
            if connection == number, !isClosed { work() }
        }
    }

    private func wake(at time: UInt64) {
        let time = max(time, standsUntil)
        guard timer.map({ time < $0 }) ?? true else { return }
        timer = time
        network.at(time) { [self] in
            guard timer == time else { return }
            timer = nil
            run()
        }
    }

    private func run() {
        guard isConnected else { return }
        guard network.now >= standsUntil else { return wake(at: standsUntil) }
        if let sent = sentAt {
            guard hasAnswer else {
                return network.now >= sent + Self.patience ? breakConnection() : wake(at: sent + Self.patience)
            }
            pending.removeFirst(sentCount)
            (sentAt, hasAnswer, sentCount) = (nil, false, 0)
            if isClosing, pending.isEmpty { return die() }
            listen()
        }
        let notices = news.notices(telling: pending, isLast: isClosing, at: network.now)
        guard notices.isEmpty else { return send(notices) }
        listen()
        wake(at: network.now + news.pause(at: network.now))
    }

    private func send(_ notices: [ChangeNotice]) {
        (sentCount, sentAt) = (pending.count, network.now)
        let number = connection
        latestUp = max(latestUp, max(network.now, cutUntil) + network.delay())
        network.at(latestUp) { [self] in
            // What was on its way when the connection broke may have arrived.
            guard connection == number || network.generator.isOne(in: 2) else { return }
            for notice in notices { network.publish(notice, from: name) }
            guard isListening, connection == number else { return }
            down(number) { [self] in
                hasAnswer = true
                wake(at: network.now)
            }
        }
        wake(at: network.now + Self.patience)
    }

    private func listen() {
        for (sender, notice) in inbox {
            for change in news.take(notice, from: sender, at: network.now) { onChange(change) }
        }
        inbox = []
        news.checkSilence(at: network.now)
    }
}
