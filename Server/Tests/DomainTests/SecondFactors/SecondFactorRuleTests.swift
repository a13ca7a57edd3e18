import TestWorld
import Testing

@testable import Domain

@Suite("The rules of second factors")
struct SecondFactorRuleTests {
    private typealias Samples = SecondFactorSamples

    private static let needs: [(SecondFactorRules.Mode, SecondFactorSamples.Standing, SecondFactorRules.Need?)] = [
        (.off, .guest, nil), (.off, .registered, nil), (.off, .enrolled, nil),
        (.optional, .guest, nil), (.optional, .registered, nil), (.optional, .enrolled, .factor),
        (.required, .guest, nil), (.required, .registered, .enrolment), (.required, .enrolled, .factor),
    ]

    @Test("ask for a factor of who has one, and where all must have one, for a new one", arguments: needs.indices)
    func need(index: Int) {
        let (mode, standing, need) = Self.needs[index]
        let user = Samples.user(standing)
        #expect(user.hasSecondFactor == (standing == .enrolled))
        #expect(Samples.rules(mode).need(of: user) == need)
        // A password alone lets nobody in who is asked for a factor, unless an old protocol need not ask.
        #expect(Samples.rules(mode).guardsPasswords(of: user) == (need == .factor))
        #expect(!Samples.rules(mode) { $0.exemptsOldProtocols = true }.guardsPasswords(of: user))
    }

    /// Written out, so that a new row of the table of changes is put here or not on purpose.
    private static let guarded: Set<AccountChange> = [
        .secondFactorAdded, .secondFactorRemoved, .recoveryCodesReplaced, .passkeyAdded, .transferCodeIssued,
        .identifiersChanged, .addressChanged,
    ]
    private static let demandable: Set<AccountChange> = [
        .upgraded, .identifiersChanged, .addressChanged, .passwordChanged, .identityLinked, .identityUnlinked,
        .passkeyAdded, .passkeyRemoved, .secondFactorAdded, .secondFactorRemoved, .recoveryCodesReplaced,
        .deviceKeyRemoved, .otherDeviceKeysRemoved, .otherSessionsEnded, .transferCodeIssued, .mergeUndone,
        .deletionRequested,
    ]

    @Test("can demand a factor for what owners do after a recent log-in", arguments: AccountChange.allCases)
    func demands(change: AccountChange) {
        #expect(AccountChange.guarded.contains(change) == Self.guarded.contains(change))
        let isDemandable = Self.demandable.contains(change)
        #expect(AccountChange.demandable.contains(change) == isDemandable)
        let faults = Samples.rules(.optional) { $0.demandedFor = [change] }.faults
        #expect(faults == (isDemandable ? [] : [ValidationError(field: "secondFactors.demandedFor", rule: .notListed)]))
        // One that cannot be demanded spoils the others.
        let beside = Samples.rules(.optional) { $0.demandedFor = [change, .passwordChanged] }.faults
        #expect(beside.isEmpty == isDemandable)
    }

    @Test(
        "take a factor for recent for ten minutes, to the millisecond",
        arguments: [(nil, false), (0, true), (1, true), (599_999, true), (600_000, false), (600_001, false)]
            as [(Int?, Bool)])
    func recent(age: Int?, isRecent: Bool) {
        let time = age.map { Samples.now - .milliseconds($0) }
        let session = Samples.session(.native, authenticatedAt: nil, secondFactorAt: time)
        #expect(session.hasRecentSecondFactor(at: Samples.now) == isRecent)
        #expect(Samples.session(.native, authenticatedAt: time).isFresh(at: Samples.now) == isRecent)
    }
}

@Suite("What must be fresh for a change by its owner")
struct FreshnessMatrixTests {
    private typealias Samples = SecondFactorSamples

    private static let protocols: [Session.ProtocolName] = [.native, .pages, .single]
    /// Never, just now, as long ago as it counts, and a millisecond longer.
    private static let times: [Timestamp?] = [
        nil, Samples.now, Samples.now - .milliseconds(599_999), Samples.now - .milliseconds(600_000),
    ]

    /// The name by which an application demands it: old protocols delete at once, and have no other deletion.
    private static func name(of change: AccountChange) -> AccountChange {
        change == .erasedAtOnce ? .deletionRequested : change
    }

    private static func isRecent(_ time: Timestamp?) -> Bool {
        time == Samples.now || time == Samples.now - .milliseconds(599_999)
    }

