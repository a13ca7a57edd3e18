/// Changes what an app keeps of a session, in protocols in which sessions are objects of apps. When a session ends, operators
/// alone change.
package struct EditSession: Sendable {
    let store: any Store
    let clock: any WallClock
    let audit: AuditTrail

    /// Who changes it.
    package enum Author: Sendable {
        /// Its user.
        case owner(Authenticated)
        case `operator`(Operator)
    }

    package struct Request: Sendable {
        package var session: Identifier<Session>
        package var application: Application
        package var protocolName: Session.ProtocolName
        package var author: Author
        package var operations: [String: FieldOperation] = [:]
        /// Another end, of any distance: earlier than now ends the session.
        package var expiresAt: Timestamp?

        package init(
            _ session: Identifier<Session>, in application: Application, of protocolName: Session.ProtocolName,
            by author: Author
        ) {
            self.session = session
            self.application = application
            self.protocolName = protocolName
            self.author = author
        }
    }

    /// - Returns: the session afterwards.
    /// - Throws: `sessionUnknown`, `accessRefused` for another end that the owner asks for, `fieldsRefused`,
    ///   `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> Session {
        let limits = request.application.settings.fieldRules.limits
        let excess = ProfileRules.faults(ofChange: request.operations, within: limits)
        guard excess.isEmpty else { throw .fieldsRefused(excess) }
        let application = request.application.id
        let (author, entry) = try author(of: request)
        var owner = author
        if owner == nil {
            owner = try await store.read { transaction throws(DomainError) in
                try transaction.owner(of: request.session, in: application, openedBy: request.protocolName)
            }
        }
        guard let user = owner else { throw .sessionUnknown }
        let now = clock.now
        return try await store.write { transaction throws(DomainError) in
            guard
                var session = try transaction.sessions(of: user, in: application)
                    .first(where: { $0.id == request.session && $0.protocolName == request.protocolName })
            else { throw .sessionUnknown }
            let written = session.fields.applying(request.operations)
            let faults = written.faults + ProfileRules.faults(ofFields: written.fields, within: limits)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            session.fields = written.fields
            if let end = request.expiresAt { session.expiresAt = end }
            session.updatedAt = now
            try transaction.updateObject(of: session)
            try entry?.record(on: .session(session.id), in: transaction)
            return session
        }
    }

    /// Whose session it must be, and what the audit log gets: what operators do.
    private func author(of request: Request) throws(DomainError) -> (owner: Identifier<User>?, entry: AuditDraft?) {
        switch request.author {
        case .owner(let who):
            guard request.expiresAt == nil else { throw .accessRefused }
            return (who.user.id, nil)
        case .operator(let who):
            return (
                nil, audit.draft(.sessionChanged, by: who.actor, in: request.application.id, from: who.origin)
            )
        }
    }
}
