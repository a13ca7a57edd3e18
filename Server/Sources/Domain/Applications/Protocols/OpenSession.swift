package import enum OkaeriWire.JSONValue

/// Opens a further session of a user in a foreign protocol, without asking the user for anything: for an administrator,
/// or beside or in the place of a session that the user has.
package struct OpenSession: Sendable {
    let store: any Store
    let clock: any WallClock
    let issuers: SessionIssuers

    package struct Request: Sendable {
        package var user: Identifier<User>
        package var application: Application
        package var protocolName: Session.ProtocolName
        package var method: Session.LogInMethod
        package var actor: AuditEntry.Actor
        /// The user's session that asks, whose proofs it takes over with their times; `nil` for an administrator. It does not end
        /// with that one (decision 0174).
        package var source: Authenticated?
        /// The session that it takes the place of, if any.
        package var replaced: Identifier<Session>?
        package var device: DeviceDescription
        package var origin: RequestOrigin
        /// What the app keeps of it from the beginning.
        package var fields: [String: JSONValue] = [:]

        package init(
            user: Identifier<User>, application: Application, protocolName: Session.ProtocolName,
            method: Session.LogInMethod, actor: AuditEntry.Actor, replaced: Identifier<Session>? = nil,
            device: DeviceDescription = DeviceDescription(), origin: RequestOrigin
        ) {
            self.user = user
            self.application = application
            self.protocolName = protocolName
            self.method = method
            self.actor = actor
            self.replaced = replaced
            self.device = device
            self.origin = origin
        }
    }

    /// - Throws: `userUnknown`, `userDisabled`, `userDeleted`, `fieldsRefused`, `sessionInvalid` when the user's session that asks
    ///   has ended meanwhile, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let limits = request.application.settings.fieldRules.limits
        let faults =
            request.device.faults(field: "device") + ProfileRules.faults(ofFields: request.fields, within: limits)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let (id, application) = (request.user, request.application.id)
        let now = clock.now
        var asked = SessionIssuer.Request(
            request.application, request.protocolName, by: request.method,
            on: .init(device: request.device, address: request.origin.address),
            record: .logIn(by: request.actor, from: request.origin))
        if let source = request.source { asked = asked.proven(by: SessionSource(source), at: now) }
        let issuer = issuers.issuer(for: asked, at: now)
        return try await store.write { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
            try request.source?.requireSession(in: transaction)
            var logIn = try issuer.reissue(to: user, in: transaction)
            if !request.fields.isEmpty {
                logIn.session.fields = request.fields
                try transaction.updateObject(of: logIn.session)
            }
            if let replaced = request.replaced {
                _ = try transaction.endSession(replaced, of: id, in: application)
            }
            return logIn
        }
    }
}