    /// The rules in the order in which a person would go through them.
    private static func wanted(
        _ change: AccountChange, _ rules: SecondFactorRules, _ session: Session, _ standing: Samples.Standing,
        isProven: Bool
    ) -> DomainError? {
        let isDemanded = rules.demandedFor.contains(name(of: change))
        guard change.policy.who.contains(.owner) else { return .accessRefused }
        guard !change.policy.fresh.isEmpty else { return nil }
        let isOld = session.protocolName == .single
        // What only the request itself can show is not shown by a session.
        guard change.policy.fresh.contains(.recentLogIn) else { return .accessRefused }
        // Apps of old protocols have no request by which to show it, and a guest has nothing but the device.
        guard isOld || isProven && standing == .guest || isRecent(session.authenticatedAt) else {
            return .reauthenticationRequired
        }
        let ofFactors: Set<AccountChange> = [.secondFactorAdded, .secondFactorRemoved, .recoveryCodesReplaced]
        guard rules.mode != .off || ofFactors.contains(change) else { return nil }
        // By another address a reset would take the factor away, also from other protocols.
        let opensResets = standing == .enrolled && [.identifiersChanged, .addressChanged].contains(change)
        guard !(rules.exemptsOldProtocols && isOld) || opensResets else { return nil }
        if standing == .enrolled, AccountChange.guarded.contains(change) || isDemanded {
            return isRecent(session.secondFactorAt) ? nil : .secondFactorNotRecent
        }
        if standing == .registered, isDemanded, change != .secondFactorAdded {
            return .secondFactorEnrolmentRequired(nil)
        }
        return nil
    }

    private static func refusal(_ body: () throws(DomainError) -> Void) -> DomainError? {
        do throws(DomainError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "follows from the table, the session, the protocol and the settings", arguments: AccountChange.allCases,
        SecondFactorRules.Mode.allCases)
    func matrix(change: AccountChange, mode: SecondFactorRules.Mode) {
        for bits in 0..<8 {
            let isProven = bits & 4 == 4
            let rules = Samples.rules(mode) { rules in
                if bits & 1 == 1 { rules.demandedFor = [Self.name(of: change)] }
                rules.exemptsOldProtocols = bits & 2 == 2
            }
            let application = Samples.application(rules)
            for name in Self.protocols {
                for (authenticatedAt, secondFactorAt) in Self.times.flatMap({ a in Self.times.map { (a, $0) } }) {
                    for standing in Samples.Standing.allCases {
                        let session = Samples.session(
                            name, authenticatedAt: authenticatedAt, secondFactorAt: secondFactorAt,
                            deviceKey: Samples.deviceKey)
                        let key = Identity(
                            provider: .device, subject: Samples.deviceKey, linkedAt: Samples.now - .days(9))
                        let who = Authenticated(
                            application: application, session: session,
                            user: Samples.user(standing, identities: [key]),
                            tokenDigest: SecretDigest(of: []))
                        let author = AccountAuthor.owner(who, isProven: isProven, from: .local)
                        let error = Self.refusal { () throws(DomainError) in
                            try author.require([change], of: who.user, at: Samples.now)
                        }
                        let wanted = Self.wanted(change, rules, session, standing, isProven: isProven)
                        if error != wanted {
                            let named = error.map { "\($0)" } ?? "nothing"
                            Issue.record("\(named) of \(standing) by \(name.rawValue), \(session), \(rules)")
                        }
                    }
                }
            }
        }
    }

    @Test("is asked of no operator, of no provider and not of the server", arguments: AccountChange.allCases)
    func others(change: AccountChange) {
        let rows: [(AccountRole, AccountAuthor)] = [
            (.operator, .operator(.local)), (.provider, .provider(.apple, from: .local)), (.server, .server),
        ]
        for (role, author) in rows {
            let error = Self.refusal { () throws(DomainError) in
                try author.require([change], of: Samples.user(.enrolled), at: Samples.now)
            }
            #expect(error == (change.policy.who.contains(role) ? nil : .accessRefused), "\(role)")
        }
    }

    @Test("is, of who holds something of the user's, one of what the table names", arguments: AccountChange.allCases)
    func holders(change: AccountChange) {
        for proof in AccountPolicy.Proof.allCases {
            let author = AccountAuthor.holder(of: Samples.user, showing: proof, from: .local, keeping: .nothing)
            let error = Self.refusal { () throws(DomainError) in
                try author.require([change], of: Samples.user(.enrolled), at: Samples.now)
            }
            let (policy, needed) = (change.policy, change.policy.fresh)
            guard policy.who.contains(.holder) else {
                #expect(error == .accessRefused, "\(proof)")
                continue
            }
            #expect(error == (needed.isEmpty || needed.contains(proof) ? nil : .accessRefused), "\(proof)")
        }
    }

    @Test("is all that a request changes together, and nobody may because of one of them")
    func together() {
        let session = Samples.session(.native, authenticatedAt: nil)
        let who = Authenticated(
            application: Samples.application(SecondFactorRules()), session: session, user: Samples.user(.registered),
            tokenDigest: SecretDigest(of: []))
        let author = AccountAuthor.owner(who, isProven: false, from: .local)
        func error(_ changes: Set<AccountChange>) -> DomainError? {
            Self.refusal { () throws(DomainError) in try author.require(changes, of: who.user, at: Samples.now) }
        }
        #expect(error([]) == nil && error([.profileChanged]) == nil)
        #expect(error([.profileChanged, .addressChanged]) == .reauthenticationRequired)
        #expect(error([.profileChanged, .rolesChanged]) == .accessRefused)
        #expect(error([.addressChanged, .rolesChanged]) == .accessRefused)
    }
}
