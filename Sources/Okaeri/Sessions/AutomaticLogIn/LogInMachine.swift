import Foundation
import OkaeriWire

/// Decides about automatic log-ins: who shares which, what each does next, and what counts when something else comes
/// in between. It neither waits nor reads a clock or the vault; ``SessionKeeper`` performs its actions and sends it what
/// came of them.
struct LogInMachine: Hashable, Sendable {
    typealias Outcome = Result<LogInResult, OkaeriError>

    /// What can happen.
    enum Event: Hashable, Sendable {
        /// A caller asks for a log-in. The name is for the request, unless one without a response is repeated.
        case asked(caller: Int, body: AutomaticLogInBody, name: String)
        /// A caller found the session with this token dead.
        case renewalAsked(caller: Int, dead: Secret?)
        /// Background work repeats the log-in that is wanted.
        case repetitionAsked(caller: Int)
        /// A caller was cancelled and waits no longer.
        case left(caller: Int)
        /// A log-in's last action has ended.
        case step(logIn: Int64, Step)
        /// The person logs out.
        case loggedOut
        /// The device forgets everything.
        case forgotten
        /// The person logged in by other means, or asked to be deleted.
        case replaced
        /// The server has confirmed this session, whatever it was used for; `nil` takes that back.
        case confirmed(session: String?)
    }

    /// What came of a log-in's last action.
    enum Step: Hashable, Sendable {
        case read(VaultRecord)
        case locked
        case prepared
        case responded(LogInResponse)
        /// The record after the change.
        case changed(VaultRecord)
        /// The action failed, at a moment when the known record had this epoch.
        case failed(OkaeriError, epoch: Int64?)
    }

    /// What is to be done.
    enum Action: Hashable, Sendable {
        /// Begin a log-in, with reading the record.
        case start(logIn: Int64)
        /// Tell a caller the outcome.
        case resume(caller: Int, Outcome)
        /// Do the next work of the log-in whose step was handled.
        case perform(Work)
        /// Release that log-in's lock, if it has one.
        case unlock
        /// Read from the response of that log-in how many notices there are.
        case readNoticeCount
        case workInBackground
        case publishState
    }

    /// Work of one log-in, which ends with a ``Step``.
    enum Work: Hashable, Sendable {
        case read
        case lock
        /// Make the request and read the device's key, the one in use if no other is named; without an order the request
        /// is an unnamed renewal.
        case prepare(LogInOrder?, keySlot: Int? = nil)
        /// Send the request; with a copy of the user at hand only once.
        case send(once: Bool)
        case change(RecordChange)
    }

    /// A log-in that has started and not finished.
    struct LogIn: Hashable, Sendable {
        let reason: LogInReason
        var stage: Stage = .reading
        /// Whether the person logged out or the device was forgotten since it started.
        var isAbandoned = false
        /// For a repetition the record's epoch when the log-in was asked for: a log-out since then, in whichever process,
        /// wins.
        var askedIn: Int64?
    }

    /// What a log-in waits for.
    enum Stage: Hashable, Sendable {
        /// The record as it is before the lock.
        case reading
        case locking(before: VaultRecord)
        /// The record under the lock: another process may have been faster.
        case checking(before: VaultRecord)
        case preparing(before: VaultRecord, locked: VaultRecord)
        case sending(before: VaultRecord, locked: VaultRecord, era: Int)
        case storing(before: VaultRecord, token: Secret, confirmedBefore: String?)
        /// The response came after the device was forgotten: its session is being given up.
        case discarding(before: VaultRecord)
        /// The refusal logs the user out on this device, before the next process may ask.
        case loggingOut(OkaeriError)
    }

    /// The log-in that new callers join.
    private(set) var current: Int64?
    /// All log-ins that have not finished: the current one, and those from before a log-out.
    private(set) var running: [Int64: LogIn] = [:]
    /// The callers who wait, with their log-ins.
    private(set) var callers: [Int: Int64] = [:]
    /// The log-in that was asked for and waits for network or storage.
    private(set) var wanted: LogInOrder?
    /// The record's epoch when it was asked for; `nil` where the record could not be read then.
    private(set) var wantedIn: Int64?
    /// The log-in whose response has not come yet: its repetition must carry the same name.
    private(set) var unanswered: LogInOrder?
    /// The session that the server has confirmed in this process.
    private(set) var confirmedSession: String?
    /// Counts how often the device was forgotten: what began before that ends without effect.
    private(set) var era = 0
    /// How many log-ins were started.
    private(set) var startedLogIns: Int64 = 0

