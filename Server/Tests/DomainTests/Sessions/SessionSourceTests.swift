import TestWorld
import Testing

@testable import Domain

/// What a session that another one opened has from it.
@Suite("The session that another one came from")
struct SessionSourceTests {
    private static let now = StandingClock().now
    private static let tenMinutes = 600_000

    private static func session(_ change: (inout Session) -> Void = { _ in }) -> Session {
        var session = Session(
            id: Identifier(rawValue: "s"), application: Identifier(rawValue: "app"), user: Identifier(rawValue: "u"),
            client: .init(address: nil), protocolName: .native, method: .password,
            times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(9)))
        change(&session)
        return session
    }

    /// The owner of a session, to whom one device key leads.
    private static func who(_ session: Session) -> Authenticated {
        let application = Application(
            id: session.application, name: "Test", adminKeyDigest: SecretDigest(of: []),
            settings: ApplicationSettings(), createdAt: now)
        let user = User(
            id: session.user, application: session.application,
            identities: [
                Identity(provider: .device, subject: "own key", linkedAt: now),
                Identity(provider: .anonymous, subject: "anonymous", linkedAt: now),
            ], createdAt: now, updatedAt: now)
        return Authenticated(
            application: application, session: session, user: user, tokenDigest: SecretDigest(of: [1]))
    }

    private static let origins: [(String, key: String?, origin: String?, expected: String)] = [
        ("the user's own key", "own key", nil, "own key"),
        ("that key, whatever was before it", "own key", "o", "own key"),
        ("what came before a key that leads nowhere", "other key", "o", "o"),
        ("such a key, without anything before", "other key", nil, "other key"),
        ("what came before a subject that is no device's", "anonymous", "o", "o"),
        ("what came before, without a key", nil, "o", "o"), ("itself", nil, nil, "s"),
    ]

    @Test("is known by a key that can be removed, else by what came first", arguments: origins.indices)
    func origin(index: Int) {
        let (name, key, origin, expected) = Self.origins[index]
        let session = Self.session { ($0.deviceKey, $0.origin) = (key, origin) }
        let source = SessionSource(Self.who(session))
        #expect(source.origin == expected, "\(name)")
        var opened = Self.session()
        source.bind(&opened)
        #expect(opened.origin == expected && opened.parent == session.id)
    }

    @Test(
        "is itself derived while its own user has shown nothing since",
        arguments: [nil, -1, 0, 1] as [Int?], [nil, "o"] as [String?])
    func derived(proof: Int?, origin: String?) {
        let session = Self.session {
            $0.origin = origin
            $0.authenticatedAt = proof.map { Self.now + .milliseconds($0) }
        }
        #expect(SessionSource(Self.who(session)).isDerived == (origin != nil && (proof ?? 0) <= 0))
    }

    @Test(
        "hands on how its owner logged in, for ten minutes",
        arguments: [0, tenMinutes - 1, tenMinutes, tenMinutes + 1], [true, false])
    func freshness(after: Int, isShown: Bool) {
        let session = Self.session {
            $0.authenticatedAt = isShown ? Self.now - .days(1) : Self.now
            $0.secondFactorAt = Self.now
            $0.methods = [.password, .timeBasedCode, .rememberedDevice]
        }
        let source = SessionSource(Self.who(session), shownAt: isShown ? Self.now : nil)
        let instant = Self.now + .milliseconds(after)
        #expect(source.isFresh(at: instant) == (after < Self.tenMinutes))
        #expect(source.hasRecentSecondFactor(at: instant) == (after < Self.tenMinutes))
        // That a device is remembered says nothing of another one.
        #expect(source.methods == [.password, .timeBasedCode])
    }

    @Test("hands on nothing that was not shown")
    func nothing() {
        let source = SessionSource(Self.who(Self.session()))
        #expect(!source.isFresh(at: Self.now) && !source.hasRecentSecondFactor(at: Self.now))
        var opened = Self.session { ($0.authenticatedAt, $0.secondFactorAt) = (Self.now, Self.now) }
        source.carryProof(to: &opened)
        #expect(opened.authenticatedAt == nil && opened.secondFactorAt == nil)
    }

    @Test("hands on proofs that are never later than the session itself", arguments: [-1, 0, 1])
    func carried(offset: Int) {
        let shown = Self.now + .milliseconds(offset)
        let source = SessionSource(
            Self.who(Self.session { ($0.authenticatedAt, $0.secondFactorAt) = (shown, shown - .milliseconds(1)) }))
        var opened = Self.session()
        source.carryProof(to: &opened)
        #expect(opened.authenticatedAt == min(shown, Self.now))
        #expect(opened.secondFactorAt == min(shown - .milliseconds(1), Self.now))
        #expect(opened.createdAt == Self.now && opened.lastUsedAt == Self.now)
    }
}

@Suite("The gate before an account")
struct AccountGateTests {
    private static let now = StandingClock().now

    private static func user(isDisabled: Bool, isLeaving: Bool) -> User {
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        if isDisabled { user.disabledAt = now }
        if isLeaving { user.deletionRequestedAt = now }
        return user
    }

    @Test("is open to users who are neither disabled nor on the way out", arguments: [true, false], [true, false])
    func open(isDisabled: Bool, isLeaving: Bool) {
        let user = Self.user(isDisabled: isDisabled, isLeaving: isLeaving)
        #expect(AccountGate.isOpen(to: user) == (!isDisabled && !isLeaving))
        #expect(user.mayBeMerged == (!isDisabled && !isLeaving))
    }

    @Test(
        "says of a deletion when it comes, to who does not take it back, and first that a user is disabled",
        arguments: [true, false], [true, false])
    func refused(isDisabled: Bool, isLeaving: Bool) {
        var settings = ApplicationSettings()
        settings.deletionGrace = .days(3)
        let application = Application(
            id: Identifier(rawValue: "app"), name: "Test", adminKeyDigest: SecretDigest(of: []), settings: settings,
            createdAt: Self.now)
        let user = Self.user(isDisabled: isDisabled, isLeaving: isLeaving)
        for isRestored in [true, false] {
            var refusal: DomainError?
            do throws(DomainError) {
                try AccountGate.refuse(user, of: application, isRestored: isRestored)
            } catch {
                refusal = error
            }
            let leaving: DomainError? =
                isLeaving && !isRestored ? .userDeleted(erasedAt: Self.now + .days(3)) : nil
            #expect(refusal == (isDisabled ? .userDisabled : leaving), "\(isRestored)")
        }
    }
}
