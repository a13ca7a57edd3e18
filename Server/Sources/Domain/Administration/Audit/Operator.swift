/// Who operates the server: somebody at its machine, or an admin over the network. Every action of theirs stands in the
/// audit log under this name.
package struct Operator: Hashable, Sendable {
    package var actor: AuditEntry.Actor
    package var origin: RequestOrigin
    /// For which applications they decide what these share, such as a domain; `nil` for all.
    let applications: Set<Identifier<Application>>?
    /// What they may do; `nil` for everything.
    private let permissions: Set<AdminPermission>?
    /// The session by which an admin asks; `nil` for everybody else.
    let session: AdminSession.Reference?

    /// Somebody who decides nothing that applications share.
    package init(actor: AuditEntry.Actor, origin: RequestOrigin) {
        self.init(actor: actor, origin: origin, decidingFor: [], permissions: [], session: nil)
    }

    init(
        actor: AuditEntry.Actor, origin: RequestOrigin, decidingFor applications: Set<Identifier<Application>>?,
        permissions: Set<AdminPermission>?, session: AdminSession.Reference?
    ) {
        self.actor = actor
        self.origin = origin
        self.applications = applications
        self.permissions = permissions
        self.session = session
    }

    /// For what turns out to be more than the action that was asked for.
    ///
    /// - Throws: `administration(notAllowed)` without one of the action's permissions.
    func require(_ action: AdminAction) throws(DomainError) {
        guard let permissions, case .permissions(let needed) = action.policy.access else { return }
        for permission in needed where !permissions.contains(permission) {
            throw .administration(.notAllowed(permission))
        }
    }

    /// A command on the server's own machine.
    package static let local = Operator(
        actor: .operator, origin: .local, decidingFor: nil, permissions: nil, session: nil)
    /// The server by itself, at the time set for it.
    package static let server = Operator(
        actor: .server, origin: .local, decidingFor: nil, permissions: nil, session: nil)
}

/// Where an action came from, as the audit log remembers it.
package struct RequestOrigin: Hashable, Sendable {
    package static let maximumUserAgentCharacters = 200

    /// The client's address.
    package var address: String?
    /// What the client calls itself: the header `User-Agent`, cut.
    package var userAgent: String?
    /// The id under which the request was logged and answered.
    package var requestId: String?

    package init(address: String? = nil, userAgent: String? = nil, requestId: String? = nil) {
        self.address = address
        self.userAgent = userAgent.map {
            $0.utf8.count <= Self.maximumUserAgentCharacters
                ? $0 : String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.maximumUserAgentCharacters)))
        }
        self.requestId = requestId
    }

    /// A command on the server's own machine, or the server itself.
    package static let local = RequestOrigin()
}
