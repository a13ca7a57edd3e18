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

/// What a new session of a user ends: those that the same device key opened before a time, and the oldest ones past what a
/// user can have, of all protocols or of one.
package struct SessionReplacement: Hashable, Sendable {
    package var openedBefore: Timestamp
    /// How many stay beside the new one.
    package var maximum: Int
    package var within: SessionProtocolLimit?

    package init(openedBefore: Timestamp, maximum: Int, within: SessionProtocolLimit? = nil) {
        self.openedBefore = openedBefore
        self.maximum = maximum
        self.within = within
    }
}
