/// Who somebody is to an account, each with all that those before it may.
package enum AccountRole: Int, Comparable, CaseIterable, Hashable, Sendable {
    /// Somebody whom neither the account nor its access list knows, with a session or without.
    case stranger
    /// Somebody whom the access list lets write, or everybody where it lets everybody.
    case writer
    /// The account's own user, unless operators keep it out.
    case owner
    /// The bearer of a master key, of an administrator's token, or an operator of the server.
    case `operator`

    package static func < (left: AccountRole, right: AccountRole) -> Bool { left.rawValue < right.rawValue }
}

/// What can be done to an account, and who may: the one table that every protocol goes by, whatever an access list says
/// (requirement 50).
///
/// An access list shares the app's own data. It never gives away what the account is: who leads to it, and whether it is.
package enum AccountPermission: CaseIterable, Hashable, Sendable {
    /// The app's own fields, as far as the field rules let.
    case fields
    /// The access list itself.
    case acl
    /// User name, mail address, phone number.
    case identifiers
    /// Accounts elsewhere and ids of clients that lead to the user.
    case identities
    /// A first password or another one.
    case password
    /// Whether the mail address counts as verified without its owner having shown it.
    case verification
    /// Whether the user is kept out.
    case standing
    /// The end of the user.
    case erasure

    /// The least that somebody has to be.
    package var needs: AccountRole {
        switch self {
        case .fields: .writer
        case .acl, .identifiers, .identities, .password, .erasure: .owner
        case .verification, .standing: .operator
        }
    }
}

extension ChangeUser.Actor {
    /// Who this is to a user.
    package func role(towards user: User) -> AccountRole {
        switch self {
        case .operator: .operator
        case .user(let id?, _) where id == user.id: user.isDisabled ? .stranger : .owner
        case .user(let id, let standard):
            user.rights(of: id, standard: standard).contains(.write) ? .writer : .stranger
        }
    }

    /// Whether this may do something to a user.
    package func may(_ permission: AccountPermission, _ user: User) -> Bool { role(towards: user) >= permission.needs }
}

extension ChangeUser.Changes {
    /// What the changes need of the actor who makes them. What is sent back as it is needs nothing: apps send whole objects.
    func needed(for user: User) -> Set<AccountPermission> {
        var needed: Set<AccountPermission> = [.fields]
        var named = user
        let faults = identifiers.apply(to: &named)
        if !faults.isEmpty || named.typedIdentifiers != user.typedIdentifiers { needed.insert(.identifiers) }
        if changesAccess(to: user) { needed.insert(.acl) }
        if !people.isEmpty || anonymousId != nil || !unlinked.isEmpty { needed.insert(.identities) }
        if password != nil { needed.insert(.password) }
        if let isEmailVerified, isEmailVerified != (user.emailVerifiedAt != nil) { needed.insert(.verification) }
        if let isDisabled, isDisabled != user.isDisabled { needed.insert(.standing) }
        return needed
    }

    /// Whether somebody may more or less afterwards. The user itself always may everything, so that its own entry makes no
    /// difference.
    func changesAccess(to user: User) -> Bool {
        acl.applied(to: user.acl)?.others(of: user.id) != user.acl?.others(of: user.id)
    }
}

extension ACL {
    /// What the list lets others do than the user whose it is.
    fileprivate func others(of owner: Identifier<User>) -> [Subject: Rights] {
        entries.filter { subject, rights in subject != .user(owner) && !rights.isEmpty }
    }
}
