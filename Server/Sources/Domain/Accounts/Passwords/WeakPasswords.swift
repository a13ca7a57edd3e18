/// Users of an application whose password is the user name, as in apps that used the device's id for both (requirement
/// 24).
package struct WeakPasswords: Hashable, Sendable {
    package var users: Int
    /// Those who depend on it still: no device key leads to them.
    package var usersWithoutDeviceKey: Int

    package init(users: Int, usersWithoutDeviceKey: Int) {
        self.users = users
        self.usersWithoutDeviceKey = usersWithoutDeviceKey
    }
}

extension Password {
    /// Whether it is the user's name, whatever its case.
    func isName(of user: User) -> Bool {
        guard let username = user.username else { return false }
        return IdentifierFolding.folded(normalized.revealed) == IdentifierFolding.folded(username)
    }
}

extension Transaction {
    /// Takes away a password that is the user name, when a device key leads to the user instead.
    ///
    /// - Parameters:
    ///   - user: Whose. Changed too.
    ///   - key: The thumbprint of a key that was just proved.
    ///   - ready: What was made ready for the change.
    /// - Throws: `storageUnavailable`.
    func retireWeakPassword(of user: inout User, key: String, with ready: ReadyChanges) throws(DomainError) {
        guard user.weakPasswordAt != nil,
            user.identities.contains(where: { $0.provider == .device && $0.subject == key })
        else { return }
        try removePassword(of: user.id, in: user.application)
        user.passwordSetAt = nil
        user.weakPasswordAt = nil
        try ready.settle([.weakPasswordRetired: [:]], of: &user, keeping: .nothing, by: .server, in: self)
    }
}
