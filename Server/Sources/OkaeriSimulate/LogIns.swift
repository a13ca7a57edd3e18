import Domain
import TestWorld

/// Log-ins, uses of sessions and their ends.
extension Simulation {
    /// Logs a device in as the SDK does: with one name for the attempt, and a new proof for each try.
    func logIn(_ device: Device, in application: Application, restoring: Bool = false) async {
        let name = device.nextName()
        let before = device.person
        let isFirst = device.isUnknown
        var wasTried = false
        for _ in 0..<4 {
            guard let proof = proof(of: device) else { return violate("no proof") }
            device.isUnknown = false
            let isTwice = generator.isOne(in: 15)
            let outcome = await sendLogIn(proof, name, isTwice, in: application, restoring: restoring)
            switch outcome {
            case .done(let logIn):
                usedProofs.append(proof)
                if usedProofs.count > 100 { usedProofs.removeFirst(50) }
                accept(logIn, of: device, before: before, isFirst: isFirst, wasTried: wasTried, restoring: restoring)
                return
            case .unknown:
                wasTried = true
                // It may have ended what it replaces, and made a user.
                device.doubtSessions()
                if restoring { before?.standing = .unsure }
                if restoring || before?.leavingSince != nil { device.person = nil }
            case .refused(let error):
                if case .serverTime(let time) = error.detail {
                    device.set(to: time, at: now)
                    continue
                }
                await refuse(error, device, before)
                return
            }
            if disk.isOff { break }
        }
        if isFirst, wasTried { device.person = nil }
    }

    private func sendLogIn(
        _ proof: PresentedProof, _ name: String, _ isTwice: Bool, in application: Application, restoring: Bool
    ) async -> Outcome<LogIn> {
        let request = LogInAutomatically.Request(
            application: application, proof: proof, attempt: Attempt(name: name, request: []), address: Self.address,
            restoringFrom: restoring ? Self.origin : nil)
        let name = restoring ? "restore" : "log in"
        guard isTwice else {
            return await call(name) { try await $0.modules.logIns.logInAutomatically(request) }
        }
        // The network delivers it twice: one of the two is taken.
        async let first = call(name) { try await $0.modules.logIns.logInAutomatically(request) }
        async let second = call(name) { try await $0.modules.logIns.logInAutomatically(request) }
        switch await (first, second) {
        case (.done, .done):
            violate("one proof logged in twice")
            return .unknown
        case (.done(let logIn), _), (_, .done(let logIn)): return .done(logIn)
        case (.refused(let error), .refused(let other)):
            if error.code == .proofReplayed, other.code == .proofReplayed {
                violate("a proof is refused as used that nobody has used")
            }
            return .refused(error.code == .proofReplayed ? other : error)
        default: return .unknown
        }
    }

    private func accept(
        _ logIn: LogIn, of device: Device, before: Person?, isFirst: Bool, wasTried: Bool, restoring: Bool
    ) {
        let found = person(logIn.user.id)
        if isFirst, !logIn.isNew { violate("a key that nobody has seen leads to a user") }
        if let before, before !== found {
            if !before.mayBeErased(at: now) { violate("a device key leads to another user: the one of before is lost") }
            before.standing = .erased
            device.person = found
        } else if before != nil, logIn.isNew, !wasTried {
            violate("a user is new who is not")
        }
        if found.standing == .erased { violate("an erased user is back") }
        if found.standing == .disabled { violate("a disabled user has logged in") }
        if !restoring, found.leavingSince != nil, found.standing == .active {
            violate("a user who asked to be deleted has logged in")
        }
        if restoring || found.standing == .unsure {
            found.leavingSince = nil
            if found.standing != .disabled { found.standing = .active }
        }
        if !found.hasUnsureNames, logIn.user.username != found.username {
            violate("a user name is lost: \(found.username ?? "none"), found \(logIn.user.username ?? "none")")
        }
        let session = OpenSession(logIn, of: found, on: device, isBound: true)
        remark("device \(device.index), user \(found.id.rawValue), session \(session.id.rawValue)")
        // Of this key, what is older than ten minutes has ended.
        bury(
            found.end(isSure: true) {
                $0.device === device && $0.isBound && $0.id != session.id
                    && $0.createdAt < session.createdAt - SessionIssuer.parallelLogIns
            })
        // The attempt's earlier answer has another token.
        bury(found.end(isSure: true) { $0.id == session.id })
        found.sessions.append(session)
        device.sessions.append(session)
        if device.sessions.count > 20 { device.sessions.removeAll { $0.state == .ended } }
        device.person = found
    }

