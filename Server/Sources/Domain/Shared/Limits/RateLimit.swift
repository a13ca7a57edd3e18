/// So many in a span, counted from the first.
package struct RateLimit: Hashable, Sendable {
    package var maximum: Int
    package var window: Duration

    package init(maximum: Int, window: Duration) {
        self.maximum = maximum
        self.window = window
    }

    /// 30 an hour (requirement 11).
    package static let firstLaunches = RateLimit.hourly(30)
    /// Tries of transfer codes from one address: 20 an hour.
    package static let transferCodeAttempts = RateLimit.hourly(20)
    /// Exports by one session: 5 an hour.
    package static let exports = RateLimit.hourly(5)
    /// Transfer codes by one session, and those that operators give out for one user: 20 an hour.
    package static let transferCodesIssued = RateLimit.hourly(20)
    /// 120 an hour: wrong passwords from one address, of all users together (requirement 8).
    package static let passwordFailures = RateLimit.hourly(120)
    /// 3,000 an hour: right passwords and new ones from one address, of all users together (requirement 47).
    package static let rightPasswords = RateLimit.hourly(3000)

    /// So many an hour.
    package static func hourly(_ maximum: Int) -> RateLimit { RateLimit(maximum: maximum, window: .seconds(3600)) }

    /// - Parameters:
    ///   - counted: The number of acts within the window with this one, and when the window began.
    ///   - now: When it happens.
    /// - Throws: `rateLimited` with the time until the window ends, when there were too many.
    func admit(_ counted: (count: Int, windowStart: Timestamp), at now: Timestamp) throws(DomainError) {
        guard counted.count <= maximum else { throw .rateLimited(retryAfter: counted.windowStart + window - now) }
    }
}

/// What apps of old protocols may do from one address or /64 network (decisions 0072 and 0090); `nil` for no limit. How often
/// one user's password or code may be wrong, and how many mails go to one mail address, is limited apart from it and the
/// same for all.
package struct OldAppLimits: Hashable, Sendable {
    /// New users.
    package var firstLaunches: RateLimit? = .hourly(3000)
    package var passwordFailures: RateLimit? = .hourly(3000)
    package var rightPasswords: RateLimit? = .hourly(30_000)
    /// Mails and text messages that are ordered.
    package var mails: RateLimit? = .hourly(300)
    /// Tries of mailed codes.
    package var codeTries: RateLimit? = .hourly(600)
    /// Credentials of identity providers.
    package var providerCredentials: RateLimit? = .hourly(3000)

    package init() {}
}

/// A limit of each address, and the one that apps of old protocols have in its place. Those apps cannot be changed: they
/// fail to log in before they sign up, and thousands of them stand behind one address of a mobile carrier. The two are
/// counted apart, so that neither uses up the other.
package struct AddressLimit: Hashable, Sendable {
    package var current: RateLimit?
    package var ofOldApps: RateLimit?

    package init(_ current: RateLimit?, ofOldApps: RateLimit?) {
        self.current = current
        self.ofOldApps = ofOldApps
    }

    /// One that is the same for all apps.
    package init(_ limit: RateLimit?) { self.init(limit, ofOldApps: limit) }

    /// What holds for an address; `nil` for no limit.
    package func limit(for address: ClientAddress) -> RateLimit? { address.isOldApp ? ofOldApps : current }

    /// One who has a /48 network has 65,536 allowances of /64 networks: together they have as much as so many.
    private static let networksOfSite = 100

    /// What is counted of an act, and how much of it there may be.
    ///
    /// - Parameters:
    ///   - kind: The kind of act.
    ///   - application: Where.
    ///   - address: Where it comes from.
    /// - Returns: The counter of the address, and of IPv6 that of the /48 network of the address behind it; none without a limit.
    func counters(
        of kind: String, in application: Identifier<Application>, from address: ClientAddress
    ) -> [(key: RateLimitKey, limit: RateLimit)] {
        guard let ofAddress = limit(for: address) else { return [] }
        let keys = RateLimitKey.keys(kind, in: application, from: address)
        var counters = [(key: keys.address, limit: ofAddress)]
        if let site = keys.site {
            // A setting has at most a million.
            let ofSite = RateLimit(maximum: ofAddress.maximum * Self.networksOfSite, window: ofAddress.window)
            counters.append((key: site, limit: ofSite))
        }
        return counters
    }
}

