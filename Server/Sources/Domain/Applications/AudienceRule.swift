/// Which audiences of access tokens an application may have (decision 0184).
///
/// All applications have one issuer, so a backend knows by the audience whose users it lets in. One that another application
/// has, or that is the id of another one, is added only by who decides for both.
struct AudienceRule: Sendable {
    /// What breaks the rule.
    ///
    /// - Parameters:
    ///   - application: As it is going to be.
    ///   - before: As it is; `nil` for a new one.
    ///   - who: Who changes it.
    ///   - transaction: The one that changes it.
    /// - Returns: nothing when it may be changed so. What the application has already is not looked at.
    /// - Throws: `storageUnavailable`.
    func faults(
        of application: Application, after before: Application?, by who: Operator, in transaction: any Transaction
    ) throws(DomainError) -> [ValidationError] {
        let added = Set(application.settings.audiences).subtracting(before?.settings.audiences ?? [])
        guard !added.isEmpty, let reach = who.applications else { return [] }
        let isTaken = try transaction.applications().contains { other in
            other.id != application.id && !reach.contains(other.id)
                && (added.contains(other.id.rawValue) || !added.isDisjoint(with: other.settings.audiences))
        }
        return isTaken ? [ValidationError(field: "audiences", rule: .notOwnAudience)] : []
    }
}
