/// How long a node waits for its database, and for whom.
package struct PostgreSQLTimeLimits: Sendable {
    /// How long a transaction may wait for a connection.
    package var connection: Duration
    /// How long a transaction is repeated that collides with others.
    package var repetition: Duration
    /// How long a statement may take.
    package var statement: Duration
    /// How long a statement may wait for a lock.
    package var lock: Duration
    /// How long nothing may happen within a transaction.
    package var idle: Duration

    package init(
        connection: Duration = .seconds(8), repetition: Duration = .seconds(6), statement: Duration = .seconds(10),
        lock: Duration = .seconds(5), idle: Duration = .seconds(15)
    ) {
        self.connection = connection
        self.repetition = repetition
        self.statement = statement
        self.lock = lock
        self.idle = idle
    }

    /// How long an answer may take. The server's own time-outs are shorter; this is for a server that says nothing.
    var answer: Duration { statement + .seconds(2) }

    /// What a session is set to. The server ends what lasts longer, should this process not be there to do it.
    var session: String {
        """
        SET statement_timeout = \(statement.wholePollMilliseconds); SET lock_timeout = \(lock.wholePollMilliseconds); \
        SET idle_in_transaction_session_timeout = \(idle.wholePollMilliseconds); \
        SET default_transaction_isolation = 'read committed'
        """
    }

    /// For connections that search: what is made ready for long questions takes longer than a search may.
    var searchSession: String { "\(session); SET jit = off; SET max_parallel_workers_per_gather = 0" }
}
