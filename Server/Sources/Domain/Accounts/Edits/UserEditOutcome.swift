/// What an edit makes of a user.
package struct UserEditOutcome: Hashable, Sendable {
    /// The user afterwards.
    package var user: User
    /// What the audit log says of each change.
    package var changes: [AccountChange: [String: String]]
    /// Providers whose identities lead to the user no more.
    package var unlinked: Set<Identity.Provider>
    /// The rules that the edit breaks. It happens only when there are none.
    package var faults: [ValidationError]

    /// The identities that the edit takes away.
    func taken(from before: User) -> [Identity] {
        before.identities.filter { unlinked.contains($0.provider) && !user.identities.contains($0) }
    }
}

extension UserEdit {
    /// What the edit makes of a user. Everything that can be refused by looking at the user alone is refused here.
    ///
    /// - Parameters:
    ///   - before: The user as it is.
    ///   - actor: Who asks.
    ///   - rules: What holds for the fields.
    ///   - now: When.
    /// - Returns: the outcome, with the rules that the edit breaks.
    /// - Throws: `userUnknown`, `accessRefused`, `administration(changedMeanwhile)`, `alreadyRegistered`,
    ///   `identityUnknown`, `lastWayIn`.
    package func outcome(
        of before: User, by actor: AccountActor, _ rules: FieldRules, at now: Timestamp
    ) throws(DomainError) -> UserEditOutcome {
        guard manner == .native || before.deletionRequestedAt == nil else { throw .userUnknown }
        try actor.require(needed(for: before), of: before)
        // The present address changes nothing: who is shown none would learn that it is the user's.
        guard !identifiers.nameAddress || actor.may(.identifiersChanged, before) else { throw .accessRefused }
        guard version == nil || version == before.updatedAt else { throw .administration(.changedMeanwhile) }
        if case .first? = password, manner == .native, !before.isAnonymous { throw .alreadyRegistered }
        var user = before
        let written = apply(fields, to: &user)
        user.displayName = displayName.applied(to: user.displayName)
        user.locale = locale.applied(to: user.locale)
        var faults = written.faults + applyIdentifiers(to: &user)
        takeProof(into: &user, at: now)
        try applyIdentities(to: &user, at: now)
        if proven == nil {
            faults += rules.settle(&user, from: before, named: written.names, by: actor.writing(to: before))
        }
        if user.displayName != before.displayName || user.locale != before.locale || user.fields != before.fields {
            faults += ProfileRules.faults(
                displayName: user.displayName, locale: user.locale, fields: user.fields, within: rules.limits)
        }
        faults += applyAccess(to: &user, from: before, by: actor, at: now)
        if faults.isEmpty { faults += applyPassword(to: &user, from: before, at: now) }
        var standing = user
        standing.disabledAt = before.disabledAt
        if standing != before || manner == .compatible {
            // Two changes in one millisecond are two versions.
            user.updatedAt = version == nil ? now : max(now, before.updatedAt + .milliseconds(1))
        }
        let changes = changes(from: before, to: user, by: actor)
        return UserEditOutcome(
            user: user, changes: changes,
            unlinked: changes[.identityUnlinked] == nil ? [] : before.providers(notIn: user), faults: faults)
    }

    private func apply(
        _ edit: FieldsEdit, to user: inout User
    ) -> (names: [String], faults: [ValidationError]) {
        switch edit {
        case .unchanged: return ([], [])
        case .removed:
            user.fields = [:]
            return ([], [])
        case .merged(let members):
            user.fields = user.fields.merged(with: members)
            return (Array(members.keys), [])
        case .operations(let operations):
            let (fields, broken) = user.fields.applying(operations)
            user.fields = fields
            return (Array(operations.keys), broken)
        case .replaced(let fields, let kept):
            user.fields = user.fields.filter { kept.contains($0.key) }.merging(fields) { _, new in new }
            return (Array(fields.keys), [])
        }
    }

    /// Writes identifiers into the user. In the native manner an anonymous user gets them by the upgrade alone, and the last
    /// one stays.
    private func applyIdentifiers(to user: inout User) -> [ValidationError] {
        guard !identifiers.isEmpty else { return [] }
        var named = user
        var faults = identifiers.apply(to: &named)
        faults += identifiers.missing(in: named, from: user)
        if manner == .native, password == nil {
            guard !user.isAnonymous else {
                return faults + identifiers.changed.map { ValidationError(field: $0, rule: .onlyAfterUpgrade) }
            }
            guard !named.isAnonymous else {
                return faults + identifiers.changed.map { ValidationError(field: $0, rule: .lastWayIn) }
            }
        }
        user = named
        return faults
    }

    private func takeProof(into user: inout User, at now: Timestamp) {
        switch proven?.kind {
        case .email?: (user.email, user.emailVerifiedAt) = (proven?.shown, now)
        case .phone?: (user.phone, user.phoneVerifiedAt) = (proven?.shown, now)
        case .username?, nil: break
        }
    }

    /// The identities that the edit links.
    func linked(at now: Timestamp) -> [Identity] {
        people.map { Identity(provider: $0.provider, subject: $0.subject, linkedAt: now) }
            + (anonymousId.map { [Identity(provider: .anonymous, subject: $0.subject, linkedAt: now)] } ?? [])
    }

