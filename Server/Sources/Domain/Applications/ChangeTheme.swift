import Foundation
package import enum OkaeriWire.JSONValue

/// Gives an application's pages and screens another look. What a theme says, the adapters know; here it is kept small.
package struct ChangeTheme: Sendable {
    package static let maximumBytes = 160 * 1024

    let store: any Store
    let audit: AuditTrail

    /// - Parameters:
    ///   - id: The application.
    ///   - theme: The theme; `nil` for the standard one.
    ///   - who: Who does it.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `fieldsRefused`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        of id: Identifier<Application>, to theme: JSONValue?, by who: Operator
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
        let entry = audit.draft(.themeChanged, by: who.actor, in: id, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard var application = try transaction.application(id) else { throw .applicationUnknown }
            application.settings.theme = theme
            try transaction.update(application)
            try entry.record(on: .application(id), in: transaction)
            return application
        }
    }
}
