import WebAuthn

/// What the certificates of an attestation say of its key.
package struct CertifiedKey: Hashable, Sendable {
    /// The point, uncompressed (ANSI X9.63).
    package let publicKey: [UInt8]
    /// What the authority was asked to certify with it.
    package let nonce: [UInt8]

    package init(publicKey: [UInt8], nonce: [UInt8]) {
        self.publicKey = publicKey
        self.nonce = nonce
    }
}

/// Chains of certificates of attestations, checked up to a root that is known.
package protocol AttestationCertificates: Sendable {
    /// What Apple certifies of a key of App Attest.
    ///
    /// - Parameters:
    ///   - chain: Certificates in DER, that of the key first, without the root.
    ///   - now: The time at which they must be valid.
    /// - Returns: `nil` for a chain that does not hold.
    func certified(_ chain: [[UInt8]], at now: Timestamp) -> CertifiedKey?
}

/// Certifies nothing: for a world without attestations.
package struct NoAttestationCertificates: AttestationCertificates {
    package init() {}

    package func certified(_ chain: [[UInt8]], at now: Timestamp) -> CertifiedKey? { nil }
}

/// Judges the first launch of a device, where the application has a policy for them: what scripts can repeat has a budget.
///
/// It runs between two transactions, after the first has found that nobody has the key. Counters that many write are
/// transactions of their own.
package struct JudgeFirstLaunch: Sendable {
    private static let window: Duration = .seconds(3600)
    /// The subject of the counters of a whole application.
    private static let everybody = "*"

    let store: any Store
    let clock: any WallClock
    let challenges: FirstLaunchChallenges
    let certificates: any AttestationCertificates
    let playIntegrity: VerifyPlayIntegrity
    /// Whether budgets hold; a load test turns all limits off.
    let hasBudgets: Bool

    init(_ world: DomainWorld) {
        store = world.store
        clock = world.clock
        challenges = FirstLaunchChallenges(
            clock: world.clock, randomness: world.randomness, sealingKey: world.sealingKey)
        certificates = world.services.attestationCertificates
        playIntegrity = VerifyPlayIntegrity(sealingKey: world.sealingKey)
        hasBudgets = world.limits.hasRateLimits
    }

    /// Who asks for a user.
    package struct Launch: Sendable {
        package var application: Application
        /// The thumbprint of the device's key; what names the browser of a page.
        package var key: String
        package var address: ClientAddress
        /// Whether it is the sign-up of a hosted page. Browsers attest nothing: they work, and where attestations are
        /// required they always do.
        package var isPage: Bool

        package init(application: Application, key: String, address: ClientAddress, isPage: Bool = false) {
            self.application = application
            self.key = key
            self.address = address
            self.isPage = isPage
        }

        fileprivate var rules: AttestationRules { application.settings.attestation }
        fileprivate var formats: [String] { isPage ? [] : rules.formats }

        fileprivate func toll(for count: Count) -> AttestationRules.Toll {
            rules.toll(for: count.launches, atLeast: isPage && rules.mode == .required ? 1 : 0)
        }
    }

    private enum Class: String {
        case attested = "first-launch-attested"
        case unattested = "first-launch-unattested"
        case refused = "first-launch-refused"
    }

    /// How many there were in this hour.
    fileprivate struct Count: Sendable {
        var launches: AttestationRules.Count
        /// When the last of the windows ends.
        var end: Timestamp

        init(_ launches: AttestationRules.Count, end: Timestamp) {
            self.launches = launches
            self.end = end
        }

        /// The counts with one that is not counted yet.
        var next: Count {
            Count(
                .init(address: launches.address + 1, site: launches.site + 1, application: launches.application + 1),
                end: end)
        }
    }

    /// - Parameters:
    ///   - launch: Who asks.
    ///   - evidence: What came with the request.
    /// - Returns: what the transaction that makes the user marks as used; `nil` for nothing.
    /// - Throws: `attestationRequired`, `proofOfWorkRequired`, `attestationRefused`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ launch: Launch, _ evidence: FirstLaunchEvidence
    ) async throws(DomainError) -> UsedProof? {
        let now = clock.now
        if let attestation = evidence.attestation { return try await judge(attestation, launch, at: now) }
        guard launch.rules.mode != .required || launch.isPage else {
            throw .attestationRequired(demand(launch, bits: nil, at: now))
        }
        guard hasBudgets else { return nil }
        if evidence.work == nil {
            // Who asks for a challenge costs no write, and makes nobody else's work harder.
            try admit(launch, nil, try await next(launch, at: now))
        }
        let count = try await count(.unattested, launch, at: now)
        do throws(DomainError) {
            return try admit(launch, evidence.work, count)
        } catch {
            try await uncount(.unattested, launch)
            throw error
        }
    }

    /// What a first launch would have to do now. Asking costs a read, and counts nothing.
    ///
    /// - Parameter launch: Who asks.
    /// - Returns: the work; `nil` where none is needed.
    /// - Throws: `attestationRequired`, `rateLimited`, `storageUnavailable`.
    package func work(of launch: Launch) async throws(DomainError) -> FirstLaunchDemand.Work? {
        guard launch.rules.mode != .off, hasBudgets else { return nil }
        do throws(DomainError) {
            try admit(launch, nil, try await next(launch, at: clock.now))
            return nil
        } catch {
            guard error.code == .proofOfWorkRequired, case .firstLaunch(let demand) = error.detail else { throw error }
            return demand.work
        }
    }

    /// The counts with one that is not counted yet.
    private func next(_ launch: Launch, at now: Timestamp) async throws(DomainError) -> Count {
        let before = try await store.read { transaction throws(DomainError) in
            try Self.counted(.unattested, launch, at: now, in: transaction)
        }
        return before.next
    }

    /// - Returns: what marks the work as used.
    @discardableResult
    private func admit(
        _ launch: Launch, _ work: PresentedWork?, _ count: Count
    ) throws(DomainError) -> UsedProof? {
        let now = clock.now
        switch launch.toll(for: count) {
        case .nothing: return nil
        case .refusal:
            guard launch.formats.isEmpty else {
                throw .attestationRequired(demand(launch, bits: nil, at: now))
            }
            throw .rateLimited(retryAfter: max(.seconds(1), count.end - now))
        case .work(let bits):
            if let work, work.isEnough(for: bits), work.isDone,
                let use = challenges.use(
                    work.challenge, for: .work(bits: work.bits), key: launch.key, in: launch.application.id, at: now)
            {
                return use
            }
            throw .proofOfWorkRequired(demand(launch, bits: bits, at: now))
        }
    }

    private func judge(
        _ attestation: PresentedAttestation, _ launch: Launch, at now: Timestamp
    ) async throws(DomainError) -> UsedProof {
        if hasBudgets {
            let refused = try await store.read { transaction throws(DomainError) in
                try Self.counted(.refused, launch, at: now, in: transaction)
            }
            guard launch.rules.refused.includes(refused.next.launches) else {
                throw .rateLimited(retryAfter: max(.seconds(1), refused.end - now))
            }
        }
        let use: UsedProof
        do throws(AttestationFault) {
            use = try verify(attestation, launch, at: now)
        } catch {
            if hasBudgets { _ = try await count(.refused, launch, at: now) }
            throw .attestationRefused(error)
        }
        guard hasBudgets else { return use }
        let count = try await count(.attested, launch, at: now)
        guard launch.rules.attested.includes(count.launches) else {
            try await uncount(.attested, launch)
            throw .rateLimited(retryAfter: max(.seconds(1), count.end - now))
        }
        return use
    }

    private func verify(
        _ presented: PresentedAttestation, _ launch: Launch, at now: Timestamp
    ) throws(AttestationFault) -> UsedProof {
        guard launch.rules.formats.contains(presented.format) else { throw .format }
        guard
            let use = challenges.use(
                presented.challenge, for: .attestation, key: launch.key, in: launch.application.id, at: now)
        else { throw .challenge }
        let hash = PresentedAttestation.clientDataHash(challenge: presented.challenge, key: launch.key)
        if presented.format == PlayIntegrityToken.format {
            do throws(PlayIntegrityFault) {
                try playIntegrity(presented, hash: hash, in: launch.application, at: now)
            } catch {
                throw AttestationFault(error)
            }
            return use
        }
        do throws(AppAttestFault) {
            guard presented.object.utf8.count <= 2 * AttestationObject.maximumBytes,
                let object = Base64URL.bytes(of: presented.object.utf8)
            else { throw .malformed }
            guard presented.keyId.utf8.count <= 100, let keyId = Base64URL.bytes(of: presented.keyId.utf8) else {
                throw .keyId
            }
            let attestation = try AppAttestation(parsing: object)
            guard let key = certificates.certified(attestation.certificates, at: now) else { throw .certificates }
            try attestation.verify(
                publicKey: key.publicKey, nonce: key.nonce, keyId: keyId,
                clientDataHash: hash, apps: launch.rules.appleApps, takesDevelopment: launch.rules.takesDevelopment)
        } catch {
            throw AttestationFault(error)
        }
        return use
    }

    private func demand(_ launch: Launch, bits: Int?, at now: Timestamp) -> FirstLaunchDemand {
        func new(_ purpose: FirstLaunchChallenges.Purpose) -> String {
            challenges.new(for: purpose, key: launch.key, in: launch.application.id)
        }
        return FirstLaunchDemand(
            attestation: launch.formats.isEmpty
                ? nil : .init(challenge: new(.attestation), formats: launch.formats),
            work: bits.map { .init(challenge: new(.work(bits: $0)), bits: $0) },
            expiresAt: now + FirstLaunchChallenges.lifetime)
    }
}

