/// Tells an application's settings for a provider, which switches log-in with it on.
package struct SetProvider: Sendable {
    package static let maximumAudiences = 20
    /// Changes of users read all of them, in transactions that everybody waits for.
    package static let maximumPerApplication = 100
    private static let name = TextRule(maximumCharacters: 255)

    let store: any Store
    let clock: any WallClock
    let sealingKey: SealingKey
    let providers: IdentityProviders
    let audit: AuditTrail

    /// - Parameters:
    ///   - settings: What shall hold from now on.
    ///   - secret: The private key or client secret; `nil` keeps the one that is stored. It is never shown again
    ///     (requirement 40), and is sent to the issuer alone for which it was given.
    ///   - application: Whose settings.
    ///   - isCurrent: Whether the application's providers are still as the caller has seen them; may be asked twice.
    ///   - who: Who does it.
    /// - Throws: `applicationUnknown`, `providerNotEnabled` when the program has no such provider, `fieldsRefused`, also without a
    ///   secret for another issuer; `administration(changedMeanwhile)`, also when the secret to be kept is another one by
    ///   now, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ settings: ProviderSettings, secret: Secret?, of application: Identifier<Application>,
        isCurrent: @escaping @Sendable ([ListProviders.Entry]) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) {
        guard let provider = providers[settings.provider] else { throw .providerNotEnabled }
        let before = try await store.read { transaction throws(DomainError) in
            guard try transaction.application(application) != nil else { throw .applicationUnknown }
            return try transaction.providers(of: application).first { $0.settings.provider == settings.provider }
        }
        let kept = try before?.opened(with: sealingKey).secret
        let faults = Self.faults(in: settings)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        // Who may change settings would else read the secret of the issuer before at the token endpoint of their own.
        if secret == nil, kept != nil, before?.settings.issuer != settings.issuer {
            throw .fieldsRefused([ValidationError(field: "secret", rule: .required)])
        }
        let needs = provider.faults(in: settings, secret: secret ?? kept)
        guard needs.isEmpty else { throw .fieldsRefused(needs) }
        let sealed: [UInt8]?
        if let secret {
            sealed = try sealingKey.seal(
                Array(secret.revealed.utf8), purpose: StoredProvider.purpose(settings.provider, in: application))
        } else {
            sealed = before?.sealedSecret
        }
        let record = audit.draft(.providerSet, by: who.actor, in: application, from: who.origin)
        let entry = StoredProvider(
            application: application, settings: settings, sealedSecret: sealed, updatedAt: clock.now)
        let isKept = secret == nil
        try await store.write { transaction throws(DomainError) in
            let all = try transaction.providers(of: application)
            guard isCurrent(all.map(ListProviders.Entry.init(stored:))) else {
                throw .administration(.changedMeanwhile)
            }
            let present = all.first { $0.settings.provider == entry.settings.provider }
            guard present != nil || all.count < Self.maximumPerApplication else {
                throw .fieldsRefused([
                    ValidationError(field: "provider", rule: .tooManyFields(maximum: Self.maximumPerApplication))
                ])
            }
            if isKept {
                guard present?.sealedSecret == before?.sealedSecret, present?.settings.issuer == before?.settings.issuer
                else { throw .administration(.changedMeanwhile) }
            }
            try transaction.save(entry)
            try record.record(
                on: .provider(entry.settings.provider), details: ["secret": secret == nil ? "kept" : "new"],
                in: transaction)
        }
    }

    private static func faults(in settings: ProviderSettings) -> [ValidationError] {
        var faults: [ValidationError] = []
        if settings.audiences.isEmpty { faults.append(ValidationError(field: "audiences", rule: .empty)) }
        faults += name.faults(ofEach: settings.audiences, atMost: maximumAudiences, field: "audiences")
        faults += name.faults(ofEach: settings.redirectURIs, atMost: maximumAudiences, field: "redirectURIs")
        faults += name.faults(of: settings.teamId, field: "teamId")
        faults += name.faults(of: settings.keyId, field: "keyId")
        faults += name.faults(of: settings.issuer, field: "issuer")
        return faults
    }
}

/// Switches log-in with a provider off for an application and forgets the secret. Identities stay.
package struct RemoveProvider: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `providerNotEnabled` when it was off, `administration(changedMeanwhile)`, `storageUnavailable`.
    package func callAsFunction(
        _ provider: Identity.Provider, of application: Identifier<Application>,
        isCurrent: @escaping @Sendable ([ListProviders.Entry]) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) {
        let entry = audit.draft(.providerRemoved, by: who.actor, in: application, from: who.origin)
        let removed = try await store.write { transaction throws(DomainError) in
            guard isCurrent(try transaction.providers(of: application).map(ListProviders.Entry.init(stored:))) else {
                throw .administration(.changedMeanwhile)
            }
            guard try transaction.removeProvider(provider, of: application) else { return false }
            try entry.record(on: .provider(provider), in: transaction)
            return true
        }
        guard removed else { throw .providerNotEnabled }
    }
}
