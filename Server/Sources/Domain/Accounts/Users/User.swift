package import enum OkaeriWire.JSONValue

/// A person's account in one application.
package struct User: Hashable, Sendable {
    /// The most identities of one user beside device keys, which have a bound of their own. Nobody comes near: what clients make
    /// up without end is refused (requirement 47).
    package static let maximumIdentities = 1000

    package let id: Identifier<User>
    package let application: Identifier<Application>
    /// The user name as it is shown. Like the two that follow it is unique in its folded form; see `LogInIdentifier`.
    package var username: String?
    /// The mail address as it is shown.
    package var email: String?
    /// When the mail address was shown to be the user's.
    package var emailVerifiedAt: Timestamp?
    /// The phone number in E.164 form.
    package var phone: String?
    /// When the phone number was shown to be the user's.
    package var phoneVerifiedAt: Timestamp?
    /// When the password was last set by somebody. Its hash is not here: see `AccountQueries`.
    package var passwordSetAt: Timestamp?
    /// Since when the password is known to be the user name: anybody who learns the one has the account (requirement 24).
    package var weakPasswordAt: Timestamp?
    package var displayName: String?
    /// A BCP 47 language tag.
    package var locale: String?
    package var fields: [String: JSONValue]
    /// What leads to this user, oldest first.
    package var identities: [Identity]
    package let createdAt: Timestamp
    /// The time of the last change that the user or an operator made; a log-in is none.
    package var updatedAt: Timestamp
    package var lastLogInAt: Timestamp?
    package var previousLogInAt: Timestamp?
    /// Since when an operator keeps the user out. While it is set every session and every log-in is refused.
    package var disabledAt: Timestamp?
    /// Who else may read and change the user; `nil` for what the application has as its standard. The native API lets
    /// nobody but the user, whatever it says.
    package var acl: ACL?
    /// When the user asked to be deleted; erased when the grace period after it is over.
    package var deletionRequestedAt: Timestamp?

    /// Since when the user has a second factor; see `TOTPFactor`. It stands here so that no log-in reads another row.
    package var secondFactorAt: Timestamp?

    /// The roles and groups that operators gave the user, by id. What was removed from the application may still be named;
    /// see `AccessRules`.
    package var grants: Set<Identifier<Grant>> = []

    /// Counts how often everything that was given out for the user was made void: what carries another number is void.
    package var credentialsVersion: Int64 = 0

    package init(
        id: Identifier<User>, application: Identifier<Application>, displayName: String? = nil, locale: String? = nil,
        fields: [String: JSONValue] = [:], identities: [Identity] = [], createdAt: Timestamp, updatedAt: Timestamp
    ) {
        self.id = id
        self.application = application
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
        self.identities = identities
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// Whether nothing leads to this user that a person could type or that another service vouches for: no user name,
    /// mail address or phone number, and no identity but device keys and ids that clients made. Such a user is lost
    /// with the device. A password changes nothing, because nobody could say whose it is.
    package var isAnonymous: Bool {
        username == nil && email == nil && phone == nil
            && !identities.contains { $0.provider.registers }
    }

    /// Whether nothing at all leads to this user.
    package var isOutOfReach: Bool { identities.isEmpty && typedIdentifiers.isEmpty }

    package var hasPassword: Bool { passwordSetAt != nil }

    package var isDisabled: Bool { disabledAt != nil }

    /// The time of the last change or the last log-in, whichever is later.
    package var changedOrLoggedInAt: Timestamp { max(updatedAt, lastLogInAt ?? updatedAt) }

    /// What a person can type to name this user.
    package var typedIdentifiers: [LogInIdentifier] {
        LogInIdentifier.Kind.allCases.compactMap { kind in
            identifier(kind).map { LogInIdentifier(kind, shown: $0) }
        }
    }

    /// The user name, mail address or phone number as it is shown.
    package func identifier(_ kind: LogInIdentifier.Kind) -> String? {
        switch kind {
        case .username: username
        case .email: email
        case .phone: phone
        }
    }

    /// Whether the user has shown to have the address or number. A name needs no proof.
    func hasProved(_ kind: LogInIdentifier.Kind) -> Bool {
        switch kind {
        case .username: true
        case .email: emailVerifiedAt != nil
        case .phone: phoneVerifiedAt != nil
        }
    }
}

extension User {
    /// Whether something else than some identities leads to the user: another identity, a password that belongs to
    /// something one can type, or a mail address to send a code to, unless the provider relays it.
    ///
    /// - Parameters:
    ///   - removed: What goes.
    ///   - ways: What works at the application now; `nil` also counts what is switched off and may come back.
    /// - Returns: whether something is left.
    func hasWayIn(without removed: [Identity], by ways: WorkingWays?) -> Bool {
        let removed = Set(removed)
        if identities.contains(where: { !removed.contains($0) && ways?.areOpen(to: $0) ?? true }) { return true }
        if hasPassword && !typedIdentifiers.isEmpty { return true }
        return emailVerifiedAt != nil && !hasRelayedEmail && ways?.hasMail ?? true
    }

    /// Whether Apple hides the person's own address behind this one (requirement 37). Mail arrives only as long as the
    /// person lets the application's mail through, and it is nobody's to be recognised by.
    package var hasRelayedEmail: Bool {
        email?.lowercased().hasSuffix("@privaterelay.appleid.com") ?? false
    }
}

/// What lets users of an application in now, beside keys of devices and passwords: a provider and passkeys can be switched off, and
/// a code needs a mail server. By it nobody removes the last way in that works.
struct WorkingWays: Hashable, Sendable {
    let providers: Set<Identity.Provider>
    let hasMail: Bool

    func areOpen(to identity: Identity) -> Bool {
        !identity.provider.registers || providers.contains(identity.provider)
    }
}

extension Transaction {
    /// - Parameters:
    ///   - application: Whose.
    ///   - hasMail: Whether the server can send mail.
    /// - Returns: what lets its users in now.
    /// - Throws: `storageUnavailable`.
    func workingWays(of application: Application, hasMail: Bool) throws(DomainError) -> WorkingWays {
        var open = Set(try providers(of: application.id).map(\.settings.provider))
        if application.settings.passkeys.isEnabled { open.insert(.passkey) }
        return WorkingWays(providers: open, hasMail: hasMail)
    }
}
