import enum OkaeriWire.JSONValue

/// A record of an import made ready: the user that it becomes, and what of it cannot be taken.
struct ImportCandidate: Sendable {
    var user: User
    var hash: PasswordHash?
    var isWeak = false
    /// Whether the user was there before anything was hashed.
    var isPresent = false
    var takesTwins = false
    /// What of its identifiers the export says is another record's.
    var lost: [ValidationError] = []
    var sessions: [MovedSession] = []
    var anonymousAccount: ProviderAccount?
    /// Sealed.
    var credentials: UserCredentials?
    var faults: [ValidationError]
    /// What it is taken in without.
    var leftOut: [ValidationError] = []

    func registration(in application: Application) -> UserRegistration {
        var registration = UserRegistration(
            importing: user, by: .importing, faults: faults, hash: hash, isWeak: isWeak, into: application)
        registration.takesTwins = takesTwins
        registration.isExact = credentials != nil
        return registration
    }
}

extension ImportCandidate {
    /// Leaves out what breaks a rule. What cannot be left out, such as the id, stays among the faults.
    mutating func leaveOutFaults(within limits: ProfileLimits) {
        let broken = faults
        faults = broken.filter { !leavesOut($0, within: limits) }
        guard faults.isEmpty else { return faults = broken }
        leftOut += broken
        if !broken.isEmpty, hasNoWayIn { faults = broken }
    }

    /// What becomes of the user when something belongs to somebody else.
    mutating func outcome(without taken: [ValidationError], takesParts: Bool) -> ImportOutcome {
        guard !taken.isEmpty else { return leftOut.isEmpty ? .imported : .importedInPart(leftOut) }
        guard takesParts, taken.allSatisfy({ leavesOut($0, within: .standard) }), !hasNoWayIn else {
            return .refused(leftOut + taken)
        }
        leftOut += taken
        return .importedInPart(leftOut)
    }

    /// Stores a new user with all that comes along but sessions.
    ///
    /// - Parameters:
    ///   - application: Where.
    ///   - now: When.
    ///   - transaction: The one of the import.
    /// - Throws: `storageUnavailable`.
    func store(in application: Application, at now: Timestamp, _ transaction: any Transaction) throws(DomainError) {
        _ = try registration(in: application).store(in: transaction, joining: nil, session: nil)
        try transaction.noteImport(of: user.id, in: application.id, at: now)
        try credentials?.store(for: user, in: transaction)
        if let anonymousAccount, user.identities.contains(where: { $0.subject == anonymousAccount.subject }) {
            try transaction.save(anonymousAccount)
        }
    }

    /// What the user has and nobody else can.
    var claims: [ImportRehearsal.Claim] {
        let typed = user.typedIdentifiers.map { identifier in
            let value = takesTwins && identifier.kind == .username ? identifier.exact : identifier.folded
            return ImportRehearsal.Claim(field: identifier.kind.rawValue, value: value)
        }
        let identities = user.identities.map {
            ImportRehearsal.Claim(field: "identities.\($0.provider.rawValue)", value: $0.subject)
        }
        return typed + identities
    }

    /// Whether all that leads to the user are tokens that were brought before: the user has been merged or erased since, and
    /// nobody could enter the account.
    func wasLeft(in transaction: any Transaction) throws(DomainError) -> Bool {
        guard user.isOutOfReach, !sessions.isEmpty else { return false }
        for moved in sessions where try !moved.isPresent(in: transaction) { return false }
        return true
    }

    /// Whether nobody could ever be this user.
    private var hasNoWayIn: Bool { user.isOutOfReach && sessions.isEmpty }

    /// - Returns: whether the user is without the part that a fault is about.
    private mutating func leavesOut(_ fault: ValidationError, within limits: ProfileLimits) -> Bool {
        switch fault.field {
        case "username": user.username = nil
        case "email": (user.email, user.emailVerifiedAt) = (nil, nil)
        case "phone": (user.phone, user.phoneVerifiedAt) = (nil, nil)
        case "displayName": user.displayName = nil
        case "locale": user.locale = nil
        // None would be the standard, by which everybody may read where the application's rules say so.
        case "accessList": user.acl = ACL()
        case "password": (hash, isWeak) = (nil, false)
        case "fields": leaveOutExcess(within: limits)
        case let field where field.hasPrefix("identities."):
            user.identities.removeAll { "identities.\($0.provider.rawValue)" == field }
        case let field where field.hasPrefix("fields."):
            for name in user.fields.keys where ProfileRules.path(of: name) == field { user.fields[name] = nil }
        default: return false
        }
        if user.typedIdentifiers.isEmpty { (hash, isWeak) = (nil, false) }
        return true
    }

    /// Leaves the largest fields out until the others keep to the limits.
    private mutating func leaveOutExcess(within limits: ProfileLimits) {
        func bytes(_ value: JSONValue) -> Int {
            var count = JSONByteCount(limit: limits.fieldsBytes)
            count.add(value)
            return count.bytes
        }
        var largest = user.fields.map { (name: $0.key, bytes: bytes($0.value)) }
            .sorted { ($0.bytes, $0.name) < ($1.bytes, $1.name) }
        while let next = largest.popLast(),
            user.fields.count > limits.fields || !ProfileRules.fieldsFit(user.fields, bytes: limits.fieldsBytes)
        {
            user.fields[next.name] = nil
            leftOut.append(
                ValidationError(
                    field: ProfileRules.path(of: next.name), rule: .tooManyBytes(maximum: limits.fieldsBytes)))
        }
    }
}

extension UserCredentials {
    /// Stores what belongs to a user who has just been stored, identities and all.
    fileprivate func store(for user: User, in transaction: any Transaction) throws(DomainError) {
        if !user.grants.isEmpty { try transaction.updateGrants(of: user) }
        if user.credentialsVersion > 0 {
            // A user is stored with 0; one more than the one before is the user's own.
            var counted = user
            counted.credentialsVersion -= 1
            try transaction.voidTickets(of: &counted)
        }
        for passkey in passkeys { try transaction.insert(passkey) }
        for factor in factors { try transaction.insert(factor) }
        if user.hasSecondFactor { try transaction.updateSecondFactor(of: user) }
        if !recoveryCodes.isEmpty {
            try transaction.replaceRecoveryCodes(of: user.id, in: user.application, with: recoveryCodes)
        }
        for account in accounts { try transaction.save(account) }
        if let seenAt { try transaction.noteDays([UserPresence(of: user.id, in: user.application, at: seenAt)]) }
        for session in sessions { try MovedSession(session).store(in: transaction) }
    }
}
