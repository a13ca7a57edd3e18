/// Makes an application. Its admin key is in the answer and nowhere else.
package struct CreateApplication: Sendable {
    package static let maximumNameCharacters = 100
    package static let maximumAudienceCharacters = 255
    package static let maximumAudiences = 20

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail

    /// - Throws: `fieldsRefused` for `name` or `audiences`, `storageUnavailable`.
    package func callAsFunction(
        name: String, settings: ApplicationSettings = ApplicationSettings()
    ) async throws(DomainError) -> (application: Application, adminKey: Secret) {
        var faults = TextRule(maximumCharacters: Self.maximumNameCharacters).faults(of: name, field: "name")
        if settings.audiences.count > Self.maximumAudiences {
            faults.append(FieldFault(field: "audiences", rule: .tooManyFields(maximum: Self.maximumAudiences)))
        }
        for audience in settings.audiences {
            faults += TextRule(maximumCharacters: Self.maximumAudienceCharacters)
                .faults(of: audience, field: "audiences")
        }
        faults += settings.lifeFaults
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let now = clock.now
        let adminKey = Secret("oka_" + Base64URL.text(of: randomness.bytes(32)))
        let application = Application(
            id: randomness.newIdentifier(at: now), name: name, adminKeyDigest: adminKey.digest, settings: settings,
            createdAt: now)
        let entry = audit.draft(.applicationCreated, by: .operator, in: application.id, from: .local)
        try await store.write { transaction throws(DomainError) in
            try transaction.insert(application)
            try entry.record(on: .application(application.id), in: transaction)
        }
        return (application, adminKey)
    }
}
