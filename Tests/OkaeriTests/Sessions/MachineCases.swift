import Foundation
import OkaeriWire

@testable import Okaeri

/// The situations in which an event can arrive: every stage, for both reasons, before and after a log-out.
enum MachineSituation: CaseIterable, Hashable {
    case idle, wantsLogIn
    case reading, locking, checking, preparing, sending, storing, loggingOut
    case discarding
    case renewalReading, renewalLocking, renewalChecking, renewalPreparing, renewalSending, renewalStoring
    case renewalLoggingOut
    case abandonedReading, abandonedLocking, abandonedChecking, abandonedPreparing, abandonedSending
    case abandonedStoring, abandonedLoggingOut
    case forgottenSending
    case abandonedBesideNew

    /// The machine, with caller 1 waiting wherever a log-in runs.
    var machine: LogInMachine {
        var machine = LogInMachine()
        for event in events { _ = machine.handle(event) }
        return machine
    }

    private static let path: [LogInMachine.Step] = [
        .read(Samples.loggedIn), .locked, .read(Samples.loggedIn), .prepared, .responded(Samples.response()),
    ]

    private static func events(
        _ first: LogInMachine.Event, steps count: Int, then more: [LogInMachine.Event] = []
    ) -> [LogInMachine.Event] {
        [first] + path.prefix(count).map { .step(logIn: 1, $0) } + more
    }

    private var events: [LogInMachine.Event] {
        let ask = LogInMachine.Event.asked(caller: 1, body: AutomaticLogInBody(), name: "first")
        let renew = LogInMachine.Event.renewalAsked(caller: 1, dead: Samples.token("old"))
        let disabled = LogInMachine.Event.step(logIn: 1, .failed(.userDisabled, epoch: 1))
        switch self {
        case .idle: return []
        case .wantsLogIn:
            return Self.events(ask, steps: 0, then: [.step(logIn: 1, .failed(.storageLocked, epoch: nil))])
        case .reading: return Self.events(ask, steps: 0)
        case .locking: return Self.events(ask, steps: 1)
        case .checking: return Self.events(ask, steps: 2)
        case .preparing: return Self.events(ask, steps: 3)
        case .sending: return Self.events(ask, steps: 4)
        case .storing: return Self.events(ask, steps: 5)
        case .loggingOut: return Self.events(ask, steps: 4, then: [disabled])
        case .discarding:
            return Self.events(
                ask, steps: 4, then: [.forgotten, .step(logIn: 1, .responded(Samples.response()))])
        case .renewalReading: return Self.events(renew, steps: 0)
        case .renewalLocking: return Self.events(renew, steps: 1)
        case .renewalChecking: return Self.events(renew, steps: 2)
        case .renewalPreparing: return Self.events(renew, steps: 3)
        case .renewalSending: return Self.events(renew, steps: 4)
        case .renewalStoring: return Self.events(renew, steps: 5)
        case .renewalLoggingOut: return Self.events(renew, steps: 4, then: [disabled])
        case .abandonedReading: return Self.events(ask, steps: 0, then: [.loggedOut])
        case .abandonedLocking: return Self.events(ask, steps: 1, then: [.loggedOut])
        case .abandonedChecking: return Self.events(ask, steps: 2, then: [.loggedOut])
        case .abandonedPreparing: return Self.events(ask, steps: 3, then: [.loggedOut])
        case .abandonedSending: return Self.events(ask, steps: 4, then: [.loggedOut])
        case .abandonedStoring: return Self.events(ask, steps: 5, then: [.loggedOut])
        case .abandonedLoggingOut: return Self.events(ask, steps: 4, then: [disabled, .loggedOut])
        case .forgottenSending: return Self.events(ask, steps: 4, then: [.forgotten])
        case .abandonedBesideNew:
            return Self.events(
                ask, steps: 4, then: [.loggedOut, .asked(caller: 3, body: AutomaticLogInBody(), name: "second")])
        }
    }
}

/// An event for each case and each difference that a decision may depend on.
enum MachineEvents {
    static let bodies = [AutomaticLogInBody(), AutomaticLogInBody(user: NewUserBody(displayName: "花子"))]

    static let steps: [LogInMachine.Step] =
        SampleRecord.allCases.flatMap { [.read($0.record), .changed($0.record)] }
        + [.locked, .prepared, .responded(Samples.response()), .responded(Samples.response("taro"))]
        + SampleFailure.allCases.flatMap { failure in
            [nil, 0, Samples.loggedIn.epoch].map { .failed(failure.error, epoch: $0) }
        }

    static let all: [LogInMachine.Event] =
        bodies.map { .asked(caller: 2, body: $0, name: "another") }
        + [nil, Samples.token("old"), Samples.token("older")].map { .renewalAsked(caller: 2, dead: $0) }
        + [.repetitionAsked(caller: 2), .left(caller: 1), .left(caller: 9), .loggedOut, .forgotten, .replaced]
        + [.confirmed(session: "s"), .confirmed(session: nil)]
        + steps.flatMap { step in [1, 2, 9].map { .step(logIn: $0, step) } }
}