extension JudgeFirstLaunch {
    /// By what one is counted: of its address, of the /48 network of an IPv6 address, and of the whole application.
    private struct Keys: Sendable {
        let address: RateLimitKey
        let site: RateLimitKey?
        let application: RateLimitKey

        init(_ kind: Class, _ launch: Launch) {
            let application = launch.application.id
            (address, site) = RateLimitKey.keys(kind.rawValue, in: application, from: launch.address)
            self.application = RateLimitKey(application: application, kind: kind.rawValue, subject: everybody)
        }

        var all: [RateLimitKey] { [address] + (site.map { [$0] } ?? []) + [application] }

        /// - Parameters:
        ///   - now: When.
        ///   - count: How many there are by a key within the window, and when it began; `nil` for none.
        /// - Returns: how many there are by each.
        /// - Throws: what the closure throws.
        func read(
            at now: Timestamp, _ count: (RateLimitKey) throws(DomainError) -> (count: Int, windowStart: Timestamp)?
        ) throws(DomainError) -> Count {
            let ofAddress = try count(address)
            let ofSite = try site.flatMap { key throws(DomainError) in try count(key) }
            let ofAll = try count(application)
            let starts = [ofAddress, ofSite, ofAll].compactMap { $0?.windowStart }
            return Count(
                .init(address: ofAddress?.count ?? 0, site: ofSite?.count ?? 0, application: ofAll?.count ?? 0),
                end: (starts.max() ?? now) + window)
        }
    }

    private static func counted(
        _ kind: Class, _ launch: Launch, at now: Timestamp, in transaction: any Transaction
    ) throws(DomainError) -> Count {
        try Keys(kind, launch).read(at: now) { key throws(DomainError) in
            try transaction.counted(key, window: window, at: now)
        }
    }

    private func count(_ kind: Class, _ launch: Launch, at now: Timestamp) async throws(DomainError) -> Count {
        let keys = Keys(kind, launch)
        var counted: [RateLimitKey: (count: Int, windowStart: Timestamp)] = [:]
        for key in keys.all {
            counted[key] = try await store.writeStatement { transaction throws(DomainError) in
                try transaction.count(key, window: Self.window, at: now)
            }
        }
        return try keys.read(at: now) { key in counted[key] }
    }

    private func uncount(_ kind: Class, _ launch: Launch) async throws(DomainError) {
        for key in Keys(kind, launch).all {
            try await store.writeStatement { transaction throws(DomainError) in try transaction.uncount(key) }
        }
    }
}