    /// Takes an event.
    ///
    /// - Returns: What is to be done, in this order; at most one ``Action/perform(_:)``, the last.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .asked(let caller, let body, let name):
            if let current {
                // Somebody asks for it now: it is no repetition any more.
                running[current]?.askedIn = nil
                return join(current, caller)
            }
            var order = LogInOrder(body: body, idempotencyKey: name)
            if let unanswered, unanswered.body == body { order = unanswered }
            return start(.asked(order), caller)
        case .renewalAsked(let caller, let dead):
            if let current { return join(current, caller) }
            return start(.renewal(of: dead), caller)
        case .repetitionAsked(let caller):
            if let current { return join(current, caller) }
            guard let wanted else { return [.resume(caller: caller, .failure(.loggedOutMeanwhile))] }
            return start(.asked(wanted), caller, askedIn: wantedIn)
        case .left(let caller):
            callers[caller] = nil
        case .step(let number, let step):
            return take(step, number)
        case .loggedOut:
            abandon()
        case .forgotten:
            abandon()
            era += 1
        case .replaced:
            wanted = nil
            unanswered = nil
        case .confirmed(let session):
            confirmedSession = session
        }
        return []
    }

    private mutating func join(_ number: Int64, _ caller: Int) -> [Action] {
        callers[caller] = number
        return []
    }

    private mutating func start(_ reason: LogInReason, _ caller: Int, askedIn: Int64? = nil) -> [Action] {
        startedLogIns += 1
        running[startedLogIns] = LogIn(reason: reason, askedIn: askedIn)
        current = startedLogIns
        callers[caller] = startedLogIns
        if case .asked(let order) = reason { (wanted, wantedIn) = (order, askedIn) }
        return [.start(logIn: startedLogIns)]
    }

    /// A log-out wins over every log-in that has not finished, wherever that is.
    private mutating func abandon() {
        for number in running.keys { running[number]?.isAbandoned = true }
        current = nil
        wanted = nil
        unanswered = nil
        confirmedSession = nil
    }
}

extension LogInMachine {
    private mutating func take(_ step: Step, _ number: Int64) -> [Action] {
        guard let logIn = running[number] else { return [] }
        switch (logIn.stage, step) {
        case (.reading, .read(let record)):
            return begin(number, logIn, record)
        case (.reading, .failed(let error, _)):
            // What is wanted stays so: a vault that could not be read may be readable later.
            return finish(number, .failure(error))
        case (.locking(let before), .locked):
            return proceed(number, to: .checking(before: before), .read)
        case (.checking(let before), .read(let record)):
            return check(number, logIn, before, record)
        case (.preparing(let before, let locked), .prepared):
            if logIn.isAbandoned { return fail(number, logIn, .loggedOutMeanwhile, before) }
            var isAsked = false
            if case .asked = logIn.reason { isAsked = true }
            // With a copy at hand nobody waits: the other tries happen in the background.
            return proceed(
                number, to: .sending(before: before, locked: locked, era: era),
                .send(once: isAsked && locked.loggedInUser != nil))
        case (.sending(let before, let locked, let began), .responded(let response)):
            return accept(number, response, before: before, locked: locked, began: began)
        case (.storing(let before, let token, let confirmedBefore), .changed(let record)):
            return conclude(number, logIn, before, token, confirmedBefore, record)
        case (.discarding(let before), .changed):
            return [.workInBackground] + fail(number, logIn, .loggedOutMeanwhile, before)
        case (.loggingOut(let error), .changed):
            settle(logIn.reason, hasResponse: true)
            return [.unlock] + finish(number, .failure(error))
        case (.locking(let before), .failed(let error, let epoch)),
            (.checking(let before), .failed(let error, let epoch)),
            (.preparing(let before, _), .failed(let error, let epoch)),
            (.sending(let before, _, _), .failed(let error, let epoch)):
            return fail(number, logIn, error, before, epoch: epoch)
        default:
            return []
        }
    }