/// What holds for every event in every state.
struct MachineInvariants {
    let before: LogInMachine
    let event: LogInMachine.Event
    let after: LogInMachine
    let actions: [LogInMachine.Action]

    /// The rules that are broken.
    var faults: [String] {
        rules.filter { !$0.holds }.map(\.rule)
    }

    private var rules: [(rule: String, holds: Bool)] {
        [
            ("the current log-in runs and is not abandoned", hasGoodCurrent),
            ("at most one log-in is not abandoned", after.running.values.count { !$0.isAbandoned } <= 1),
            ("a log-in starts only when there is no current one, and becomes that", startsAlone),
            ("callers wait for log-ins that run", after.callers.values.allSatisfy { after.running[$0] != nil }),
            ("every caller waits, was resumed once, or has left", callersAreKept),
            ("who finishes leaves no caller behind", resumesAll),
            ("a log-in goes on by one piece of work, the last action", worksOnce),
            ("a log-out leaves nothing current, wanted or confirmed", logOutWins),
            ("an abandoned log-in sends nothing", abandonedIsSilent),
            ("an abandoned log-in stays abandoned", staysAbandoned),
            ("counts never fall", after.startedLogIns >= before.startedLogIns && after.era >= before.era),
            ("the lock is released before a caller goes on", unlocksFirst),
            ("steps of a log-in that does not run change nothing", ignoresStrangers),
            ("what is wanted came from a caller", wantsWhatWasAsked),
        ]
    }

    private var newCaller: Int? {
        switch event {
        case .asked(let caller, _, _), .renewalAsked(let caller, _), .repetitionAsked(let caller): caller
        default: nil
        }
    }

    private var resumed: [Int] {
        actions.compactMap { if case .resume(let caller, _) = $0 { caller } else { nil } }
    }

    private var started: [Int64] {
        actions.compactMap { if case .start(let number) = $0 { number } else { nil } }
    }

    private var work: [LogInMachine.Work] {
        actions.compactMap { if case .perform(let work) = $0 { work } else { nil } }
    }

    private var stepped: Int64? {
        if case .step(let number, _) = event { number } else { nil }
    }

    private var hasGoodCurrent: Bool {
        guard let current = after.current else { return true }
        return after.running[current]?.isAbandoned == false
    }

    private var startsAlone: Bool {
        started.count <= 1
            && started.allSatisfy {
                before.current == nil && after.current == $0 && before.running[$0] == nil
                    && after.running[$0]?.stage == .reading
            }
            && after.startedLogIns == before.startedLogIns + Int64(started.count)
    }

    private var callersAreKept: Bool {
        var expected = Set(before.callers.keys)
        if let newCaller { expected.insert(newCaller) }
        var found = Array(after.callers.keys) + resumed
        if case .left(let caller) = event, before.callers[caller] != nil { found.append(caller) }
        return found.sorted() == expected.sorted()
    }

    private var resumesAll: Bool {
        let finished = Set(before.running.keys).subtracting(after.running.keys)
        guard finished.count <= 1, finished.isEmpty || finished.first == stepped else { return false }
        return before.callers.allSatisfy { caller, number in
            !finished.contains(number) || resumed.contains(caller)
        }
    }

    private var worksOnce: Bool {
        guard work.count <= 1 else { return false }
        guard let only = work.first else { return true }
        return actions.last == .perform(only) && stepped.map { after.running[$0] != nil } == true
    }

    private var logOutWins: Bool {
        guard event == .loggedOut || event == .forgotten else { return true }
        return after.current == nil && after.wanted == nil && after.unanswered == nil && after.confirmedSession == nil
            && after.running.values.allSatisfy(\.isAbandoned) && actions.isEmpty
            && after.era == before.era + (event == .forgotten ? 1 : 0)
    }

    private var abandonedIsSilent: Bool {
        guard let stepped, before.running[stepped]?.isAbandoned == true else { return true }
        return work.allSatisfy {
            switch $0 {
            case .prepare, .send, .lock: false
            case .read, .change: true
            }
        }
    }

    private var staysAbandoned: Bool {
        before.running.allSatisfy { number, logIn in
            !logIn.isAbandoned || after.running[number]?.isAbandoned != false
        }
    }

    private var unlocksFirst: Bool {
        guard let stepped, let stage = before.running[stepped]?.stage, after.running[stepped] == nil else {
            return true
        }
        switch stage {
        case .reading, .locking: return true
        case .checking, .preparing, .sending, .storing, .discarding, .loggingOut:
            guard let unlock = actions.firstIndex(of: .unlock) else { return false }
            let resume = actions.firstIndex { if case .resume = $0 { true } else { false } }
            return resume.map { unlock < $0 } ?? true
        }
    }

    private var ignoresStrangers: Bool {
        guard let stepped, before.running[stepped] == nil else { return true }
        return after == before && actions.isEmpty
    }

    private var wantsWhatWasAsked: Bool {
        guard let wanted = after.wanted, wanted != before.wanted else { return true }
        if case .asked(_, let body, _) = event { return wanted.body == body }
        return event == .repetitionAsked(caller: newCaller ?? 0)
    }
}
