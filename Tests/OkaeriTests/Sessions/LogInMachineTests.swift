import Foundation
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("The machine of log-ins")
struct LogInMachineTests {
    typealias Event = LogInMachine.Event
    typealias Action = LogInMachine.Action

    @Test("keeps its rules for every event in every situation", arguments: MachineSituation.allCases)
    func everyPair(situation: MachineSituation) {
        let before = situation.machine
        var faults: [String] = []
        for event in MachineEvents.all {
            var after = before
            let actions = after.handle(event)
            let check = MachineInvariants(before: before, event: event, after: after, actions: actions)
            faults += check.faults.map { "\($0): \(event)" }
        }
        #expect(faults.isEmpty, "\(faults.prefix(3))")
    }

    @Test("keeps its rules for every two events in a row", arguments: MachineSituation.allCases)
    func everyTwo(situation: MachineSituation) {
        let start = situation.machine
        var seen: Set<LogInMachine> = [start]
        var faults: [String] = []
        for first in MachineEvents.all {
            var before = start
            _ = before.handle(first)
            guard seen.insert(before).inserted else { continue }
            for second in MachineEvents.all where Self.isNew(second, in: before) {
                var after = before
                let actions = after.handle(second)
                let check = MachineInvariants(before: before, event: second, after: after, actions: actions)
                faults += check.faults.map { "\($0): \(first), \(second)" }
            }
        }
        #expect(faults.isEmpty, "\(faults.prefix(3))")
    }

    /// A caller waits for one log-in at a time.
    private static func isNew(_ event: Event, in machine: LogInMachine) -> Bool {
        switch event {
        case .asked(let caller, _, _), .renewalAsked(let caller, _), .repetitionAsked(let caller):
            machine.callers[caller] == nil
        default: true
        }
    }

    @Test("is in the stage that its situation names")
    func situations() {
        let stages = MachineSituation.allCases.map { $0.machine.running.values.map(\.stage) }
        #expect(stages.count { $0.isEmpty } == 2)
        #expect(MachineSituation.wantsLogIn.machine.wanted != nil && MachineSituation.idle.machine == LogInMachine())
        #expect(Set(MachineSituation.allCases.map(\.machine)).count == MachineSituation.allCases.count)
        #expect(MachineSituation.abandonedBesideNew.machine.running.count == 2)
    }

    /// One row of the table: what an event leads to.
    struct Row: CustomTestStringConvertible {
        let name: String
        let situation: MachineSituation
        let event: Event
        let actions: [Action]

        init(_ name: String, _ situation: MachineSituation, _ event: Event, _ actions: [Action]) {
            self.name = name
            self.situation = situation
            self.event = event
            self.actions = actions
        }

        var testDescription: String { name }
    }

    private static func step(_ step: LogInMachine.Step) -> Event { .step(logIn: 1, step) }
    private static func failure(_ error: OkaeriError) -> Action { .resume(caller: 1, .failure(error)) }
    private static func success(_ record: VaultRecord) -> [Action] {
        LogInResult(record).map { [.resume(caller: 1, .success($0))] } ?? []
    }

    private static let copy: Action = .resume(
        caller: 1,
        .success(
            LogInResult(
                welcome: .known(User(Samples.user("hana")), lastLogIn: Date(Samples.instant)), session: nil)))
    private static let order = LogInOrder(body: AutomaticLogInBody(), idempotencyKey: "first")
    private static let ask: Event = .asked(caller: 2, body: AutomaticLogInBody(), name: "another")
    private static let accepted = SampleRecord.afterLogIn.record

    static let starts: [Row] = [
        Row("the first caller starts a log-in", .idle, ask, [.start(logIn: 1)]),
        Row("a renewal starts one too", .idle, .renewalAsked(caller: 2, dead: nil), [.start(logIn: 1)]),
        Row("a later caller joins", .sending, ask, []),
        Row("a renewal joins", .sending, .renewalAsked(caller: 2, dead: nil), []),
        Row("after a log-out a new one starts beside the abandoned one", .abandonedSending, ask, [.start(logIn: 2)]),
        Row("what is wanted is repeated", .wantsLogIn, .repetitionAsked(caller: 2), [.start(logIn: 2)]),
        Row(
            "where nothing is wanted nothing is repeated", .idle, .repetitionAsked(caller: 2),
            [.resume(caller: 2, .failure(.loggedOutMeanwhile))]),
    ]

