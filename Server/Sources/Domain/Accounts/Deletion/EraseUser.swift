/// An operator erases a user at once, without grace. Nothing brings the user back.
package struct EraseUser: Sendable {
    let endAccount: EndAccount

    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let outcome = try await endAccount(of: id, .erasedByOperator, in: application, by: .operator(who))
        guard outcome == .erased else { throw .userUnknown }
    }
}

/// Erases a user at once, without the grace that the native API gives: apps of the mobile backends make the same user
/// again right after it, by the same name. Whatever its ACL says, only the user itself and operators may. It is for
/// their protocols only.
package struct EraseAccessibleUser: Sendable {
    let endAccount: EndAccount

    /// - Parameters:
    ///   - id: Whom.
    ///   - application: Where.
    ///   - author: Who does it, with the session of the request.
    ///   - seesLeaving: Whether users on the way out can be erased too; otherwise they are unknown.
    /// - Throws: `sessionInvalid` when the session has ended since the request came in, `accessRefused`, `userUnknown`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by author: AccountAuthor, seesLeaving: Bool
    ) async throws(DomainError) {
        let outcome = try await endAccount(
            of: id, .erasedByProtocol(seesLeaving: seesLeaving), in: application.id, by: author)
        guard outcome == .erased else { throw .userUnknown }
    }
}
