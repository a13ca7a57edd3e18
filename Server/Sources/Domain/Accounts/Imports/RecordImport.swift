/// Writes to the audit log that an operator takes users in, with passwords, roles and sessions that nobody here gave them. An
/// import that broke off has a beginning and no end.
package struct RecordImport: Sendable {
    package enum Step: Sendable {
        case begun
        /// How many records were taken in, were there already, and were refused.
        case ended(imported: Int, present: Int, refused: Int)
    }

    let store: any Store
    let audit: AuditTrail

    /// - Parameters:
    ///   - step: Begun or ended.
    ///   - application: Where the users come to.
    ///   - who: Who does it.
    /// - Throws: `storageUnavailable`; nothing must be taken in then.
    package func callAsFunction(
        _ step: Step, into application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let details: [String: String] =
            switch step {
            case .begun: ["change": "begun"]
            case .ended(let imported, let present, let refused):
                [
                    "change": "ended", "imported": String(imported), "present": String(present),
                    "refused": String(refused),
                ]
            }
        try await audit.record(.usersImported, details: details, by: who, in: application, to: store)
    }
}
