package import Domain

/// What nodes tell each other.
package enum ChangeNotice: Hashable, Sendable {
    /// "I am here", at a time of the sender's own clock.
    case heartbeat(nanoseconds: UInt64)
    case goodbye
    case changes([Change])
    /// Something this program does not know: a newer one sent it. Everything may have changed.
    case anything
}

/// What a node that keeps caches may believe of them, by what it hears of others: the rules of decisions 0014 and 0158.
///
/// A value without clock, thread or connection, so that a simulator applies the rules that the engine applies. What it hears
/// comes over one connection in one order for all nodes. Times are nanoseconds of this node's own clock, which only goes
/// forward.
package struct NodeNews: Sendable {
    package struct Limits: Sendable {
        /// How often a node sends a heartbeat.
        package var interval: UInt64 = 250_000_000
        /// How long a heartbeat that came back is good for, from its sending.
        package var term: UInt64 = 900_000_000
        /// A node that nothing was heard of for so long counts as silent.
        package var silence: UInt64 = 1_000_000_000
        /// For so long a commit of a silent node may still come.
        package var aftermath: UInt64 = 30_000_000_000

        package init() {}

        /// How long after its answer a change may at most be unknown to another node: when the node that made it dies, or is cut
        /// off, before it has announced it, and its last heartbeats took as long as one may. Otherwise it is the term.
        package var bound: UInt64 { term + 2 * silence }
    }

    private let name: String
    private let limits: Limits
    /// Another one after a change that may not have been heard.
    package private(set) var epoch: UInt64 = 1
    /// The end of the lease that the latest heartbeat gave.
    private var leaseEnd: UInt64 = 0
    /// Heartbeats that were sent earlier do not count.
    private var countsFrom: UInt64 = 0
    private var heartbeatAt: UInt64 = 0
    /// When the heartbeat of another node was heard last, of those that are not silent.
    private var lastHeard: [String: UInt64] = [:]
    /// The same of those that are.
    private var silent: [String: UInt64] = [:]

    /// - Parameters:
    ///   - name: A word that no other node has.
    ///   - limits: Times.
    package init(name: String, limits: Limits = Limits()) {
        self.name = name
        self.limits = limits
    }

    /// Until when caches may be believed: for as long as this node's own heartbeat is good for, and no other node falls silent.
    package var end: UInt64 { min(leaseEnd, lastHeard.values.min().map { $0 + limits.silence } ?? .max) }

    package func isTrusted(at now: UInt64) -> Bool { now < end }

    /// From now on everything is heard.
    ///
    /// A node of which nothing is heard within a term from here on has no lease any more, and what it commits from then on is
    /// carried by its transactions: so no trust comes from an earlier heartbeat.
    package mutating func connect(at now: UInt64) {
        countsFrom = now + limits.term
        heartbeatAt = now
        (lastHeard, silent) = ([:], [:])
    }

    /// Something may not be heard from now on. What was kept until now is not believed in a later lease either.
    package mutating func disconnect() {
        leaseEnd = 0
        epoch += 1
    }

    /// How long nothing has to be sent.
    package func pause(at now: UInt64) -> UInt64 { heartbeatAt - min(heartbeatAt, now) }

    /// What is sent now: changes before the heartbeat that vouches for them.
    package mutating func notices(telling changes: [Change], isLast: Bool = false, at now: UInt64) -> [ChangeNotice] {
        var notices: [ChangeNotice] = changes.isEmpty ? [] : [.changes(changes)]
        if now >= heartbeatAt {
            notices.append(.heartbeat(nanoseconds: now))
            heartbeatAt = now + limits.interval
        }
        if isLast { notices.append(.goodbye) }
        return notices
    }

    /// Hears a notice.
    ///
    /// - Returns: what caches have to forget.
    package mutating func take(_ notice: ChangeNotice, from sender: String, at now: UInt64) -> [Change] {
        let isOwn = sender == name
        switch notice {
        case .heartbeat(let sentAt) where isOwn:
            // The number comes from the database, where others may write too.
            if sentAt >= countsFrom, sentAt <= now { leaseEnd = sentAt + limits.term }
            return []
        case .heartbeat:
            // Nothing else shows that the sender tells what it commits: changes may come in its transactions.
            lastHeard[sender] = now
            silent[sender] = nil
            return []
        case .goodbye:
            (lastHeard[sender], silent[sender]) = (nil, nil)
            return []
        case .changes(let changes): return isOwn ? [] : changes
        case .anything:
            if !isOwn { epoch += 1 }
            return []
        }
    }

    /// Forgets everything while a node is silent, as that may have left changes untold. Until it is called the caches are not
    /// believed.
    package mutating func checkSilence(at now: UInt64) {
        for (node, heard) in lastHeard where now >= heard + limits.silence {
            lastHeard[node] = nil
            silent[node] = heard
        }
        guard !silent.isEmpty else { return }
        epoch += 1
        silent = silent.filter { now < $0.value + limits.aftermath }
    }
}

/// How other nodes hear of what a transaction commits.
package enum CommitNews: Sendable {
    /// In the transaction itself: exactly when it is committed. It makes all such commits of a cluster wait for each other.
    case carried
    /// After the commit, by the node that others hear.
    case announced

    /// - Parameter isHeard: Whether the node's own heartbeats come back, before the commit.
    package init(isHeard: Bool) { self = isHeard ? .announced : .carried }

    /// Whether what was to be announced has to go over the transaction's own connection before the commit is answered: while it was
    /// committed the node ceased to be heard, so that its silence warns nobody.
    package func mustBeSent(isHeard: Bool) -> Bool { self == .announced && !isHeard }
}
