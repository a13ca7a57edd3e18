/// Changes what an application decides about its users' fields. What is stored already is left as it is; see
/// `CountRuleBreakers`.
package struct ChangeFieldRules: Sendable {
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
        _ change: @escaping @Sendable (inout FieldRules) -> Void
    ) async throws(DomainError) -> Application {
        try await editApplication(id, .fieldRulesChanged, by: who) { application throws(DomainError) in
            let before = application.settings.fieldRules
            change(&application.settings.fieldRules)
            let after = application.settings.fieldRules
            guard after != before else { return [:] }
            // Of what another program stored nothing is judged again.
            let faults = after.faults + application.settings.access.unservedClaims(after)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            return after.details(since: before)
        }
    }
}

extension AuditEntry.Action {
    package static let fieldRulesChanged = AuditEntry.Action(rawValue: "field-rules.changed")
}

extension FieldRules {
    /// What changed, for the audit log: names, who may read and write, never defaults, which can be long.
    fileprivate func details(since before: FieldRules) -> [String: String] {
        var details: [String: String] = [:]
        if isClosed != before.isClosed { details["policy"] = isClosed ? "closed" : "open" }
        if limits != before.limits { details["limits"] = limits.words }
        for name in Set(rules.keys).union(before.rules.keys).sorted() where self[name] != before[name] {
            let text = self[name].map { "\($0.kind.rawValue), read \($0.reader.rawValue), write \($0.writer.rawValue)" }
            details["field.\(name.prefix(64))"] =
                (text ?? "removed") + (self[name]?.isRequired == true ? ", required" : "")
        }
        return details
    }
}
