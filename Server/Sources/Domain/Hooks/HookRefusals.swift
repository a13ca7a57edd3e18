import Synchronization

/// Notes in the audit log that a hook refused something to a user who is known, so that the user's time line shows it: once an
/// hour for each user and hook on a node, so that nobody fills the log by asking again.
final class HookRefusals: Sendable {
    private struct Key: Hashable {
        let user: Identifier<User>
        let application: Identifier<Application>
        let point: HookPoint
    }

    private static let pause: Duration = .seconds(3600)
    /// Beyond it the knowledge of all goes.
    private static let maximumKept = 10_000

    private let store: any Store
    private let audit: AuditTrail
    private let noted = Mutex<[Key: Timestamp]>([:])

    init(store: any Store, audit: AuditTrail) {
        self.store = store
        self.audit = audit
    }

    /// - Parameters:
    ///   - action: What was refused.
    ///   - point: By which hook.
    ///   - user: To whom.
    ///   - origin: Where the request came from.
    ///   - application: Where.
    /// - Throws: `storageUnavailable`.
    func note(
        _ action: AuditEntry.Action, by point: HookPoint, to user: Identifier<User>, from origin: RequestOrigin,
        in application: Identifier<Application>
    ) async throws(DomainError) {
        let entry = audit.draft(action, by: .user(user), in: application, from: origin)
        let isNew = noted.withLock { noted -> Bool in
            let key = Key(user: user, application: application, point: point)
            if let last = noted[key], last <= entry.at, entry.at - last < Self.pause { return false }
            if noted.count >= Self.maximumKept { noted = [:] }
            noted[key] = entry.at
            return true
        }
        guard isNew else { return }
        try await store.write { transaction throws(DomainError) in
            try entry.record(on: .user(user), result: .refused, details: ["hook": point.rawValue], in: transaction)
        }
    }
}
