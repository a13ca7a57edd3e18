import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// Rules that hold for every export.
@Suite("Rules of imports")
struct ImportRulesTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func user(_ id: String, _ change: (inout User) -> Void = { _ in }) -> User {
        let now = world.clock.now
        var user = User(id: Identifier(rawValue: id), application: application.id, createdAt: now, updatedAt: now)
        change(&user)
        return user
    }

    private func take(
        _ users: [ImportedUser], rehearsal: ImportRehearsal? = nil, takesParts: Bool = false
    ) async throws -> [ImportOutcome] {
        try await world.modules.imports.importUsers(
            users, into: application.id, of: .native, by: .init(takesParts: takesParts), isRehearsal: rehearsal != nil,
            rehearsal: rehearsal)
    }

    private func stored(_ id: String) async throws -> User? {
        let tenant = application.id
        return try await world.engine.read { transaction throws(DomainError) in
            try transaction.user(Identifier(rawValue: id), in: tenant)
        }
    }

    private static func fields(of outcome: ImportOutcome?) -> [String] {
        switch outcome {
        case .refused(let faults), .importedInPart(let faults): faults.map(\.field)
        case .imported, .present, nil: []
        }
    }

    // MARK: Rehearsals

    private static let doubles: [(field: String, change: @Sendable (inout User) -> Void)] = [
        ("username", { $0.username = "hana" }), ("email", { $0.email = "hana@example.com" }),
        ("phone", { $0.phone = "+81 90-1234-5678" }),
        (
            "identities.google",
            { $0.identities = [Identity(provider: .google, subject: "g", linkedAt: $0.createdAt)] }
        ),
    ]

    @Test(
        "a rehearsal finds what stands twice in an export, however far apart, as the import does",
        arguments: doubles.indices, [false, true])
    func twice(index: Int, takesParts: Bool) async throws {
        let (field, change) = Self.doubles[index]
        func users(_ id: String) -> [ImportedUser] {
            [
                ImportedUser(
                    user: user(id) {
                        change(&$0)
                        if field != "username" { $0.username = "name of \(id)" }
                        if field != "email" { $0.email = "\(id)@example.com" }
                    })
            ]
        }
        let others = (0..<ImportUsers.batchSize).map { number in
            ImportedUser(user: user("other \(number)") { $0.username = "other \(number)" })
        }
        for rehearsal in [ImportRehearsal(), nil] {
            #expect(try await take(users("one"), rehearsal: rehearsal, takesParts: takesParts) == [.imported])
            #expect(try await take(others, rehearsal: rehearsal).allSatisfy { $0 == .imported })
            let second = try #require(try await take(users("two"), rehearsal: rehearsal, takesParts: takesParts).first)
            #expect(second.isRefusal == !takesParts && Self.fields(of: second) == [field])
        }
    }

    @Test("a rehearsal says of a second record with the same id that the user is there, as the import does")
    func sameId() async throws {
        for rehearsal in [ImportRehearsal(), nil] {
            for expected in [ImportOutcome.imported, .present] {
                let again = user("one") { $0.username = "hana" }
                #expect(try await take([ImportedUser(user: again)], rehearsal: rehearsal) == [expected])
            }
        }
    }

    @Test("a rehearsal refuses a password that nobody can have, as the import does", arguments: [0, 1024, 1025])
    func longPassword(bytes: Int) async throws {
        let password = Secret(String(repeating: "x", count: bytes))
        for rehearsal in [ImportRehearsal(), nil] {
            let imported = ImportedUser(user: user("one") { $0.username = "hana" }, password: password)
            let outcome = try #require(try await take([imported], rehearsal: rehearsal).first)
            let fields = bytes == 1024 ? [] : ["password"]
            #expect(outcome.isRefusal != fields.isEmpty && Self.fields(of: outcome) == fields)
        }
    }

    @Test("a record that is refused is in nobody's way")
    func refusedFirst() async throws {
        for rehearsal in [ImportRehearsal(), nil] {
            let outcomes = try await take(
                [
                    ImportedUser(user: user("one") { ($0.username, $0.email) = ("hana", "no address") }),
                    ImportedUser(user: user("two") { $0.username = "hana" }),
                ], rehearsal: rehearsal)
            #expect(outcomes.map(\.isRefusal) == [true, false])
        }
    }

    @Test("a rehearsal keeps so many digests and no more, and says so")
    func fullRehearsal() async throws {
        let rehearsal = ImportRehearsal(maximumDigests: 2)
        _ = try await take([ImportedUser(user: user("one") { $0.username = "hana" })], rehearsal: rehearsal)
        #expect(!rehearsal.isFull)
        let outcome = try await take(
            [ImportedUser(user: user("two") { $0.username = "mika" })], rehearsal: rehearsal)
        #expect(outcome == [.imported] && rehearsal.isFull)
        #expect(try await take([ImportedUser(user: user("one"))], rehearsal: rehearsal) == [.present])
    }

    // MARK: Duplicates

    /// A squatter who typed another person's address, and its owner, who verified it and stands behind.
    private func squatted() -> [ImportedUser] {
        let now = world.clock.now
        return [
            ImportedUser(user: user("squatter") { ($0.username, $0.email) = ("squatter", "hana@example.com") }),
            ImportedUser(user: user("nameless") { $0.email = "Hana@Example.com" }),
            ImportedUser(
                user: user("owner") { ($0.username, $0.email, $0.emailVerifiedAt) = ("hana", "hana@example.com", now) }),
            ImportedUser(
                user: user("late") { ($0.username, $0.email, $0.emailVerifiedAt) = ("late", "hana@example.com", now) }),
        ]
    }

    enum Rule: String, CaseIterable, Sendable {
        case standard, partial, refuse, first, verified
    }

    @Test("an address that several records have goes by the rule", arguments: Rule.allCases, [false, true])
    func duplicates(rule: Rule, isRehearsal: Bool) async throws {
        let users = squatted()
        let duplicates: ImportDuplicates?
        switch rule {
        case .standard, .partial: duplicates = nil
        case .refuse: duplicates = .refuse
        case .first: duplicates = .first
        case .verified:
            var identifiers = VerifiedIdentifiers()
            for imported in users { identifiers.note(imported) }
            duplicates = .verified(identifiers)
        }
        let outcomes = try await world.modules.imports.importUsers(
            users, into: application.id, of: .native,
            by: .init(takesParts: rule == .partial, duplicates: duplicates), isRehearsal: isRehearsal)
        let takes = rule != .standard && rule != .refuse
        #expect(
            outcomes.map(Self.fields(of:))
                == (rule == .verified
                    ? [["email"], ["email"], [], ["email"]]
                    : [[], ["email"], ["email"], ["email"]]))
        // Nothing would lead to the user without a name.
        #expect(outcomes.map(\.isRefusal) == [false, true, !takes, !takes])
        guard !isRehearsal else { return }
        let keeper = rule == .verified ? "owner" : "squatter"
        for id in ["squatter", "owner", "late"] {
            let kept = try await stored(id)
            #expect((kept?.email != nil) == (id == keeper), "\(id)")
            #expect((kept != nil) == (takes || id == "squatter"), "\(id)")
        }
    }

    @Test("a verified record takes nothing from a user who is there already")
    func duplicateOfStored() async throws {
        _ = try await take([ImportedUser(user: user("one") { $0.email = "hana@example.com" })])
        let later = ImportedUser(
            user: user("two") {
                ($0.username, $0.email, $0.emailVerifiedAt) = ("hana", "hana@example.com", $0.createdAt)
            })
        var identifiers = VerifiedIdentifiers()
        identifiers.note(later)
        let outcome = try await world.modules.imports.importUsers(
            [later], into: application.id, of: .native, by: .init(duplicates: .verified(identifiers)),
            isRehearsal: false
        ).first
        #expect(Self.fields(of: outcome) == ["email"] && outcome?.isRefusal == false)
        #expect(try await stored("one")?.email == "hana@example.com")
        #expect(try await stored("two")?.email == nil)
    }

    // MARK: Phone numbers

    @Test(
        "a phone number is stored in international form, and refused where it has none",
        arguments: [
            ("+819012345678", "+819012345678"), ("+81 90-1234-5678", "+819012345678"), ("090-1234-5678", nil),
            ("+0123456789", nil), ("+81", nil), ("call me", nil),
        ] as [(String, String?)])
    func phones(text: String, number: String?) async throws {
        let imported = ImportedUser(user: user("one") { ($0.username, $0.phone) = ("hana", text) })
        for rehearsal in [ImportRehearsal(), nil] {
            let outcome = try await take([imported], rehearsal: rehearsal).first
            #expect(Self.fields(of: outcome) == (number == nil ? ["phone"] : []))
        }
        let kept = try await stored("one")
        #expect(kept?.phone == number && (kept == nil) == (number == nil))
        guard number == nil else { return }
        let part = try await take([imported], takesParts: true).first
        #expect(Self.fields(of: part) == ["phone"])
        let inPart = try #require(try await stored("one"))
        #expect(inPart.phone == nil && inPart.username == "hana")
    }

    // MARK: Passwords

    @Test(
        "a password is as old as the record that brings it, and of an export of this server as old as it was",
        arguments: [false, true], [false, true])
    func passwordAge(isExport: Bool, hasTime: Bool) async throws {
        let (setAt, changedAt) = (world.clock.now, world.clock.now + .days(1))
        let known = user("one") {
            ($0.username, $0.updatedAt) = ("hana", changedAt)
            $0.passwordSetAt = hasTime ? setAt : nil
        }
        world.clock.advance(by: .days(2))
        var imported = isExport ? exported(known) : ImportedUser(user: known)
        imported.hash = PasswordHash(text: "slow:1")
        let outcomes = try await take([imported])
        #expect(outcomes == [.imported])
        let kept = try #require(try await stored("one"))
        #expect(kept.passwordSetAt == (isExport && hasTime ? setAt : changedAt))
        #expect(kept.updatedAt == changedAt)
    }

    @Test(
        "an exported user keeps the time since which the password is the user's name, and no other one has such a time",
        arguments: [false, true])
    func weakPassword(isExport: Bool) async throws {
        let since = world.clock.now
        let hana = user("one") { ($0.username, $0.weakPasswordAt) = ("hana", since) }
        world.clock.advance(by: .days(2))
        var imported = isExport ? exported(hana) : ImportedUser(user: hana)
        imported.hash = PasswordHash(text: "slow:1")
        let outcomes = try await take([imported])
        #expect(outcomes == [.imported])
        #expect(try await stored("one")?.weakPasswordAt == (isExport ? since : nil))
    }

    // MARK: Exports that were tampered with

    private func passkey(_ id: String) -> Passkey {
        let credential = Passkey.Credential(
            id: id, userHandle: "handle", publicKey: [1, 2, 3], aaguid: "00000000-0000-0000-0000-000000000000",
            signCount: 0, transports: [], isBackupEligible: false, isBackedUp: false)
        return Passkey(credential, application: application.id, name: "laptop", createdAt: world.clock.now)
    }

    private func exported(_ user: User, _ change: (inout UserCredentials) -> Void = { _ in }) -> ImportedUser {
        var imported = ImportedUser(user: user)
        var credentials = UserCredentials()
        change(&credentials)
        imported.credentials = credentials
        return imported
    }

    @Test(
        "take the day on which a user was last there, unless the last log-in is later", arguments: [-2, 2] as [Int64])
    func daySeen(days: Int64) async throws {
        let (now, tenant) = (world.clock.now, application.id)
        let seen = now + .days(days)
        let guest = exported(user("one") { $0.lastLogInAt = now }) { $0.seenAt = seen }
        #expect(try await take([guest]) == [.imported])
        let day = try await world.engine.read { transaction throws(DomainError) in
            try transaction.daySeen(of: guest.user.id, in: tenant)
        }
        #expect(day == max(now, seen).day)
    }

    private func identity(_ provider: Identity.Provider, _ subject: String) -> Identity {
        Identity(provider: provider, subject: subject, linkedAt: world.clock.now)
    }

    enum Damage: String, CaseIterable, Sendable {
        case twiceTheSameIdentity, tooManyIdentities, longSubject, noSubject, longProvider, tooManyRoles, longRole
        case passkeyWithoutIdentity, storedPasskey, passkeyTwice, longTransport, manyTransports, longPublicKey
        case longFactorKey, factorTwice, codeTwice, longAudience
    }

    private func damaged(_ damage: Damage) -> (imported: ImportedUser, field: String) {
        let (id, now) = (Identifier<User>(rawValue: "one"), world.clock.now)
        func factor(_ id: String, _ key: [UInt8]) -> TOTPFactor {
            TOTPFactor(
                id: Identifier(rawValue: id), of: user("one").id, in: application.id, name: "phone", sealedKey: key,
                lastStep: 0, createdAt: now, lastUsedAt: nil)
        }
        func withIdentities(_ identities: [Identity]) -> ImportedUser {
            exported(user("one") { $0.identities = identities })
        }
        func withPasskey(
            transports: [String] = [], publicKey: [UInt8] = [1], count: Int = 1
        ) -> ImportedUser {
            let credential = Passkey.Credential(
                id: "AAAA", userHandle: "handle", publicKey: publicKey, aaguid: "aaguid", signCount: 0,
                transports: transports, isBackupEligible: false, isBackedUp: false)
            let passkey = Passkey(credential, application: application.id, name: "laptop", createdAt: now)
            return exported(user("one") { $0.identities = [identity(.passkey, "AAAA")] }) {
                $0.passkeys = Array(repeating: passkey, count: count)
            }
        }
        switch damage {
        case .twiceTheSameIdentity:
            return (withIdentities([identity(.device, "a"), identity(.device, "a")]), "identities")
        case .tooManyIdentities:
            return (withIdentities((0..<1001).map { identity(.device, "\($0)") }), "identities")
        case .longSubject:
            return (withIdentities([identity(.google, String(repeating: "s", count: 1365))]), "identities")
        case .noSubject: return (withIdentities([identity(.google, "")]), "identities")
        case .longProvider:
            return (withIdentities([identity(.init(rawValue: String(repeating: "p", count: 129)), "a")]), "identities")
        case .tooManyRoles:
            return (exported(user("one") { $0.grants = Set((0..<101).map { Identifier(rawValue: "\($0)") }) }), "roles")
        case .longRole:
            return (
                exported(user("one") { $0.grants = [Identifier(rawValue: String(repeating: "r", count: 129))] }),
                "roles"
            )
        case .passkeyWithoutIdentity: return (exported(user("one")) { $0.passkeys = [passkey("AAAA")] }, "identities")
        case .storedPasskey: return (withPasskey(), "passkeys")
        case .passkeyTwice: return (withPasskey(count: 2), "passkeys")
        case .longTransport: return (withPasskey(transports: [String(repeating: "t", count: 33)]), "passkeys")
        case .manyTransports: return (withPasskey(transports: (0..<9).map(String.init)), "passkeys")
        case .longPublicKey: return (withPasskey(publicKey: [UInt8](repeating: 1, count: 2049)), "passkeys")
        case .longFactorKey:
            return (exported(user("one")) { $0.factors = [factor("f", [UInt8](repeating: 1, count: 2049))] }, "totp")
        case .factorTwice: return (exported(user("one")) { $0.factors = [factor("f", [1]), factor("f", [2])] }, "totp")
        case .codeTwice:
            return (
                exported(user("one")) { $0.recoveryCodes = [SecretDigest(of: [1]), SecretDigest(of: [1])] },
                "recoveryCodes"
            )
        case .longAudience:
            return (
                exported(user(id.rawValue) { $0.identities = [identity(.apple, "TEAM123456/1")] }) {
                    $0.accounts = [
                        ProviderAccount(
                            application: application.id, provider: .apple, subject: "TEAM123456/1",
                            audience: String(repeating: "a", count: 1365), updatedAt: now)
                    ]
                }, "identities"
            )
        }
    }

    @Test(
        "a line of an export that somebody changed is refused, and the next one taken", arguments: Damage.allCases,
        [false, true])
    func damage(_ damage: Damage, isRehearsal: Bool) async throws {
        if damage == .storedPasskey {
            let left = passkey("AAAA")
            try await world.engine.write { transaction throws(DomainError) in try transaction.insert(left) }
        }
        let (broken, field) = damaged(damage)
        let whole = exported(user("two") { $0.identities = [identity(.device, "b")] })
        let outcomes = try await take([broken, whole], rehearsal: isRehearsal ? ImportRehearsal() : nil)
        try #require(outcomes.count == 2)
        #expect(outcomes[0].isRefusal && Set(Self.fields(of: outcomes[0])) == [field], "\(outcomes[0])")
        #expect(outcomes[1] == .imported)
        #expect(try await stored("one") == nil)
    }
}
