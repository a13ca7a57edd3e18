import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// A thief who is put out may have got a transfer code before, and ordered an address to come back by.
@Suite("What a session has begun")
struct BegunBySessionTests {
    /// How the session ends.
    enum End: CaseIterable {
        case byOwner, byOperator, stolenCode, stolenRefreshToken, unlinkedProvider, removedPasskey, undoneMerge
        case undoneMergeOfClientId
    }

    private static let address = "thief@example.com"
    private static let verifier = String(repeating: "v", count: 43)

    private let world: TestWorld
    private let application: Application
    private let owner: Authenticated

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        var settings = ApplicationSettings()
        settings.foreignOptions[.endless] = ForeignOptions(refreshedTokenLifetime: .seconds(3600))
        application = try await world.makeApplication(settings: settings)
        owner = try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
    }

    /// A session of the owner's account that a way of log-in opened.
    private func session(by method: Session.LogInMethod) async throws -> Session {
        let now = world.clock.now
        let session = Session(
            id: Identifier(rawValue: "thief"), application: application.id, user: owner.user.id,
            client: .init(address: nil), protocolName: .native, method: method,
            times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1), authenticatedAt: now))
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                session, token: SessionToken.Reference(SecretDigest(of: [1])), attempt: nil, replacing: nil)
        }
        return session
    }

    /// Lets an identity of the thief's lead to a user.
    private func link(_ provider: Identity.Provider, to user: Identifier<User>) async throws {
        let identity = Identity(provider: provider, subject: "thief", linkedAt: world.clock.now)
        let tenant = application.id
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(identity, for: user, in: tenant)
        }
    }

    private func redeem(_ code: Secret) async throws -> RedeemAuthorizationCode.Redeemed? {
        try await world.modules.sessions.redeemAuthorizationCode(
            .init(
                application: application, code: code.revealed, redirect: "https://app.example/back",
                verifier: Self.verifier, proof: nil, address: TestWorld.address, origin: .local),
            issuer: "https://id.example.com")
    }

    private func merge(_ guest: User) async throws -> Identifier<Merge> {
        try await world.modules.administration.users.merge(
            guest.id, into: owner.user.id, in: application, by: .local)
    }

    /// Somebody else's session of the owner's account, and what ends it.
    private func thief(until end: End) async throws -> (session: Session, end: () async throws -> Void) {
        let (modules, owner, application) = (world.modules, owner, application)
        let author = AccountAuthor.owner(owner, isProven: false, from: .local)
        switch end {
        case .byOwner:
            let session = try await session(by: .password)
            return (session, { try await modules.sessions.endSession(session.id, by: owner, from: .local) })
        case .byOperator:
            let session = try await session(by: .password)
            return (
                session,
                { try await modules.sessions.endSession(session.id, of: nil, in: application.id, by: .local) }
            )
        case .stolenCode:
            let request = AuthorizationRequest(
                redirect: "https://app.example/back", challenge: PKCE.s256(of: Self.verifier), nonce: "n",
                scopes: ["openid"])
            let code = try modules.sessions.issueAuthorizationCode(request, for: owner, isNew: false)
            let redeemed = try #require(try await redeem(code))
            return (
                redeemed.logIn.session,
                {
                    let again = try await redeem(code)
                    #expect(again == nil)
                }
            )
        case .stolenRefreshToken:
            let logIn = try await modules.sessions.openSession(
                OpenSession.Request(
                    user: owner.user.id, application: application, protocolName: .endless, method: .adoption,
                    actor: .operator, origin: .local))
            let refresh = modules.sessions.refreshSession
            let token = refresh.token(for: logIn.token, in: application.id)
            _ = try await refresh(token, in: application, of: .endless, expiresAt: nil, from: .local)
            // A code for an address counts no longer than the first token may come again.
            world.clock.advance(by: RefreshSession.repetition - .seconds(60))
            return (
                logIn.session,
                {
                    world.clock.advance(by: .seconds(60))
                    let refusal = await world.refusal {
                        _ = try await refresh(token, in: application, of: .endless, expiresAt: nil, from: .local)
                    }
                    #expect(refusal == .sessionInvalid)
                }
            )
        case .unlinkedProvider:
            try await link(.google, to: owner.user.id)
            return (
                try await session(by: .init(rawValue: Identity.Provider.google.rawValue)),
                {
                    _ = try await modules.accounts.editUser(
                        UserEdit(unlinking: .google), of: owner.user.id, in: application, by: author)
                }
            )
        case .removedPasskey:
            try await link(.passkey, to: owner.user.id)
            return (
                try await session(by: .passkey),
                {
                    try await modules.passkeys.managePasskeys.remove(
                        "thief", of: owner.user.id, in: application, by: author)
                }
            )
        case .undoneMerge:
            let device = TestDevice()
            let merge = try await merge(try await world.logIn(device, to: application).user)
            return (
                try await world.logIn(device, to: application).session,
                { try await modules.transfers.undoMerge(merge, by: owner, isProven: false, from: .local) }
            )
        case .undoneMergeOfClientId:
            let guest = try await world.logIn(TestDevice(), to: application).user
            try await link(.anonymous, to: guest.id)
            let merge = try await merge(guest)
            return (
                try await session(by: .anonymous),
                { try await modules.transfers.undoMerge(merge, by: owner, isProven: false, from: .local) }
            )
        }
    }

    /// Gets a transfer code and orders another address, in a session.
    private func begin(in session: Session) async throws {
        let code = StoredTransferCode(
            application: application.id, user: owner.user.id, digest: SecretDigest(of: "code".utf8),
            issuedAt: world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in try transaction.replace(code) }
        try await world.modules.messaging.verificationCodes.send(
            .emailVerification, to: Self.address, of: owner.user, by: session, in: application, languages: [],
            from: TestWorld.address)
    }

    /// What is there still.
    private func left() async throws -> (session: Bool, code: Bool, address: String?) {
        let (id, tenant) = (owner.user.id, application.id)
        let user = try await world.modules.directory.readUser(id, in: tenant)
        let address = try await world.modules.accounts.findPendingAddress(of: user, by: .emailVerification)
        let (count, code) = try await world.engine.write { transaction throws(DomainError) in
            (
                try transaction.sessions(of: id, in: tenant).count,
                try transaction.removeTransferCode(of: id, in: tenant)
            )
        }
        return (count > 1, code, address)
    }

    @Test("ends with it, when it is put out or was stolen", arguments: End.allCases)
    func ends(end: End) async throws {
        let thief = try await thief(until: end)
        try await begin(in: thief.session)
        try await thief.end()
        let left = try await left()
        #expect(!left.session && !left.code && left.address == nil)
    }

    @Test("is there until then, and an address that the owner ordered stays", arguments: End.allCases)
    func control(end: End) async throws {
        let thief = try await thief(until: end)
        try await begin(in: owner.session)
        let before = try await left()
        #expect(before.session && before.code && before.address == Self.address)
        try await thief.end()
        let after = try await left()
        #expect(!after.session && after.address == Self.address)
    }
}
