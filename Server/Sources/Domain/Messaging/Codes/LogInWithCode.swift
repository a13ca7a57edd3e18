/// Logs a user in by a code that was mailed. Only users that there are already get one: it never signs a stranger up.
package struct LogInWithCode: Sendable {
    let clock: any WallClock
    let tryCode: TryCode
    let issuers: SessionIssuers

    package struct Request: Sendable {
        package var application: Application
        /// What the response to the request for the code returned.
        package var ticket: String
        package var code: String
        package var client: LogInClient
        /// Names one attempt, so that its repetition answers what the first try answered.
        package var attempt: Attempt?
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?

        package init(
            application: Application, ticket: String, code: String, client: LogInClient, attempt: Attempt? = nil,
            restoringFrom: RequestOrigin? = nil
        ) {
            self.application = application
            self.ticket = ticket
            self.code = code
            self.client = client
            self.attempt = attempt
            self.restoringFrom = restoringFrom
        }
    }

    /// - Throws: `codeRefused`, `fieldsRefused`, `proofRequired`, `proofRefused`, `clockSkew`, `proofReplayed`,
    ///   `rateLimited`, `userDisabled`, `userDeleted`, `attemptReused`, `secondFactorRequired`,
    ///   `secondFactorEnrolmentRequired`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        let proof = try request.client.verifiedProof(in: request.application, at: now)
        let faults = request.client.device.faults(field: "device")
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let application = request.application
        let link = DeviceLink(
            proof: proof, joins: request.client.joinsDevice, by: .code, in: application.id, now: now,
            audit: issuers.audit)
        let issuer = issuers.issuer(
            for: .init(
                application, request.client.protocolName, by: .code,
                on: request.client.holder(key: proof),
                attempt: request.attempt, record: .logIn(from: request.client.origin),
                restoringFrom: request.restoringFrom),
            at: now)
        let presented = TryCode.Presented(
            .logInCode, in: application.id, .ticket(request.ticket), request.code, from: request.client.address,
            attempt: request.attempt?.digest, refusal: issuer.entry)
        let result = try await tryCode(presented) {
            code, user, transaction throws(DomainError) -> Result<LogIn, DomainError> in
            try link.use(in: transaction)
            let isRepeated = code.usedBy != nil
            // The code counted at the first try.
            if isRepeated, try issuer.hasIssued(to: user, in: transaction) {
                return .success(try issuer.reissue(repeatingFor: user, in: transaction))
            }
            let result = try issuer.issue(to: user, joining: link, in: transaction)
            // What is left to a repetition is to be asked for the second factor once more. It opens no further session where that of
            // the first try has ended: nothing of this stays then.
            if isRepeated, case .success = result { throw .codeRefused }
            return result
        }
        return try result.get()
    }
}
