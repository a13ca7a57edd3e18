/// Notes in the audit log that an operator looked at people's data (requirement 42): whose, and never what was seen.
package struct RecordReading: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Parameters:
    ///   - user: Who was looked at; `nil` for a list of many.
    ///   - application: Whose users.
    ///   - who: Who does it.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of user: Identifier<User>?, in application: Identifier<Application>, by who: Operator = .local
    ) async throws(DomainError) {
        let entry = audit.draft(.usersRead, by: who.actor, in: application, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try entry.record(on: user.map { .user($0) } ?? .application(application), in: transaction)
        }
    }
}