    private func refuse(_ error: DomainError, _ device: Device, _ before: Person?) async {
        let isAllowed =
            switch error.code {
            case .userDisabled: before.map { $0.standing != .active } ?? true
            case .userDeleted: before.map { $0.leavingSince != nil || $0.standing == .unsure } ?? true
            case .deviceKeyRemoved: before == nil || before?.standing != .active
            default: false
            }
        if !isAllowed { violate("a log-in is refused: \(error)") }
        guard error.code == .deviceKeyRemoved || error.code == .userDisabled || before == nil else { return }
        do {
            try device.renew(&generator)
        } catch {
            violate("no key: \(error)")
        }
    }

    /// A proof that was taken is not taken again.
    func repeatProof(of device: Device, in application: Application) async {
        guard !usedProofs.isEmpty else { return await logIn(device, in: application) }
        let proof = generator.pick(usedProofs)
        let outcome = await call("repeat a proof") {
            try await $0.modules.logIns.logInAutomatically(
                .init(application: application, proof: proof, address: Self.address))
        }
        switch outcome {
        case .done: violate("a used proof works again")
        case .refused(let error):
            if error.code != .proofReplayed, error.code != .clockSkew {
                violate("a used proof is refused otherwise: \(error)")
            }
        case .unknown: break
        }
    }

    /// Uses one of a person's sessions.
    func useSession(of person: Person, in application: Application) async {
        guard !person.sessions.isEmpty else { return await doTheMinutesWork() }
        _ = await authenticate(generator.pick(person.sessions), in: application)
    }

    func authenticate(_ session: OpenSession, in application: Application) async -> Authenticated? {
        let begin = now
        let outcome = await call("use a session") { try await $0.authenticate(session.token, in: application) }
        remark("session \(session.id.rawValue)")
        switch outcome {
        case .done(let who):
            if session.state == .ended { violate("an ended session works again") }
            if who.user.id != session.person.id { violate("a session is another user's") }
            if begin - session.usedUntil > .days(61) || begin - session.createdAt > .days(401) {
                violate("a session outlives its time")
            }
            session.usedUntil = max(session.usedUntil, now)
            noteUse(of: session, begunAt: begin)
            return who
        case .refused(let error):
            let isSure = session.state == .live && session.person.standing == .active
            let (idle, age) = (now - session.usedSince(in: boots), now - session.createdAt)
            if error.code != .sessionInvalid && error.code != .userDisabled {
                violate("a session is refused: \(error)")
            } else if isSure, session.person.leavingSince == nil, idle < .days(59), age < .days(399) {
                violate("a session is lost: \(session.id.rawValue) of \(session.person.id.rawValue)")
            }
            bury(session.person.end(isSure: session.state != .live) { $0 === session })
            return nil
        case .unknown:
            session.usedUntil = max(session.usedUntil, now)
            return nil
        }
    }

    /// A use is in the server's memory until it writes what it has; of several servers nobody knows which of them has it.
    private func noteUse(of session: OpenSession, begunAt begin: Timestamp) {
        guard network == nil else { return }
        session.noteUse(begunAt: begin, in: boots)
        unwrittenUses.append((session, begin))
    }

    /// Has the server write when sessions were used.
    func writeActivity() async {
        let (uses, boot) = (unwrittenUses, boots)
        unwrittenUses = []
        let outcome = await call("write activity", mayLose: false) {
            try await $0.modules.sessions.writeSessionActivity()
        }
        // What another life of the server knew is gone.
        guard boot == boots else { return }
        guard case .done = outcome else { return unwrittenUses = uses + unwrittenUses }
        for (session, use) in uses { session.noteWritten(use) }
    }

    /// What has ended stays ended.
    func useEnded(_ session: OpenSession, in application: Application) async {
        let begin = network?.now
        let outcome = await call("use an ended session") { try await $0.authenticate(session.token, in: application) }
        switch outcome {
        case .done: refuseUnlessNews(session, at: begin)
        case .refused(let error):
            if error.code != .sessionInvalid { violate("an ended session is refused otherwise: \(error)") }
        case .unknown: break
        }
    }

    func logOut(_ person: Person, in application: Application) async {
        guard !person.sessions.isEmpty else { return await doTheMinutesWork() }
        let session = generator.pick(person.sessions)
        // Where there are several nodes, all of them shall keep it, and be asked as soon as it is over.
        let times = network == nil ? 0 : 2 * options.nodes
        for _ in 0..<times where session.state == .live { _ = await authenticate(session, in: application) }
        guard let who = await authenticate(session, in: application) else { return }
        switch await call("log out", { try await $0.modules.sessions.logOut(who) }) {
        case .done:
            bury(person.end(isSure: true) { $0 === session })
            for _ in 0..<times { await useEnded(session, in: application) }
        case .unknown: _ = person.end(isSure: false) { $0 === session }
        case .refused(let error): violate("a log-out is refused: \(error)")
        }
    }
}
