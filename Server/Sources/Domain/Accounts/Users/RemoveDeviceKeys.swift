/// A user's device keys, for the user and for operators.
package struct ListDeviceKeys: Sendable {
    let store: any Store

    /// - Returns: oldest first.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        of id: Identifier<User>, in application: Identifier<Application>
    ) async throws(DomainError) -> [DeviceKey] {
        try await store.read { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
            return DeviceKey.keys(of: user, sessions: try transaction.sessions(of: id, in: application))
        }
    }
}

/// Removes device keys and ends their sessions: a device that was lost logs in no more.
package struct RemoveDeviceKeys: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// Removes one key.
    ///
    /// - Parameters:
    ///   - thumbprint: Which.
    ///   - id: Whose.
    ///   - application: Where.
    ///   - author: Who asks for it.
    /// - Throws: `reauthenticationRequired`, `identityUnknown` when the user has no such key, `lastWayIn` when nothing else leads to the user,
    ///   `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ thumbprint: String, of id: Identifier<User>, in application: Application, by author: AccountAuthor
    ) async throws(DomainError) {
        let now = clock.now
        let known = try await user(id, in: application)
        let ready = try changes.ready([.deviceKeyRemoved], of: known, in: application, by: author, at: now)
        try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            // Before the session of the request ends, which may be one of this key.
            try author.requireSession(in: transaction)
            guard let key = user.identities.first(where: { $0.provider == .device && $0.subject == thumbprint }) else {
                throw .identityUnknown
            }
            let going = try transaction.withUsedIds([key], of: user)
            let ways = try transaction.workingWays(of: application, hasMail: changes.hasMail)
            guard user.hasWayIn(without: going, by: ways) else { throw .lastWayIn }
            for identity in going {
                try transaction.unlinkForGood(identity, of: &user, because: .init(.deviceKeyRemoved), at: now)
            }
            let ended = try transaction.endSessions(of: id, in: application.id, deviceKeys: [thumbprint])
            try transaction.removeNewAddressesOfEndedSessions(of: user)
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            try ready.settle(
                [.deviceKeyRemoved: ["device-key": thumbprint, "count": String(ended)]], of: &user, keeping: .nothing,
                hasSession: true, in: transaction)
        }
    }

    /// Removes all keys but the one that the author uses. They stay when nothing else leads to the user.
    ///
    /// - Returns: how many went.
    /// - Throws: `reauthenticationRequired`, `userUnknown`, `storageUnavailable`.
    package func others(
        of id: Identifier<User>, in application: Application, by author: AccountAuthor
    ) async throws(DomainError) -> Int {
        let now = clock.now
        let known = try await user(id, in: application)
        let ready = try changes.ready([.otherDeviceKeysRemoved], of: known, in: application, by: author, at: now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            let evicted = try ready.settle(
                [.otherDeviceKeysRemoved: [:]], of: &user, keeping: author.kept, in: transaction)
            try transaction.removeNewAddressesOfEndedSessions(of: user)
            return evicted.deviceKeys
        }
    }

    private func user(_ id: Identifier<User>, in application: Application) async throws(DomainError) -> User {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known else { throw .userUnknown }
        return known
    }
}
