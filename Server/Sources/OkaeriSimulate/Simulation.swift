import Domain
import Storage
import StorageSQLite
import Synchronization
import TestWorld

/// One run: a server on a simulated disk, its clients, and what is expected of them.
///
/// Unchecked: everything runs on the thread of `run`, step by step.
final class Simulation: @unchecked Sendable {
    struct Options {
        var seed: UInt64
        var operations: Int
        var devices: Int
        var isVerbose = false
        var hasFaults = true
        /// How many days the operations take; `nil` for as long as the weather makes them.
        var days: Int?
        /// How many servers share the database.
        var nodes = 1
    }

    static let database = "okaeri.sqlite"
    /// The most requests under way at a time.
    private static let concurrency = 6

    let options: Options
    let disk: SimulatedDisk
    let executor: StepExecutor
    let clock = StandingClock()
    let mailServer: SimulatedMailServer
    let history: History
    var generator: SeededGenerator
    var devices: [Device] = []
    var persons: [Identifier<User>: Person] = [:]
    /// Persons in the order in which they were seen first.
    var everyone: [Person] = []
    /// Sessions that have ended, to be tried again.
    var graveyard: [OpenSession] = []
    /// The latest of them, where other servers may not know yet.
    var justEnded: [OpenSession] = []
    /// Transfer codes that are used or replaced.
    var spentCodes: [String] = []
    /// Uses of sessions that the server may only have in memory, with when each was begun.
    var unwrittenUses: [(session: OpenSession, at: Timestamp)] = []
    /// Proofs that were taken lately.
    var usedProofs: [PresentedProof] = []
    /// Who may have a user name.
    var claims: [String: [Person?]] = [:]
    /// Who may have a user name and password from a sign-up, with a mail address.
    var members: [Member] = []
    var memberCount = 0
    /// What is brought from another service; the last one may not have ended.
    var imports: [ImportFile] = []
    var application: Application?
    var auditHead: VerifyAudit.Known?
    /// The servers; there is one, unless several share the database.
    var nodes: [SimulatedNode] = []
    /// The ways between several servers and the database; `nil` when there is one.
    let network: NodeNetwork?
    var nodeCount = 0
    /// How long an ended session was taken at another node.
    var longestNews: UInt64 = 0
    private(set) var boots = 0
    /// Requests that may have made a user, and that nobody saw answered.
    private(set) var unansweredCreations = 0
    /// How many commands ran beside the server.
    private(set) var commandCount = 0
    private var underWay = 0
    /// Called now and then with how many operations there were.
    var onProgress: (Int) -> Void = { _ in }
    /// When the first operation began.
    private let startedAt: Timestamp
    private var fullUntil = 0

    init(_ options: Options) throws {
        self.options = options
        startedAt = clock.now
        history = History(isVerbose: options.isVerbose)
        generator = SeededGenerator(state: options.seed)
        disk = SimulatedDisk(seed: generator.next())
        network = options.nodes > 1 ? NodeNetwork(seed: generator.next()) : nil
        let executor = StepExecutor(seed: generator.next())
        self.executor = executor
        mailServer = SimulatedMailServer(seed: generator.next()) { executor.add($0) }
        mailServer.hasFaults = options.hasFaults
        for index in 0..<options.devices { devices.append(try Device(index, &generator)) }
        for _ in 0..<max(4, options.devices / 8) { members.append(newMember()) }
    }

    var now: Timestamp { clock.now }
    var world: TestWorld? { nodes.first?.world }

    /// Prints what a model takes for granted, where every request is printed.
    func remark(_ what: @autoclosure () -> String) { if options.isVerbose { print("  \(what())") } }

    func violate(_ what: String) { history.violate(what, at: now) }

