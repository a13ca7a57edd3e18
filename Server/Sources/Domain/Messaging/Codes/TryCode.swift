/// Tries a code, and does what it is good for if it is right. Right codes are used up; wrong ones are counted: five for
/// one request, and of codes that could be guessed twenty a day of a kind for one user, whatever the server's other limits are
/// (requirements 8 and 9). Codes of eight digits can be ordered and tried by anybody who knows the address: so twenty are those of
/// one client, and all together have a hundred, lest a stranger lock the owner out. A code that stands alone has 140 bits: tries
/// of others keep nobody from a right one.
///
/// One transaction, which counts the same for codes of known and of unknown users.
package struct TryCode: Sendable {
    /// Counted from the first try, so that the window ends no earlier than any code that is typed.
    package static let triesForCode = RateLimit(maximum: 5, window: .seconds(600))
    package static let triesForUser = RateLimit(maximum: 20, window: .days(1))
    /// Tries of one kind for one user from wherever they come, of codes with a ticket: a guess in a million a day.
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

        /// Counts a try of a user's codes that could be guessed.
        ///
        /// - Returns: whether the user, or nobody in the user's stead, has one left.
        fileprivate func mayTry(
            _ user: String, at now: Timestamp, in transaction: any Transaction
        ) throws(DomainError) -> Bool {
            func count(_ subject: String) throws(DomainError) -> Int {
                let key = RateLimitKey(
                    application: application, kind: "code-tries-user-\(kind.rawValue)", subject: subject)
                return try transaction.count(key, window: triesForUser.window, at: now).count
            }
            switch subject {
            case .code: return true
            case .user: return try count(user) <= triesForUser.maximum
            case .ticket:
                let (inAll, ofClient) = (try count(user), try count("\(user) \(client.allowanceGroup)"))
                return inAll <= allTriesForUser.maximum && ofClient <= triesForUser.maximum
            }
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
        if hasLimits {
            try await rateLimiter(
                kind: "code-tries-client", in: application, from: presented.client, limit: triesForClient)
        }
        let value = try await store.write { transaction throws(DomainError) -> Value? in
            let known = try transaction.code(handle, in: application)
            let name = Base64URL.text(of: handle.bytes)
            let ofCode = try transaction.count(
                RateLimitKey(application: application, kind: "code-tries", subject: name),
                window: Self.triesForCode.window, at: now
            ).count
            // A code that is void already tells nothing: further tries of it are not its user's.
            let counted = ofCode <= Self.triesForCode.maximum ? known?.user.rawValue : nil
            let mayTry = try presented.mayTry(counted ?? name, at: now, in: transaction)
            guard ofCode <= Self.triesForCode.maximum, mayTry,
                let known, known.kind == presented.kind, known.digest == digest, now < known.expiresAt,
                known.usedBy == nil || known.usedBy == presented.attempt,
                let user = try transaction.user(known.user, in: application)
            else { return try Self.refuse(presented, of: known?.user, in: transaction) }
            if known.usedBy == nil, user.identifier(known.kind.addressKind) != known.replaces {
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

    /// Returns, so that what was counted and recorded stays.
    private static func refuse<Value>(
        _ presented: Presented, of user: Identifier<User>?, in transaction: any Transaction
    ) throws(DomainError) -> Value? {
        try presented.refusal?.record(
            on: user.map { .user($0) }, result: .refused, details: ["code": presented.kind.rawValue], in: transaction)
        return nil
    }
}
