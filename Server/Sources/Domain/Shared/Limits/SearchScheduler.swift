import Synchronization

/// The one way to the readers that are for searches: whose turn it is, and how much of them everybody may take
/// (requirement 47).
///
/// Applications take turns, so that one that asks for much does not keep another waiting for longer than one search
/// takes; the admins of each have a turn of their own. Log-ins, sessions and reads never come here, and never wait for a search.
package final class SearchScheduler: Sendable {
    /// The longest that an admin waits for what is looked through as a whole, such as a log.
    static let longestTimeOfAdmin: Duration = .seconds(10)

    private let store: any Store
    private let clock: any WallClock
    private let limits: SearchLimits
    private let state = Mutex(State())

    package init(store: any Store, clock: any WallClock, limits: SearchLimits) {
        self.store = store
        self.clock = clock
        self.limits = limits
    }

    /// Who takes turns.
    fileprivate enum Party: Hashable {
        case clients(Identifier<Application>)
        case admins(Identifier<Application>)

        var application: Identifier<Application> {
            switch self {
            case .clients(let application), .admins(let application): application
            }
        }
    }

    fileprivate struct Waiter: Sendable {
        let continuation: CheckedContinuation<Bool, Never>
        let shares: Shares
        let since: Timestamp
    }

    /// What a client's search counts among: those of its address, and those of its /48 network of IPv6.
    fileprivate typealias Shares = [(owner: SearchBudgets.Owner, most: Int)]

    /// Waiters whose waiting is over, and whether they have a reader.
    fileprivate typealias Answers = [(waiter: Waiter, hasReader: Bool)]

    fileprivate struct State: Sendable {
        var running: [Identifier<Application>: Int] = [:]
        var runningCount = 0
        var waiters: [Party: [Waiter]] = [:]
        var waitingCount = 0
        /// Parties with waiters, the next one first.
        var turns: [Party] = []
        /// How many searches of an address, and of a /48 network, run and wait.
        var shares: [SearchBudgets.Owner: Int] = [:]
        var budgets = SearchBudgets()
    }

    /// How many searches wait for a reader now.
    package var waiting: Int { state.withLock { $0.waitingCount } }

    /// Runs a search when its turn comes.
    ///
    /// - Parameters:
    ///   - application: Whose users are searched.
    ///   - request: What the search is part of.
    ///   - time: The time limit of all the request's searches, where it is not the usual one.
    ///   - body: What to ask.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws, `searchTooSlow`, `searchTooLarge`, `rateLimited` for an application or address that has
    ///   searched for too long of late, `busy` when too many searches wait, `storageUnavailable`.
    package func callAsFunction<Value: Sendable>(
        in application: Identifier<Application>, for request: SearchRequest, within time: Duration? = nil,
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let clients = clients(of: request, application)
        let (party, owners) = (party(of: request, application), owners(of: request, clients, application))
        let shares = clients.map { (owner: $0.owner, most: SearchLimits.maximumPerAddress * $0.networks) }
        try checkBudgets(owners)
        try await enter(party, shares)
        defer { leave(party, shares) }
        // While it waited others of the same address may have spent what was left.
        try checkBudgets(owners)
        let left = (time ?? limits.time) - request.time
        guard left > .zero else { throw .searchTooSlow }
        let searched = await store.search(within: left, body)
        request.take(searched.time)
        let now = clock.now
        state.withLock { state in
            for (owner, limit) in owners { state.budgets.add(searched.time, to: owner, limit, at: now) }
        }
        return try searched.result.get()
    }

    private func party(of request: SearchRequest, _ application: Identifier<Application>) -> Party {
        switch request.caller {
        case .client, .backend: .clients(application)
        case .admin, .export: .admins(application)
        }
    }

    /// Of which address a client's search is, and of which /48 network where that is one of IPv6; how many networks of /64 each stands
    /// for.
    private func clients(
        of request: SearchRequest, _ application: Identifier<Application>
    ) -> [(owner: SearchBudgets.Owner, networks: Int)] {
        guard case .client(let client) = request.caller else { return [] }
        var clients = [(owner: SearchBudgets.Owner.address(application, client.allowanceGroup), networks: 1)]
        if let site = client.siteGroup {
            clients.append((owner: .address(application, site), networks: SearchLimits.networksOfSite))
        }
        return clients
    }

    /// Whose time a request's searches take.
    private func owners(
        of request: SearchRequest, _ clients: [(owner: SearchBudgets.Owner, networks: Int)],
        _ application: Identifier<Application>
    ) -> [(SearchBudgets.Owner, Duration)] {
        var owners: [(SearchBudgets.Owner, Duration)] = []
        if let limit = limits.perAddress { owners = clients.map { ($0.owner, limit * $0.networks) } }
        guard let limit = limits.perApplication else { return owners }
        switch request.caller {
        case .client, .backend: owners.append((.application(application), limit))
        case .admin: owners.append((.admins(application), limit))
        case .export: break
        }
        return owners
    }

    private func checkBudgets(_ owners: [(SearchBudgets.Owner, Duration)]) throws(DomainError) {
        guard !owners.isEmpty else { return }
        let now = clock.now
        let result = state.withLock { state in
            Result { () throws(DomainError) in
                for (owner, limit) in owners { try state.budgets.check(owner, limit, at: now) }
            }
        }
        try result.get()
    }

    /// Waits for a reader.
    private func enter(_ party: Party, _ shares: Shares) async throws(DomainError) {
        let (limits, now) = (limits, clock.now)
        let hasReader = await withCheckedContinuation { continuation in
            let answer = state.withLock { state in
                state.enter(party, limits, Waiter(continuation: continuation, shares: shares, since: now))
            }
            if let answer { continuation.resume(returning: answer) }
        }
        guard !hasReader else { return }
        throw .busy(retryAfter: SearchLimits.retry)
    }

    /// Gives the reader to the next search.
    private func leave(_ party: Party, _ shares: Shares) {
        let (limits, now) = (limits, clock.now)
        let answers = state.withLock { state in
            state.finish(party, shares)
            return state.expired(at: now) + state.next(limits)
        }
        for answer in answers { answer.waiter.continuation.resume(returning: answer.hasReader) }
    }
}

