import Domain
import TestWorld

/// How members log in: by password, by an authenticator app or a recovery code on top of it, by a passkey.
extension Simulation {
    /// Logs a member in by the password, and by the second factor where there is one.
    @discardableResult
    func logIn(_ member: Member, in application: Application) async -> Authenticated? {
        if let old = member.replacedPassword, generator.isOne(in: 6) {
            await useReplaced(old, of: member, in: application)
        }
        var wasLimited = false
        for password in member.passwords {
            let outcome = await call("log in as a member") {
                try await $0.logIn(member.name, Secret(password), to: application)
            }
            switch outcome {
            case .done(let logIn):
                member.passwords = [password]
                if member.factor?.isSure == true { violate("a password alone lets somebody with a second factor in") }
                // An addition that went unanswered did not happen.
                member.factor = nil
                guard let session = keep(logIn, of: member) else { return nil }
                return await authenticate(session, in: application)
            case .unknown: return nil
            case .refused(let error):
                if case .secondFactor(let challenge) = error.detail {
                    member.passwords = [password]
                    return await show(challenge, of: member, in: application)
                }
                switch error.code {
                case .credentialRefused: break
                case .rateLimited: wasLimited = true
                case .userDisabled, .userDeleted:
                    if member.isActive { violate("a member is refused: \(error)") }
                    return nil
                default: violate("a member is refused: \(error)")
                }
            }
        }
        if !wasLimited, member.isActive { violate("a password is lost") }
        return nil
    }

    private func useReplaced(_ password: String, of member: Member, in application: Application) async {
        let outcome = await call("log in by a replaced password") {
            try await $0.logIn(member.name, Secret(password), to: application)
        }
        switch outcome {
        case .done: violate("a replaced password works again")
        case .refused(let error):
            if case .secondFactor = error.detail { violate("a replaced password works again") }
        case .unknown: break
        }
    }

    /// Finishes a log-in by the second factor.
    private func show(
        _ challenge: SecondFactorChallenge, of member: Member, in application: Application
    ) async -> Authenticated? {
        guard var factor = member.factor else {
            violate("a second factor is asked for that nobody has added")
            return nil
        }
        let (shownAt, step) = (now, now.milliseconds / 1000 / TOTP.step)
        let recoveryCode = generator.isOne(in: 5) ? factor.recoveryCodes.last : nil
        guard let code = try? TestAuthenticator.code(for: factor.key, at: shownAt) else {
            violate("a key of an authenticator app is none")
            return nil
        }
        let shown: LogInWithSecondFactor.Shown = recoveryCode.map { .recoveryCode($0.revealed) } ?? .totp(code)
        let outcome = await finish(challenge, by: shown, in: application)
        let isFresh = recoveryCode != nil || step > factor.lastStep
        let isTaken = recoveryCode == nil && step <= factor.takenStep
        // Whatever became of it, it may be used up.
        if recoveryCode != nil {
            factor.recoveryCodes.removeLast()
        } else {
            factor.lastStep = max(factor.lastStep, step)
        }
        factor.isSure = true
        member.factor = factor
        switch outcome {
        case .done(let finished):
            if isTaken { violate("a step of an authenticator app counts twice") }
            if recoveryCode == nil { member.factor?.takenStep = max(factor.takenStep, step) }
            if generator.isOne(in: 2) { await useUsed(shown, of: member, in: application) }
            guard let session = keep(finished.logIn, of: member) else { return nil }
            return await authenticate(session, in: application)
        case .refused(let error):
            let isLate = now - shownAt > .seconds(25) || shownAt > now
            if error.code == .secondFactorRefused, isFresh, !isLate { violate("a second factor is lost") }
            return nil
        case .unknown: return nil
        }
    }

    private func finish(
        _ challenge: SecondFactorChallenge, by shown: LogInWithSecondFactor.Shown, in application: Application
    ) async -> Outcome<LogInWithSecondFactor.Finished> {
        let request = LogInWithSecondFactor.Request(
            application: application, ticket: challenge.ticket.revealed, shown: shown, client: Self.client,
            restoringFrom: nil)
        return await call("show a second factor") { try await $0.modules.secondFactors.logInWithSecondFactor(request) }
    }

    /// What finished a log-in finishes no other one.
    private func useUsed(
        _ shown: LogInWithSecondFactor.Shown, of member: Member, in application: Application
    ) async {
        let password = Secret(member.passwords[0])
        let outcome = await call("log in as a member") { try await $0.logIn(member.name, password, to: application) }
        guard case .refused(let error) = outcome, case .secondFactor(let challenge) = error.detail else { return }
        if case .done = await finish(challenge, by: shown, in: application) {
            violate("a used code of a second factor works again")
        }
    }

