/// Changes what an application decides about its users' fields. What is stored already is left as it is; see
/// `CountRuleBreakers`.
package struct ChangeFieldRules: Sendable {
    let editApplication: EditApplication

    /// - Parameters:
    ///   - id: The application.
    ///   - mayLoosen: Whether who does it has given fresh proof, which a change that lets more through asks for.
    ///   - isCurrent: Whether the application is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    ///   - change: Makes the change; may run twice.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `reauthenticationRequired`, `fieldsRefused`,
    ///   `administration(notAllowed)` for who may not read every user, where everybody reads more; `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        of id: Identifier<Application>, mayLoosen: Bool,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator,
        _ change: @escaping @Sendable (inout FieldRules) -> Void
    ) async throws(DomainError) -> Application {
        try await editApplication(id, .fieldRulesChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            let before = application.settings.fieldRules
            change(&application.settings.fieldRules)
            let after = application.settings.fieldRules
            guard after != before else { return [:] }
            // Of what another program stored nothing is judged again.
            let faults = after.faults + application.settings.access.unservedClaims(after)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            guard mayLoosen || !after.loosens(before) else { throw .reauthenticationRequired }
            if after.showsMoreToEverybody(than: before) { try who.require(.showUsersToEverybody) }
            return after.details(since: before)
        }
    }
}

extension AuditEntry.Action {
    package static let fieldRulesChanged = AuditEntry.Action(rawValue: "field-rules.changed")
}

extension FieldRules {
    /// Whether users may do more than by the rules before, more people read a field, or what the server alone writes
    /// gets another value by itself, so that the change asks for fresh proof (requirement 18).
    func loosens(_ before: FieldRules) -> Bool {
        if before.isClosed, !isClosed { return true }
        let (now, then) = (limits, before.limits)
        if now.fields > then.fields || now.fieldsBytes > then.fieldsBytes
            || now.userNameCharacters > then.userNameCharacters
        {
            return true
        }
        return Set(rules.keys).union(before.rules.keys).contains { name in
            effective(name).loosens(before.effective(name))
        }
    }

    /// Whether everybody who sees a user reads a field that was the user's or the server's alone.
    fileprivate func showsMoreToEverybody(than before: FieldRules) -> Bool {
        if before.isClosed, !isClosed { return true }
        return Set(rules.keys).union(before.rules.keys).contains { name in
            effective(name).reader == .everybody && before.effective(name).reader != .everybody
        }
    }

    /// The rule that holds for a field, also for one that has none.
    private func effective(_ name: String) -> FieldRule {
        self[name] ?? FieldRule(name: name, reader: isClosed ? .owner : .everybody, writer: isClosed ? .server : .owner)
    }

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

extension FieldRule {
    /// Whether it lets more through than another rule for the same field. What only the server writes, and may so become
    /// a claim, is also loosened by another default.
    func loosens(_ before: FieldRule) -> Bool {
        let isReadByMore =
            switch (before.reader, reader) {
            case (.server, .owner), (.server, .everybody), (.owner, .everybody): true
            default: false
            }
        let takesMore =
            switch (before.kind, kind) {
            case (.any, _), (.number, .integer): false
            default: before.kind != kind
            }
        let givesMore = writer == .server && standard != nil && standard != before.standard
        return isReadByMore || takesMore || givesMore || before.writer == .server && writer == .owner
            || before.isRequired && !isRequired
    }
}