    private mutating func proceed(_ number: Int64, to stage: Stage, _ work: Work) -> [Action] {
        running[number]?.stage = stage
        return [.perform(work)]
    }

    /// What needs no server: a renewal for which there is nobody, or which has happened already, and a log-in after which
    /// another process has logged somebody in to whom the device's key does not lead.
    private mutating func begin(_ number: Int64, _ logIn: LogIn, _ record: VaultRecord) -> [Action] {
        if logIn.isAbandoned { return finish(number, .failure(.loggedOutMeanwhile)) }
        if case .asked = logIn.reason, record.keyLeadsElsewhere, let result = LogInResult(record) {
            settle(logIn.reason, hasResponse: true)
            return finish(number, .success(result))
        }
        if logIn.isOvertaken(by: record) {
            settle(logIn.reason, hasResponse: true)
            return finish(number, .failure(.loggedOutMeanwhile))
        }
        if case .renewal(let dead) = logIn.reason {
            if record.keyLeadsElsewhere, record.session?.token == dead {
                // The device's key would bring another user.
                return proceed(number, to: .loggingOut(.sessionEnded), .change(.logOut(epoch: record.epoch)))
            }
            guard record.loggedInUser != nil else { return finish(number, .failure(.notLoggedIn)) }
            if let session = record.session, session.token != dead, let result = LogInResult(record) {
                return finish(number, .success(result))
            }
        }
        return proceed(number, to: .locking(before: record), .lock)
    }

    private mutating func check(
        _ number: Int64, _ logIn: LogIn, _ before: VaultRecord, _ record: VaultRecord
    ) -> [Action] {
        if logIn.isAbandoned || logIn.isOvertaken(by: record) {
            return fail(number, logIn, .loggedOutMeanwhile, before)
        }
        var order: LogInOrder?
        if case .asked(let asked) = logIn.reason { order = asked }
        if record.generation != before.generation {
            // Another process was faster: its session is as good as one of our own.
            if let result = LogInResult(record) {
                wanted = nil
                return [.unlock] + finish(number, .success(result))
            }
            if order == nil { return fail(number, logIn, .loggedOutMeanwhile, before) }
            if record.isKeyOfUnwantedGuest, before.isMember(otherThan: record.keyUser) {
                // It found that the log-in of the user has ended who was there when this one began.
                return fail(number, logIn, .sessionEnded, before)
            }
        }
        if let order { unanswered = order }
        return proceed(
            number, to: .preparing(before: before, locked: record),
            .prepare(order, keySlot: order == nil ? nil : record.freshKeySlot))
    }

    private mutating func accept(
        _ number: Int64, _ response: LogInResponse, before: VaultRecord, locked: VaultRecord, began: Int
    ) -> [Action] {
        let token = Secret(response.session.token)
        unanswered = nil
        guard began == era else { return proceed(number, to: .discarding(before: before), .change(.revoke(token))) }
        if running[number]?.isAbandoned == false, locked.isMember(displacedBy: response) {
            // The server knows the key no more, and has made a guest for it. That is no renewal of this user's log-in.
            return [.workInBackground]
                + proceed(
                    number, to: .loggingOut(.sessionEnded),
                    .change(.giveWay(toGuest: response.user.id, token, epoch: locked.epoch)))
        }
        let confirmedBefore = confirmedSession
        confirmedSession = response.session.id
        var keySlot: Int?
        if case .asked? = running[number]?.reason { keySlot = locked.freshKeySlot }
        return proceed(
            number, to: .storing(before: before, token: token, confirmedBefore: confirmedBefore),
            .change(
                .logIn(
                    response, generation: locked.generation, keySlot: keySlot, over: locked.loggedInUser?.updatedAt)))
    }

    /// The record says whether the response counted, or a log-in or log-out came before it.
    private mutating func conclude(
        _ number: Int64, _ logIn: LogIn, _ before: VaultRecord, _ token: Secret, _ confirmedBefore: String?,
        _ record: VaultRecord
    ) -> [Action] {
        var actions: [Action] = []
        if record.session?.token == token {
            wanted = nil
            if !record.pendingRevocations.isEmpty { actions.append(.workInBackground) }
        } else {
            confirmedSession = confirmedBefore
            actions += [.workInBackground, .publishState]
        }
        guard let result = LogInResult(record) else {
            return actions + fail(number, logIn, .loggedOutMeanwhile, before)
        }
        return actions + [.readNoticeCount, .unlock] + finish(number, .success(result))
    }

