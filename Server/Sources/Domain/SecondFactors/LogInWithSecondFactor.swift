/// Finishes a log-in that needs a second factor.
package struct LogInWithSecondFactor: Sendable {
    let store: any Store
    let clock: any WallClock
    let issuers: SessionIssuers
    let check: SecondFactorCheck
    let enrolTOTP: EnrolTOTP
    let changes: AccountChanges

    /// What finishes it.
    package enum Shown: Sendable {
        case totp(String)
        case recoveryCode(String)
        /// A new factor, of a user who has none and must.
        case enrolment(EnrolTOTP.Confirmation)

        fileprivate var methods: AuthenticationMethods {
            switch self {
            case .totp, .enrolment: .timeBasedCode
            case .recoveryCode: .recoveryCode
            }
        }

        fileprivate var bytes: [UInt8] {
            switch self {
            case .totp(let code): SecondFactorCheck.Shown.totp(code).bytes
            case .recoveryCode(let code): SecondFactorCheck.Shown.recoveryCode(code).bytes
            case .enrolment(let confirmation): Array("enrolment \(confirmation.ticket) \(confirmation.code)".utf8)
            }
        }
    }

    package struct Request: Sendable {
        package var application: Application
        package var ticket: String
        package var shown: Shown
        package var client: LogInClient
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?

        package init(
            application: Application, ticket: String, shown: Shown, client: LogInClient,
            restoringFrom: RequestOrigin?
        ) {
            self.application = application
            self.ticket = ticket
            self.shown = shown
            self.client = client
            self.restoringFrom = restoringFrom
        }
    }

    package struct Finished: Sendable {
        package let logIn: LogIn
        /// What was added on the way.
        package let addition: TOTPAddition?
    }

    /// A key for an authenticator app, for a user who must have one before the log-in ends.
    ///
    /// - Throws: `secondFactorTicketRefused`, `secondFactorsNotEnabled`, `storageUnavailable`.
    package func offer(_ text: String, in application: Application) async throws(DomainError) -> TOTPOffer {
        try enrolTOTP.offer(for: try await enrolling(text, in: application), in: application)
    }

    /// The key that was offered before, for a page that shows it again after a wrong code.
    ///
    /// - Throws: `secondFactorTicketRefused`, `storageUnavailable`.
    package func repeatedOffer(
        _ enrolment: String, for text: String, in application: Application
    ) async throws(DomainError) -> TOTPOffer {
        try enrolTOTP.repeated(enrolment, for: try await enrolling(text, in: application), in: application)
    }

    /// The user of a log-in that ends with a new factor.
    private func enrolling(_ text: String, in application: Application) async throws(DomainError) -> User {
        let ticket = try issuers.tickets.logIn(text, in: application.id, at: clock.now)
        let user = try await user(of: ticket, in: application)
        guard ticket.isEnrolment, !user.hasSecondFactor, user.credentialsVersion == ticket.version,
            ticket.isHeld(by: user)
        else {
            throw .secondFactorTicketRefused
        }
        return user
    }

    /// Finishes the log-in. The same request again, because the response got lost, answers for the same session.
    ///
    /// - Throws: `secondFactorTicketRefused`, `secondFactorRefused`, `secondFactorsNotEnabled`, `fieldsRefused`,
    ///   `proofRequired`, `proofRefused`, `clockSkew`, `proofReplayed`, `rateLimited`, `attemptReused`, `userDisabled`,
    ///   `userDeleted`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> Finished {
        let (now, application) = (clock.now, request.application)
        guard application.settings.secondFactors.mode != .off else { throw .secondFactorsNotEnabled }
        let ticket = try issuers.tickets.logIn(request.ticket, in: application.id, at: now)
        let proof = try self.proof(of: request, for: ticket, at: now)
        let faults = request.client.device.faults(field: "device")
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        try await check.count(from: request.client.address, in: application.id)
        let known = try await user(of: ticket, in: application)
        var issuer = issuers.issuer(
            for: .init(
                application, request.client.protocolName, by: .init(rawValue: ticket.method),
                on: request.client.holder(key: proof),
                attempt: Attempt(name: request.ticket, request: Array(request.ticket.utf8) + request.shown.bytes),
                record: .logIn(from: request.client.origin), restoringFrom: request.restoringFrom
            ).proven(by: AuthenticationMethods(rawValue: ticket.methods).union(request.shown.methods)),
            at: now)
        // Who shows a factor is there now; who adds one has shown nothing since the log-in at the provider.
        if ticket.isEnrolment { issuer.provenAt = ticket.provenAt.map { Timestamp(milliseconds: $0) } }
        let finish = SecondFactorFinish(
            ticket: ticket, issuer: issuer, step: try step(of: request, for: known, at: now),
            link: DeviceLink(
                proof: proof, joins: request.client.joinsDevice, by: .init(rawValue: ticket.method),
                in: application.id, now: now, audit: issuers.audit),
            check: check, address: request.client.address, now: now)
        let result = try await store.write { transaction throws(DomainError) in
            try finish(in: transaction)
        }
        return try result.get()
    }

    private func user(
        of ticket: SecondFactorTicket, in application: Application
    ) async throws(DomainError) -> User {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(ticket.userId, in: application.id)
        }
        guard let known else { throw .secondFactorTicketRefused }
        return known
    }

    /// The log-in ends on the device on which it began.
    private func proof(
        of request: Request, for ticket: SecondFactorTicket, at now: Timestamp
    ) throws(DomainError) -> DeviceProof? {
        guard let presented = request.client.proof else {
            guard ticket.deviceKey == nil else { throw .proofRequired }
            return nil
        }
        let proof = try ProofVerifier()(presented, at: now)
        guard proof.thumbprint == ticket.deviceKey else { throw .proofRefused(.otherKey) }
        return proof
    }

    private func step(
        of request: Request, for known: User, at now: Timestamp
    ) throws(DomainError) -> SecondFactorFinish.Step {
        let origin = request.client.origin
        switch request.shown {
        case .totp(let code): return .shows(.totp(code), used: nil)
        case .recoveryCode(let code):
            let ready = try changes.ready(
                [.recoveryCodeUsed], of: known, in: request.application,
                by: .unknown(showing: .secondFactor, from: origin), at: now)
            return .shows(.recoveryCode(code), used: ready)
        case .enrolment(let confirmation):
            return .adds(
                try enrolTOTP.ready(
                    confirmation, of: known, in: request.application,
                    by: .unknown(showing: .recentLogIn, from: origin)))
        }
    }
}

