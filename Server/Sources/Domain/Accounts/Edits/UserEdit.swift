package import enum OkaeriWire.JSONValue

/// What a change does to one value.
package enum ValueChange<Value: Sendable>: Sendable {
    case unchanged
    case removed
    case set(Value)

    /// A value that may have been given.
    package init(given value: Value?) {
        self = value.map { .set($0) } ?? .unchanged
    }

    package func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .removed: nil
        case .set(let new): new
        }
    }
}

/// A request to change a user, whatever the protocol: name, fields, identifiers, access list, what leads to the user, a
/// password, and whether the user is kept out. `EditUser` stores its outcome.
package struct UserEdit: Sendable {
    package var displayName: ValueChange<String> = .unchanged
    package var locale: ValueChange<String> = .unchanged
    package var fields: FieldsEdit = .unchanged
    package var identifiers: NewIdentifiers
    package var acl: ValueChange<ACL> = .unchanged
    /// People whom providers vouched for, to be linked in place of others of the same providers.
    package var people: [ExternalIdentity] = []
    /// An id that a client made, to be linked in place of another.
    package var anonymousId: AnonymousId?
    /// Providers to be unlinked.
    package var unlinked: Set<Identity.Provider> = []
    /// What works at the application, of which one must be left; `nil` where nothing is unlinked.
    var workingWays: WorkingWays?
    package var password: PasswordEdit?
    /// Whether operators keep the user out; `nil` for as it is.
    package var isDisabled: Bool?
    /// Whether the mail address counts as verified without a proof; `nil` for as it is.
    package var isEmailVerified: Bool?
    /// Whether the phone number does; `nil` for as it is.
    package var isPhoneVerified: Bool?
    /// An address that a code has just shown to be the user's.
    var proven: LogInIdentifier?
    /// When the user was last changed, as the caller knows it; `nil` for any time.
    package var version: Timestamp?
    package var manner: Manner

    package enum FieldsEdit: Sendable {
        case unchanged
        case removed
        /// Merged into what is there (RFC 7396).
        case merged([String: JSONValue])
        case operations([String: FieldOperation])
        /// All fields from now on, but for the kept names that are not among them.
        case replaced([String: JSONValue], keeping: Set<String>)
    }

    package enum PasswordEdit: Sendable {
        /// Another password, or a first one. All sessions end; one is opened in their place where the protocol renews it.
        case set(Secret, renewal: Renewal?)
        /// The password that registers a user who has none; `nil` when none was sent.
        case first(Secret?)

        var secret: Secret? {
            switch self {
            case .set(let secret, _): secret
            case .first(let secret): secret
            }
        }
    }

    /// How a session is opened after a password was set.
    package struct Renewal: Sendable {
        package var protocolName: Session.ProtocolName
        package var device: DeviceDescription

        package init(protocolName: Session.ProtocolName, device: DeviceDescription) {
            self.protocolName = protocolName
            self.device = device
        }
    }

    /// How a request is taken.
    package enum Manner: Hashable, Sendable {
        /// What changes nothing is no change; nobody loses the last way in; identifiers come with the upgrade.
        case native
        /// As the mobile backends do: each request counts as a change, what is not linked makes no difference to an
        /// unlinking, and nobody reaches users who are on the way out.
        case compatible
    }

    /// An edit of the profile and of a registered user's identifiers.
    package init(
        displayName: ValueChange<String> = .unchanged, locale: ValueChange<String> = .unchanged,
        fields: ValueChange<[String: JSONValue]> = .unchanged, identifiers: NewIdentifiers
    ) {
        manner = .native
        self.displayName = displayName
        self.locale = locale
        self.identifiers = identifiers
        switch fields {
        case .unchanged: self.fields = .unchanged
        case .removed: self.fields = .removed
        case .set(let members): self.fields = .merged(members)
        }
    }

    /// An edit of the profile alone, by our own rules.
    package init(
        displayName: ValueChange<String> = .unchanged, locale: ValueChange<String> = .unchanged,
        fields: ValueChange<[String: JSONValue]> = .unchanged
    ) {
        self.init(
            displayName: displayName, locale: locale, fields: fields, identifiers: NewIdentifiers(rules: .native))
    }

    /// An edit of whether operators keep the user out.
    package init(isDisabled: Bool) {
        self.init()
        self.isDisabled = isDisabled
    }

    /// An edit that notes what a code has shown: the address is the user's.
    init(proving address: LogInIdentifier) {
        self.init()
        proven = address
    }

    /// An edit that unlinks a provider.
    package init(unlinking provider: Identity.Provider) {
        self.init()
        unlinked = [provider]
    }

    /// An edit in the manner of the mobile backends.
    ///
    /// - Parameters:
    ///   - fields: What becomes of the fields.
    ///   - identifiers: With the protocol's rules, by which a new password is judged too.
    package init(compatible fields: FieldsEdit, identifiers: NewIdentifiers) {
        self.init(identifiers: identifiers)
        self.fields = fields
        manner = .compatible
    }
}