    private func applyIdentities(to user: inout User, at now: Timestamp) throws(DomainError) {
        let linked = linked(at: now)
        let replaced = unlinked.union(linked.map(\.provider))
        if manner == .native {
            for provider in unlinked {
                // Passkeys are removed one by one, by `ManagePasskeys`, and so are keys of devices, by `RemoveDeviceKeys`: a device
                // whose key leads to nobody without a trace begins as a new guest.
                guard provider != .passkey, provider != .device,
                    let identity = user.identities.first(where: { $0.provider == provider })
                else {
                    throw .identityUnknown
                }
                guard user.hasWayIn(without: [identity], by: workingWays) else { throw .lastWayIn }
                user.identities.removeAll { $0 == identity }
            }
        } else {
            user.identities.removeAll { old in
                old.provider != .passkey && replaced.contains(old.provider) && !linked.contains { $0.isSame(as: old) }
            }
        }
        for identity in linked where !user.identities.contains(where: { $0.isSame(as: identity) }) {
            user.identities.append(identity)
        }
    }

    private func applyAccess(
        to user: inout User, from before: User, by actor: AccountActor, at now: Timestamp
    ) -> [ValidationError] {
        if changesAccess(to: before) || [.owner, .operator].contains(actor.role(towards: before)) {
            user.acl = acl.applied(to: user.acl)
        }
        if let isDisabled, isDisabled != user.isDisabled { user.disabledAt = isDisabled ? now : nil }
        var faults: [ValidationError] = []
        if let isEmailVerified, isEmailVerified != (user.emailVerifiedAt != nil), user.email != nil {
            faults += Self.faults(ofProof: isEmailVerified, field: "emailVerified", in: user)
            user.emailVerifiedAt = isEmailVerified ? now : nil
        }
        if let isPhoneVerified, isPhoneVerified != (user.phoneVerifiedAt != nil), user.phone != nil {
            faults += Self.faults(ofProof: isPhoneVerified, field: "phoneVerified", in: user)
            user.phoneVerifiedAt = isPhoneVerified ? now : nil
        }
        if case .set = acl { faults += user.acl?.faults(field: "accessList") ?? [] }
        return faults
    }

    /// A user with a second factor keeps what was proved: a reset by an address that nobody has proved takes the factor away, so
    /// that the mailbox alone would lead to the account. An operator takes the address away, or the factor.
    private static func faults(ofProof isVerified: Bool, field: String, in user: User) -> [ValidationError] {
        isVerified || !user.hasSecondFactor ? [] : [ValidationError(field: field, rule: .readOnly)]
    }

    /// Nobody can log in by a password alone, and in no protocol by identifiers without one.
    private func applyPassword(to user: inout User, from before: User, at now: Timestamp) -> [ValidationError] {
        let nameless = ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue)))
        switch password {
        case nil: return []
        case .set?:
            guard !user.typedIdentifiers.isEmpty else { return [nameless] }
        case .first(let secret)?:
            guard manner == .compatible else {
                guard !user.isAnonymous else { return [nameless] }
                break
            }
            guard !before.hasPassword else { return [] }
            guard secret != nil else {
                return identifiers.isEmpty ? [] : [ValidationError(field: "password", rule: .required)]
            }
            guard !user.typedIdentifiers.isEmpty else { return [nameless] }
        }
        user.passwordSetAt = now
        return []
    }

    private func changes(
        from before: User, to user: User, by actor: AccountActor
    ) -> [AccountChange: [String: String]] {
        if let proven {
            let (isPhone, old) = (proven.kind == .phone, before.identifier(proven.kind))
            let details = [isPhone ? "number" : "address": old == proven.shown ? "same" : "new"]
            let isReplaced = old != nil && old != proven.shown
            return isPhone
                ? [isReplaced ? .phoneReplaced : .phoneVerified: details]
                : [isReplaced ? .emailReplaced : .emailVerified: details]
        }
        if case .first? = password, user.passwordSetAt != before.passwordSetAt {
            // The identifiers are a part of the upgrade.
            return [.upgraded: user.identifierDetails]
        }
        var changes = AccountChange.between(before, user)
        if case .set? = password { changes[.passwordChanged] = [:] }
        if manner == .native, let provider = unlinked.first {
            changes[.identityUnlinked] = ["provider": provider.rawValue]
        }
        if changes.isEmpty, actor.isOperator, user != before || manner == .compatible {
            changes[.profileChanged] = user.identifierDetails
        }
        return changes
    }
}

extension User {
    /// Which identifiers the user has, for the audit log: never what they are.
    var identifierDetails: [String: String] {
        ["identifiers": typedIdentifiers.map(\.kind.rawValue).joined(separator: " ")]
    }

    fileprivate func providers(notIn other: User) -> Set<Identity.Provider> {
        let staying = Set(other.identities)
        return Set(identities.filter { !staying.contains($0) && $0.provider != .device }.map(\.provider))
    }
}

extension Identity {
    func isSame(as other: Identity) -> Bool { name == other.name }

    /// What an identity is, whenever it was linked.
    struct Name: Hashable, Sendable {
        let provider: Provider
        let subject: String
    }

    var name: Name { Name(provider: provider, subject: subject) }
}