extension SearchScheduler.State {
    /// - Returns: whether there is a reader; `nil` when it must be waited for.
    fileprivate mutating func enter(
        _ party: SearchScheduler.Party, _ limits: SearchLimits, _ waiter: SearchScheduler.Waiter
    ) -> Bool? {
        for (owner, most) in waiter.shares where shares[owner, default: 0] >= most { return false }
        let ahead = waiters[party]?.count ?? 0
        let isFirst = ahead == 0 && isFree(for: party, limits)
        let hasRoom = ahead < SearchLimits.maximumWaitingPerApplication && waitingCount < SearchLimits.maximumWaiting
        guard isFirst || hasRoom else { return false }
        for share in waiter.shares { shares[share.owner, default: 0] += 1 }
        if isFirst {
            begin(party)
            return true
        }
        if ahead == 0 { turns.append(party) }
        waiters[party, default: []].append(waiter)
        waitingCount += 1
        return nil
    }

    private func isFree(for party: SearchScheduler.Party, _ limits: SearchLimits) -> Bool {
        runningCount < limits.readers && running[party.application, default: 0] < limits.readersPerApplication
    }

    private mutating func begin(_ party: SearchScheduler.Party) {
        running[party.application, default: 0] += 1
        runningCount += 1
    }

    fileprivate mutating func finish(_ party: SearchScheduler.Party, _ ended: SearchScheduler.Shares) {
        running.decrement(party.application)
        runningCount -= 1
        for share in ended { shares.decrement(share.owner) }
    }

    /// Takes those out who have waited for too long: the client gets an error before it gives up.
    fileprivate mutating func expired(at now: Timestamp) -> SearchScheduler.Answers {
        var answers: SearchScheduler.Answers = []
        for party in turns {
            while let first = waiters[party]?.first, now - first.since > SearchLimits.longestWait {
                for share in first.shares { shares.decrement(share.owner) }
                takeFirst(of: party)
                answers.append((first, false))
            }
        }
        turns.removeAll { waiters[$0] == nil }
        return answers
    }

    /// Gives free readers to the first of each party in turn.
    fileprivate mutating func next(_ limits: SearchLimits) -> SearchScheduler.Answers {
        var answers: SearchScheduler.Answers = []
        var position = 0
        while position < turns.count, runningCount < limits.readers {
            let party = turns[position]
            guard isFree(for: party, limits), let first = waiters[party]?.first else {
                position += 1
                continue
            }
            takeFirst(of: party)
            begin(party)
            answers.append((first, true))
            turns.remove(at: position)
            if waiters[party] != nil { turns.append(party) }
        }
        return answers
    }

    private mutating func takeFirst(of party: SearchScheduler.Party) {
        waiters[party]?.removeFirst()
        if waiters[party]?.isEmpty == true { waiters[party] = nil }
        waitingCount -= 1
    }
}

extension Dictionary where Value == Int {
    /// Counts down; what is at none has no entry.
    fileprivate mutating func decrement(_ key: Key) {
        guard let count = self[key], count > 1 else { return self[key] = nil }
        self[key] = count - 1
    }
}
