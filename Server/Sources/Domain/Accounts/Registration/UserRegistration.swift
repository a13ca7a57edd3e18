package import enum OkaeriWire.JSONValue

/// A user that is about to be made: a pure value, which judges the request and becomes the user, and the one function
/// that stores it with everything that it begins with.
///
/// `UserRegistrar` makes it ready before the transaction.
package struct UserRegistration: Sendable {
    /// First values of a user.
    package struct Profile: Sendable {
        package var displayName: String?
        package var locale: String?
        package var fields: [String: JSONValue]
        package var acl: ACL?
        /// In whose name the fields are written.
        package var actor: FieldActor

        package init(
            displayName: String? = nil, locale: String? = nil, fields: [String: JSONValue] = [:],
            acl: ACL? = nil, actor: FieldActor = .owner
        ) {
            self.displayName = displayName
            self.locale = locale
            self.fields = fields
            self.acl = acl
            self.actor = actor
        }
    }

    /// What somebody asks for.
    package struct Request: Sendable {
        let way: RegistrationWay
        let application: Application
        var profile: Profile
        var identifiers: NewIdentifiers
        var password: Secret?
        var identities: [Identity] = []
        /// The device that the first session is for.
        var device = DeviceDescription()
        /// Whether the user is logged in.
        var opensSession = true
        /// Whether the user's id has the form of a UUID.
        var hasDashedId = false

        init(
            _ way: RegistrationWay, in application: Application, _ profile: Profile, identifiers: NewIdentifiers
        ) {
            self.way = way
            self.application = application
            self.profile = profile
            self.identifiers = identifiers
        }
    }

    /// The user as it will be, but for the defaults of its fields.
    var user: User
    let way: RegistrationWay
    private let actor: FieldActor
    let application: Application
    private let accountRules: AccountRules
    private let secret: Secret?
    private let opensSession: Bool
    private let formFaults: [ValidationError]
    private let missing: [ValidationError]
    private var hash: PasswordHash?
    private var isWeak = false
    /// Whether its name may differ from another user's in its writing alone.
    var takesTwins = false
    /// Whether it stays as an export of this server has it: no defaults, and the password's own times.
    var isExact = false
    private var address: ClientAddress?
    private var record: ReadyChanges?
    /// That it may be stored, where a hook has to be asked.
    private var approval: SignUpApproval?

    /// - Parameters:
    ///   - request: What is asked for.
    ///   - id: The user's.
    ///   - now: The user's first moment.
    init(_ request: Request, id: Identifier<User>, at now: Timestamp) {
        let profile = request.profile
        var user = User(
            id: id, application: request.application.id, displayName: profile.displayName, locale: profile.locale,
            fields: profile.fields, identities: request.identities, createdAt: now, updatedAt: now)
        user.acl = profile.acl
        let nameless = user
        var identifiers = request.identifiers
        identifiers.rules = identifiers.rules.held(to: request.application.settings.signUp)
        formFaults =
            identifiers.apply(to: &user)
            + Self.faults(
                of: profile, on: request.device, by: request.way, within: request.application.settings.fieldRules.limits
            )
        missing = identifiers.missing(in: user, from: nameless)
        self.user = user
        way = request.way
        actor = profile.actor
        application = request.application
        accountRules = request.identifiers.rules
        secret = request.password
        opensSession = request.opensSession
    }

    /// A user as another service kept it, with its own id and times.
    ///
    /// - Parameters:
    ///   - user: The user of the record.
    ///   - way: Whether it comes by a file or by its own log-in.
    ///   - faults: What is wrong with it.
    ///   - hash: The hash of its password.
    ///   - isWeak: Whether the password is a name of the user.
    ///   - application: Where it comes to.
    init(
        importing user: User, by way: RegistrationWay, faults: [ValidationError], hash: PasswordHash?,
        isWeak: Bool, into application: Application
    ) {
        self.user = user
        self.way = way
        actor = .server
        self.application = application
        accountRules = .native
        secret = nil
        opensSession = false
        formFaults = faults
        missing = []
        self.hash = hash
        self.isWeak = isWeak
    }

    /// The rules that a profile and a device's description break, for any sender.
    static func faults(
        of profile: Profile, on device: DeviceDescription, by way: RegistrationWay, within limits: ProfileLimits
    ) -> [ValidationError] {
        (profile.acl?.faults(field: "accessList") ?? []) + device.faults(field: "device")
            + way.named(
                ProfileRules.faults(
                    displayName: profile.displayName, locale: profile.locale, fields: profile.fields, within: limits))
    }

    /// Refuses what is wrong with the request even if it leads to a user that there is already.
    ///
    /// - Throws: `fieldsRefused`.
    func refuseForm() throws(DomainError) {
        guard formFaults.isEmpty else { throw .fieldsRefused(formFaults) }
    }

    /// Everything that can be refused before work is done, all at once.
    ///
    /// - Returns: the password; `nil` for a user without one.
    /// - Throws: `fieldsRefused`.
    func judged() throws(DomainError) -> NewPassword? {
        var faults =
            formFaults + missing
            + way.named(
                application.settings.fieldRules.faults(
                    registering: user, by: actor, demandsAll: way.demandsFields))
        let demandsPassword: Bool
        switch way.password {
        case .required: demandsPassword = true
        case .requiredOfNamed:
            // Who gave a name has one to choose beside it, even if nothing is left of the name.
            let isNamed = faults.contains { LogInIdentifier.Kind(rawValue: $0.field) != nil }
            demandsPassword = !(user.isAnonymous && secret == nil && opensSession && !isNamed)
        case .optional: demandsPassword = secret != nil && !user.typedIdentifiers.isEmpty
        case .none: demandsPassword = false
        }
        guard demandsPassword else {
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            return nil
        }
        if faults.isEmpty, user.isAnonymous, way.password == .required || secret != nil {
            faults.append(ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue))))
        }
        return try PasswordRules(for: application, user: user, rules: accountRules)
            .check(secret, field: "password", beside: faults)
    }

    /// The user with the defaults of its fields.
    ///
    /// - Throws: `fieldsRefused`.
    func completed() throws(DomainError) -> User {
        guard !isExact else { return user }
        let rules = application.settings.fieldRules
        var user: User
        do {
            user = try rules.registered(self.user, by: actor, demandsAll: way.demandsFields)
        } catch {
            guard let faults = error.validationErrors else { throw error }
            throw .fieldsRefused(way.named(faults))
        }
        guard let added = approval?.fields, !added.isEmpty else { return user }
        user.fields.merge(added) { _, hooks in hooks }
        let faults = ProfileRules.faults(ofFields: user.fields, within: rules.limits)
        guard faults.isEmpty else { throw .fieldsRefused(way.named(faults)) }
        return user
    }

    /// Takes in that it may be stored, and the fields that the hook adds.
    mutating func approve(by approval: SignUpApproval?) { self.approval = approval }

    /// Takes in what was made ready before the transaction.
    ///
    /// - Parameters:
    ///   - password: What the hash was made of.
    ///   - hash: Its hash.
    ///   - address: Where the request came from.
    ///   - origin: The same, for the audit log.
    ///   - changes: Drafts the entry.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    mutating func prepare(
        _ password: Password?, _ hash: PasswordHash?, from address: ClientAddress, _ origin: RequestOrigin,
        _ changes: AccountChanges
    ) throws(DomainError) {
        self.hash = hash
        isWeak = password?.isName(of: user) ?? false
        self.address = address
        guard let maker = way.recordedActor(of: user, hasPassword: hash != nil) else { return }
        record = try changes.ready(
            [.created], of: user, in: application, by: .newcomer(maker, from: origin), at: user.createdAt)
    }
}

