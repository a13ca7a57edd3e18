/// Changes what an application has decided about its mails.
package struct ChangeMailSettings: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Parameters:
    ///   - id: The application.
    ///   - who: Who does it.
    ///   - change: Makes the change; may run twice.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `fieldsRefused`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        of id: Identifier<Application>, by who: Operator,
        _ change: @escaping @Sendable (inout MailSettings) -> Void
    ) async throws(DomainError) -> Application {
        let entry = audit.draft(.mailSettingsChanged, by: who.actor, in: id, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard var application = try transaction.application(id) else { throw .applicationUnknown }
            change(&application.settings.mail)
            let faults = application.settings.mail.faults()
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            try transaction.update(application)
            try entry.record(on: .application(id), in: transaction)
            return application
        }
    }
}