/// The end of a log-in: everything but the transaction.
struct SecondFactorFinish: Sendable {
    enum Step: Sendable {
        /// With what a recovery code leaves behind.
        case shows(SecondFactorCheck.Shown, used: ReadyChanges?)
        case adds(ReadyEnrolment)
    }

    let ticket: SecondFactorTicket
    let issuer: SessionIssuer
    let step: Step
    let link: DeviceLink
    let check: SecondFactorCheck
    let address: ClientAddress
    let now: Timestamp

    /// - Returns: a refusal as a value, so that what was counted and recorded stays.
    func callAsFunction(
        in transaction: any Transaction
    ) throws(DomainError) -> Result<LogInWithSecondFactor.Finished, DomainError> {
        let application = issuer.application.id
        try link.use(in: transaction)
        guard var user = try transaction.user(ticket.userId, in: application),
            user.credentialsVersion == ticket.version, ticket.isHeld(by: user)
        else { throw .secondFactorTicketRefused }
        // The factor counted at the first try.
        if try issuer.hasIssued(to: user, in: transaction) {
            let logIn = try issuer.reissue(to: user, in: transaction)
            return .success(.init(logIn: logIn, addition: try repeated(for: &user, in: transaction)))
        }
        try issuer.refuseBlocked(user)
        let addition: TOTPAddition?
        switch step {
        case .shows(let shown, let used):
            guard !ticket.isEnrolment, user.hasSecondFactor else { throw .secondFactorTicketRefused }
            guard try check(shown, of: user, from: source(of: user), in: transaction, at: now) else {
                try issuer.refuse(user.id, by: .init(rawValue: shown.factor.rawValue), in: transaction)
                return .failure(.secondFactorRefused)
            }
            try used?.settle(
                [.recoveryCodeUsed: [:]], of: &user, keeping: .nothing, by: .owner(user.id), in: transaction)
            addition = nil
        case .adds(let enrolment):
            guard ticket.isEnrolment, !user.hasSecondFactor else { throw .secondFactorTicketRefused }
            addition = try enrolment.store(for: &user, by: .owner(user.id), in: transaction)
            guard addition != nil else { return .failure(.secondFactorRefused) }
        }
        user = try link.noteSecondFactor(of: try link.joined(to: user, in: transaction), in: transaction)
        return .success(.init(logIn: try issuer.issue(toProven: user, in: transaction), addition: addition))
    }

    /// A device is the user's own when its key, which has signed the request, leads to the user.
    private func source(of user: User) -> SecondFactorCheck.Source {
        let isOwn = user.identities.contains { $0.provider == .device && $0.subject == ticket.deviceKey }
        return isOwn ? .known : .stranger(address)
    }

    /// What the first try added.
    private func repeated(
        for user: inout User, in transaction: any Transaction
    ) throws(DomainError) -> TOTPAddition? {
        guard case .adds(let enrolment) = step else { return nil }
        return try enrolment.store(for: &user, by: .owner(user.id), in: transaction)
    }
}