    static let straight: [Row] = [
        Row("after the record comes the lock", .reading, step(.read(Samples.loggedIn)), [.perform(.lock)]),
        Row("after the lock the record again", .locking, step(.locked), [.perform(.read)]),
        Row(
            "a log-in is prepared with its order", .checking, step(.read(Samples.loggedIn)),
            [.perform(.prepare(order))]),
        Row(
            "a renewal is prepared without one", .renewalChecking, step(.read(Samples.loggedIn)),
            [.perform(.prepare(nil))]),
        Row("with a copy it is sent once", .preparing, step(.prepared), [.perform(.send(once: true))]),
        Row("a renewal is sent again and again", .renewalPreparing, step(.prepared), [.perform(.send(once: false))]),
        Row(
            "the response is stored", .sending, step(.responded(Samples.response())),
            [
                .perform(
                    .change(
                        .logIn(
                            Samples.response(), generation: Samples.loggedIn.generation, over: Samples.instant)))
            ]),
        Row(
            "what is stored is the outcome", .storing, step(.changed(accepted)),
            [.readNoticeCount, .unlock] + success(accepted)),
    ]

    static let shortcuts: [Row] = [
        Row(
            "a renewal takes a session that is there already", .renewalReading,
            step(.read(Samples.loggedInElsewhere)), success(Samples.loggedInElsewhere)),
        Row(
            "a renewal needs a user", .renewalReading, step(.read(Samples.loggedOut)), [failure(.notLoggedIn)]),
        Row(
            "a key that leads elsewhere renews nothing", .renewalReading, step(.read(Samples.keyElsewhere)),
            [.perform(.change(.logOut(epoch: Samples.keyElsewhere.epoch)))]),
        Row(
            "nor does it log in beside who is there", .reading, step(.read(Samples.keyElsewhere)),
            success(Samples.keyElsewhere)),
        Row(
            "a faster process's log-in is as good", .checking, step(.read(Samples.loggedInElsewhere)),
            [.unlock] + success(Samples.loggedInElsewhere)),
        Row(
            "a log-in goes on after another process's log-out", .checking, step(.read(Samples.loggedOut)),
            [.perform(.prepare(order))]),
        Row(
            "a renewal does not", .renewalChecking, step(.read(Samples.loggedOut)),
            [.unlock, failure(.loggedOutMeanwhile)]),
    ]

    static let lateOnes: [Row] = [
        Row(
            "a log-out before the lock ends the log-in", .abandonedReading, step(.read(Samples.loggedOut)),
            [failure(.loggedOutMeanwhile)]),
        Row(
            "a log-out under the lock ends it", .abandonedChecking, step(.read(Samples.loggedOut)),
            [.unlock, failure(.loggedOutMeanwhile)]),
        Row(
            "a log-out before sending ends it", .abandonedPreparing, step(.prepared),
            [.unlock, failure(.loggedOutMeanwhile)]),
        Row(
            "a log-out while storing leaves the record to decide", .abandonedStoring, step(.changed(Samples.loggedOut)),
            [.workInBackground, .publishState, .unlock, failure(.loggedOutMeanwhile)]),
        Row(
            "a response after the device was forgotten is given up", .forgottenSending,
            step(.responded(Samples.response())), [.perform(.change(.revoke(Samples.token("new"))))]),
        Row(
            "and its caller learns it", .discarding, step(.changed(Samples.empty)),
            [.workInBackground, .unlock, failure(.loggedOutMeanwhile)]),
        Row(
            "another log-in that came first is the outcome", .storing, step(.changed(Samples.otherUser)),
            [.workInBackground, .publishState, .readNoticeCount, .unlock] + success(Samples.otherUser)),
    ]

