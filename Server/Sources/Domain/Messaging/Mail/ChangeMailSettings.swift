/// Changes what an application has decided about its mails.
package struct ChangeMailSettings: Sendable {
    let editApplication: EditApplication

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
        try await editApplication(id, .mailSettingsChanged, by: who) { application throws(DomainError) in
            change(&application.settings.mail)
            let faults = application.settings.mail.faults()
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            return [:]
        }
    }
}
