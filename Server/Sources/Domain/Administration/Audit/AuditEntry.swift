/// One line of the audit log: who did what to whom, when, from where, with what result (requirement 42). It holds no
/// secret.
package struct AuditEntry: Hashable, Sendable {
    package let id: Identifier<AuditEntry>
    /// Whose log it stands in; `server` for what concerns no application.
    package let application: Identifier<Application>
    package let at: Timestamp
    package let actor: Actor
    package let action: Action
    package let target: Target?
    package let result: Result
    package let origin: RequestOrigin
    /// More about the action: names and ids, no secret and no personal data.
    package let details: [String: String]
    /// Proves that this installation wrote the entry, and that nobody changed it since.
    package let seal: SecretDigest

    /// What an entry says was done: to whom, how it ended, and what else there is to say of it.
    package struct Act: Hashable, Sendable {
        let action: Action
        let target: Target?
        let result: Result
        let details: [String: String]

        package init(_ action: Action, on target: Target?, result: Result, details: [String: String]) {
            self.action = action
            self.target = target
            self.result = result
            self.details = details
        }
    }

    package init(
        id: Identifier<AuditEntry>, application: Identifier<Application>, at: Timestamp, by who: Operator,
        did act: Act, seal: SecretDigest
    ) {
        self.id = id
        self.application = application
        self.at = at
        actor = who.actor
        action = act.action
        target = act.target
        result = act.result
        origin = who.origin
        details = act.details
        self.seal = seal
    }

    var who: Operator { Operator(actor: actor, origin: origin) }

    var act: Act { Act(action, on: target, result: result, details: details) }

    /// The log of what concerns no application. No application has the empty id.
    package static let server = Identifier<Application>(rawValue: "")

    /// Who did it: `user:ID`, `operator`, `protocol-key:NAME`, `provider:NAME`, `server`, or `unknown`. An open set.
    package struct Actor: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static func user(_ id: Identifier<User>) -> Actor { Actor(rawValue: "user:\(id)") }
        /// Somebody with access to the server's machine.
        package static let `operator` = Actor(rawValue: "operator")
        /// An identity provider, by a message that it signed.
        package static func provider(_ provider: Identity.Provider) -> Actor {
            Actor(rawValue: "provider:\(provider.rawValue)")
        }
        /// Who has the key that makes an administrator in an old protocol.
        package static func protocolKey(_ name: Session.ProtocolName) -> Actor {
            Actor(rawValue: "protocol-key:\(name.rawValue)")
        }
        /// Whether it is such a key.
        var isProtocolKey: Bool { rawValue.hasPrefix("protocol-key:") }
        /// The server by itself, at the time set for it.
        package static let server = Actor(rawValue: "server")
        /// Somebody who did not show who they are.
        package static let unknown = Actor(rawValue: "unknown")
    }

    /// To whom or what: `user:ID`, `session:ID`, `application:ID` … An open set.
    package struct Target: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static func user(_ id: Identifier<User>) -> Target { Target(rawValue: "user:\(id)") }
        package static func session(_ id: Identifier<Session>) -> Target { Target(rawValue: "session:\(id)") }
        package static func application(_ id: Identifier<Application>) -> Target {
            Target(rawValue: "application:\(id)")
        }
        package static func signingKey(_ id: String) -> Target { Target(rawValue: "signing-key:\(id)") }
        package static func sealingKey(_ id: String) -> Target { Target(rawValue: "sealing-key:\(id)") }
        package static func provider(_ provider: Identity.Provider) -> Target {
            Target(rawValue: "provider:\(provider.rawValue)")
        }
    }

    /// What was done. An open set.
    package struct Action: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let applicationCreated = Action(rawValue: "application.created")
        package static let protocolEnabled = Action(rawValue: "protocol.enabled")
        package static let protocolDisabled = Action(rawValue: "protocol.disabled")
        package static let signingKeysRotated = Action(rawValue: "signing-keys.rotated")
        package static let secretsResealed = Action(rawValue: "secrets.resealed")
        package static let sessionEnded = Action(rawValue: "session.ended")
        /// What an app keeps of it, or its end, by an operator.
        package static let sessionChanged = Action(rawValue: "session.changed")
        package static let otherSessionsEnded = Action(rawValue: "sessions.others-ended")
        package static let transferCodeIssued = Action(rawValue: "transfer-code.issued")
        package static let transferCodeWithdrawn = Action(rawValue: "transfer-code.withdrawn")
        package static let transferCodeRedeemed = Action(rawValue: "transfer-code.redeemed")
        package static let deletionRequested = Action(rawValue: "user.deletion-requested")
        package static let userRestored = Action(rawValue: "user.restored")
        package static let userErased = Action(rawValue: "user.erased")
        package static let userExported = Action(rawValue: "user.exported")
        package static let mergeOffered = Action(rawValue: "merge.offered")
        package static let mergeUndone = Action(rawValue: "merge.undone")
        package static let transferUndone = Action(rawValue: "transfer.undone")
        /// Not of automatic log-ins, which are the hot path: the session is their record.
        package static let loggedIn = Action(rawValue: "user.logged-in")
        package static let reauthenticated = Action(rawValue: "session.reauthenticated")
        /// Only where a hook refused it: tokens are the work of each request.
        package static let accessTokenIssued = Action(rawValue: "access-token.issued")
        package static let userUpgraded = Action(rawValue: "user.upgraded")
        package static let identifiersChanged = Action(rawValue: "identifiers.changed")
        package static let emailVerified = Action(rawValue: "email.verified")
        package static let phoneVerified = Action(rawValue: "phone.verified")
        package static let passwordChanged = Action(rawValue: "password.changed")
        package static let passwordReset = Action(rawValue: "password.reset")
        package static let identityLinked = Action(rawValue: "identity.linked")
        package static let identityUnlinked = Action(rawValue: "identity.unlinked")
        package static let userCreated = Action(rawValue: "user.created")
        package static let aclChanged = Action(rawValue: "access-list.changed")
        package static let deviceKeyRemoved = Action(rawValue: "device-key.removed")
        package static let otherDeviceKeysRemoved = Action(rawValue: "device-keys.others-removed")
        package static let userDisabled = Action(rawValue: "user.disabled")
        package static let usersRead = Action(rawValue: "users.read")
        package static let userEnabled = Action(rawValue: "user.enabled")
        package static let providerSet = Action(rawValue: "provider.set")
        package static let providerRemoved = Action(rawValue: "provider.removed")
        package static let providerNotified = Action(rawValue: "provider.notified")
        package static let redirectsChanged = Action(rawValue: "redirects.changed")
        package static let themeChanged = Action(rawValue: "theme.changed")
        package static let mailSettingsChanged = Action(rawValue: "mail-settings.changed")
    }

    /// How it ended.
    package enum Result: String, Hashable, Sendable {
        case done
        case refused
    }
}

/// An entry in its place in its application's chain.
package struct ChainedAuditEntry: Hashable, Sendable {
    package var entry: AuditEntry
    /// Counts from 1 without gaps within an application.
    package var number: Int64
    /// Covers the entry, its number, and the digest of the one before.
    package var digest: SecretDigest

    package init(entry: AuditEntry, number: Int64, digest: SecretDigest) {
        self.entry = entry
        self.number = number
        self.digest = digest
    }
}

/// Where an application's chain ends.
package struct AuditHead: Hashable, Sendable {
    package var application: Identifier<Application>
    /// The number of the last entry.
    package var number: Int64
    /// Its digest.
    package var digest: SecretDigest
    /// Proves that this installation wrote the head.
    package var seal: SecretDigest

    package init(
        application: Identifier<Application>, number: Int64, digest: SecretDigest, seal: SecretDigest
    ) {
        self.application = application
        self.number = number
        self.digest = digest
        self.seal = seal
    }
}
