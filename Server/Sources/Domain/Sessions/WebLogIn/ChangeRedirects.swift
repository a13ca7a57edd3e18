/// Changes where the pages may send people back to.
package struct ChangeRedirects: Sendable {
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
        _ change: @escaping @Sendable (inout [String]) -> Void
    ) async throws(DomainError) -> Application {
        try await editApplication(id, .redirectsChanged, by: who) { application throws(DomainError) in
            change(&application.settings.redirectAddresses)
            let addresses = application.settings.redirectAddresses
            guard addresses.count <= RedirectAddress.maximumCount else {
                throw .fieldsRefused([
                    ValidationError(
                        field: "redirectAddresses", rule: .tooManyFields(maximum: RedirectAddress.maximumCount))
                ])
            }
            let faults = addresses.filter { RedirectAddress($0) == nil }
                .map { _ in ValidationError(field: "redirectAddresses", rule: .notALink) }
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            return [:]
        }
    }
}