    static let failures: [Row] = [
        Row(
            "a vault that cannot be read is no refusal", .reading, step(.failed(.storageLocked, epoch: nil)),
            [failure(.storageLocked)]),
        Row(
            "without network the copy is the outcome", .sending, step(.failed(.offline, epoch: 1)),
            [.unlock, .workInBackground, copy]),
        Row(
            "nor is a page of the network's own a refusal", .sending,
            step(.failed(.unexpectedResponse(status: 200), epoch: 1)), [.unlock, .workInBackground, copy]),
        Row(
            "but not when another user is there by now", .sending, step(.failed(.offline, epoch: 2)),
            [.unlock, failure(.offline)]),
        Row(
            "nor for a renewal", .renewalSending, step(.failed(.offline, epoch: 1)), [.unlock, failure(.offline)]),
        Row(
            "a disabled user is logged out", .sending, step(.failed(.userDisabled, epoch: 1)),
            [.perform(.change(.logOut(epoch: 1)))]),
        Row(
            "and reported, once that is stored", .loggingOut, step(.changed(Samples.loggedOut)),
            [.unlock, failure(.userDisabled)]),
        Row(
            "with a key that cannot be used now the copy is the outcome", .preparing,
            step(.failed(.storageLocked, epoch: 1)), [.unlock, .workInBackground, copy]),
        Row(
            "but not when another user is there by now, of whom nothing was read", .preparing,
            step(.failed(.storageLocked, epoch: 2)), [.unlock, .workInBackground, failure(.storageLocked)]),
        Row(
            "a refusal is final", .sending, step(.failed(.credentialRefused, epoch: 1)),
            [.unlock, failure(.credentialRefused)]),
    ]

    @Test("goes from state to state as the table says", arguments: starts + straight + shortcuts + lateOnes + failures)
    func table(row: Row) {
        var machine = row.situation.machine
        #expect(machine.handle(row.event) == row.actions)
    }

    @Test("remembers what is wanted until it is settled", arguments: SampleFailure.allCases)
    func wanted(failure: SampleFailure) {
        var machine = MachineSituation.sending.machine
        #expect(machine.wanted == Self.order && machine.unanswered == Self.order)
        _ = machine.handle(Self.step(.failed(failure.error, epoch: Samples.loggedIn.epoch)))
        if failure.endsLogIn { _ = machine.handle(Self.step(.changed(Samples.loggedOut))) }
        let isTriedAgain = failure.isOutOfReach || failure == .storageLocked || failure == .storageUnavailable
        #expect((machine.wanted != nil) == isTriedAgain)
        #expect((machine.unanswered != nil) == isTriedAgain)
        #expect(machine.running.isEmpty && machine.current == nil && machine.callers.isEmpty)
    }

    @Test("forgets a first log-in that found no network, and repeats its request under the same name")
    func firstLogIn() {
        var machine = LogInMachine()
        let body = AutomaticLogInBody()
        let steps: [LogInMachine.Step] = [
            .read(Samples.empty), .locked, .read(Samples.empty), .prepared, .failed(.offline, epoch: 0),
        ]
        for event in [.asked(caller: 1, body: body, name: "first")] + steps.map(Self.step) { _ = machine.handle(event) }
        #expect(machine.wanted == nil && machine.unanswered?.idempotencyKey == "first")
        _ = machine.handle(.asked(caller: 2, body: body, name: "second"))
        #expect(machine.wanted?.idempotencyKey == "first")
    }

    @Test(
        "ends a registered user's log-in, and no guest's, where nobody is made for a key that the server does not know",
        arguments: [ErrorCode.attestationRequired, .attestationInvalid, .proofOfWorkRequired, .hookRefused])
    func unknownKey(code: ErrorCode) {
        let error = OkaeriError.refused(code: code, status: 403, detail: nil)
        for record in [Samples.registered, Samples.loggedIn] {
            var machine = LogInMachine()
            let steps: [LogInMachine.Step] = [
                .read(record), .locked, .read(record), .prepared, .failed(error, epoch: record.epoch),
            ]
            var actions = machine.handle(.asked(caller: 1, body: AutomaticLogInBody(), name: "first"))
            for step in steps { actions = machine.handle(Self.step(step)) }
            let isGuest = record == Samples.loggedIn
            let end: [Action] = [.perform(.change(.logOut(epoch: record.epoch)))]
            #expect(actions == (isGuest ? [.unlock, Self.failure(error)] : end))
        }
    }

    @Test("gives a request with other values a name of its own")
    func otherBody() {
        var machine = MachineSituation.sending.machine
        _ = machine.handle(Self.step(.failed(.offline, epoch: 2)))
        _ = machine.handle(.asked(caller: 2, body: MachineEvents.bodies[1], name: "second"))
        #expect(machine.wanted?.idempotencyKey == "second")
    }

    @Test("resumes all who joined, in the order in which they came", arguments: [1, 2, 20])
    func manyCallers(count: Int) {
        var machine = MachineSituation.storing.machine
        for caller in 2..<(count + 1) { _ = machine.handle(.renewalAsked(caller: caller, dead: nil)) }
        let actions = machine.handle(Self.step(.changed(Self.accepted)))
        let resumed: [Int] = actions.compactMap { if case .resume(let caller, .success) = $0 { caller } else { nil } }
        #expect(resumed == Array(1...count))
    }

