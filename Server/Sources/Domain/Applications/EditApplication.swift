/// Stores a change of an application and its audit entry in one transaction. Every change of settings goes through it.
struct EditApplication: Sendable {
    private let store: any Store
    private let clock: any WallClock
    private let audit: AuditTrail
    private let passkeyDomains: PasskeyDomainRule
    private let audiences = AudienceRule()

    init(_ world: DomainWorld, audit: AuditTrail) {
        store = world.store
        clock = world.clock
        self.audit = audit
        passkeyDomains = PasskeyDomainRule(pagesURL: world.services.pagesURL)
    }

    /// - Parameters:
    ///   - id: Which one.
    ///   - action: What the audit log calls the change.
    ///   - isCurrent: Whether the application is still as the caller has seen it; may be asked twice.
    ///   - attempt: Names the attempt to make what has a secret that is shown once.
    ///   - who: Who does it.
    ///   - change: Judges and makes the change; may run twice. It returns the audit entry's details.
    /// - Returns: the application afterwards. When nothing changes, nothing is written.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `attemptReused`, what `change` throws, `fieldsRefused` for a
    ///   domain or an audience that is not theirs alone, `administration(notAllowed)` for who may not read and change every user, where a
    ///   change leads what opens accounts elsewhere, and for who may not change users, where one erases them sooner;
    ///   `storageUnavailable`.
    func callAsFunction(
        _ id: Identifier<Application>, _ action: AuditEntry.Action,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, attempt: Attempt? = nil,
        by who: Operator,
        _ change: @escaping @Sendable (inout Application) throws(DomainError) -> [String: String]
    ) async throws(DomainError) -> Application {
        let now = clock.now
        let entry = audit.draft(action, by: who.actor, in: id, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard let before = try transaction.application(id) else { throw .applicationUnknown }
            try transaction.take(attempt, by: who, in: id, at: now)
            guard isCurrent(before) else { throw .administration(.changedMeanwhile) }
            var application = before
            let details = try change(&application)
            guard application != before else { return before }
            let faults =
                try passkeyDomains.faults(of: application, after: before, by: who, in: transaction)
                + audiences.faults(of: application, after: before, by: who, in: transaction)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            if application.settings.leadsElsewhere(than: before.settings) { try who.require(.changeLogInAddresses) }
            if application.settings.erasesSooner(than: before.settings) { try who.require(.eraseSooner) }
            try transaction.update(application)
            try entry.record(on: .application(id), details: details, in: transaction)
            return application
        }
    }
}

extension ApplicationSettings {
    /// Whether what opens accounts goes to an address or an app that did not get it before: codes of log-ins, links of mails
    /// and transfer codes, passkeys. Without an address of the app's own they stay on the server's pages.
    fileprivate func leadsElsewhere(than before: ApplicationSettings) -> Bool {
        let links = [
            (transferLink, before.transferLink), (mail.verificationURL, before.mail.verificationURL),
            (mail.resetURL, before.mail.resetURL),
        ]
        return links.contains { link, old in link != nil && link != old }
            || !Set(redirectAddresses).isSubset(of: before.redirectAddresses)
            || !passkeys.additions(since: before.passkeys).isEmpty
    }

    /// Whether users go sooner than before: guests who are idle, or who asked to be deleted.
    fileprivate func erasesSooner(than before: ApplicationSettings) -> Bool {
        if deletionGrace < before.deletionGrace { return true }
        guard let limit = anonymousIdleLimit else { return false }
        return before.anonymousIdleLimit.map { limit < $0 } ?? true
    }
}
