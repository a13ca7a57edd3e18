/// A page of an application's users, newest first, for operators. Every filter has an index; when there are several,
/// the one that lets the fewest through leads, and the others are asked of each user that it finds.
package struct BrowseUsers: Sendable {
    package static let maximumPageSize = 500
    /// Users looked at for one page. One that fits rarely may need another call, by the page's own `next`.
    private static let longestSearch = 20_000
    /// Users looked at with one question to storage.
    package static let stride = 500

    let schedule: SearchScheduler

    /// Which users; `nil` lets all through.
    package struct Filter: Hashable, Sendable {
        package var isAnonymous: Bool?
        package var isDisabled: Bool?
        package var isLeaving: Bool?
        /// Whether the password is the identifier itself, as in the tutorials of old.
        package var hasWeakCredential: Bool?
        package var provider: Identity.Provider?
        /// Users with a session of this protocol.
        package var protocolName: Session.ProtocolName?
        /// Users who were there on this day or later, or only before it.
        package var seenSince: Timestamp?
        package var notSeenSince: Timestamp?
        /// Part of what names a user; see `UserCursor.Search`.
        package var search: String?

        package init() {}
    }

    package struct Page: Sendable {
        package var users: [User]
        /// Where the next page begins; `nil` after the last one.
        package var next: UserCursor?
    }

    /// - Parameters:
    ///   - application: Whose users.
    ///   - reader: Who looks. Parts of names are looked for only where what is personal is seen: they would tell what is
    ///     masked, character by character.
    ///   - filter: Which of them.
    ///   - cursor: Where the page begins; `nil` for the first one.
    ///   - limit: At most 500; larger values are cut.
    ///   - stride: How many users are looked at with one question to storage: fewer keep less in memory.
    ///   - time: How long it may take, where that is not the time limit of searches: a page of an export.
    /// - Returns: the page, as the reader sees it. It may be short before the last one: it has what was found within the time limit, and no
    ///   more than `SearchLimits.maximumBytes`.
    /// - Throws: `searchTooSlow` when the time was over before the first users were looked at, `rateLimited` when the
    ///   application's admins have searched for too long of late, `busy` when too many of their searches wait,
    ///   `storageUnavailable`.
    package func callAsFunction(
        in application: Identifier<Application>, for reader: AdminReader, _ filter: Filter = Filter(),
        from cursor: UserCursor? = nil, limit: Int = 50, stride: Int = BrowseUsers.stride,
        within time: Duration? = nil
    ) async throws(DomainError) -> Page {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        var found: [User] = []
        var size = ResponseSize()
        var next = cursor
        var looked = 0
        let leader = UserLeader(filter, searchesParts: reader.seesPersonalData)
        let request = SearchRequest(by: time == nil ? .admin : .export)
        while looked < Self.longestSearch {
            let (start, room) = (next, limit - found.count)
            let cursors: [UserCursor]
            let fitting: Fitting
            do throws(DomainError) {
                (cursors, fitting) = try await schedule(in: application, for: request, within: time) {
                    transaction throws(DomainError) in
                    let cursors = try transaction.cursors(leader, in: application, from: start, limit: stride)
                    let hasMore = cursors.count == stride
                    return (
                        cursors, try filter.fitting(cursors, room: room, hasMore: hasMore, in: application, transaction)
                    )
                }
            } catch {
                guard looked > 0, [.searchTooSlow, .rateLimited].contains(error.code) else { throw error }
                return Page(users: found, next: next)
            }
            for (index, user) in fitting.users.enumerated() {
                // The next page begins behind the last user of this one.
                guard size.hasRoom(for: ResponseSize.of(user)) || found.isEmpty else {
                    return Page(users: found, next: index == 0 ? next : fitting.cursors[index - 1])
                }
                found.append(reader.shown(user))
            }
            looked += cursors.count
            if let end = fitting.end { return Page(users: found, next: end) }
            guard cursors.count == stride, let last = cursors.last else { return Page(users: found, next: nil) }
            next = last
        }
        return Page(users: found, next: next)
    }
}