    /// What a failed log-in means: a server out of reach, or with something else in its way, or a storage that gives no key, is
    /// answered from the copy, a refusal is final.
    private mutating func fail(
        _ number: Int64, _ logIn: LogIn, _ error: OkaeriError, _ before: VaultRecord, epoch: Int64? = nil
    ) -> [Action] {
        switch error {
        case .offline, .serverUnavailable, .rateLimited, .unexpectedResponse, .storageUnavailable:
            guard let greeting = greeting(logIn, before, epoch: epoch) else {
                settle(logIn.reason, hasResponse: false)
                return [.unlock] + finish(number, .failure(error))
            }
            wait(logIn, before)
            return [.unlock, .workInBackground] + finish(number, .success(greeting))
        case .userDisabled, .userDeleted, .deviceKeyRemoved:
            return proceed(number, to: .loggingOut(error), .change(.logOut(epoch: before.epoch)))
        case .refused(let code, _, _) where code.refusesFirstLaunch && before.isMember(otherThan: nil):
            // Of a key that it knows the server wants no such thing, nor does it ask the app's own service about it.
            return proceed(number, to: .loggingOut(.sessionEnded), .change(.logOut(epoch: before.epoch)))
        case .storageDamaged:
            // A session that may still work is asked first, whether it holds without the key.
            if case .asked = logIn.reason, before.session != nil {
                settle(logIn.reason, hasResponse: true)
                return [.unlock] + finish(number, .failure(error))
            }
            return proceed(number, to: .loggingOut(error), .change(.logOut(epoch: before.epoch, .keyLost)))
        case .storageLocked:
            // The key cannot be used now, or the lock not be taken. Who is known is known all the same.
            wait(logIn, before)
            let greeting = greeting(logIn, before, epoch: epoch)
            return [.unlock, .workInBackground] + finish(number, greeting.map { .success($0) } ?? .failure(error))
        default:
            settle(logIn.reason, hasResponse: true)
            return [.unlock] + finish(number, .failure(error))
        }
    }

    /// The greeting from the copy for a caller who asked for a log-in; `nil` where nobody is known, or somebody else is there by now.
    private func greeting(_ logIn: LogIn, _ before: VaultRecord, epoch: Int64?) -> LogInResult? {
        guard case .asked = logIn.reason, let user = before.loggedInUser, epoch == before.epoch else { return nil }
        let welcome = Welcome.known(User(user), lastLogIn: user.lastLogInAt.map(Date.init(_:)))
        return LogInResult(welcome: welcome, session: nil)
    }

    /// Goes on waiting for a log-in that failed for now, unless somebody logs out.
    private mutating func wait(_ logIn: LogIn, _ before: VaultRecord) {
        guard case .asked(let order) = logIn.reason, wanted?.idempotencyKey == order.idempotencyKey else { return }
        wantedIn = before.epoch
    }

    /// Stops waiting for a log-in that failed, unless a newer one is wanted by now.
    private mutating func settle(_ reason: LogInReason, hasResponse: Bool) {
        guard case .asked(let order) = reason else { return }
        if wanted?.idempotencyKey == order.idempotencyKey { wanted = nil }
        if hasResponse, unanswered?.idempotencyKey == order.idempotencyKey { unanswered = nil }
    }

    private mutating func finish(_ number: Int64, _ outcome: Outcome) -> [Action] {
        running[number] = nil
        if current == number { current = nil }
        let waiting = callers.filter { $0.value == number }.keys.sorted()
        for caller in waiting { callers[caller] = nil }
        return waiting.map { .resume(caller: $0, outcome) }
    }
}

extension LogInMachine.LogIn {
    /// Whether somebody has logged out since the log-in was asked for that is repeated now.
    fileprivate func isOvertaken(by record: VaultRecord) -> Bool {
        askedIn.map { $0 != record.epoch && record.loggedInUser == nil } ?? false
    }
}

extension ErrorCode {
    /// Whether no user is made for a key that the server does not know.
    fileprivate var refusesFirstLaunch: Bool {
        [.attestationRequired, .attestationInvalid, .proofOfWorkRequired, .hookRefused].contains(self)
    }
}