extension UserRegistration {
    /// What was stored.
    struct Registered: Sendable {
        var user: User
        /// The first log-in, when the user was logged in.
        var logIn: LogIn?
    }

    /// Looks whether anybody has the identifiers, and stores the user with what leads to it, its password, its entry in
    /// the audit log and its first session. Whether anybody has the identities is looked at before: then it is a log-in.
    ///
    /// - Parameters:
    ///   - transaction: The one transaction.
    ///   - link: A device key that joins the user, unless it leads to somebody already.
    ///   - issuer: Issues the first session; `nil` for a user who is not logged in.
    /// - Returns: the user as stored.
    /// - Throws: `identifiersTaken`, before anything is written; `fieldsRefused`, `hookUnavailable` when a hook would have had
    ///   to be asked, `storageUnavailable`.
    func store(
        in transaction: any Transaction, joining link: DeviceLink?, session issuer: SessionIssuer?
    ) throws(DomainError) -> Registered {
        guard approval != nil || hook == nil else { throw .hookUnavailable }
        var user = try completed()
        // Imports and migrations take what was elsewhere, where a name could be somebody else's address.
        try transaction.refuseTaken(user, before: way.takesOtherCandidates ? user : nil, takesTwins: takesTwins)
        if let identity = try link?.free(for: user.application, in: transaction) { user.identities.append(identity) }
        if issuer != nil { user.lastLogInAt = user.createdAt }
        if hash != nil, !isExact || user.passwordSetAt == nil { user.passwordSetAt = user.updatedAt }
        try transaction.insert(user)
        if !user.typedIdentifiers.isEmpty { try transaction.updateIdentifiers(of: user) }
        for identity in user.identities { try transaction.insert(identity, for: user.id, in: user.application) }
        if let hash {
            let setAt = user.passwordSetAt ?? user.updatedAt
            try transaction.setPassword(hash, of: user.id, in: user.application, at: setAt)
            // Setting a password is a change, and an older one must not make the user look older.
            if setAt != user.updatedAt { try transaction.updateProfile(of: user) }
        }
        // Of an imported user: the password is there, and its hash stayed where the user came from.
        if hash == nil, let since = user.passwordSetAt {
            try transaction.noteUnknownPassword(of: user.id, in: user.application, since: since)
        }
        if isWeak { try transaction.markPassword(of: user.id, in: user.application, weakSince: user.updatedAt) }
        if isExact, let since = user.weakPasswordAt {
            try transaction.markPassword(of: user.id, in: user.application, weakSince: since)
        }
        if user.isDisabled || isExact && user.deletionRequestedAt != nil { try transaction.updateStanding(of: user) }
        if way.forgivesFailures { try transaction.forgive(user, from: address, at: user.createdAt) }
        if application.settings.events.isRecorded {
            try transaction.insert(Event.created(user, anonymously: user.isAnonymous))
        }
        if let record {
            try record.settle([.created: user.identifierDetails], of: &user, keeping: .nothing, in: transaction)
        }
        return Registered(
            user: user,
            logIn: try issuer.map { issuer throws(DomainError) in
                try issuer.issue(toNew: user, in: transaction)
            })
    }
}

