import TestWorld
import Testing

@testable import Domain

/// Every way of log-in with every setting of second factors, compared with the rules as a person would say them.
@Suite("Whether a log-in is asked for the second factor")
struct SecondFactorMatrixTests {
    private typealias Samples = SecondFactorSamples

    static let methods: [Session.LogInMethod] = [
        .automatic, .password, .signUp, .code, .merge, .transferCode, .pages, .keptPages, .adoption, .anonymous,
        .passkey,
    ]
    private static let protocols: [Session.ProtocolName] = [.native, .pages, .single]

    /// What a device's key is to the user, whose second factor is three days old.
    private enum Device: CaseIterable {
        /// The log-in comes without a key.
        case none
        /// The key leads to nobody.
        case unknown
        case joinedBefore
        case joinedWithTheFactor
        case joinedLater
        /// Joined later, and a log-in on it has shown the factor since.
        case passed

        var key: String? { self == .none ? nil : Samples.deviceKey }

        var identity: Identity? {
            let enrolledAt = Samples.now - .days(3)
            let linkedAt: Timestamp
            switch self {
            case .none, .unknown: return nil
            case .joinedBefore: linkedAt = enrolledAt - .milliseconds(1)
            case .joinedWithTheFactor: linkedAt = enrolledAt
            case .joinedLater, .passed: linkedAt = enrolledAt + .milliseconds(1)
            }
            var identity = Identity(provider: .device, subject: Samples.deviceKey, linkedAt: linkedAt)
            if self == .passed { identity.secondFactorAt = Samples.now - .days(1) }
            return identity
        }

        func counts(by rules: SecondFactorRules) -> Bool {
            switch self {
            case .none, .unknown, .joinedLater: false
            case .joinedBefore, .joinedWithTheFactor: rules.deviceKeysCount
            case .passed: true
            }
        }
    }

    /// The rules in the order in which a person would go through them.
    private static func wanted(
        _ rules: SecondFactorRules, _ method: Session.LogInMethod, _ name: Session.ProtocolName,
        _ standing: Samples.Standing, _ device: Device
    ) -> DomainError.Code? {
        let isOld = name != .native && name != .pages
        switch (rules.mode, standing) {
        case (.off, _), (_, .guest), (.optional, .registered): return nil
        case (.required, .registered):
            // Only somebody who is there can add one, and old apps may be left out.
            if [.automatic, .anonymous, .adoption].contains(method) { return nil }
            if method == .transferCode { return rules.transferCodesCount ? nil : .secondFactorEnrolmentRequired }
            if method == .merge { return .secondFactorEnrolmentRequired }
            return isOld && rules.exemptsOldProtocols ? nil : .secondFactorEnrolmentRequired
        case (_, .enrolled):
            if method == .transferCode { return rules.transferCodesCount ? nil : .secondFactorRequired }
            if method == .merge { return .secondFactorRequired }
            if isOld { return rules.exemptsOldProtocols ? nil : .secondFactorRequired }
            return device.counts(by: rules) ? nil : .secondFactorRequired
        }
    }

    private let issuers: SessionIssuers
    private let tickets: SecondFactorTickets

    init() throws {
        let (clock, randomness, key) = (StandingClock(), CountingRandomness(), try SealingKey.ofTests())
        tickets = SecondFactorTickets(sealingKey: key)
        issuers = SessionIssuers(
            protocols: .samples,
            changes: AccountChanges(
                notice: MailNotice(
                    sealing: MailSealing(key: key, randomness: randomness), delivery: .outbox, pagesURL: nil),
                audit: AuditTrail(clock: clock, randomness: randomness, seals: AuditSeals(key), hasLimits: false)),
            randomness: randomness, tickets: tickets)
    }

    private func refusal(
        _ rules: SecondFactorRules, _ method: Session.LogInMethod, _ name: Session.ProtocolName, _ user: User,
        _ key: String?, proven methods: AuthenticationMethods? = nil
    ) -> DomainError? {
        var request = SessionIssuer.Request(
            Samples.application(rules), name, by: method, on: .init(deviceKey: key, address: nil), record: .nothing)
        if let methods { request = request.proven(by: methods) }
        do throws(DomainError) {
            try issuers.issuer(for: request, at: Samples.now).refuseMissing(of: user)
            return nil
        } catch {
            return error
        }
    }

