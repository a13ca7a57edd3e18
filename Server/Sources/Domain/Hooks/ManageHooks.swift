/// Operators decide which addresses of an app's backend are asked before something happens. Each change is in the audit
/// log.
package struct ManageHooks: Sendable {
    let store: any Store
    let clock: any WallClock
    let secrets: EventSecrets
    let carrier: any HookCarrier
    let editApplication: EditApplication

    /// What is decided of a hook.
    package struct Draft: Hashable, Sendable {
        package var url: String
        /// `nil` for the standard.
        package var timeoutMilliseconds: Int64?
        package var whenDown: Hook.WhenDown
        package var asksGuests: Bool
        package var isPaused: Bool
        package var window: Hook.Window

        package init(
            url: String, timeoutMilliseconds: Int64? = nil, whenDown: Hook.WhenDown, asksGuests: Bool = false,
            isPaused: Bool = false, window: Hook.Window = Hook.Window()
        ) {
            self.window = window
            self.url = url
            self.timeoutMilliseconds = timeoutMilliseconds
            self.whenDown = whenDown
            self.asksGuests = asksGuests
            self.isPaused = isPaused
        }

        fileprivate func hook(at point: HookPoint, createdAt: Timestamp, sealedSecret: [UInt8]) -> Hook {
            var hook = Hook(
                point, url: url, timeoutMilliseconds: timeoutMilliseconds ?? Hook.standardTimeout,
                whenDown: whenDown, asksGuests: asksGuests, createdAt: createdAt, sealedSecret: sealedSecret)
            hook.isPaused = isPaused
            hook.window = window
            return hook
        }
    }

    /// All hooks of an application, in the order of what they are asked before.
    ///
    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func list(in application: Identifier<Application>) async throws(DomainError) -> [Hook] {
        let found = try await store.read { transaction throws(DomainError) in
            try transaction.application(application)
        }
        guard let found else { throw .applicationUnknown }
        return found.hooks
    }

    /// What of a draft breaks a rule.
    package func faults(of draft: Draft, at point: HookPoint) -> [ValidationError] {
        draft.hook(at: point, createdAt: clock.now, sealedSecret: []).faults(carrier)
    }

    /// Sets a hook, or changes the one that there is, which keeps its secret.
    ///
    /// - Returns: the hook, and the secret of a new one, which is shown once.
    /// - Throws: `fieldsRefused`, `applicationUnknown`, `administration(changedMeanwhile)`, `storageUnavailable`.
    package func set(
        _ point: HookPoint, to draft: Draft, in application: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> (hook: Hook, secret: Secret?) {
        let made = try secrets.make(purpose: Hook.purpose(point, application))
        var new = draft.hook(at: point, createdAt: clock.now, sealedSecret: made.sealed)
        let faults = new.faults(carrier)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let hook = new
        let changed = try await editApplication(application, .settingsChanged, isCurrent: isCurrent, by: who) {
            application in
            guard var known = application.settings.hooks[point] else {
                application.settings.hooks[point] = hook
                return ["hook": point.rawValue, "change": "created"]
            }
            known.url = hook.url
            known.timeoutMilliseconds = hook.timeoutMilliseconds
            known.whenDown = hook.whenDown
            known.asksGuests = hook.asksGuests
            known.isPaused = hook.isPaused
            known.window = hook.window
            application.settings.hooks[point] = known
            return ["hook": point.rawValue, "change": "changed"]
        }
        new = changed.settings.hooks[point] ?? hook
        return (new, new.sealedSecret == made.sealed ? made.secret : nil)
    }

    /// Replaces the secret. Those before sign beside it for a while, so that receivers can change over.
    ///
    /// - Parameters:
    ///   - point: Whose.
    ///   - application: The application.
    ///   - overlap: How long the one before signs; none before that signs for longer.
    ///   - attempt: Names the attempt, so that its repetition makes no second secret.
    ///   - who: Who does it.
    /// - Returns: the new secret, which is shown once.
    /// - Throws: `administration(notFound)`, `administration(changedMeanwhile)` for another rotation at the same time,
    ///   `fieldsRefused` when too many sign already, `attemptReused` for an attempt that made one, `applicationUnknown`,
    ///   `storageUnavailable`.
    package func rotate(
        _ point: HookPoint, in application: Identifier<Application>, overlap: SecretOverlap, attempt: Attempt? = nil,
        by who: Operator
    ) async throws(DomainError) -> (hook: Hook, secret: Secret) {
        let before = try await list(in: application).first { $0.point == point }
        guard let known = before?.secrets else { throw .administration(.notFound) }
        let made = try secrets.replacing(
            known, overlap: overlap, purpose: Hook.purpose(point, application), at: clock.now)
        let changed = try await editApplication(
            application, .settingsChanged, attempt: attempt?.making(.hookSecret(point)), by: who
        ) { application throws(DomainError) in
            guard var hook = application.settings.hooks[point] else { throw .administration(.notFound) }
            guard hook.secrets == known else { throw .administration(.changedMeanwhile) }
            try made.require()
            hook.secrets = made.sealed
            application.settings.hooks[point] = hook
            return ["hook": point.rawValue, "change": "secret-rotated"]
        }
        guard let hook = changed.settings.hooks[point] else { throw .administration(.notFound) }
        return (hook, made.secret)
    }

    /// Removes a hook. From the next request on nobody is asked.
    ///
    /// - Throws: `administration(notFound)`, `administration(changedMeanwhile)`, `applicationUnknown`, `storageUnavailable`.
    package func remove(
        _ point: HookPoint, in application: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) {
        _ = try await editApplication(application, .settingsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            guard application.settings.hooks.removeValue(forKey: point) != nil else {
                throw .administration(.notFound)
            }
            return ["hook": point.rawValue, "change": "removed"]
        }
    }
}

extension ApplicationSettings {
    /// Takes a hook as it is stored, in the place of the one before.
    package mutating func set(_ hook: Hook) { hooks[hook.point] = hook }
}

extension Application {
    /// Its hooks, in the order of what they are asked before.
    package var hooks: [Hook] { HookPoint.allCases.compactMap { settings.hooks[$0] } }
}

/// Asks a hook about a user who does not exist. Nothing happens, whatever the response is, and no breaker is in between.
package struct TestHook: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let ask: AskHook
    let audit: AuditTrail

    /// - Returns: what the hook decided, judged as in earnest.
    /// - Throws: `administration(notFound)`, `applicationUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ point: HookPoint, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> HookOutcome {
        let found = try await store.read { transaction throws(DomainError) in
            try transaction.application(application)
        }
        guard let found else { throw .applicationUnknown }
        guard let hook = found.settings.hooks[point] else { throw .administration(.notFound) }
        try await audit.record(.hookTested, details: ["hook": point.rawValue], by: who, in: application, to: store)
        guard point != .adoption else { return await ask.testOwner(hook, in: application) }
        let now = clock.now
        let request = UserRegistration.Request(
            .signUp, in: found, .init(displayName: "Test"), identifiers: NewIdentifiers(rules: .native))
        let draft = UserRegistration(request, id: randomness.newIdentifier(at: now), at: now)
        var subject = HookSubject(draft.user)
        switch point {
        case .signUp: subject.way = .signUp
        case .upgrade, .adoption: break
        case .accessToken:
            (subject.session, subject.audience) = (Identifier(rawValue: "test"), application.rawValue)
            subject.claims = [:]
        case .logIn: subject.logIn = (LogInIdentifier(.username, shown: "test"), Secret("test"))
        }
        let outcome = AskHook.judged(
            await ask.ask(hook, about: subject, in: application, isTest: true), of: point
        ) { fields, claims in
            guard point != .logIn else {
                return MigratedUser.reason(against: fields, claims, of: subject, in: found, at: now)
            }
            return draft.reason(against: fields) ?? found.settings.access.reason(against: claims, beside: [:])
        }
        guard case .refused(let message) = outcome else { return outcome }
        return .refused(message: AskHook.message(message))
    }
}
