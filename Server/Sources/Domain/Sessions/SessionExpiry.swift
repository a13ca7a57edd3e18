/// How long a session has lived and may live.
package struct SessionExpiry: Hashable, Sendable {
    package var application: Identifier<Application>
    package var user: Identifier<User>
    /// Which of the user's rows it has.
    package var slot: String
    package var token: SecretDigest
    package var protocolName: Session.ProtocolName
    package var lastUsedAt: Timestamp
    package var expiresAt: Timestamp

    package init(
        application: Identifier<Application>, user: Identifier<User>, slot: String, token: SecretDigest,
        protocolName: Session.ProtocolName, lastUsedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.application = application
        self.user = user
        self.slot = slot
        self.token = token
        self.protocolName = protocolName
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }

    /// Where a session stands in the order of users.
    package struct Position: Hashable, Sendable {
        package var application: Identifier<Application>
        package var user: Identifier<User>
        package var slot: String

        package init(application: Identifier<Application>, user: Identifier<User>, slot: String) {
            self.application = application
            self.user = user
            self.slot = slot
        }
    }

    /// What may be over in a part of all sessions.
    package struct Sweep: Sendable {
        package var found: [SessionExpiry]
        /// The last session of the part; `nil` when none is behind it.
        package var last: Position?

        package init(found: [SessionExpiry], last: Position?) {
            self.found = found
            self.last = last
        }
    }

    /// Since when sessions were not used that may be over, so that few others are read.
    package struct Disuse: Hashable, Sendable {
        /// The protocol whose sessions may rest the shortest time, which is far shorter than that of others: hosted pages.
        package var briefest: Session.ProtocolName
        package var ofBriefest: Timestamp
        package var ofOthers: Timestamp

        package init(of briefest: Session.ProtocolName, since instant: Timestamp, ofOthers others: Timestamp) {
            self.briefest = briefest
            ofBriefest = instant
            ofOthers = others
        }
    }

    static func isOver(
        at now: Timestamp, idleLifetime: Duration, lastUsedAt: Timestamp, expiresAt: Timestamp
    ) -> Bool {
        now >= expiresAt || now >= lastUsedAt + idleLifetime
    }
}
