/// Gives roles and groups to users, and takes them away, for operators. No user can do so.
package struct ChangeUserRoles: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// What a user is given, and what is taken away.
    package struct Change: Hashable, Sendable {
        package var added: Set<Identifier<Grant>>
        package var removed: Set<Identifier<Grant>>

        package init(adding added: Set<Identifier<Grant>> = [], removing removed: Set<Identifier<Grant>> = []) {
            self.added = added
            self.removed = removed
        }
    }

    /// - Parameters:
    ///   - change: Roles and groups; what is in both is taken away.
    ///   - id: Whose.
    ///   - application: Where.
    ///   - who: Who does it.
    /// - Returns: the user afterwards. What it has already changes nothing, so a request can be sent again.
    /// - Throws: `userUnknown`, `applicationUnknown`, `fieldsRefused` for what the application has not or for too many,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ change: Change, of id: Identifier<User>, in application: Application, by who: Operator
    ) async throws(DomainError) -> User {
        // An application has no more, and what comes here is looked at while all changes wait.
        let excess = [("add", change.added), ("remove", change.removed)]
            .filter { $0.1.count > AccessRules.maximumGrants }
            .map { ValidationError(field: $0.0, rule: .tooManyFields(maximum: AccessRules.maximumGrants)) }
        guard excess.isEmpty else { throw .fieldsRefused(excess) }
        let now = clock.now
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known else { throw .userUnknown }
        let ready = try changes.ready([.rolesChanged], of: known, in: application, by: .operator(who), at: now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            guard let rules = try transaction.application(application.id)?.settings.access else {
                throw .applicationUnknown
            }
            guard change.added.allSatisfy({ rules[$0] != nil }) else {
                throw .fieldsRefused([ValidationError(field: "add", rule: .notListed)])
            }
            let present = user.grants.filter { rules[$0] != nil }
            let grants = present.union(change.added).subtracting(change.removed)
            guard grants.count <= AccessRules.maximumGrantsOfUser || grants.isSubset(of: present) else {
                throw .fieldsRefused([
                    ValidationError(field: "add", rule: .tooManyFields(maximum: AccessRules.maximumGrantsOfUser))
                ])
            }
            guard grants != present else { return user }
            user.grants = grants
            user.updatedAt = now
            try transaction.updateGrants(of: user)
            try ready.settle(
                [.rolesChanged: rules.details(since: present, now: grants)], of: &user, keeping: .nothing,
                in: transaction)
            return user
        }
    }
}

/// Who was given a role or is in a group, by id.
package struct ListMembers: Sendable {
    package static let maximumPageSize = 500
    /// How many users are read with one question to storage: fewer keep less in memory.
    static let stride = 50

    package struct Page: Sendable {
        package let users: [User]
        /// The last one of a page that others may follow.
        package let next: Identifier<User>?
    }

    let store: any Store

    /// - Parameters:
    ///   - grant: A role or a group. Members of a group that gives the role are not among those of the role.
    ///   - application: Where.
    ///   - reader: Who looks.
    ///   - user: The last one of the page before.
    ///   - limit: The most.
    /// - Returns: a page, in the order of ids, as the reader sees it. It may be short before the last one: it has no more than
    ///   `SearchLimits.maximumBytes`.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of grant: Identifier<Grant>, in application: Identifier<Application>, for reader: AdminReader,
        after user: Identifier<User>? = nil, limit: Int
    ) async throws(DomainError) -> Page {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            var (found, size) = ([User](), ResponseSize())
            while found.count < limit {
                let wanted = min(Self.stride, limit - found.count)
                let members = try transaction.members(
                    of: grant, in: application, after: found.last?.id ?? user, limit: wanted)
                for member in members {
                    guard size.hasRoom(for: ResponseSize.of(member)) || found.isEmpty else {
                        return Page(users: found, next: found.last?.id)
                    }
                    found.append(reader.shown(member))
                }
                if members.count < wanted { return Page(users: found, next: nil) }
            }
            return Page(users: found, next: found.last?.id)
        }
    }

    /// How many users were given a role or a group. Members of a group that gives the role do not count.
    ///
    /// - Throws: `storageUnavailable`.
    package func count(
        of grant: Identifier<Grant>, in application: Identifier<Application>
    ) async throws(DomainError) -> Int64 {
        try await store.read { transaction throws(DomainError) in
            try transaction.memberCount(of: grant, in: application)
        }
    }
}

extension AccessRules {
    /// What the audit log and the event say: names, which operators chose.
    fileprivate func details(
        since before: Set<Identifier<Grant>>, now after: Set<Identifier<Grant>>
    ) -> [String: String] {
        func names(_ ids: Set<Identifier<Grant>>) -> String {
            ids.compactMap { self[$0] }.map { "\($0.kind.rawValue):\($0.name)" }.sorted().joined(separator: " ")
        }
        let all = ["added": names(after.subtracting(before)), "removed": names(before.subtracting(after))]
        return all.filter { !$0.value.isEmpty }
    }
}
