import Foundation
package import enum OkaeriWire.JSONValue

/// Gives an application's pages and screens another look. What a theme says, the adapters know; here it is kept small.
package struct ChangeTheme: Sendable {
    package static let maximumBytes = 160 * 1024

    let editApplication: EditApplication

    /// - Parameters:
    ///   - id: The application.
    ///   - theme: The theme; `nil` for the standard one.
    ///   - isCurrent: Whether the application is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        of id: Identifier<Application>, to theme: JSONValue?,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> Application {
        if let theme {
            // What cannot be written is no JSON, and too large is the safe answer.
            let size = (try? JSONEncoder().encode(theme).count) ?? Int.max
            guard size <= Self.maximumBytes else {
                throw .fieldsRefused([
                    ValidationError(field: "theme", rule: .tooManyBytes(maximum: Self.maximumBytes))
                ])
            }
        }
        return try await editApplication(id, .themeChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            application.settings.theme = theme
            return [:]
        }
    }
}
