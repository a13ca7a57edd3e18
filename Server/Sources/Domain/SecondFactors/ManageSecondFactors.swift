/// A user's second factors.
package struct SecondFactorList: Sendable {
    /// Oldest first.
    package let factors: [TOTPFactor]
    package let recoveryCodesLeft: Int
}

/// Lists and removes second factors, and gives out new recovery codes.
package struct ManageSecondFactors: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let recoveryCodes: UserRecoveryCodes
    let changes: AccountChanges

    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func list(
        of id: Identifier<User>, in application: Identifier<Application>
    ) async throws(DomainError) -> SecondFactorList {
        try await store.read { transaction throws(DomainError) in
            guard try transaction.user(id, in: application) != nil else { throw .userUnknown }
            return try transaction.secondFactors(of: id, in: application)
        }
    }

    /// Removes one. With the last one the recovery codes go, and no device has passed the second factor any more.
    ///
    /// - Throws: `reauthenticationRequired`, `secondFactorNotRecent`, `secondFactorUnknown`, `userUnknown`,
    ///   `storageUnavailable`.
    package func remove(
        _ factor: Identifier<TOTPFactor>, of who: Authenticated, by author: AccountAuthor
    ) async throws(DomainError) {
        let application = who.application
        let ready = try changes.ready(
            [.secondFactorRemoved], of: who.user, in: application, by: author, at: clock.now)
        try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(who.user.id, in: application.id) else { throw .userUnknown }
            let present = try transaction.totpFactors(of: user.id, in: application.id)
            guard let found = present.first(where: { $0.id == factor }) else { throw .secondFactorUnknown }
            try ready.settle([.secondFactorRemoved: [:]], of: &user, keeping: author.kept, in: transaction)
            try transaction.remove(found)
            if present.count == 1 { try transaction.removeSecondFactor(of: &user) }
        }
    }

    /// Removes all of them, for a user who has lost them and asks an operator for help.
    ///
    /// - Throws: `secondFactorUnknown` for a user without one, `accessRefused`, `userUnknown`, `storageUnavailable`.
    package func removeAll(
        of id: Identifier<User>, in application: Application, by who: Operator
    ) async throws(DomainError) {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known else { throw .userUnknown }
        let ready = try changes.ready(
            [.secondFactorsReset], of: known, in: application, by: .operator(who), at: clock.now)
        try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            guard user.hasSecondFactor else { throw .secondFactorUnknown }
            try ready.settle([.secondFactorsReset: [:]], of: &user, keeping: .nothing, in: transaction)
            try transaction.removeSecondFactors(of: &user)
        }
    }

    /// Gives out ten new recovery codes, in place of those that are left.
    ///
    /// - Throws: `reauthenticationRequired`, `secondFactorNotRecent`, `secondFactorUnknown` for a user without a factor,
    ///   `userUnknown`, `storageUnavailable`.
    package func replaceRecoveryCodes(
        of who: Authenticated, by author: AccountAuthor
    ) async throws(DomainError) -> [Secret] {
        let application = who.application
        let ready = try changes.ready(
            [.recoveryCodesReplaced], of: who.user, in: application, by: author, at: clock.now)
        let codes = recoveryCodes.codes(from: randomness.bytes(32), of: who.user.id)
        let digests = codes.map { recoveryCodes.digest(of: $0.revealed, of: who.user.id, in: application.id) }
        try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(who.user.id, in: application.id) else { throw .userUnknown }
            guard user.hasSecondFactor else { throw .secondFactorUnknown }
            try ready.settle([.recoveryCodesReplaced: [:]], of: &user, keeping: author.kept, in: transaction)
            try transaction.replaceRecoveryCodes(of: user.id, in: application.id, with: digests)
        }
        return codes
    }
}

extension Transaction {
    func secondFactors(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> SecondFactorList {
        SecondFactorList(
            factors: try totpFactors(of: user, in: application),
            recoveryCodesLeft: try recoveryCodes(of: user, in: application).count)
    }

    /// Removes all second factors of a user, if there are any.
    func removeSecondFactors(of user: inout User) throws(DomainError) {
        guard user.hasSecondFactor else { return }
        for factor in try totpFactors(of: user.id, in: user.application) { try remove(factor) }
        try removeSecondFactor(of: &user)
    }

    /// The user has no second factor any more, and nothing that belongs to one.
    fileprivate func removeSecondFactor(of user: inout User) throws(DomainError) {
        user.secondFactorAt = nil
        try updateSecondFactor(of: user)
        try replaceRecoveryCodes(of: user.id, in: user.application, with: [])
    }
}
