import Domain
import TestWorld

/// Names, passwords and the end of accounts.
extension Simulation {
    /// Logs a device in, so that its session is fresh.
    private func fresh(_ device: Device, _ person: Person, in application: Application) async -> Authenticated? {
        await logIn(device, in: application)
        guard device.person === person, let session = person.sessions.last, session.device === device else {
            return nil
        }
        return await authenticate(session, in: application)
    }

    func upgrade(_ device: Device, _ person: Person, in application: Application) async {
        guard let who = await fresh(device, person, in: application) else { return }
        // A small stock, so that two ask for one.
        let name = "user\(generator.number(below: max(20, options.devices)))"
        let password = newPassword()
        let request = UpgradeUser.Request(
            identifiers: NewIdentifiers(username: .set(name), rules: .native), password: Secret(password))
        // Entered before: another upgrade under way may have to give way to this one.
        claims[name, default: []].append(person)
        let outcome = await call("upgrade") {
            try await $0.modules.accounts.upgradeUser(
                request, by: who, isProven: false, address: Self.address, from: Self.origin)
        }
        switch outcome {
        case .done:
            if claims[name, default: []].contains(where: { holds($0, name, beside: person) }) {
                violate("a user name has two users")
            }
            if person.username != nil { violate("a user is upgraded twice") }
            (person.username, person.password, person.hasUnsureNames) = (name, password, false)
        case .unknown:
            person.hasUnsureNames = true
        case .refused(let error):
            let claimed = claims[name, default: []].contains { $0 !== person && $0?.standing != .erased }
            if let index = claims[name]?.lastIndex(where: { $0 === person }) { claims[name]?.remove(at: index) }
            let isAllowed =
                switch error.code {
                case .identifiersTaken: claimed || person.hasUnsureNames
                case .alreadyRegistered: person.username != nil || person.hasUnsureNames
                case .reauthenticationRequired, .transferUnconfirmed: true
                default: false
                }
            if !isAllowed { violate("an upgrade is refused: \(error)") }
        }
    }

    /// Whether somebody else surely has a name.
    private func holds(_ other: Person?, _ name: String, beside person: Person) -> Bool {
        guard let other, other !== person, !other.hasUnsureNames, other.username == name else { return false }
        return other.standing != .erased && other.standing != .unsure && other.leavingSince == nil
    }

    func newPassword() -> String { "kotoba-\(generator.next())" }

    func logInByPassword(_ person: Person, in application: Application) async {
        guard let name = person.username, let right = person.password, !person.hasUnsureNames else {
            return await useSession(of: person, in: application)
        }
        let isRight = generator.number(below: 4) > 0
        let typed = isRight ? right : person.oldPasswords.last ?? "not \(right)"
        let outcome = await call("log in by password") { try await $0.logIn(name, Secret(typed), to: application) }
        switch outcome {
        case .done(let logIn):
            if !isRight { violate("a password that is not in force works") }
            if logIn.user.id != person.id { violate("a password leads to another user") }
            if person.standing == .disabled || person.standing == .erased { violate("a user without access logged in") }
            if person.leavingSince != nil, person.standing == .active { violate("a leaving user has logged in") }
            person.sessions.append(OpenSession(logIn, of: person, on: nil, isBound: false))
        case .unknown: break
        case .refused(let error):
            let isGone = person.standing != .active || person.leavingSince != nil
            let isAllowed =
                switch error.code {
                case .credentialRefused: !isRight || isGone
                case .userDisabled, .userDeleted: isGone
                case .rateLimited: true
                default: false
                }
            if !isAllowed { violate("a log-in by password is refused: \(error)") }
        }
    }

    func changePassword(_ device: Device, _ person: Person, in application: Application) async {
        guard let right = person.password, !person.hasUnsureNames else {
            return await upgrade(device, person, in: application)
        }
        guard let who = await fresh(device, person, in: application), let kept = person.sessions.last else { return }
        let new = newPassword()
        let outcome = await call("change the password") {
            try await $0.modules.accounts.changePassword(
                ChangePassword.Request(
                    current: Secret(right), new: Secret(new), address: Self.address, rules: .native,
                    origin: Self.origin), by: who, isProven: false)
        }
        switch outcome {
        case .done:
            person.password = new
            person.oldPasswords = [right]
            evictOthers(of: person, but: kept, device, isSure: true)
        case .unknown:
            person.hasUnsureNames = true
            evictOthers(of: person, but: kept, device, isSure: false)
        case .refused(let error):
            if error.code != .rateLimited { violate("a change of the password is refused: \(error)") }
        }
    }

    func endOthers(_ device: Device, _ person: Person, in application: Application) async {
        guard let who = await fresh(device, person, in: application), let kept = person.sessions.last else { return }
        let outcome = await call("end other sessions") {
            try await $0.modules.sessions.endOtherSessions(by: who, isProven: false, from: Self.origin)
        }
        switch outcome {
        case .done: evictOthers(of: person, but: kept, device, isSure: true)
        case .unknown: evictOthers(of: person, but: kept, device, isSure: false)
        case .refused(let error):
            if !isUnshown(error) { violate("other sessions do not end: \(error)") }
        }
    }

    /// Whether a session has not shown what a change needs: it is old, or of a device that joined within a day.
    private func isUnshown(_ error: DomainError) -> Bool {
        error.code == .reauthenticationRequired || error.code == .transferUnconfirmed
    }

    /// Every other way into an account has ended, or may have.
    func evictOthers(of person: Person, but kept: OpenSession?, _ device: Device?, isSure: Bool) {
        remark("device \(device?.index ?? -1) stays with \(person.id.rawValue), others go: \(isSure)")
        bury(person.end(isSure: isSure) { $0 !== kept })
        for other in devices where other.person === person && other !== device { other.person = nil }
    }

    /// Asks to be deleted, or comes back.
    func delete(_ device: Device, _ person: Person, in application: Application) async {
        guard person.leavingSince == nil else { return await logIn(device, in: application, restoring: true) }
        guard let who = await fresh(device, person, in: application) else { return }
        remark("user \(person.id.rawValue) asks to be deleted")
        let begin = now
        let outcome = await call("ask to be deleted") {
            try await $0.modules.deletion.requestDeletion(by: who, isProven: false, from: Self.origin)
        }
        switch outcome {
        case .done:
            bury(person.end(isSure: true))
            person.leavingSince = begin
        case .unknown:
            _ = person.end(isSure: false)
            person.leavingSince = begin
            person.standing = .unsure
        case .refused(let error):
            if !isUnshown(error) { violate("a deletion is refused: \(error)") }
        }
    }

    /// An operator takes a user out, or lets them in again.
    func disable(_ person: Person, in application: Application) async {
        guard person.standing == .active || person.standing == .disabled else { return }
        let disables = person.standing == .active
        remark("user \(person.id.rawValue)")
        let outcome = await operate(disables ? "disable" : "enable") {
            try await $0.modules.accounts.setUserDisabled(
                person.id, in: application, isDisabled: disables, by: .local)
        }
        switch outcome {
        case .done:
            if disables { evictOthers(of: person, but: nil, nil, isSure: true) }
            person.standing = disables ? .disabled : .active
        case .unknown:
            person.standing = .unsure
            evictOthers(of: person, but: nil, nil, isSure: false)
        case .refused(let error):
            if error.code != .userUnknown || person.leavingSince == nil { violate("no disabling: \(error)") }
        }
    }
}
