/// An operator erases a user at once, without grace. Nothing brings the user back.
package struct EraseUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let known = try await store.read { transaction throws(DomainError) in try transaction.user(id, in: application)
        }
        let erasure = try UserErasure(
            .erasedByOperator, in: application, by: .operator(who), audit: changes.audit, now: clock.now
        ).notifying(known, by: changes.notice)
        let outcome = try await store.write { transaction throws(DomainError) in
            try erasure.store(id, in: application, transaction)
        }
        guard outcome == .erased else { throw .userUnknown }
    }
}

/// Erases a user at once, without the grace that the native API gives: apps of the mobile backends make the same user
/// again right after it, by the same name. Whatever its ACL says, only the user itself and operators may. It is for
/// their protocols only.
package struct EraseAccessibleUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Parameters:
    ///   - id: Whom.
    ///   - application: Where.
    ///   - actor: Who does it.
    ///   - origin: Where the request came from.
    ///   - seesLeaving: Whether users on the way out can be erased too; otherwise they are unknown.
    /// - Throws: `accessRefused`, `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by actor: AccountActor, from origin: RequestOrigin,
        seesLeaving: Bool = false
    ) async throws(DomainError) {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        let erasure = try UserErasure(
            .erasedByProtocol(seesLeaving: seesLeaving), in: application.id,
            by: AccountAuthor(actor, of: id, session: nil, from: origin), audit: changes.audit, now: clock.now
        ).notifying(known, by: changes.notice)
        let outcome = try await store.write { transaction throws(DomainError) in
            try erasure.store(id, in: application.id, transaction)
        }
        guard outcome == .erased else { throw .userUnknown }
    }
}