    /// Adds an authenticator app.
    func addFactor(_ member: Member, in application: Application) async {
        guard member.factor == nil, let who = await logIn(member, in: application), member.factor == nil else { return }
        let author = AccountAuthor.owner(who, isProven: false, from: Self.origin)
        let offered = await call("offer a second factor") {
            try $0.modules.secondFactors.enrolTOTP.offer(for: who, by: author)
        }
        guard case .done(let offer) = offered else { return }
        let step = now.milliseconds / 1000 / TOTP.step
        guard let code = try? TestAuthenticator.code(for: offer.key.revealed, at: now) else {
            return violate("a key of an authenticator app is none")
        }
        member.order = nil
        let outcome = await call("add a second factor") {
            try await $0.modules.secondFactors.enrolTOTP(
                .init(ticket: offer.ticket.revealed, code: code, name: nil), for: who, by: author)
        }
        switch outcome {
        case .done(let addition):
            member.factor = Member.Factor(
                key: offer.key.revealed, isSure: true, takenStep: step, lastStep: step,
                recoveryCodes: addition.recoveryCodes ?? [])
        case .unknown:
            member.factor = Member.Factor(key: offer.key.revealed, isSure: false, takenStep: 0, lastStep: step)
        case .refused: break
        }
    }

    /// Logs in with a passkey, or makes one.
    func usePasskey(_ member: Member, in application: Application) async {
        guard let passkey = member.passkey else { return await addPasskey(member, in: application) }
        let requested = await call("ask for a passkey", mayLose: false) {
            try $0.modules.passkeys.requestPasskey(in: application)
        }
        guard case .done(let options) = requested,
            let shown = try? passkey.authenticator.get(.init("webauthn.get", challenge: options.challenge))
        else { return }
        let (assertion, shownAt) = (
            PasskeyAssertion(
                id: passkey.authenticator.id, clientData: shown.clientData, authenticatorData: shown.authenticatorData,
                signature: shown.signature, userHandle: passkey.userHandle), now
        )
        switch await logIn(by: assertion, in: application) {
        case .done(let logIn):
            member.passkey?.isSure = true
            keep(logIn, of: member)
            guard generator.isOne(in: 3) else { return }
            if case .done = await self.logIn(by: assertion, in: application) {
                violate("a used assertion of a passkey works again")
            }
        case .refused(let error):
            let isLate = now - shownAt > .seconds(280) || shownAt > now
            switch error.code {
            case .passkeyUnknown:
                if passkey.isSure, member.isActive { violate("a passkey is lost") }
                member.passkey = nil
            case .passkeyRefused: if !isLate { violate("a passkey is refused: \(error)") }
            case .userDisabled: if member.isActive { violate("a passkey is refused: \(error)") }
            case .secondFactorRequired: break
            default: violate("a passkey is refused: \(error)")
            }
        case .unknown: break
        }
    }

    private func logIn(by assertion: PasskeyAssertion, in application: Application) async -> Outcome<LogIn> {
        await call("log in with a passkey") {
            try await $0.modules.passkeys.logInWithPasskey(
                .init(
                    application: application, assertion: assertion, client: Self.client, attempt: nil,
                    restoringFrom: nil))
        }
    }

    private func addPasskey(_ member: Member, in application: Application) async {
        guard let who = await logIn(member, in: application), let key = try? generator.privateKey() else { return }
        let author = AccountAuthor.owner(who, isProven: false, from: Self.origin)
        let authenticator = SoftwareAuthenticator(key: .es256(key), credentialId: generator.bytes(32))
        let requested = await call("ask to add a passkey") {
            try await $0.modules.passkeys.addPasskey.options(for: who, by: author)
        }
        guard case .done(let options) = requested,
            let made = try? authenticator.create(.init("webauthn.create", challenge: options.challenge))
        else { return }
        member.order = nil
        let outcome = await call("add a passkey") {
            try await $0.modules.passkeys.addPasskey(
                .init(
                    id: authenticator.id, clientData: made.clientData, attestationObject: made.attestationObject,
                    transports: [], name: nil), for: who, by: author)
        }
        let isSure: Bool
        switch outcome {
        case .done: isSure = true
        case .unknown: isSure = false
        case .refused: return
        }
        member.passkey = Member.Passkey(
            authenticator: authenticator, userHandle: options.userHandle, isSure: isSure)
    }
}