    /// Runs until so many operations are in the history, or something is found.
    func run() throws {
        guard SQLiteLibrary.isSetUp, SimulatedFileSystem.mount(disk) else {
            throw TestWorldFault(description: "SQLite does not take the simulated disk")
        }
        disk.onSlowSync = { [clock, network] in
            clock.advance(by: .milliseconds($0))
            network?.hold(for: $0)
        }
        try boot()
        finish { simulation in
            do {
                simulation.application = try await simulation.world?.makeApplication(
                    settings: Self.applicationSettings)
            } catch {
                simulation.violate("no application: \(error)")
            }
        }
        var (nextCheck, nextReport) = (0, 0)
        while history.operationCount < options.operations, history.violations.isEmpty {
            weather()
            if history.operationCount >= nextReport {
                nextReport = history.operationCount + 5_000
                onProgress(history.operationCount)
            }
            while underWay < Self.concurrency, history.operationCount + underWay < options.operations {
                if !begin() { break }
            }
            for _ in 0..<1 + generator.number(below: 30) where underWay > 0 { step() }
            if disk.isOff {
                try restart(losesUnsynced: generator.number(below: 4) > 0)
            } else if history.operationCount >= nextCheck {
                drain()
                if disk.isOff {
                    try restart(losesUnsynced: true)
                } else {
                    // Tables grow, and what looks through them takes longer: the fewer times, the longer the run was.
                    nextCheck = history.operationCount + max(2_000, history.operationCount / 4)
                    calm { await $0.check() }
                }
            }
        }
        drain()
        guard history.violations.isEmpty else { return }
        try restart(losesUnsynced: true)
        calm { await $0.check() }
    }

    // MARK: The world

    /// Time goes by, and things begin to fail.
    private func weather() {
        var span = Duration.milliseconds(generator.number(below: 1500))
        if generator.isOne(in: 12) { span = .seconds(generator.number(below: 60)) }
        if network != nil { span = spanOfNodes() }
        if generator.isOne(in: isLate ? 20 : 800), !isEarly { span = .seconds(generator.number(below: 172_800)) }
        // The server's clock is set back.
        if generator.isOne(in: 300) { span = .zero - .milliseconds(generator.number(below: 90_000)) }
        clock.advance(by: span)
        network?.advance(by: span)
        troubleNodes()
        guard options.hasFaults else { return }
        disk.faults.failingReads = 20_000
        disk.faults.failingWrites = 4_000
        disk.faults.failingSyncs = 1_500
        disk.faults.slowSyncs = 500
        if generator.isOne(in: 1500) { disk.turnOff() }
        if generator.isOne(in: 700), disk.callsUntilPowerLoss == nil {
            disk.callsUntilPowerLoss = generator.number(below: 60)
        }
        if generator.isOne(in: 1500) {
            disk.faults.capacity = disk.byteCount + generator.number(below: 200_000)
            fullUntil = history.operationCount + generator.number(below: 200)
        }
        if history.operationCount >= fullUntil { disk.faults.capacity = nil }
    }

    /// How far time is behind what the days of the whole run ask for; `nil` when nothing is asked.
    private var lag: Duration? {
        options.days.map { days in
            let share = Double(history.operationCount) / Double(max(1, options.operations))
            return startedAt + .seconds(Int64(Double(days) * 86_400 * share)) - now
        }
    }

    private var isLate: Bool { lag.map { $0 > .days(2) } ?? false }
    private var isEarly: Bool { lag.map { $0 < .zero } ?? false }

    /// Loses power, or the process, and starts the server again.
    private func restart(losesUnsynced: Bool) throws {
        disk.turnOff()
        drain()
        stopNodes()
        var losesUnsynced = losesUnsynced
        for attempt in 0..<10 {
            disk.turnOn(losesUnsynced: losesUnsynced)
            // The power may fail again while the server starts.
            if options.hasFaults, attempt < 3, generator.isOne(in: 4) {
                disk.callsUntilPowerLoss = generator.number(below: 80)
            }
            do {
                try boot()
                if !disk.isOff { return }
                stopNodes()
            } catch {
                guard disk.isOff else {
                    violate("the server does not start after a loss of power: \(error)")
                    return
                }
                if !nodes.isEmpty { stopNodes() }
            }
            losesUnsynced = true
        }
    }

    private func stopNodes() {
        let old = nodes
        nodes = []
        for node in old where node.shared != nil { node.die() }
        finish { _ in for node in old { await node.close() } }
    }

    private func boot() throws {
        boots += 1
        unwrittenUses = []
        for _ in 0..<options.nodes { nodes.append(try newNode()) }
    }

