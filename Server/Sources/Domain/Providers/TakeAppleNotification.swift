/// Does what Apple's server-to-server notifications ask for (requirement 35). They may come several times and late.
package struct TakeAppleNotification: Sendable {
    /// Older messages than this are refused, and ids are remembered for as long.
    package static let memory: Duration = .days(30)
    /// How far Apple's clock and this one may be apart. An end of consent that may be later than the grant counts.
    private static let skew: Duration = .seconds(60)

    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges
    let apple: (any AppleServerAPI)?

    /// - Parameters:
    ///   - signed: The notification, a JWS signed by Apple.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `providerTokenRefused`, `providerUnavailable`, `storageUnavailable`.
    package func callAsFunction(_ signed: String, from origin: RequestOrigin) async throws(DomainError) {
        guard let apple else { throw .providerNotEnabled }
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.providers(named: .apple)
        }
        let notification = try await apple.notification(signed, audiences: Set(known.flatMap(\.settings.audiences)))
        let now = clock.now
        guard notification.issuedAt + Self.memory > now else { throw .providerTokenRefused(.expired) }
        let proof = UsedProof(
            .providerNotification, SecretDigest(of: "apple notification \(notification.id)".utf8),
            until: notification.issuedAt + Self.memory + .seconds(1))
        let concerned = known.filter { $0.settings.audiences.contains(notification.audience) }
        for entry in concerned {
            let people = try await leaving(notification, entry)
            let effects = try people.map { user throws(DomainError) in
                Effects(
                    ready: try changes.audit.ready(
                        [.consentRevoked, .providerAccountDeleted], in: entry.application,
                        by: .provider(.apple, from: origin), at: now),
                    deletion: try UserErasure(
                        .goneElsewhere, in: entry.application, by: .provider(.apple, from: origin),
                        audit: changes.audit, now: now
                    ).notifying(user, by: changes.notice))
            }
            try await store.write { transaction throws(DomainError) in
                let isNew = try transaction.markUsed(proof, in: entry.application)
                guard isNew else { return }
                for (event, effects) in zip(notification.events, effects) {
                    try take(event, of: notification, entry, effects, transaction, at: now)
                }
            }
        }
    }

    /// Whom each event may put on the way out, for the mail that says so; `nil` for nobody. As `take`, it finds who is known by the
    /// settings of another team.
    private func leaving(
        _ notification: ProviderNotification, _ entry: StoredProvider
    ) async throws(DomainError) -> [User?] {
        try await store.read { transaction throws(DomainError) in
            try notification.events.map { event throws(DomainError) -> User? in
                guard event.kind == .accountDeleted else { return nil }
                return try transaction.knownUser(for: Self.person(of: event, entry), in: entry.application)
            }
        }
    }

    private static func person(of event: ProviderNotification.Event, _ entry: StoredProvider) -> ExternalIdentity {
        let configured = ConfiguredProvider(application: entry.application, settings: entry.settings, secret: nil)
        return ExternalIdentity(provider: .apple, subject: configured.subject(of: event.name), audience: "")
    }

    /// What an event may do to a user.
    private struct Effects: Sendable {
        let ready: ReadyChanges
        let deletion: UserErasure
    }

    private func take(
        _ event: ProviderNotification.Event, of notification: ProviderNotification, _ entry: StoredProvider,
        _ effects: Effects, _ transaction: any Transaction, at now: Timestamp
    ) throws(DomainError) {
        let (application, person) = (entry.application, Self.person(of: event, entry))
        // Who is known by the settings of another team has the name of the present one from here on.
        _ = try transaction.user(for: person, in: application)
        switch event.kind {
        case .emailEnabled, .emailDisabled:
            try Self.noteForwarding(event, of: person.subject, in: application, transaction)
        case .consentRevoked:
            try Self.endConsent(
                event, of: notification, person.subject, in: application, effects.ready, transaction, at: now)
        case .accountDeleted:
            try Self.removeAccount(person.subject, in: application, effects, transaction, at: now)
        case .other:
            return
        }
    }

    private static func noteForwarding(
        _ event: ProviderNotification.Event, of subject: String, in application: Identifier<Application>,
        _ transaction: any Transaction
    ) throws(DomainError) {
        guard var account = try transaction.providerAccount(.apple, subject: subject, in: application) else { return }
        account.isEmailForwarded = event.kind == .emailEnabled
        account.email = event.email ?? account.email
        try transaction.save(account)
    }

    /// Apple has ended the grant itself. The person may come back with the same name.
    private static func endConsent(
        _ event: ProviderNotification.Event, of notification: ProviderNotification, _ subject: String,
        in application: Identifier<Application>, _ ready: ReadyChanges, _ transaction: any Transaction,
        at now: Timestamp
    ) throws(DomainError) {
        guard var user = try transaction.user(provider: .apple, subject: subject, in: application) else { return }
        // The person has come back since: what is there now is of another consent. A token alone brings no grant.
        let end = (event.happenedAt ?? notification.issuedAt) + skew
        let apple = Session.LogInMethod(rawValue: Identity.Provider.apple.rawValue)
        let hasComeBack = try transaction.sessions(of: user.id, in: application).contains { session in
            session.method == apple && session.createdAt > end
        }
        guard !hasComeBack else { return }
        if var account = try transaction.providerAccount(.apple, subject: subject, in: application) {
            guard account.sealedGrant == nil || account.updatedAt <= end else { return }
            // Of another app of the team, alone or among several, it is still to be ended with the account. It does no harm to
            // end one twice.
            if account.audience == notification.audience {
                account.sealedGrant = nil
                account.updatedAt = now
                try transaction.save(account)
            }
        }
        let identities = user.identities.filter { $0.provider == .apple }
        try ready.settle(
            [.consentRevoked: ["event": "consent-revoked"]], of: &user, keeping: .nothing, unlinked: identities,
            in: transaction)
    }

    private static func removeAccount(
        _ subject: String, in application: Identifier<Application>, _ effects: Effects,
        _ transaction: any Transaction, at now: Timestamp
    ) throws(DomainError) {
        guard var user = try transaction.user(provider: .apple, subject: subject, in: application),
            let identity = user.identities.first(where: { $0.provider == .apple && $0.subject == subject })
        else { return }
        try transaction.removeProviderAccount(.apple, subject: subject, in: application)
        try transaction.remove(identity, of: user.id, in: application)
        let isStranded = !user.hasWayIn(without: [identity], by: nil)
        user.updatedAt = now
        try transaction.updateProfile(of: user)
        try effects.ready.settle(
            [.providerAccountDeleted: ["event": "account-delete"]], of: &user, keeping: .nothing, unlinked: [identity],
            in: transaction)
        // Nobody could come back as this user: what is stored about the person goes after the grace.
        if isStranded { _ = try effects.deletion.store(user.id, in: application, transaction) }
    }
}