    @Test("lets a cancelled caller go and the log-in go on")
    func left() {
        var machine = MachineSituation.storing.machine
        #expect(machine.handle(.left(caller: 1)).isEmpty && machine.running.count == 1)
        #expect(machine.handle(Self.step(.changed(Self.accepted))) == [.readNoticeCount, .unlock])
        #expect(machine.confirmedSession == "new" && machine.wanted == nil)
    }

    @Test("keeps its rules on every walk, and always comes to rest", arguments: 0..<60 as Range<UInt64>)
    func walks(seed: UInt64) {
        var walk = MachineWalk(seed: seed)
        for _ in 0..<300 { walk.goOn() }
        walk.comeToRest()
        #expect(walk.faults.isEmpty, "\(walk.faults.prefix(3))")
        #expect(walk.machine.running.isEmpty && walk.machine.callers.isEmpty && walk.machine.current == nil)
        #expect(walk.answers.allSatisfy { $0.value == 1 }, "each caller has one outcome")
        #expect(Set(walk.answers.keys) == Set(1..<walk.nextCaller), "and every caller has one")
    }
}

/// A world that performs what the machine decides, in any order and with any luck.
struct MachineWalk {
    private(set) var machine = LogInMachine()
    private(set) var faults: [String] = []
    /// How often each caller was resumed or has left.
    private(set) var answers: [Int: Int] = [:]
    private(set) var nextCaller = 1
    private var random: SeededGenerator
    private var record = VaultRecord()
    /// The work that each log-in waits for.
    private var work: [Int64: LogInMachine.Work] = [:]
    private var nextSession = 0

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
    }

    mutating func goOn() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            ask(
                .asked(
                    caller: nextCaller, body: MachineEvents.bodies[Int.random(in: 0...1, using: &random)],
                    name: "\(nextCaller)"))
        case 1: ask(.renewalAsked(caller: nextCaller, dead: record.session?.token))
        case 2: ask(.repetitionAsked(caller: nextCaller))
        case 3:
            guard let caller = machine.callers.keys.sorted().first else { return }
            answers[caller, default: 0] += 1
            send(.left(caller: caller))
        case 4:
            send(.loggedOut)
            record.logOut()
        case 5 where Int.random(in: 0..<4, using: &random) == 0:
            send(.forgotten)
            record = VaultRecord()
        case 6 where Int.random(in: 0..<4, using: &random) == 0:
            send(.replaced)
            RecordChange.logIn(response(), generation: record.generation).apply(to: &record)
        default: doSomeWork()
        }
    }

    mutating func comeToRest() {
        var rounds = 0
        while !work.isEmpty, rounds < 1000 {
            doSomeWork()
            rounds += 1
        }
    }

    private mutating func ask(_ event: LogInMachine.Event) {
        nextCaller += 1
        send(event)
    }

    private mutating func doSomeWork() {
        guard let number = work.keys.sorted().randomElement(using: &random), let next = work.removeValue(forKey: number)
        else { return }
        send(.step(logIn: number, step(for: next)))
    }

    private mutating func step(for work: LogInMachine.Work) -> LogInMachine.Step {
        if case .change(let change) = work {
            change.apply(to: &record)
            return .changed(record)
        }
        if Int.random(in: 0..<6, using: &random) == 0,
            let failure = SampleFailure.allCases.randomElement(using: &random)
        {
            return .failed(failure.error, epoch: record.epoch)
        }
        switch work {
        case .read, .change: return .read(record)
        case .lock: return .locked
        case .prepare: return .prepared
        case .send: return .responded(response())
        }
    }

    private mutating func response() -> LogInResponse {
        nextSession += 1
        return Samples.response(Bool.random(using: &random) ? "hana" : "taro", session: "s\(nextSession)")
    }

    private mutating func send(_ event: LogInMachine.Event) {
        let before = machine
        let actions = machine.handle(event)
        faults += MachineInvariants(before: before, event: event, after: machine, actions: actions).faults
        for action in actions {
            switch action {
            case .start(let number): work[number] = .read
            case .resume(let caller, _): answers[caller, default: 0] += 1
            case .perform(let next):
                if case .step(let number, _) = event { work[number] = next }
            case .unlock, .readNoticeCount, .workInBackground, .publishState: break
            }
        }
    }
}
