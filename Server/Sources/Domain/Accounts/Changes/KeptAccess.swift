/// What stays of the ways into an account when it is changed: those that the caller uses.
package struct KeptAccess: Hashable, Sendable {
    package var session: Identifier<Session>?
    /// The thumbprint of the key that the session is bound to.
    package var deviceKey: String?
    /// The handle of the code by which the change is made, so that its repetition is known.
    var code: SecretDigest?
    /// What the session came from, as `Session.origin` has it: the key of an app that opened the pages for its user.
    private var origin: String?

    init(session: Identifier<Session>?, deviceKey: String?, code: SecretDigest? = nil) {
        self.session = session
        self.deviceKey = deviceKey
        self.code = code
    }

    /// The session of a request, and the key that it is bound to.
    package init(_ who: Authenticated) {
        self.init(session: who.session.id, deviceKey: who.session.deviceKey)
        origin = who.session.origin
    }

    /// Nothing: for operators, and for callers who log in anew afterwards.
    package static let nothing = KeptAccess(session: nil, deviceKey: nil)

    func holds(_ identity: Identity) -> Bool {
        identity.provider == .device && identity.subject == deviceKey
    }

    /// Whether the caller is at the device of a key, also on pages that its app opened.
    func isAtDevice(of identity: Identity) -> Bool {
        holds(identity) || identity.provider == .device && identity.subject == origin
    }

    /// What leads to a user and may be out of the owner's reach: an id that a client made, as most SDKs never send it again, and to an
    /// owner who is at no device's key the keys of others, which may be those of lost phones (decision 0257).
    func uncertain(of user: User) -> [Identity] {
        let isElsewhere = session != nil && !user.identities.contains { isAtDevice(of: $0) }
        return user.identities.filter { $0.provider == .anonymous || isElsewhere && $0.provider == .device }
    }
}
