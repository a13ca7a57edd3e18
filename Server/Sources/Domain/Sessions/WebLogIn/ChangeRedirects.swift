/// Changes where the pages may send people back to.
package struct ChangeRedirects: Sendable {
    let editApplication: EditApplication

    /// - Parameters:
    ///   - id: The application.
    ///   - isCurrent: Whether the application is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    ///   - change: Makes the change; may run twice.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        of id: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator,
        _ change: @escaping @Sendable (inout [String]) -> Void
    ) async throws(DomainError) -> Application {
        try await editApplication(id, .redirectsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
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
