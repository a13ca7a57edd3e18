/// Makes a user as apps of foreign protocols do: with identifiers and a password, or with nothing that a person could
/// type; with a session or without.
package struct RegisterUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let registrar: UserRegistrar
    let issuers: SessionIssuers

    package struct Request: Sendable {
        package var application: Application
        package var protocolName: Session.ProtocolName
        package var identifiers: NewIdentifiers
        package var password: Secret?
        package var profile: UserRegistration.Profile
        /// Whether the answer has a session. A user without identifiers always has one: nothing else leads to it.
        package var opensSession: Bool
        package var address: ClientAddress
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin

        package init(
            application: Application, protocolName: Session.ProtocolName, identifiers: NewIdentifiers,
            password: Secret?, profile: UserRegistration.Profile = .init(), opensSession: Bool,
            address: ClientAddress, origin: RequestOrigin
        ) {
            self.application = application
            self.protocolName = protocolName
            self.identifiers = identifiers
            self.password = password
            self.profile = profile
            self.opensSession = opensSession
            self.address = address
            self.origin = origin
        }
    }

    package struct Answer: Sendable {
        package var user: User
        /// The only response that has the token.
        package var token: Secret?
        /// When the token ends, if that is before the session.
        package var tokenExpiresAt: Timestamp?
    }

    /// - Throws: `fieldsRefused`, also for identifiers without a password or the reverse, and for a user without both that
    ///   wants no session; `identifiersTaken`, `rateLimited`, `busy`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> Answer {
        let now = clock.now
        var asked = UserRegistration.Request(
            .account, in: request.application, request.profile, identifiers: request.identifiers)
        asked.password = request.password
        asked.opensSession = request.opensSession
        asked.hasDashedId = request.application.settings.foreignOptions(of: request.protocolName).hasDashedIds
        let registration = try await registrar.ready(
            registrar.draft(asked, at: now, approved: nil), from: request.address, request.origin, isCounted: false,
            vouched: nil)
        let issuer =
            request.opensSession
            ? issuers.issuer(
                for: .init(
                    request.application, request.protocolName, by: request.password == nil ? .automatic : .signUp,
                    on: .init(address: request.address.text), record: .nothing),
                at: now) : nil
        return try await store.write { transaction throws(DomainError) in
            let made = try registration.store(in: transaction, joining: nil, session: issuer)
            return Answer(user: made.user, token: made.logIn?.token, tokenExpiresAt: made.logIn?.tokenExpiresAt)
        }
    }
}
