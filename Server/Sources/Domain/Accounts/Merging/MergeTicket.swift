/// The right to bring two users together, whose owner proved to be both: a secret for ten minutes and one use.
package struct MergeTicket: Hashable, Sendable {
    package static let lifetime: Duration = .seconds(600)
    private static let prefix = "okm_"

    package var application: Identifier<Application>
    package var digest: SecretDigest
    /// The user that the session is of.
    package var user: Identifier<User>
    /// The user that the session's owner proved to be, too.
    package var other: Identifier<User>
    package var expiresAt: Timestamp
    /// By what the owner proved to be the other; `nil` in tickets of before it was written.
    package var shownBy: Session.LogInMethod?

    package init(
        application: Identifier<Application>, digest: SecretDigest, user: Identifier<User>, other: Identifier<User>,
        expiresAt: Timestamp, shownBy: Session.LogInMethod? = nil
    ) {
        self.application = application
        self.digest = digest
        self.user = user
        self.other = other
        self.expiresAt = expiresAt
        self.shownBy = shownBy
    }

    static func newSecret(_ randomness: any Randomness) -> Secret {
        Secret(prefix + Base64URL.text(of: randomness.bytes(32)))
    }

    /// The digest to look a ticket up by. A hostile text is hashed in part only.
    static func digest(of text: String) -> SecretDigest { SecretDigest(of: text.utf8.prefix(256)) }
}

/// A conflict that can be resolved: the ticket, and what brought it about.
package struct MergeOffer: Hashable, Sendable {
    /// The only response that has the ticket.
    package var ticket: Secret
    package var expiresAt: Timestamp
    package var cause: Cause

    package func hash(into hasher: inout Hasher) {
        hasher.combine(expiresAt)
        hasher.combine(cause)
    }

    /// What the other user has and the current one was to get.
    package enum Cause: Hashable, Sendable {
        /// Identifiers; the other user's password was given.
        case identifiers([LogInIdentifier.Kind])
        /// An identity; the provider vouched for the other user.
        case identity(Identity.Provider)

        /// The way of log-in by which the caller has proved to be the other user.
        var method: Session.LogInMethod {
            switch self {
            case .identifiers: .password
            case .identity(let provider): .init(rawValue: provider.rawValue)
            }
        }
    }
}

/// What the owner of a ticket does with it.
package enum MergeChoice: String, CaseIterable, Hashable, Sendable {
    /// Nothing: the current user stays the current one.
    case keep
    /// Go on as the other user, and leave the current one.
    case `switch`
    /// Go on as the other user, which takes over everything of the current one.
    case merge

    /// The row of the table.
    var change: AccountChange {
        switch self {
        case .keep: .mergeKept
        case .switch: .mergeSwitched
        case .merge: .merged
        }
    }
}
