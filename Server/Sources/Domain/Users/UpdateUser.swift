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

/// Changes a user's own profile.
package struct UpdateUser: Sendable {
    let store: any Store
    let clock: any WallClock

    package struct Changes: Sendable {
        package var displayName: ValueChange<String>
        package var locale: ValueChange<String>
        /// Merged into what is there (RFC 7396); `removed` empties the fields.
        package var fields: ValueChange<[String: JSONValue]>

        package init(
            displayName: ValueChange<String> = .unchanged, locale: ValueChange<String> = .unchanged,
            fields: ValueChange<[String: JSONValue]> = .unchanged
        ) {
            self.displayName = displayName
            self.locale = locale
            self.fields = fields
        }
    }

    /// - Throws: `fieldsRefused` when the result breaks a limit, `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, changes: Changes
    ) async throws(DomainError) -> User {
        let now = clock.now
        return try await store.write { transaction throws(DomainError) in
            guard let before = try transaction.user(id, in: application) else { throw .userUnknown }
            var user = before
            user.displayName = changes.displayName.applied(to: user.displayName)
            user.locale = changes.locale.applied(to: user.locale)
            switch changes.fields {
            case .unchanged: break
            case .removed: user.fields = [:]
            case .set(let members): user.fields = user.fields.merged(with: members)
            }
            guard user != before else { return before }
            let faults = ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            return user
        }
    }
}
