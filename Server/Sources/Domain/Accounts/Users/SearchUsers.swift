/// Finds users by what they are and what apps have stored about them.
package struct SearchUsers: Sendable {
    let schedule: SearchScheduler

    /// - Parameters:
    ///   - search: The question. A limit beyond the largest is cut.
    ///   - home: Whose users.
    ///   - request: What the search is part of: all its searches share one time limit.
    /// - Returns: the users whom the reader may see. Only the reader's own identities are there, or everybody's for an
    ///   operator.
    /// - Throws: `fieldsRefused` for a question that is too large, `searchTooSlow` for one that takes too long,
    ///   `searchTooLarge` for one that finds more than a response holds,
    ///   `rateLimited` and `busy` as the scheduler does, `storageUnavailable`.
    package func callAsFunction(
        _ search: UserSearch, in home: Application, for request: SearchRequest
    ) async throws(DomainError) -> UserSearch.Findings {
        try await self(search, in: home, for: request) { found throws(DomainError) in found }
    }

    /// The same, with a look at what is found that is a part of the search: in its turn, on its reader and in its time (decision
    /// 0286).
    ///
    /// - Parameters:
    ///   - search: The question.
    ///   - home: Whose users.
    ///   - request: What the search is part of.
    ///   - look: What is made of the findings. It may run twice.
    /// - Returns: what the look returns.
    /// - Throws: what the search and the look throw.
    package func callAsFunction<Value: Sendable>(
        _ search: UserSearch, in home: Application, for request: SearchRequest,
        look: @escaping @Sendable (UserSearch.Findings) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let application = home.id
        let size = search.question.size
        guard size.depth <= UserSearch.maximumDepth else {
            throw .fieldsRefused([
                ValidationError(field: "where", rule: .tooDeep(maximumLevels: UserSearch.maximumDepth))
            ])
        }
        guard size.terms <= UserSearch.maximumTerms else {
            throw .fieldsRefused([
                ValidationError(field: "where", rule: .tooManyFields(maximum: UserSearch.maximumTerms))
            ])
        }
        for (bytes, maximum) in [
            (size.bytes, UserSearch.maximumBytes), (size.patternBytes, UserSearch.maximumPatternBytes),
        ] where bytes > maximum {
            throw .fieldsRefused([ValidationError(field: "where", rule: .tooManyBytes(maximum: maximum))])
        }
        guard search.order.count <= UserSearch.maximumOrders else {
            throw .fieldsRefused([
                ValidationError(field: "order", rule: .tooManyFields(maximum: UserSearch.maximumOrders))
            ])
        }
        guard (0...UserSearch.maximumSkip).contains(search.skip) else {
            throw .fieldsRefused([ValidationError(field: "skip", rule: .tooManyFields(maximum: UserSearch.maximumSkip))]
            )
        }
        guard !search.question.holdsNull else {
            throw .fieldsRefused([ValidationError(field: "where", rule: .controlCharacter)])
        }
        try Self.refuseHidden(search, home.settings.fieldRules)
        var bounded = search
        bounded.limit = min(max(search.limit, 0), UserSearch.maximumLimit)
        let question = bounded
        return try await schedule(in: application, for: request) { transaction throws(DomainError) in
            try look(transaction.search(question, in: application))
        }
    }

    /// What is hidden in answers must not be found out by questions: a reader asks of fields that everybody may read.
    private static func refuseHidden(_ search: UserSearch, _ rules: FieldRules) throws(DomainError) {
        guard !rules.isEmpty, case .user = search.reader else { return }
        func faults(_ fields: [UserField], in member: String) -> [ValidationError] {
            fields.compactMap { field in
                guard case .custom(let path) = field, let name = path.first, !rules.mayRead(name, .others) else {
                    return nil
                }
                return ValidationError(field: member, rule: .unreadable)
            }
        }
        let found = faults(search.question.fields, in: "where") + faults(search.order.map(\.field), in: "order")
        guard found.isEmpty else { throw .fieldsRefused(found) }
    }
}
