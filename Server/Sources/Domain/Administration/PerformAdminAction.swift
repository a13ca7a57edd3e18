/// Who asks for an action.
package enum AdminActor: Sendable {
    /// A command on the server's own machine. Who can run it can do everything.
    case commandLine
    /// An admin or a program with a key, over the network.
    case admin(AdminAccess, RequestOrigin)
    /// Somebody who has not logged in yet.
    case anonymous(RequestOrigin)

    /// Who does it, for the audit log.
    package var auditActor: Operator {
        switch self {
        case .commandLine: .local
        case .admin(let access, let origin): access.auditActor(from: origin)
        case .anonymous(let origin): Operator(actor: .unknown, origin: origin)
        }
    }
}

/// Applies the row of an action: permission and scope, step-up, and the record of a reading.
package struct PerformAdminAction: Sendable {
    let clock: any WallClock
    let recordReading: RecordReading

    /// - Parameters:
    ///   - action: What is asked for.
    ///   - actor: Who asks.
    ///   - application: Where; `nil` for an action of the server.
    ///   - user: Who is looked at; `nil` for many or none.
    ///   - refusal: Makes the caller's error of a refusal.
    ///   - work: Does it.
    /// - Returns: what `work` returns. A reading is recorded before it is shown.
    /// - Throws: `administration(adminRequired)`, `administration(notFound)`, `administration(notAllowed)`,
    ///   `reauthenticationRequired`, `storageUnavailable`, and what `work` throws.
    package func callAsFunction<Output, Failure: Error>(
        _ action: AdminAction, by actor: AdminActor, in application: Identifier<Application>?,
        on user: Identifier<User>?, refusal: (DomainError) -> Failure,
        _ work: (Operator) async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        do throws(DomainError) {
            try require(action, by: actor, in: application)
        } catch {
            throw refusal(error)
        }
        let output = try await work(actor.auditActor)
        guard action.policy.recordsReading, let application else { return output }
        do throws(DomainError) {
            try await recordReading(of: user, in: application, by: actor.auditActor)
        } catch {
            throw refusal(error)
        }
        return output
    }

    /// Whether an action would be refused, for one that depends on what is found meanwhile.
    package func allows(_ action: AdminAction, by actor: AdminActor, in application: Identifier<Application>?) -> Bool {
        do throws(DomainError) {
            try require(action, by: actor, in: application)
            return true
        } catch {
            // Which of the rules refuses makes no difference here.
            return false
        }
    }

    /// Refuses what would be refused, for an action that shows within another one.
    ///
    /// - Throws: `administration(adminRequired)`, `administration(notFound)`, `administration(notAllowed)`,
    ///   `reauthenticationRequired`.
    package func require(
        _ action: AdminAction, by actor: AdminActor, in application: Identifier<Application>?
    ) throws(DomainError) {
        switch actor {
        case .commandLine: return
        case .anonymous:
            guard action.policy.access == .open else { throw .administration(.adminRequired) }
        case .admin(let access, _):
            try access.require(action, in: application)
            guard !action.policy.stepUp || access.isRecent(at: clock.now) else { throw .reauthenticationRequired }
        }
    }
}

extension AdminAccess {
    /// Whether password and code were given within ten minutes. A program's key is its own proof.
    fileprivate func isRecent(at now: Timestamp) -> Bool {
        guard let authenticatedAt else { return true }
        return now < authenticatedAt + AdminSession.freshness
    }
}
