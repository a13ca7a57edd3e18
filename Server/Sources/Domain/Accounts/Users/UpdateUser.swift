package import enum OkaeriWire.JSONValue

/// What a change does to one value.
package enum ValueChange<Value: Sendable>: Sendable {
    case unchanged
    case removed
    case set(Value)

    package func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .removed: nil
        case .set(let new): new
        }
    }
}

/// Changes a user's own profile, and a registered user's identifiers.
package struct UpdateUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    package struct Changes: Sendable {
        package var displayName: ValueChange<String>
        package var locale: ValueChange<String>
        /// Merged into what is there (RFC 7396); `removed` empties the fields.
        package var fields: ValueChange<[String: JSONValue]>
        package var identifiers: NewIdentifiers

        package init(
            displayName: ValueChange<String> = .unchanged, locale: ValueChange<String> = .unchanged,
            fields: ValueChange<[String: JSONValue]> = .unchanged, identifiers: NewIdentifiers = NewIdentifiers()
        ) {
            self.displayName = displayName
            self.locale = locale
            self.fields = fields
            self.identifiers = identifiers
        }
    }

    /// Identifiers may be changed only when the session's owner is there; see `RequireRecentLogIn`.
    ///
    /// - Parameters:
    ///   - id: Whom.
    ///   - home: Where.
    ///   - asked: What changes.
    ///   - origin: Where the request came from, for the audit log.
    ///   - kept: What the caller uses: another address ends every other way into the account.
    /// - Returns: the user afterwards.
    /// - Throws: `fieldsRefused` when the result breaks a limit, `identifiersTaken`, `userUnknown`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in home: Application, changes asked: Changes, from origin: RequestOrigin,
        keeping kept: KeptAccess
    ) async throws(DomainError) -> User {
        let now = clock.now
        let (application, rules) = (home.id, home.settings.fieldRules)
        try asked.refuseExcess()
        var ready: ReadyChanges?
        if !asked.identifiers.isEmpty {
            let known = try await store.read { transaction throws(DomainError) in
                try transaction.user(id, in: application)
            }
            guard let known else { throw .userUnknown }
            ready = try changes.ready(
                [.addressChanged, .identifiersChanged], of: known, in: home,
                by: Operator(actor: .user(id), origin: origin), at: now)
        }
        let settled = ready
        return try await store.write { transaction throws(DomainError) in
            guard let before = try transaction.user(id, in: application) else { throw .userUnknown }
            var user = before
            let faults =
                asked.applyProfile(to: &user, rules, by: .owner) + asked.applyIdentifiers(to: &user)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            guard user != before else { return before }
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            if user.typedIdentifiers != before.typedIdentifiers {
                try transaction.refuseTaken(user)
                try transaction.updateIdentifiers(of: user)
            }
            try settled?.settle(AccountChange.between(before, user), of: &user, keeping: kept, in: transaction)
            return user
        }
    }
}

extension UpdateUser.Changes {
    /// Refuses what is too much for any user, before a transaction begins.
    ///
    /// - Throws: `fieldsRefused`.
    func refuseExcess() throws(DomainError) {
        guard case .set(let members) = fields else { return }
        let faults = ProfileRules.faults(ofPatch: members)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }

    /// Writes name, locale and fields into a user.
    ///
    /// - Parameters:
    ///   - user: The user; perhaps with identifiers that are part of the change.
    ///   - rules: What holds for the fields.
    ///   - actor: In whose name.
    ///   - original: The user before the whole change; `nil` for as it comes.
    /// - Returns: the rules that the result breaks; none when nothing changes.
    func applyProfile(
        to user: inout User, _ rules: FieldRules, by actor: FieldActor, from original: User? = nil
    ) -> [ValidationError] {
        let before = user
        var told: [String] = []
        user.displayName = displayName.applied(to: user.displayName)
        user.locale = locale.applied(to: user.locale)
        switch fields {
        case .unchanged: break
        case .removed: user.fields = [:]
        case .set(let members):
            told = Array(members.keys)
            user.fields = user.fields.merged(with: members)
        }
        let faults = rules.settle(&user, from: original ?? before, told: told, by: actor)
        guard user != before else { return faults }
        return faults
            + ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
    }

    /// Writes identifiers into a registered user. The last way in must stay.
    func applyIdentifiers(to user: inout User) -> [ValidationError] {
        guard !identifiers.isEmpty else { return [] }
        let wasAnonymous = user.isAnonymous
        let faults = identifiers.apply(to: &user)
        if wasAnonymous {
            return faults + identifiers.changed.map { ValidationError(field: $0, rule: .onlyAfterUpgrade) }
        }
        if user.isAnonymous { return faults + identifiers.changed.map { ValidationError(field: $0, rule: .lastWayIn) } }
        return faults
    }
}

extension User {
    /// Which identifiers the user has, for the audit log: never what they are.
    var identifierDetails: [String: String] {
        ["identifiers": typedIdentifiers.map(\.kind.rawValue).joined(separator: " ")]
    }
}
