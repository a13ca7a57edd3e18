/// An upgrade that meets somebody else's identifier is a conflict that can be resolved, when the password fits that
/// user: then the caller has proved to be both.
package struct UpgradeOrOfferMerge: Sendable {
    let store: any Store
    let upgradeUser: UpgradeUser
    let check: PasswordCheck
    let offerMerge: OfferMerge

    /// - Parameters:
    ///   - request: The upgrade.
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - address: Where the request came from.
    ///   - origin: The same, for the audit log.
    /// - Returns: the user afterwards.
    /// - Throws: `mergeOffered` in place of `identifiersTaken` when the other user's password was given, and else what
    ///   `UpgradeUser` throws. A wrong password counts as a failed log-in, so that nobody guesses here.
    package func callAsFunction(
        _ request: UpgradeUser.Request, by who: Authenticated, isProven: Bool, address: ClientAddress,
        from origin: RequestOrigin
    ) async throws(DomainError) -> User {
        do {
            return try await upgradeUser(
                request, by: who, isProven: isProven, address: address, from: origin)
        } catch {
            guard error.code == .identifiersTaken else { throw error }
            let author = AccountAuthor.owner(who, isProven: isProven, from: origin)
            guard let offer = try await offer(request, who, author, error.identifierKinds, address, origin) else {
                throw error
            }
            throw .mergeOffered(offer)
        }
    }

    private func offer(
        _ request: UpgradeUser.Request, _ who: Authenticated, _ author: AccountAuthor, _ kinds: [LogInIdentifier.Kind],
        _ address: ClientAddress, _ origin: RequestOrigin
    ) async throws(DomainError) -> MergeOffer? {
        var asked = who.user
        guard let password = request.password, request.identifiers.apply(to: &asked).isEmpty else { return nil }
        let taken = asked.typedIdentifiers.filter { kinds.contains($0.kind) }
        do {
            let outcome = try await check(
                password.revealed, of: .typed(taken), in: who.application.id, from: address)
            let other = try await store.write { transaction throws(DomainError) in
                // All of them must be that user's: of two owners only one is proved.
                try outcome.settle(in: transaction) { other in
                    taken.allSatisfy { typed in
                        other.typedIdentifiers.contains { $0.isSame(as: typed) }
                    }
                }
            }
            guard let other else { return nil }
            return try await offerMerge(
                who, author, other: other.id, by: .currentPassword, cause: .identifiers(kinds), from: origin)
        } catch {
            // Nothing is proved for now; the conflict is reported as any other.
            guard error.code == .rateLimited || error.code == .busy else { throw error }
            return nil
        }
    }
}
