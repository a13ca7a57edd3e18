/// Finds users by what they are and what apps have stored about them.
package struct SearchUsers: Sendable {
    let store: any Store

    /// - Parameters:
    ///   - search: The question. A limit beyond the largest is cut.
    ///   - application: Whose users.
    /// - Returns: the users whom the reader may see. Only the reader's own identities are there, or everybody's for an
    ///   operator.
    /// - Throws: `fieldsRefused` for a question that is too large, `busy` for one that costs too much,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ search: UserSearch, in application: Identifier<Application>
    ) async throws(DomainError) -> UserSearch.Findings {
        let size = search.condition.size
        guard size.depth <= UserSearch.maximumDepth else {
            throw .fieldsRefused([
                FieldFault(field: "where", rule: .tooDeep(maximumLevels: UserSearch.maximumDepth))
            ])
        }
        guard size.terms <= UserSearch.maximumTerms else {
            throw .fieldsRefused([FieldFault(field: "where", rule: .tooManyFields(maximum: UserSearch.maximumTerms))])
        }
        guard search.order.count <= UserSearch.maximumOrders else {
            throw .fieldsRefused([
                FieldFault(field: "order", rule: .tooManyFields(maximum: UserSearch.maximumOrders))
            ])
        }
        guard (0...UserSearch.maximumSkip).contains(search.skip) else {
            throw .fieldsRefused([FieldFault(field: "skip", rule: .tooManyFields(maximum: UserSearch.maximumSkip))])
        }
        var bounded = search
        bounded.limit = min(max(search.limit, 0), UserSearch.maximumLimit)
        let question = bounded
        return try await store.read { transaction throws(DomainError) in
            try transaction.search(question, in: application)
        }
    }
}