extension UserEdit {
    /// Refuses what is too much for any user, before a transaction begins.
    ///
    /// - Parameter limits: What the application lets a user hold.
    /// - Throws: `fieldsRefused`.
    func refuseExcess(_ limits: ProfileLimits) throws(DomainError) {
        let faults =
            switch fields {
            case .unchanged, .removed: [ValidationError]()
            case .merged(let members), .replaced(let members, _): ProfileRules.faults(ofPatch: members, within: limits)
            case .operations(let operations): ProfileRules.faults(ofChange: operations, within: limits)
            }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }

    /// Refuses whom an access list lets write what goes by something that they may not read: they would find it out by what is refused
    /// (decision 0292). Before anything else is looked at.
    ///
    /// - Parameters:
    ///   - user: As it is.
    ///   - actor: Who asks.
    ///   - rules: What holds for the fields.
    /// - Throws: `accessRefused`, `fieldsRefused`.
    func refuseUnread(_ user: User, by actor: AccountActor, _ rules: FieldRules) throws(DomainError) {
        guard actor.role(towards: user) == .writer else { return }
        var compared: [String] = []
        if case .operations(let operations) = fields {
            compared = operations.filter(\.value.comparesValue).keys.sorted()
        }
        guard actor.mayRead(user) else {
            guard compared.isEmpty, identifiers.isEmpty, case .unchanged = acl else { throw .accessRefused }
            return
        }
        let unread = compared.filter { !rules.mayRead($0, .others) }
        guard unread.isEmpty else {
            throw .fieldsRefused(unread.map { ValidationError(field: ProfileRules.path(of: $0), rule: .readOnly) })
        }
    }

    /// What the request may turn out to change.
    func possible(by actor: AccountActor) -> Set<AccountChange> {
        var possible: Set<AccountChange> = []
        if !identifiers.isEmpty || isEmailVerified != nil {
            possible.formUnion([.addressChanged, .identifiersChanged, .emailVerified])
        }
        if isPhoneVerified != nil { possible.formUnion([.identifiersChanged, .phoneVerified]) }
        if let proven {
            possible.formUnion(
                proven.kind == .phone ? [.phoneVerified, .phoneReplaced] : [.emailVerified, .emailReplaced])
        }
        if case .unchanged = acl {} else { possible.insert(.aclChanged) }
        if changesIdentities { possible.formUnion([.identityLinked, .identityUnlinked]) }
        switch password {
        case .set?: possible.insert(.passwordChanged)
        case .first(.some)?: possible.insert(.upgraded)
        case .first(nil)?, nil: break
        }
        if isDisabled != nil { possible.formUnion([.disabled, .enabled]) }
        if actor.isOperator { possible.insert(.profileChanged) }
        return possible
    }

    /// What the request needs of the actor who makes it. What is sent back as it is needs nothing: apps send whole objects.
    package func needed(for user: User) -> Set<AccountChange> {
        var needed: Set<AccountChange> = []
        if let proven { needed.insert(proven.kind == .phone ? .phoneVerified : .emailVerified) }
        if isProfileNamed { needed.insert(.profileChanged) }
        var named = user
        let faults = identifiers.apply(to: &named)
        if !faults.isEmpty || named.typedIdentifiers != user.typedIdentifiers { needed.insert(.identifiersChanged) }
        if changesAccess(to: user) { needed.insert(.aclChanged) }
        if changesIdentities { needed.insert(.identityLinked) }
        if password?.secret != nil { needed.insert(.passwordChanged) }
        // Another address is not verified, whatever the one before was.
        if let isEmailVerified, isEmailVerified != (named.emailVerifiedAt != nil) { needed.insert(.emailVerified) }
        if let isPhoneVerified, isPhoneVerified != (named.phoneVerifiedAt != nil) { needed.insert(.phoneVerified) }
        if let isDisabled, isDisabled != user.isDisabled { needed.insert(isDisabled ? .disabled : .enabled) }
        return needed.isEmpty ? [.profileChanged] : needed
    }

    var changesIdentities: Bool { !people.isEmpty || anonymousId != nil || !unlinked.isEmpty }

    private var isProfileNamed: Bool {
        if case .unchanged = fields, case .unchanged = displayName, case .unchanged = locale { false } else { true }
    }

    /// Whether somebody may more or less afterwards. The user itself always may everything, so that its own entry makes no
    /// difference.
    func changesAccess(to user: User) -> Bool {
        acl.applied(to: user.acl)?.others(of: user.id) != user.acl?.others(of: user.id)
    }
}

extension ACL {
    /// What the list lets others do than the user whose it is.
    fileprivate func others(of owner: Identifier<User>) -> [Subject: Rights] {
        entries.filter { subject, rights in subject != .user(owner) && !rights.isEmpty }
    }
}
