/// Who operates the server: somebody at its machine, or an admin over the network. Every deed of theirs stands in the
/// audit log under this name.
package struct Operator: Hashable, Sendable {
    package var actor: AuditEntry.Actor
    package var origin: RequestOrigin

    package init(actor: AuditEntry.Actor, origin: RequestOrigin) {
        self.actor = actor
        self.origin = origin
    }

    /// A command on the server's own machine.
    package static let local = Operator(actor: .operator, origin: .local)
    /// The server by itself, at the time set for it.
    package static let server = Operator(actor: .server, origin: .local)
}
