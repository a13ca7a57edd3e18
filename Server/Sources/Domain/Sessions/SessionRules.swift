/// How long the sessions of one protocol live, and how many a user can have.
package struct SessionRules: Hashable, Sendable {
    /// How long a session lives without use.
    package var idleLifetime: Duration
    /// How long a session lives at the most.
    package var lifetime: Duration
    /// How many sessions of the protocol a user can have; a further one ends the oldest. `nil` for no limit but the
    /// common one.
    package var maximumPerUser: Int?

    /// Longer than anybody waits: the most seconds that clients with 32 bits read.
    package static let endless: Duration = .seconds(2_147_483_647)

    package init(
        idleLifetime: Duration = SessionRules.endless, lifetime: Duration = SessionRules.endless,
        maximumPerUser: Int? = nil
    ) {
        self.idleLifetime = idleLifetime
        self.lifetime = lifetime
        self.maximumPerUser = maximumPerUser
    }

    /// What each protocol's own service did, because the apps count on it.
    ///
    /// - Parameter name: A foreign protocol.
    /// - Returns: NCMB: 24 hours of disuse, one session. Parse: a year. Kii: no end, because a pseudo user's token is all it
    ///   has. The envelope: no end of a session that is used within 400 days, because its apps never log in again.
    ///   Pages: a day of disuse, because a browser may be a stranger's.
    package static func standard(of name: Session.ProtocolName) -> SessionRules {
        switch name {
        case .ncmb: SessionRules(idleLifetime: .days(1), maximumPerUser: 1)
        case .parse: SessionRules(lifetime: .days(365))
        case .envelope: SessionRules(idleLifetime: .days(400))
        case .pages: SessionRules(idleLifetime: .days(1), lifetime: .days(30))
        default: SessionRules()
        }
    }
}

extension ApplicationSettings {
    /// The rules for the sessions of a protocol: those that were set, or else those of its own service.
    package func sessionRules(of name: Session.ProtocolName) -> SessionRules {
        if name == .native { return SessionRules(idleLifetime: sessionIdleLifetime, lifetime: sessionLifetime) }
        return foreignSessions[name] ?? .standard(of: name)
    }
}

/// How many sessions of one protocol a user can keep.
package struct SessionProtocolLimit: Hashable, Sendable {
    package var name: Session.ProtocolName
    package var maximum: Int

    package init(name: Session.ProtocolName, maximum: Int) {
        self.name = name
        self.maximum = maximum
    }
}
