package import enum OkaeriWire.JSONValue

/// Writes a user anew in one transaction, as some foreign protocols have it: the fields as a whole, what else is named, and, for a user
/// without a password, identifiers with a first one, which is the upgrade of a pseudo user. Id and sessions stay.
package struct RewriteUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    let changes: AccountChanges

    package struct Request: Sendable {
        package var displayName: String?
        package var locale: String?
        /// All fields from now on, but for those in `keptFields` that are not among them.
        package var fields: [String: JSONValue]
        /// Names that stay when they are not told.
        package var keptFields: Set<String>
        package var identifiers: NewIdentifiers
        /// A first password. A user that has one keeps it: changing it needs the old one.
        package var password: Secret?
        /// In whose name the fields are written.
        package var actor: FieldActor
        /// Who asks, and from where.
        package var author: Operator
        /// What the caller uses: another address ends every other way into the account.
        package var kept: KeptAccess

        package init(
            displayName: String? = nil, locale: String? = nil, fields: [String: JSONValue],
            keptFields: Set<String> = [], identifiers: NewIdentifiers = NewIdentifiers(), password: Secret? = nil,
            actor: FieldActor, by author: Operator, keeping kept: KeptAccess
        ) {
            self.displayName = displayName
            self.locale = locale
            self.fields = fields
            self.keptFields = keptFields
            self.identifiers = identifiers
            self.password = password
            self.actor = actor
            self.author = author
            self.kept = kept
        }
    }

    /// - Throws: `fieldsRefused`, among others for identifiers of a pseudo user without a password; `identifiersTaken`,
    ///   `busy`, `userUnknown`, `storageUnavailable`. Nothing is changed then.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, _ request: Request
    ) async throws(DomainError) -> User {
        let now = clock.now
        let rules = application.settings.fieldRules
        let excess = ProfileRules.faults(ofPatch: request.fields)
        guard excess.isEmpty else { throw .fieldsRefused(excess) }
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known else { throw .userUnknown }
        var (hash, isName): (PasswordHash?, Bool) = (nil, false)
        if !known.hasPassword, request.password != nil {
            var asked = known
            let faults = request.apply(to: &asked, rules)
            let password = try PasswordRules(for: application, user: asked, rules: request.identifiers.rules)
                .check(request.password, field: "password", beside: faults)
            isName = password.isName(of: asked)
            hash = try await passwords.hash(password)
        }
        let (first, isWeak) = (hash, isName)
        let ready = try changes.ready(
            [.upgraded, .addressChanged, .identifiersChanged, .profileChanged], of: known, in: application,
            by: request.author, at: now)
        return try await store.write { transaction throws(DomainError) in
            guard let before = try transaction.user(id, in: application.id) else { throw .userUnknown }
            var user = before
            let faults = request.apply(to: &user, rules)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            if user.typedIdentifiers != before.typedIdentifiers || first != nil && !before.hasPassword {
                try transaction.refuseTaken(user)
            }
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            if user.typedIdentifiers != before.typedIdentifiers { try transaction.updateIdentifiers(of: user) }
            if let first, !before.hasPassword {
                user.passwordSetAt = now
                try transaction.setPassword(first, of: id, in: application.id, at: now)
                if isWeak { try transaction.markPassword(of: id, in: application.id, weakSince: now) }
            }
            var changes = AccountChange.between(before, user)
            if user.hasPassword, !before.hasPassword {
                // The identifiers are a part of the upgrade.
                changes = [.upgraded: user.identifierDetails]
            } else if changes.isEmpty, request.actor == .server {
                changes[.profileChanged] = [:]
            }
            try ready.settle(changes, of: &user, keeping: request.kept, in: transaction)
            return user
        }
    }
}

extension RewriteUser.Request {
    /// Writes everything but the password into a user.
    ///
    /// - Returns: the rules that the result breaks.
    fileprivate func apply(to user: inout User, _ rules: FieldRules) -> [ValidationError] {
        let before = user
        let kept = user.fields.filter { keptFields.contains($0.key) }
        user.displayName = displayName ?? user.displayName
        user.locale = locale ?? user.locale
        user.fields = kept.merging(fields) { _, new in new }
        var faults = identifiers.apply(to: &user)
        faults += rules.settle(&user, from: before, told: fields.keys, by: actor)
        faults += ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
        guard !user.hasPassword, faults.isEmpty else { return faults }
        if password == nil, !identifiers.isEmpty {
            faults.append(ValidationError(field: "password", rule: .required))
        } else if password != nil, user.typedIdentifiers.isEmpty {
            faults.append(ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue))))
        }
        return faults
    }
}
