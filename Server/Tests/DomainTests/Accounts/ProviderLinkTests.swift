import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What a log-in by a provider leaves behind, and what it does not touch.
@Suite("The account of a person at a provider")
struct ProviderLinkTests {
    private let world: TestWorld
    private let application: Application
    private let provider = Identity.Provider(rawValue: "oidc:test")

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await world.engine.write { transaction throws(DomainError) in try body(transaction) }
    }

    private func person(
        _ subject: String = "s", audience: String = "web", email: ProviderEmail? = nil, transferSubject: String? = nil
    ) -> ExternalIdentity {
        ExternalIdentity(
            provider: provider, subject: subject, audience: audience, email: email, transferSubject: transferSubject)
    }

    private func keep(_ person: ExternalIdentity, grant: [UInt8]? = nil) async throws -> ProviderAccount? {
        let (id, now) = (application.id, world.clock.now)
        return try await write { transaction throws(DomainError) in
            try transaction.keepAccount(of: person, sealedGrant: grant, in: id, at: now)
            return try transaction.providerAccount(person.provider, subject: person.subject, in: id)
        }
    }

    /// A user with these identities, and a session without a device key.
    private func insert(
        _ id: Identifier<User>, with identities: [Identity], loggedInBy method: Session.LogInMethod
    ) async throws -> Session {
        let (tenant, now) = (application.id, world.clock.now)
        let session = Session(
            id: Identifier(rawValue: "session"), application: tenant, user: id, client: .init(address: nil),
            protocolName: .native, method: method,
            times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1), authenticatedAt: now))
        try await write { transaction throws(DomainError) in
            try transaction.insert(User(id: id, application: tenant, createdAt: now, updatedAt: now))
            for identity in identities { try transaction.insert(identity, for: id, in: tenant) }
            try transaction.insert(
                session, token: SessionToken.Reference(SecretDigest(of: [1])), attempt: nil, replacing: nil)
        }
        return session
    }

    private static let mail = ProviderEmail(address: "hana@example.com", isVerified: true, isRelay: false)
    private static let relay = ProviderEmail(address: "x@privaterelay.appleid.com", isVerified: true, isRelay: true)

    @Test("is written once, and again when something of it is new")
    func kept() async throws {
        let begun = world.clock.now
        let first = try #require(try await keep(person(email: Self.mail), grant: [1]))
        #expect(first.audience == "web" && first.sealedGrant == [1] && first.email == Self.mail)
        #expect(first.isEmailForwarded && first.transferSubject == nil && first.updatedAt == begun)
        world.clock.advance(by: .seconds(1))
        // Nothing is new: without a grant the audience is that of the grant that is there, and no address takes none away.
        #expect(try await keep(person(audience: "ios")) == first)
        #expect(try await keep(person(email: Self.mail), grant: [1]) == first)
        world.clock.advance(by: .seconds(1))
        let moved = try #require(try await keep(person(audience: "ios", email: Self.relay), grant: [2]))
        #expect(moved.audience == "ios" && moved.sealedGrant == [2] && moved.email == Self.relay)
        #expect(moved.updatedAt == world.clock.now)
    }

    @Test(
        "takes the device keys along that joined by it, unless nothing else leads to the user",
        arguments: [false, true])
    func joinedKeys(hasAnother: Bool) async throws {
        let (tenant, now, id) = (application.id, world.clock.now, Identifier<User>(rawValue: "person"))
        var joined = Identity(provider: .device, subject: "joined", linkedAt: now)
        joined.joinedBy = Session.LogInMethod(rawValue: provider.rawValue)
        var another = Identity(provider: .device, subject: "another", linkedAt: now)
        another.joinedBy = .password
        let identities =
            [Identity(provider: provider, subject: "s", linkedAt: now), joined] + (hasAnother ? [another] : [])
        // Somebody showed the identity for a merge, without a key.
        _ = try await insert(id, with: identities, loggedInBy: .merge)
        let response = try await world.modules.accounts.editUser(
            UserEdit(unlinking: provider), of: id, in: application, by: .operator(.local))
        let left = try await world.modules.directory.readUser(id, in: tenant)
        #expect(left.identities == [hasAnother ? another : joined] && response.user.identities == left.identities)
        #expect(try await world.modules.sessions.listSessions(of: id, in: application).isEmpty)
        let removed = try await write { transaction throws(DomainError) in
            try transaction.removedDeviceKey("joined", in: tenant)
        }
        #expect(removed?.reason.rawValue == (hasAnother ? "identity_unlinked" : nil))
        let entries = try await world.modules.administration.audit.list(
            in: tenant, matching: AuditFilter(action: AccountChange.identityUnlinked.policy.action))
        #expect(entries.map { $0.details["device-keys"] } == [hasAnother ? "1" : nil])
    }

    @Test(
        "takes along what a merge has opened, and the key that joined by it over the pages; an id that a client made does not",
        arguments: [Identity.Provider(rawValue: "oidc:test"), .anonymous])
    func keyOfMerge(unlinked: Identity.Provider) async throws {
        let (tenant, now, id) = (application.id, world.clock.now, Identifier<User>(rawValue: "person"))
        var joined = Identity(provider: .device, subject: "joined", linkedAt: now)
        joined.joinedBy = .merge
        var another = Identity(provider: .device, subject: "another", linkedAt: now)
        another.joinedBy = .password
        let identities = [Identity(provider: unlinked, subject: "s", linkedAt: now), joined, another]
        let session = try await insert(id, with: identities, loggedInBy: .merge)
        _ = try await world.modules.accounts.editUser(
            UserEdit(unlinking: unlinked), of: id, in: application, by: .operator(.local))
        let stays = unlinked == .anonymous
        let left = try await world.modules.directory.readUser(id, in: tenant).identities
        #expect(Set(left) == (stays ? [joined, another] : [another]))
        let sessions = try await world.modules.sessions.listSessions(of: id, in: application)
        #expect(sessions.map(\.id) == (stays ? [session.id] : []))
    }

    @Test(
        "takes along what came by another way that was taken away before, by who was there by it; what came by none stays",
        arguments: [Session.LogInMethod.passkey, .password, .anonymous])
    func lostWay(method: Session.LogInMethod) async throws {
        let (tenant, now, id) = (application.id, world.clock.now, Identifier<User>(rawValue: "person"))
        var joined = Identity(provider: .device, subject: "joined", linkedAt: now)
        joined.joinedBy = method
        let another = Identity(provider: .device, subject: "another", linkedAt: now)
        let identities = [Identity(provider: provider, subject: "s", linkedAt: now), joined, another]
        let session = try await insert(id, with: identities, loggedInBy: method)
        _ = try await world.modules.accounts.editUser(
            UserEdit(unlinking: provider), of: id, in: application, by: .operator(.local))
        let ends = method == .passkey
        let left = try await world.modules.directory.readUser(id, in: tenant).identities
        #expect(Set(left) == (ends ? [another] : [joined, another]))
        let sessions = try await world.modules.sessions.listSessions(of: id, in: application)
        #expect(sessions.map(\.id) == (ends ? [] : [session.id]))
    }

    @Test(
        "leaves the keys that joined by it where all else is switched off, or an id that most apps never send again",
        arguments: [Identity.Provider(rawValue: "oidc:gone"), .anonymous])
    func joinedKeyAlone(other: Identity.Provider) async throws {
        let (tenant, now, id) = (application.id, world.clock.now, Identifier<User>(rawValue: "person"))
        var joined = Identity(provider: .device, subject: "joined", linkedAt: now)
        joined.joinedBy = .init(rawValue: provider.rawValue)
        let identities = [
            Identity(provider: provider, subject: "s", linkedAt: now), joined,
            Identity(provider: other, subject: "other", linkedAt: now),
        ]
        try await write { transaction throws(DomainError) in
            try transaction.insert(User(id: id, application: tenant, createdAt: now, updatedAt: now))
            for identity in identities { try transaction.insert(identity, for: id, in: tenant) }
        }
        let edited = try await world.modules.accounts.editUser(
            UserEdit(unlinking: provider), of: id, in: application, by: .operator(.local))
        #expect(edited.user.identities.contains(joined))
        let left = try await world.modules.directory.readUser(id, in: tenant)
        #expect(left.identities.contains(joined) && left.identities.count == 2)
    }

    @Test("is not linked by a log-in whose session has ended before, and asks for none when it is linked already")
    func endedMeanwhile() async throws {
        let logIn = try await world.signUp("hana", to: application)
        var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .native))
        edit.people = [person()]
        let link = edit
        func links(by session: Session) async throws(DomainError) -> [Identity.Provider] {
            try await world.modules.accounts.editUser(
                link, of: session.user, in: application, by: AccountAuthor(loggedIn: session, from: .local)
            ).user.identities.map(\.provider)
        }
        let end = world.modules.sessions.endSession
        // Another session of the user's does not stand for it.
        let second = try await world.modules.sessions.openSession(
            OpenSession.Request(
                user: logIn.user.id, application: application, protocolName: .endless, method: .adoption,
                actor: .operator, origin: .local))
        try await end(logIn.session.id, of: nil, in: application.id, by: .local)
        await #expect(throws: DomainError.sessionInvalid) { try await links(by: logIn.session) }
        let before = try await world.modules.directory.readUser(logIn.user.id, in: application.id)
        #expect(!before.identities.contains { $0.provider == provider })
        #expect(try await links(by: second.session).contains(provider))
        try await end(second.session.id, of: nil, in: application.id, by: .local)
        #expect(try await links(by: second.session).contains(provider))
    }

    @Test("is unlinked one at a time when a merge has left two of one provider, and the grant of each ends")
    func unlinkedTwice() async throws {
        let user = try await world.signUp("hana", to: application).user.id
        let (id, now, name) = (application.id, world.clock.now, provider)
        try await write { transaction throws(DomainError) in
            for (subject, grant) in [("one", 1), ("two", 2)] as [(String, UInt8)] {
                try transaction.insert(Identity(provider: name, subject: subject, linkedAt: now), for: user, in: id)
                try transaction.save(
                    ProviderAccount(
                        application: id, provider: name, subject: subject, audience: "web", sealedGrant: [grant],
                        updatedAt: now))
            }
        }
        for left in [1, 0] {
            let edited = try await world.modules.accounts.editUser(
                UserEdit(unlinking: name), of: user, in: application, by: .operator(.local)
            ).user
            #expect(edited.identities.count { $0.provider == name } == left)
        }
        let due = try await write { transaction throws(DomainError) in
            try transaction.providerRevocations(dueAt: now, limit: 5)
        }
        #expect(Set(due.map(\.sealedGrant)) == [[1], [2]])
    }

    @Test("keeps what the provider says by other ways")
    func otherWays() async throws {
        var account = try #require(try await keep(person(email: Self.relay), grant: [1]))
        (account.isEmailForwarded, account.transferSubject, account.formerNames) = (false, "former", ["before"])
        let changed = account
        try await write { transaction throws(DomainError) in try transaction.save(changed) }
        let kept = try #require(try await keep(person(), grant: [3]))
        #expect(!kept.isEmailForwarded && kept.transferSubject == "former" && kept.email == Self.relay)
        #expect(kept.formerNames == ["before"])
    }

    @Test("is found under its new subject when the team changed")
    func moved() async throws {
        let user = try await world.signUp("hana", to: application).user
        let (id, now, name) = (application.id, world.clock.now, provider)
        try await write { transaction throws(DomainError) in
            try transaction.insert(Identity(provider: name, subject: "old", linkedAt: now), for: user.id, in: id)
            try transaction.save(
                ProviderAccount(
                    application: id, provider: name, subject: "old", audience: "web", transferSubject: "former",
                    updatedAt: now))
        }
        for (person, isFound) in [
            (person("new"), false), (person("new", transferSubject: "another"), false),
            (person("new", transferSubject: "former"), true), (person("new"), true), (person("old"), false),
        ] {
            let found = try await write { transaction throws(DomainError) in try transaction.user(for: person, in: id) }
            #expect(found?.id == (isFound ? user.id : nil), "\(person.subject) \(person.transferSubject ?? "-")")
        }
        let after = try await world.modules.directory.readUser(user.id, in: id)
        #expect(after.identities.map(\.subject) == ["new"])
    }

    private func use(_ token: UInt8?, by client: String?) async -> DomainError? {
        var person = person()
        if let token {
            let proof = UsedProof(.providerToken, SecretDigest(of: [token]), until: world.clock.now + .days(1))
            person.replay = proof
            person.retry = client.map(proof.retry(by:))
        }
        let (used, id) = (person, application.id)
        return await world.refusal {
            try await write { transaction throws(DomainError) in try transaction.markUsed(used, in: id) }
        }
    }

    @Test("opens by a token once, and again for the client that showed it first")
    func replayed() async {
        #expect(await use(nil, by: nil) == nil)
        #expect(await use(nil, by: nil) == nil)
        #expect(await use(1, by: nil) == nil)
        #expect(await use(1, by: nil) == .providerTokenReplayed)
        #expect(await use(1, by: "hana") == .providerTokenReplayed)
        #expect(await use(2, by: "hana") == nil)
        #expect(await use(2, by: "hana") == nil)
        #expect(await use(2, by: "mika") == .providerTokenReplayed)
        #expect(await use(2, by: nil) == .providerTokenReplayed)
        #expect(await use(3, by: "mika") == nil)
    }

    private static let mails: [(String, ProviderEmail?, isTaken: Bool)] = [
        ("none", nil, false), ("a verified one", mail, true), ("a relay's", relay, true),
        ("one that is not verified", ProviderEmail(address: mail.address, isVerified: false, isRelay: false), false),
        ("none that is one", ProviderEmail(address: "hana", isVerified: true, isRelay: false), false),
        ("somebody else's", ProviderEmail(address: "MIKA@example.com", isVerified: true, isRelay: false), false),
    ]

    @Test(
        "gives the user its address where it is verified, free, and the user has none", arguments: mails.indices,
        [true, false])
    func address(index: Int, hasOne: Bool) async throws {
        let (name, email, isTaken) = Self.mails[index]
        _ = try await world.makeUser(in: application, email: "mika@example.com", isVerified: true)
        let known = try await world.signUp("hana", to: application).user
        world.clock.advance(by: .seconds(1))
        let now = world.clock.now
        let after = try await write { transaction throws(DomainError) in
            var user = known
            if hasOne { user.email = "own@example.com" }
            let isNew = try transaction.take(email, after: nil, for: &user, at: now)
            return (user, isNew)
        }
        let isGiven = isTaken && !hasOne
        #expect(after.1 == isGiven, "\(name)")
        #expect(after.0.email == (hasOne ? "own@example.com" : isGiven ? email?.address : nil), "\(name)")
        #expect(after.0.emailVerifiedAt == (isGiven ? now : nil), "\(name)")
    }

    @Test("gives the user a name where there is none, and says when the user changed")
    func completed() async throws {
        let known = try await world.signUp("hana", to: application).user
        let (id, begun) = (application.id, world.clock.now)
        let audit = AuditTrail(
            clock: world.clock, randomness: world.randomness, seals: AuditSeals(try SealingKey.ofTests()),
            hasLimits: false)
        func complete(_ name: String?, _ email: ProviderEmail?) async throws -> User {
            let now = world.clock.now
            let taken = audit.takenAddress(in: id, from: .local, at: now)
            return try await write { transaction throws(DomainError) in
                guard var user = try transaction.user(known.id, in: id) else { throw .userUnknown }
                try transaction.complete(
                    &user, displayName: name, email: email, after: nil, recording: taken, at: now)
                guard try transaction.user(known.id, in: id) == user else { throw .userUnknown }
                return user
            }
        }
        world.clock.advance(by: .seconds(1))
        let same = try await complete(nil, nil)
        #expect(same.displayName == nil && same.updatedAt == begun)
        let named = try await complete("Hana", nil)
        #expect(named.displayName == "Hana" && named.updatedAt == world.clock.now && named.email == nil)
        world.clock.advance(by: .seconds(1))
        let kept = try await complete("Mika", nil)
        #expect(kept == named)
        let mailed = try await complete(nil, Self.mail)
        #expect(mailed.email == Self.mail.address && mailed.updatedAt == world.clock.now)
        #expect(mailed.emailVerifiedAt == world.clock.now && mailed.displayName == "Hana")
    }

    @Test("loses its grant once, which is then to be ended at the provider")
    func revoked() async throws {
        let (id, now, name) = (application.id, world.clock.now, provider)
        _ = try await keep(person(), grant: [1, 2])
        let identity = Identity(provider: name, subject: "s", linkedAt: now)
        for round in 0..<2 {
            try await write { transaction throws(DomainError) in
                try transaction.revokeGrant(
                    of: identity, in: id, revocation: Identifier(rawValue: "r\(round)"), at: now)
                // Nobody's grant: an id that a client made, and a person who never was here.
                for (other, subject) in [(Identity.Provider.anonymous, "s"), (name, "unknown")] {
                    try transaction.revokeGrant(
                        of: Identity(provider: other, subject: subject, linkedAt: now), in: id,
                        revocation: Identifier(rawValue: "x\(round)"), at: now)
                }
            }
        }
        let (due, account) = try await write { transaction throws(DomainError) in
            (
                try transaction.providerRevocations(dueAt: now, limit: 10),
                try transaction.providerAccount(name, subject: "s", in: id)
            )
        }
        #expect(due.map(\.id.rawValue) == ["r0"] && due.first?.sealedGrant == [1, 2] && due.first?.audience == "web")
        #expect(due.first?.failures == 0 && due.first?.dueAt == now && due.first?.createdAt == now)
        #expect(account?.sealedGrant == nil && account?.audience == "web")
        try await write { transaction throws(DomainError) in
            try transaction.forgetGrant(of: identity, in: id, revocation: Identifier(rawValue: "r2"), at: now)
        }
        let gone = try await write { transaction throws(DomainError) in
            try transaction.providerAccount(name, subject: "s", in: id)
        }
        #expect(gone == nil)
    }
}
