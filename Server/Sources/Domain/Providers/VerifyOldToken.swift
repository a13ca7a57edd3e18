/// Finds out whom a token of a service is about that the application trusts: by the service's own keys, by the device ids that an
/// import took in, or by asking the application's hook. Nothing is written.
package struct VerifyOldToken: Sendable {
    /// The longest token that a hook is asked about.
    package static let maximumBytes = 16 * 1024
    /// How long a token counts as used of which nobody but the hook knows when it ends.
    package static let memory: Duration = .days(30)
    private static let maximumNameBytes = 40

    let store: any Store
    let clock: any WallClock
    let sealingKey: SealingKey
    let tokens: any OldTokenVerifier
    /// Whose lanes the services' addresses are asked in.
    let providers: IdentityProviders
    let askHook: AskHook
    let rateLimiter: RateLimiter
    /// Whether the limits hold.
    let hasLimits: Bool

    /// - Parameters:
    ///   - token: What the device holds.
    ///   - name: Whose it is.
    ///   - application: Whose settings count.
    ///   - client: Where the request came from: hooks are asked, and device ids tried, so often for one address as codes are
    ///     exchanged. A signed token proves something, and whole towns have one address on the day of a move.
    /// - Returns: the person, whose subject is the user's id; `nil` when the application trusts no such service.
    /// - Throws: `providerTokenRefused`, `providerUnavailable`, `credentialRefused` when the hook does not know the token,
    ///   `hookRefused`, `hookUnavailable`, `rateLimited`, `secretUnreadable`, `storageUnavailable`.
    func callAsFunction(
        _ token: Secret, of name: String, in application: Application, from client: ClientAddress
    ) async throws(DomainError) -> ExternalIdentity? {
        if let known = OldService.Name(rawValue: name) {
            guard let service = application.settings.oldServices[known] else { return nil }
            guard known != .nakama else {
                try await countTry(in: application, from: client)
                return try await owner(ofDevice: token, in: application)
            }
            let secret = try service.sealedSecret.map { sealed throws(DomainError) in
                let bytes = try sealingKey.open(sealed, purpose: OldService.purpose(known, application.id))
                return Secret(String(decoding: bytes, as: UTF8.self))
            }
            let part = ProviderLanes.Part(known.rawValue, of: application.id)
            return try await providers.lanes(of: known).run(part) { () async throws(DomainError) in
                try await tokens.identify(token, of: service, secret: secret)
            }
        }
        guard let hook = application.settings.hooks[.adoption], Self.isName(name) else { return nil }
        guard (1...Self.maximumBytes).contains(token.revealed.utf8.count) else { throw .credentialRefused }
        try await countTry(in: application, from: client)
        let user = try await askHook.owner(of: token, service: name, hook, in: application, from: client)
        return ExternalIdentity(
            provider: Identity.Provider(rawValue: name), subject: user.rawValue, audience: application.id.rawValue,
            replay: UsedProof(
                .providerToken, SecretDigest(of: "adoption \(name) \(token.revealed)".utf8),
                until: clock.now + Self.memory))
    }

    /// Whom a device id leads to. Nothing in it proves anything.
    private func owner(
        ofDevice token: Secret, in application: Application
    ) async throws(DomainError) -> ExternalIdentity {
        guard let id = OldDeviceId(token.revealed) else { throw .credentialRefused }
        let found = try await store.read { transaction throws(DomainError) in
            try id.owner(in: application.id, of: transaction)
        }
        guard let found else { throw .credentialRefused }
        return ExternalIdentity(
            provider: .anonymous, subject: found.id.rawValue, audience: application.id.rawValue,
            replay: id.mark(until: clock.now + OldDeviceId.memory))
    }

    private func countTry(in application: Application, from client: ClientAddress) async throws(DomainError) {
        guard hasLimits else { return }
        try await rateLimiter(
            kind: "adoption", in: application.id, from: client, limit: AddressLimit(LogInWithProvider.bareCodes))
    }

    /// Lower-case letters, digits and hyphens.
    private static func isName(_ name: String) -> Bool {
        (1...maximumNameBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}
