/// Tries a code, and does what it is good for if it is right. Right codes are used up; wrong ones are counted: five for
/// one request, and of codes that could be guessed twenty a day of a kind for one user, whatever the server's other limits are
/// (requirements 8 and 9). Codes of eight digits can be ordered and tried by anybody who knows the address: so twenty are those of
/// one client (an address, or a /48 network), and all together have a hundred, lest a stranger lock the owner out. What a client
/// tries beyond its own is refused and counts for nobody else. A code that stands alone has 140 bits: tries of others keep nobody
/// from a right one.
///
/// One transaction, which counts the same for codes of known and of unknown users.
package struct TryCode: Sendable {
    /// Counted from the first try, so that the window ends no earlier than any code that is typed.
    package static let triesForCode = RateLimit(maximum: 5, window: .seconds(600))
    package static let triesForUser = RateLimit(maximum: 20, window: .days(1))
    /// Tries of one code from wherever they come, of a user whom anybody can name: five of each of five clients.
    package static let allTriesForCode = RateLimit(maximum: 25, window: .seconds(600))
    /// Tries of one kind for one user from wherever they come, of codes that anybody can try: a guess in a million a day.
    package static let allTriesForUser = RateLimit(maximum: 100, window: .days(1))
    /// Tries from one address or /64 network, by apps on Okaeri's own protocol.
    package static let triesForClient = RateLimit.hourly(60)

    let store: any Store
    let clock: any WallClock
    let digests: CodeDigests
    let rateLimiter: RateLimiter
    /// Tries from one address or /64 network, so that a stranger cannot fill the table of counters.
    let triesForClient: AddressLimit
    let hasLimits: Bool

    /// A code as it was sent.
    package struct Presented: Sendable {
        package var kind: MailKind
        package var application: Identifier<Application>
        package var subject: CodeDigests.Subject
        package var code: String
        package var client: ClientAddress
        /// Names the attempt, so that its repetition, after an answer was lost, works again.
        package var attempt: SecretDigest?
        /// What a refusal leaves in the audit log.
        package var refusal: AuditDraft?

        /// Whether the try was counted before the code is looked at; see `counted`.
        fileprivate var isCounted = false

        /// Counts a try.
        ///
        /// - Returns: whether the code has one left, and so has its user, or nobody in the user's stead.
        fileprivate func mayTry(
            _ handle: SecretDigest, of user: Identifier<User>?, at now: Timestamp, in transaction: any Transaction
        ) throws(DomainError) -> Bool {
            let name = Base64URL.text(of: handle.bytes)
            let isLeft = try mayTry(code: name, at: now, in: transaction)
            // A code that is void already tells nothing: further tries of it are not its user's.
            let counted = isLeft ? user?.rawValue : nil
            let isLeftToUser = try mayTry(user: counted ?? name, at: now, in: transaction)
            return isLeft && isLeftToUser
        }

        private func mayTry(
            code name: String, at now: Timestamp, in transaction: any Transaction
        ) throws(DomainError) -> Bool {
            let counter = "code-tries"
            return switch subject {
            case .named: try mayTry(counter, name, triesForCode, inAll: allTriesForCode, at: now, in: transaction)
            case .ticket, .user, .code: try isWithin(triesForCode, counter, name, at: now, in: transaction)
            }
        }

        /// Of a user's codes that could be guessed.
        private func mayTry(
            user: String, at now: Timestamp, in transaction: any Transaction
        ) throws(DomainError) -> Bool {
            let counter = "code-tries-user-\(kind.rawValue)"
            return switch subject {
            case .code: true
            case .user: try isWithin(triesForUser, counter, user, at: now, in: transaction)
            case .ticket, .named:
                try mayTry(counter, user, triesForUser, inAll: allTriesForUser, at: now, in: transaction)
            }
        }

        /// Counts for the client, and for all as long as the client has a try left: else one client alone would keep all others
        /// out. Two counters are written in any case, so that each try takes as long.
        private func mayTry(
            _ counter: String, _ subject: String, _ ofClient: RateLimit, inAll: RateLimit, at now: Timestamp,
            in transaction: any Transaction
        ) throws(DomainError) -> Bool {
            let own = "\(subject) \(client.ownerGroup)"
            let isLeft = try isWithin(ofClient, counter, own, at: now, in: transaction)
            let isLeftInAll = try isWithin(inAll, counter, isLeft ? subject : own, at: now, in: transaction)
            return isLeft && isLeftInAll
        }

        private func isWithin(
            _ limit: RateLimit, _ counter: String, _ subject: String, at now: Timestamp,
            in transaction: any Transaction
        ) throws(DomainError) -> Bool {
            let key = RateLimitKey(application: application, kind: counter, subject: subject)
            return try transaction.count(key, window: limit.window, at: now).count <= limit.maximum
        }

        package init(
            _ kind: MailKind, in application: Identifier<Application>, _ subject: CodeDigests.Subject, _ code: String,
            from client: ClientAddress, attempt: SecretDigest? = nil, refusal: AuditDraft? = nil
        ) {
            self.kind = kind
            self.application = application
            self.subject = subject
            self.code = code
            self.client = client
            self.attempt = attempt
            self.refusal = refusal
        }
    }

    /// Whose code it is, if it is a right one; nothing is counted or used up. For what must be known before the
    /// transaction, of codes that cannot be guessed or need a session.
    ///
    /// - Throws: `storageUnavailable`.
    func owner(of presented: Presented) async throws(DomainError) -> (code: MailedCode, user: User)? {
        guard let code = CodeForm.normal(presented.code) else { return nil }
        let (handle, digest) = digests.digests(
            of: presented.kind, in: presented.application, presented.subject, code)
        return try await store.read { transaction throws(DomainError) in
            guard let known = try transaction.code(handle, in: presented.application), known.digest == digest,
                let user = try transaction.user(known.user, in: presented.application)
            else { return nil }
            return (known, user)
        }
    }

    /// Counts a try before anything depends on whether it is right. What anybody may try has to be counted first: else a right
    /// code would show by the time that the next step takes, or by its faults, also to who has no try left.
    ///
    /// - Returns: the code, for one call that counts it no more.
    /// - Throws: `codeRefused` for one without a try left; `rateLimited`, `storageUnavailable`.
    func counted(_ presented: Presented) async throws(DomainError) -> Presented {
        guard let code = CodeForm.normal(presented.code) else { throw .codeRefused }
        let (now, application) = (clock.now, presented.application)
        let (handle, _) = digests.digests(of: presented.kind, in: application, presented.subject, code)
        try await limitTries(of: presented)
        let isLeft = try await store.write { transaction throws(DomainError) -> Bool? in
            let known = try transaction.code(handle, in: application)
            guard try presented.mayTry(handle, of: known?.user, at: now, in: transaction) else {
                return try Self.refuse(presented, of: known?.user, in: transaction)
            }
            return true
        }
        guard isLeft != nil else { throw .codeRefused }
        var counted = presented
        counted.isCounted = true
        return counted
    }

    /// - Parameters:
    ///   - presented: The code.
    ///   - effect: What it is good for, in the transaction that uses it up. It gets the code as it was: `usedBy` is
    ///     there when the attempt is a repetition. What it throws leaves the code as it was.
    /// - Returns: what `effect` returns.
    /// - Throws: `codeRefused` for a code that is wrong, used, too old, replaced, tried too often, or void because the
    ///   user has another address now; `rateLimited`; what `effect` throws; `storageUnavailable`.
    package func callAsFunction<Value: Sendable>(
        _ presented: Presented,
        _ effect: @escaping @Sendable (MailedCode, User, any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        guard let code = CodeForm.normal(presented.code) else { throw .codeRefused }
        let now = clock.now
        let (handle, digest) = digests.digests(
            of: presented.kind, in: presented.application, presented.subject, code)
        let application = presented.application
        if !presented.isCounted { try await limitTries(of: presented) }
        let value = try await store.write { transaction throws(DomainError) -> Value? in
            let known = try transaction.code(handle, in: application)
            var mayTry = presented.isCounted
            if !mayTry { mayTry = try presented.mayTry(handle, of: known?.user, at: now, in: transaction) }
            guard mayTry, let known, known.kind == presented.kind, known.digest == digest, now < known.expiresAt,
                known.usedBy == nil || known.usedBy == presented.attempt,
                let user = try transaction.user(known.user, in: application)
            else { return try Self.refuse(presented, of: known?.user, in: transaction) }
            if known.usedBy == nil, !known.kind.outlivesAddress,
                user.identifier(known.kind.addressKind) != known.replaces
            {
                return try Self.refuse(presented, of: user.id, in: transaction)
            }
            if presented.attempt == nil {
                try transaction.removeCode(of: known.kind, user: known.user, in: application)
            } else {
                var used = known
                used.usedBy = presented.attempt
                try transaction.markUsed(used)
            }
            return try effect(known, user, transaction)
        }
        guard let value else { throw .codeRefused }
        return value
    }

    private func limitTries(of presented: Presented) async throws(DomainError) {
        guard hasLimits else { return }
        try await rateLimiter(
            kind: "code-tries-client", in: presented.application, from: presented.client, limit: triesForClient)
    }

    /// Returns, so that what was counted and recorded stays.
    private static func refuse<Value>(
        _ presented: Presented, of user: Identifier<User>?, in transaction: any Transaction
    ) throws(DomainError) -> Value? {
        try presented.refusal?.record(
            on: user.map { .user($0) }, result: .refused, details: ["code": presented.kind.rawValue], in: transaction)
        return nil
    }
}