/// A cursor in a list of users.
package struct UserCursor: Hashable, Sendable {
    package var id: Identifier<User>
    /// What the list is ordered by before the id: the day, or the text that was searched.
    package var key: String

    package init(id: Identifier<User>, key: String = "") {
        self.id = id
        self.key = key
    }

    /// What may name a user.
    package enum Search: Hashable, Sendable {
        case identifier(LogInIdentifier.Kind)
        case displayName
        case id
    }
}

/// By which index users are found.
package enum UserLeader: Hashable, Sendable {
    case all, registered, anonymous, disabled, leaving, weak
    case provider(Identity.Provider)
    case protocolName(Session.ProtocolName)
    /// Users who were last there on a day in this range, latest first.
    case days(ClosedRange<Int64>)
    /// Users whose name, mail address or number begins so, or is so; and the user of this id.
    case search(String, isWhole: Bool)

    /// The leader of a filter: what is rarest first.
    init(_ filter: BrowseUsers.Filter, searchesParts: Bool) {
        if let search = filter.search {
            self = .search(search, isWhole: !searchesParts)
        } else if filter.isLeaving == true {
            self = .leaving
        } else if filter.isDisabled == true {
            self = .disabled
        } else if filter.hasWeakCredential == true {
            self = .weak
        } else if let provider = filter.provider, provider != .device {
            self = .provider(provider)
        } else if let name = filter.protocolName, name != .native {
            self = .protocolName(name)
        } else if let range = filter.days {
            self = .days(range)
        } else if filter.isAnonymous == false {
            self = .registered
        } else {
            self = filter.isAnonymous == true ? .anonymous : .all
        }
    }
}

/// Users of one look into storage.
private struct Fitting: Sendable {
    var users: [User] = []
    /// The cursor of each of them.
    var cursors: [UserCursor] = []
    /// Where the next page begins; `nil` when all cursors were looked at.
    var end: UserCursor?
}

extension BrowseUsers.Filter {
    /// The days of `seenSince` and `notSeenSince`; `nil` without either.
    fileprivate var days: ClosedRange<Int64>? {
        guard seenSince != nil || notSeenSince != nil else { return nil }
        let first = seenSince?.day ?? 0
        return first...max(first, notSeenSince.map { $0.day - 1 } ?? 10_000_000)
    }

    /// The users at cursors who fit, as many as there is room for and as one search may read, and where it goes on when
    /// there are more.
    fileprivate func fitting(
        _ cursors: [UserCursor], room: Int, hasMore: Bool, in application: Identifier<Application>,
        _ transaction: any Transaction
    ) throws(DomainError) -> Fitting {
        var fitting = Fitting()
        for (index, cursor) in cursors.enumerated() {
            // A user may stand there twice, by two names.
            guard !fitting.users.contains(where: { $0.id == cursor.id }) else { continue }
            do throws(DomainError) {
                guard let user = try transaction.user(cursor.id, in: application), try fits(user, transaction) else {
                    continue
                }
                fitting.users.append(user)
                fitting.cursors.append(cursor)
            } catch {
                guard case .searchTooLarge = error, index > 0 else { throw error }
                fitting.end = cursors[index - 1]
                return fitting
            }
            if fitting.users.count == room {
                fitting.end = index == cursors.count - 1 && !hasMore ? nil : cursor
                return fitting
            }
        }
        return fitting
    }

    private func fits(_ user: User, _ transaction: any Transaction) throws(DomainError) -> Bool {
        guard (isAnonymous ?? user.isAnonymous) == user.isAnonymous,
            (isDisabled ?? user.isDisabled) == user.isDisabled,
            (isLeaving ?? (user.deletionRequestedAt != nil)) == (user.deletionRequestedAt != nil)
        else { return false }
        if let provider, !user.identities.contains(where: { $0.provider == provider }) { return false }
        if let protocolName,
            !(try transaction.sessions(of: user.id, in: user.application).contains { $0.protocolName == protocolName })
        {
            return false
        }
        if let hasWeakCredential, (user.weakPasswordAt != nil) != hasWeakCredential { return false }
        if let days { return days.contains(try transaction.daySeen(of: user.id, in: user.application)) }
        return true
    }
}

/// A cursor in a list of sessions.
package struct SessionCursor: Hashable, Sendable {
    package var user: Identifier<User>
    package var session: Identifier<Session>

    package init(user: Identifier<User>, session: Identifier<Session>) {
        self.user = user
        self.session = session
    }
}