    /// All sets of rules of a mode.
    private static func rules(_ mode: SecondFactorRules.Mode) -> [SecondFactorRules] {
        (0..<8).map { bits in
            Samples.rules(mode) { rules in
                rules.deviceKeysCount = bits & 1 == 1
                rules.transferCodesCount = bits & 2 == 2
                rules.exemptsOldProtocols = bits & 4 == 4
            }
        }
    }

    @Test(
        "follows from the mode, the way of log-in, the protocol, the user and the device",
        arguments: SecondFactorRules.Mode.allCases, methods)
    func matrix(mode: SecondFactorRules.Mode, method: Session.LogInMethod) {
        for rules in Self.rules(mode) {
            for name in Self.protocols {
                for standing in Samples.Standing.allCases {
                    for device in Device.allCases {
                        let user = Samples.user(standing, identities: device.identity.map { [$0] } ?? [])
                        let error = refusal(rules, method, name, user, device.key)
                        #expect(
                            error?.code == Self.wanted(rules, method, name, standing, device),
                            "\(rules) \(name.rawValue) \(standing) \(device)")
                    }
                }
            }
        }
    }

    @Test(
        "is never so when two factors were shown already",
        arguments: [
            [.passkey, .userVerification], [.password, .timeBasedCode], [.provider, .recoveryCode],
            [.password, .passkey],
        ] as [AuthenticationMethods])
    func twoFactors(proven: AuthenticationMethods) {
        for mode in SecondFactorRules.Mode.allCases {
            for rules in Self.rules(mode) {
                for method in Self.methods {
                    let error = refusal(rules, method, .native, Samples.user(.enrolled), nil, proven: proven)
                    #expect(error == nil, "\(rules) \(method.rawValue)")
                }
            }
        }
    }

    @Test(
        "is answered with a ticket where the protocol and the way can go on with one, and with none elsewhere",
        arguments: methods)
    func challenges(method: Session.LogInMethod) throws {
        let rules = Samples.rules(.required) { $0.transferCodesCount = false }
        for name in Self.protocols {
            for standing in [Samples.Standing.registered, .enrolled] {
                guard let error = refusal(rules, method, name, Samples.user(standing), Samples.deviceKey) else {
                    continue
                }
                let canGoOn = name != .single && method != .merge && method != .transferCode
                guard canGoOn else {
                    #expect(error.detail == .none, "\(name.rawValue)")
                    continue
                }
                guard case .secondFactor(let challenge) = error.detail else {
                    Issue.record("no ticket: \(name.rawValue) \(method.rawValue)")
                    continue
                }
                let isEnrolment = standing == .registered
                // Who has to add an app may have to install it first.
                #expect(challenge.expiresAt == Samples.now + .seconds(isEnrolment ? 600 : 300))
                #expect(challenge.factors == (isEnrolment ? [] : [.totp, .recoveryCode]))
                #expect(!challenge.hasPasskey)
                let ticket = try tickets.logIn(challenge.ticket.revealed, in: Samples.application, at: Samples.now)
                #expect(ticket.userId == Samples.user && ticket.version == 0 && ticket.isEnrolment == isEnrolment)
                #expect(ticket.method == method.rawValue && ticket.methods == method.methods.rawValue)
                #expect(ticket.deviceKey == Samples.deviceKey)
                #expect(ticket.expiresAt == challenge.expiresAt.milliseconds)
            }
        }
    }

    @Test("says whether the user has a passkey instead", arguments: [Identity.Provider.passkey, .anonymous, .apple])
    func passkeys(provider: Identity.Provider) {
        let user = Samples.user(
            .enrolled, identities: [Identity(provider: provider, subject: "s", linkedAt: Samples.now)])
        let error = refusal(Samples.rules(.optional), .password, .native, user, nil)
        guard case .secondFactor(let challenge)? = error?.detail else {
            Issue.record("no ticket")
            return
        }
        #expect(challenge.hasPasskey == (provider == .passkey))
    }

    @Test("is not decided by another device's key, nor by an identity of the same name that is no key")
    func otherKeys() {
        var passed = Identity(provider: .device, subject: "another key", linkedAt: Samples.now - .days(9))
        passed.secondFactorAt = Samples.now
        let sameName = Identity(provider: .anonymous, subject: Samples.deviceKey, linkedAt: Samples.now - .days(9))
        let user = Samples.user(.enrolled, identities: [passed, sameName])
        for method in [Session.LogInMethod.password, .automatic] {
            let error = refusal(Samples.rules(.optional), method, .native, user, Samples.deviceKey)
            #expect(error?.code == .secondFactorRequired)
        }
    }
}
