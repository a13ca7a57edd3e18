/// Operators decide which services' tokens lead to the users that were taken in from there. Each change is in the audit log.
package struct ManageOldServices: Sendable {
    let sealingKey: SealingKey
    let tokens: any OldTokenVerifier
    let editApplication: EditApplication

    /// What is decided of a service.
    package struct Draft: Sendable {
        package var issuer: String?
        package var audiences: [String]
        /// `nil` keeps the one that is stored. It is never shown.
        package var secret: Secret?

        package init(issuer: String? = nil, audiences: [String] = [], secret: Secret? = nil) {
            self.issuer = issuer
            self.audiences = audiences
            self.secret = secret
        }
    }

    /// Trusts a service, or changes how it is known.
    ///
    /// - Parameters:
    ///   - name: Which one.
    ///   - draft: What shall hold from now on.
    ///   - id: Whose settings.
    ///   - isCurrent: Whether the application is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    /// - Returns: the application afterwards.
    /// - Throws: `fieldsRefused`, `administration(changedMeanwhile)`, `applicationUnknown`, `storageUnavailable`.
    package func set(
        _ name: OldService.Name, to draft: Draft, in id: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool, by who: Operator
    ) async throws(DomainError) -> Application {
        let service = OldService(name, issuer: draft.issuer, audiences: draft.audiences)
        let faults = service.faults
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let needs = tokens.faults(in: service, secret: draft.secret)
        guard needs.isEmpty else { throw .fieldsRefused(needs) }
        let sealed = try draft.secret.map { secret throws(DomainError) in
            try sealingKey.seal(Array(secret.revealed.utf8), purpose: OldService.purpose(name, id))
        }
        let isNewSecret = sealed != nil
        return try await editApplication(id, .settingsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            let before = application.settings.oldServices[name]
            var service = service
            service.sealedSecret = sealed ?? before?.sealedSecret
            application.settings.set(service)
            return [
                "oldService": name.rawValue, "change": before == nil ? "created" : "changed",
                "secret": isNewSecret ? "new" : service.sealedSecret == nil ? "none" : "kept",
            ]
        }
    }

    /// Trusts a service no more, and forgets its secret. Users who came from there stay.
    ///
    /// - Throws: `administration(notFound)`, `administration(changedMeanwhile)`, `applicationUnknown`, `storageUnavailable`.
    package func remove(
        _ name: OldService.Name, in id: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool, by who: Operator
    ) async throws(DomainError) {
        _ = try await editApplication(id, .settingsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            guard application.settings.oldServices.removeValue(forKey: name) != nil else {
                throw .administration(.notFound)
            }
            return ["oldService": name.rawValue, "change": "removed"]
        }
    }
}