    /// Does what an operator wants: in the server, or in a command beside it, which is another process with caches of its own.
    func operate<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable (TestWorld) async throws -> Value
    ) async -> Outcome<Value> {
        guard let server = nodes.first, !disk.isOff, generator.isOne(in: 2) else { return await call(name, body) }
        let faults = disk.faultCount
        let store: SQLiteStore
        let command: TestWorld
        do {
            (store, command) = try newCommand(beside: server)
        } catch {
            if faults == disk.faultCount { violate("a command does not start: \(error)") }
            return .unknown
        }
        commandCount += 1
        let outcome = await call("\(name) by a command") { _ in try await body(command) }
        await store.close()
        // It keeps its modules, and they keep it.
        store.observeChanges { _ in }
        return outcome
    }

    // MARK: Steps

    private func begin() -> Bool {
        guard let operation = nextOperation() else { return false }
        start(operation)
        return true
    }

    /// Lets something run beside everything else.
    func start(_ work: @escaping @Sendable (Simulation) async -> Void) {
        underWay += 1
        executor.start({ [self] in await work(self) }, whenDone: { [self] in underWay -= 1 })
    }

    private func step() {
        guard !executor.runStep() else { return }
        violate("\(underWay) operations never end")
        underWay = 0
    }

    func drain() { while underWay > 0 { step() } }

    /// Runs something alone to its end.
    private func finish(_ work: @escaping @Sendable (Simulation) async -> Void) {
        start(work)
        drain()
    }

    /// Runs something alone, with a disk that does what it should.
    private func calm(_ work: @escaping @Sendable (Simulation) async -> Void) {
        let (faults, calls) = (disk.faults, disk.callsUntilPowerLoss)
        (disk.faults, disk.callsUntilPowerLoss) = (.none, nil)
        mailServer.hasFaults = false
        network?.heal()
        finish(work)
        mailServer.hasFaults = options.hasFaults
        (disk.faults, disk.callsUntilPowerLoss) = (faults, calls)
    }

    // MARK: Calls

    /// What a client knows about a request.
    enum Outcome<Value> {
        case done(Value)
        case refused(DomainError)
        /// It may have happened or not: no answer came.
        case unknown
    }

    /// Makes one request of a client.
    ///
    /// - Parameters:
    ///   - name: For the history.
    ///   - mayLose: Whether the network may lose the answer, or the request.
    ///   - body: The request.
    /// - Returns: what the client learns.
    func call<Value: Sendable>(
        _ name: String, mayLose: Bool = true, _ body: @Sendable (TestWorld) async throws -> Value
    ) async -> Outcome<Value> {
        guard let node = openNode(), !disk.isOff else { return unanswered(name) }
        node.requests += 1
        defer { node.requests -= 1 }
        if mayLose, generator.isOne(in: 60) {
            history.note(name, "lost", at: now)
            return unanswered(name)
        }
        let (boot, faults) = (boots, faultCount)
        do {
            let value = try await body(node.world)
            guard boot == boots, !disk.isOff, !node.isDead else { return unanswered(name) }
            if mayLose, generator.isOne(in: 40) {
                history.note(name, "unanswered", at: now)
                return unanswered(name)
            }
            history.note(name, "done", at: now)
            return .done(value)
        } catch let error as DomainError {
            guard boot == boots, !disk.isOff, !node.isDead else { return unanswered(name) }
            history.note(name, error.code.rawValue, at: now)
            guard error.code == .storageUnavailable else { return .refused(error) }
            if faults == faultCount { violate("\(name): storage is unavailable though nothing failed") }
            return unanswered(name)
        } catch {
            violate("\(name): \(error)")
            return unanswered(name)
        }
    }

    /// Notes that a request that makes a user may have made one of whom nobody knows.
    private func unanswered<Value>(_ name: String) -> Outcome<Value> {
        if ["log in", "restore", "sign up", "redeem a transfer code"].contains(name) { unansweredCreations += 1 }
        return .unknown
    }

    func person(_ id: Identifier<User>) -> Person {
        if let known = persons[id] { return known }
        let person = Person(id)
        persons[id] = person
        everyone.append(person)
        return person
    }

    /// Keeps some of what has ended, to be tried again.
    func bury(_ sessions: [OpenSession]) {
        for session in sessions {
            session.endedAt = network?.now ?? 0
            if network != nil { justEnded = justEnded.suffix(20) + [session] }
            if graveyard.count < 4_000 {
                graveyard.append(session)
            } else {
                graveyard[generator.number(below: graveyard.count)] = session
            }
        }
    }
}