extension Transaction {
    /// Who has which of these identifiers.
    ///
    /// - Throws: `storageUnavailable`.
    func owners(
        of identifiers: [LogInIdentifier], in application: Identifier<Application>
    ) throws(DomainError) -> [IdentifierOwner] {
        var owners: [IdentifierOwner] = []
        for identifier in identifiers {
            if let user = try user(identifier, in: application) {
                owners.append(IdentifierOwner(kind: identifier.kind, user: user))
            }
        }
        return owners
    }

    /// The one rule of identifiers: none belongs to two users of an application, and none that is new leads to another user when
    /// it is typed at a log-in, of whatever kind it is there. Who signed up with another's address as a name, or the other way
    /// round, would stand in that one's way. An address or number that its owner has proved leads to the owner before any name, and
    /// is refused for none.
    ///
    /// - Parameters:
    ///   - user: A user as it shall be, new or changed.
    ///   - before: The user as it is, whose identifiers are not new; `nil` when there is none.
    ///   - takesTwins: Whether a user name that differs from another one in its writing alone is not taken.
    /// - Throws: `identifiersTaken` with those that another user has; `storageUnavailable`.
    func refuseTaken(_ user: User, before: User?, takesTwins: Bool) throws(DomainError) {
        let owners = try owners(of: user.typedIdentifiers, in: user.application).filter { owner in
            owner.user.id != user.id && !(takesTwins && owner.isTwin(of: user))
        }
        var kinds = owners.map(\.kind)
        for identifier in user.typedIdentifiers where before?.typedIdentifiers.contains(identifier) != true {
            if identifier.kind != .username, user.hasProved(identifier.kind) { continue }
            let others = try self.owners(of: identifier.otherCandidates, in: user.application)
            if others.contains(where: { $0.user.id != user.id }), !kinds.contains(identifier.kind) {
                kinds.append(identifier.kind)
            }
        }
        guard kinds.isEmpty else { throw .identifiersTaken(kinds) }
    }
}

extension Transaction {
    /// Takes an address or number away from another user who has not proved it: it yields to who proves it. Else a sign-up with
    /// another's address or number would keep its owner from it for good (decision 0252).
    ///
    /// - Parameters:
    ///   - identifier: What somebody has just proved.
    ///   - user: Who.
    ///   - application: Where.
    ///   - ready: What it leaves with the other user (`AccountChanges.yielding`).
    /// - Throws: `identifiersTaken` when the other user has proved it too; `storageUnavailable`.
    func takeUnproved(
        _ identifier: LogInIdentifier, for user: Identifier<User>, in application: Identifier<Application>,
        leaving ready: ReadyChanges
    ) throws(DomainError) {
        guard var owner = try self.user(identifier, in: application), owner.id != user else { return }
        guard !owner.hasProved(identifier.kind) else { throw .identifiersTaken([identifier.kind]) }
        switch identifier.kind {
        // Names are proved by having them.
        case .username: break
        case .email: owner.email = nil
        case .phone: owner.phone = nil
        }
        owner.updatedAt = ready.now
        try updateIdentifiers(of: owner)
        try ready.settle(
            [.identifierYielded: owner.identifierDetails], of: &owner, keeping: .nothing, by: .server, in: self)
    }
}

/// Who has an identifier.
struct IdentifierOwner: Sendable {
    let kind: LogInIdentifier.Kind
    let user: User

    /// Whether the owner's user name differs from another user's in its writing alone.
    func isTwin(of other: User) -> Bool { kind == .username && user.username != other.username }
}