/// What is counted: a kind of act within an application by somebody.
package struct RateLimitKey: Hashable, Sendable {
    package var application: Identifier<Application>
    package var kind: String
    package var subject: String

    /// New users, by whatever way they are made.
    package static let firstLaunch = "first-launch"
    /// Wrong passwords, for any user.
    static let passwordFailure = "password-failure"

    package init(application: Identifier<Application>, kind: String, subject: String) {
        self.application = application
        self.kind = kind
        self.subject = subject
    }

    /// What is counted by the limit of an address.
    package init(application: Identifier<Application>, kind: String, from address: ClientAddress) {
        self.init(
            application: application, kind: address.isOldApp ? "\(kind)-old-app" : kind,
            subject: address.allowanceGroup)
    }

    /// What is counted of an act: by the limit of its address, and by that of the /48 network of an IPv6 address.
    static func keys(
        _ kind: String, in application: Identifier<Application>, from address: ClientAddress
    ) -> (address: RateLimitKey, site: RateLimitKey?) {
        let ofAddress = RateLimitKey(application: application, kind: kind, from: address)
        let site = address.siteGroup.map { group in
            RateLimitKey(application: application, kind: ofAddress.kind, subject: group)
        }
        return (ofAddress, site)
    }
}

/// What rate limits need of storage. Counters survive a restart and are shared between nodes (requirement 12).
package protocol RateLimitQueries {
    /// Counts one act and tells the number within the window, and when that window began.
    ///
    /// A window that is over begins anew at `now`. One statement, so that it can be a transaction of its own.
    func count(
        _ key: RateLimitKey, window: Duration, at now: Timestamp
    ) throws(DomainError) -> (count: Int, windowStart: Timestamp)
    /// The number within the window, and when it began, without counting; `nil` when nothing was counted in it.
    func counted(
        _ key: RateLimitKey, window: Duration, at now: Timestamp
    ) throws(DomainError) -> (count: Int, windowStart: Timestamp)?
    /// Takes one act back; nothing happens when none was counted.
    func uncount(_ key: RateLimitKey) throws(DomainError)
    /// So many counters at the most whose windows began before a time, in an order of their own, behind one of them. It looks at
    /// the whole table: ask beside the writer.
    func counters(
        startedBefore limit: Timestamp, after key: RateLimitKey?, count: Int
    ) throws(DomainError) -> [RateLimitKey]
    /// Removes counters, but for those that began anew meanwhile.
    func remove(_ counters: [RateLimitKey], startedBefore limit: Timestamp) throws(DomainError)
}

/// Counts an act and refuses it when there were too many.
package struct RateLimiter: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Throws: `rateLimited` with the time until the window ends, `storageUnavailable`.
    package func callAsFunction(_ key: RateLimitKey, limit: RateLimit) async throws(DomainError) {
        let now = clock.now
        let counted = try await store.writeStatement { transaction throws(DomainError) in
            try transaction.count(key, window: limit.window, at: now)
        }
        try limit.admit(counted, at: now)
    }

    /// Counts an act of a user for the session that asks for it, and for all sessions as long as this one has a share left: what
    /// a stolen session uses up is its own. All together have the shares of five.
    ///
    /// - Throws: `rateLimited` with the time until the window ends, `storageUnavailable`.
    package func callAsFunction(
        kind: String, by who: Authenticated, limit: RateLimit
    ) async throws(DomainError) {
        let (user, application) = (who.user.id.rawValue, who.application.id)
        try await callAsFunction(
            RateLimitKey(
                application: application, kind: "\(kind)-session", subject: "\(who.session.id.rawValue) \(user)"),
            limit: limit)
        try await callAsFunction(
            RateLimitKey(application: application, kind: "\(kind)-sessions", subject: user),
            limit: RateLimit(maximum: limit.maximum * 5, window: limit.window))
    }

    /// Counts an act of an address by the limit that the address has, and of IPv6 by that of its /48 network too.
    ///
    /// - Throws: `rateLimited` with the time until the window ends, `storageUnavailable`.
    package func callAsFunction(
        kind: String, in application: Identifier<Application>, from address: ClientAddress, limit: AddressLimit
    ) async throws(DomainError) {
        for (key, limit) in limit.counters(of: kind, in: application, from: address) {
            try await callAsFunction(key, limit: limit)
        }
    }
}
