package import Domain
package import Storage

/// All rules over one engine, with a clock that stands still.
package struct TestWorld: Sendable {
    package let engine: any Engine
    package let clock: StandingClock
    package let randomness: CountingRandomness
    package let passwords = CountingPasswords()
    package let modules: Modules

    package init(
        _ engine: any Engine, clock: StandingClock = StandingClock(), firstLaunches: RateLimit? = nil,
        passwordFailures: RateLimit? = nil, sessionCacheCapacity: Int = 1000, seed: UInt64 = 0,
        hasRateLimits: Bool = false, mail: MailDelivery = .none,
        events: any EventCarrier = NoEventCarrier(), hooks: any HookCarrier = NoHookCarrier(),
        protocols: ProtocolRegistry = .samples,
        searchLimits: SearchLimits = SearchLimits(time: .seconds(60), perAddress: nil, perApplication: nil)
    ) throws {
        self.engine = engine
        self.clock = clock
        randomness = CountingRandomness(seed: seed)
        guard let sealingKey = SealingKey(bytes: [UInt8](repeating: 7, count: SealingKey.byteCount)) else {
            throw TestWorldFault(description: "no sealing key")
        }
        var oldApps = OldAppLimits()
        (oldApps.firstLaunches, oldApps.passwordFailures) = (firstLaunches, passwordFailures)
        var services = DomainWorld.Services(
            issuer: "https://id.example.com", protocols: protocols, mailDelivery: mail,
            mailRenderer: PlainMailRenderer())
        services.eventCarrier = events
        services.hookCarrier = hooks
        let modules = Modules(
            DomainWorld(
                store: engine, validity: engine.validity, clock: clock, randomness: randomness, sealingKey: sealingKey,
                passwords: passwords,
                services: services,
                limits: DomainWorld.Limits(
                    firstLaunches: firstLaunches, passwordFailures: passwordFailures,
                    oldApps: oldApps,
                    hasRateLimits: hasRateLimits || firstLaunches != nil, sessionCache: .sessions(sessionCacheCapacity),
                    searches: searchLimits)))
        self.modules = modules
        engine.observeChanges { modules.forget($0) }
    }

    package func makeApplication(
        _ name: String = "Test", settings: ApplicationSettings = ApplicationSettings()
    ) async throws -> Application {
        try await modules.applications.createApplication(name: name, settings: settings, by: .local).application
    }

    package static let address = ClientAddress(text: "192.0.2.7", allowanceGroup: "192.0.2.7")

    /// Logs a device in, as the native API would.
    package func logIn(
        _ device: TestDevice, to application: Application, attempt: String? = nil,
        from address: ClientAddress = address
    ) async throws -> LogIn {
        try await modules.logIns.logInAutomatically(
            .init(
                application: application, proof: try device.presented(at: clock.now),
                attempt: attempt.map { Attempt(name: $0, request: []) },
                address: address))
    }

    /// Asks whose a token is, as the native API would at every request.
    package func authenticate(
        _ token: Secret?, in application: Application, proof: PresentedProof? = nil
    ) async throws(DomainError) -> Authenticated {
        try await modules.sessions.authenticate(
            .init(
                application: application, token: token.map { Substring($0.revealed) }, proof: proof,
                protocolName: .native),
            from: { Self.address })
    }
}
