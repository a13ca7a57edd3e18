import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// An export that somebody changed does not get around the rules of credentials.
@Suite("The credentials of an exported user")
struct CredentialRuleTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")
    private static let id = Identifier<User>(rawValue: "u")

    private struct Record {
        var user: User
        var credentials = UserCredentials()

        var faults: [ValidationError] { credentials.faults(of: user) }
    }

    private static func identity(_ provider: Identity.Provider, _ subject: String) -> Identity {
        Identity(provider: provider, subject: subject, linkedAt: now)
    }

    private static func passkey(
        _ id: String, name: String = "phone", handle: String = "handle", aaguid: String = "kind",
        keyBytes: Int = 64, transports: [String] = ["internal"]
    ) -> Passkey {
        Passkey(
            .init(
                id: id, userHandle: handle, publicKey: [UInt8](repeating: 1, count: keyBytes), aaguid: aaguid,
                signCount: 0, transports: transports, isBackupEligible: false, isBackedUp: false),
            application: application, name: name, createdAt: now)
    }

    private static func factor(_ id: String, name: String = "app", keyBytes: Int = 20) -> TOTPFactor {
        TOTPFactor(
            id: Identifier(rawValue: id), of: self.id, in: application, name: name,
            sealedKey: [UInt8](repeating: 1, count: keyBytes), lastStep: 0, createdAt: now)
    }

    private static func session(_ id: String, _ change: (inout Session) -> Void = { _ in }) -> ExportedSession {
        var session = Session(
            id: Identifier(rawValue: id), application: application, user: self.id, client: .init(address: nil),
            protocolName: .yearly, method: .password,
            times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1)))
        change(&session)
        return ExportedSession(session: session, token: SecretDigest(of: id.utf8))
    }

    private static func account(
        audience: String = "web", transfer: String? = nil, email: String? = nil, formerNames: [String] = []
    ) -> ProviderAccount {
        var account = ProviderAccount(
            application: application, provider: .google, subject: "g", audience: audience,
            email: email.map { ProviderEmail(address: $0, isVerified: true, isRelay: false) },
            transferSubject: transfer, updatedAt: now)
        account.formerNames = formerNames
        return account
    }

    private static func record(_ change: (inout Record) -> Void) -> Record {
        var record = Record(
            user: User(id: id, application: application, createdAt: now, updatedAt: now))
        change(&record)
        return record
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func fault(_ field: String, _ rule: ValidationError.Rule) -> [ValidationError] {
        [ValidationError(field: field, rule: rule)]
    }

    private static func setPasskeys(_ passkeys: [Passkey], in record: inout Record) {
        record.credentials.passkeys = passkeys
        record.user.identities = Set(passkeys.map(\.id)).sorted().map { identity(.passkey, $0) }
    }

    private static let rows: [(name: String, change: @Sendable (inout Record) -> Void, faults: [ValidationError])] = [
        ("nothing", { _ in }, []),
        // Identities
        (
            "identities of several providers",
            { $0.user.identities = [identity(.google, "1"), identity(.line, "1"), identity(.device, "1")] }, []
        ),
        (
            "an identity twice", { $0.user.identities = [identity(.google, "1"), identity(.google, "1")] },
            fault("identities", .notUnique)
        ),
        ("an identity without a name", { $0.user.identities = [identity(.google, "")] }, fault("identities", .empty)),
        ("the longest name", { $0.user.identities = [identity(.google, long(1364))] }, []),
        (
            "a longer name", { $0.user.identities = [identity(.google, long(1365))] },
            fault("identities", .tooManyBytes(maximum: 1364))
        ),
        ("the longest provider", { $0.user.identities = [identity(.init(rawValue: long(128)), "1")] }, []),
        (
            "a longer provider", { $0.user.identities = [identity(.init(rawValue: long(129)), "1")] },
            fault("identities", .tooManyBytes(maximum: 128))
        ),
        ("a thousand identities", { $0.user.identities = (0..<1000).map { identity(.device, "\($0)") } }, []),
        (
            "one more", { $0.user.identities = (0..<1001).map { identity(.device, "\($0)") } },
            fault("identities", .tooManyFields(maximum: 1000))
        ),
        ("what is kept of one", { $0.credentials.accounts = [account(transfer: "t", email: "h@example.com")] }, []),
        (
            "a long audience", { $0.credentials.accounts = [account(audience: long(1365))] },
            fault("identities", .tooManyBytes(maximum: 1364))
        ),
        (
            "a long transfer", { $0.credentials.accounts = [account(transfer: long(1365))] },
            fault("identities", .tooManyBytes(maximum: 1364))
        ),
        (
            "a long address", { $0.credentials.accounts = [account(email: long(1365))] },
            fault("identities", .tooManyBytes(maximum: 1364))
        ),
        (
            "a long former name", { $0.credentials.accounts = [account(formerNames: ["n", long(1365)])] },
            fault("identities", .tooManyBytes(maximum: 1364))
        ),
        // Passkeys
        ("a passkey", { setPasskeys([passkey("k")], in: &$0) }, []),
        (
            "a passkey without its identity", { $0.credentials.passkeys = [passkey("k")] },
            fault("identities", .required)
        ),
        (
            "a passkey with another's identity",
            {
                $0.credentials.passkeys = [passkey("k")]
                $0.user.identities = [identity(.passkey, "l"), identity(.device, "k")]
            }, fault("identities", .required)
        ),
        ("a passkey twice", { setPasskeys([passkey("k"), passkey("k")], in: &$0) }, fault("passkeys", .notUnique)),
        ("twenty passkeys", { setPasskeys((0..<20).map { passkey("k\($0)") }, in: &$0) }, []),
        (
            "one more", { setPasskeys((0..<21).map { passkey("k\($0)") }, in: &$0) },
            fault("passkeys", .tooManyFields(maximum: 20))
        ),
        (
            "a passkey without a name", { setPasskeys([passkey("k", name: "")], in: &$0) }, fault("passkeys", .empty)
        ),
        (
            "a long name", { setPasskeys([passkey("k", name: long(101))], in: &$0) },
            fault("passkeys", .tooLong(maximumCharacters: 100))
        ),
        (
            "a name that controls", { setPasskeys([passkey("k", name: "a\n")], in: &$0) },
            fault("passkeys", .controlCharacter)
        ),
        (
            "a long handle", { setPasskeys([passkey("k", handle: long(129))], in: &$0) },
            fault("passkeys", .tooLong(maximumCharacters: 128))
        ),
        (
            "a long kind", { setPasskeys([passkey("k", aaguid: long(129))], in: &$0) },
            fault("passkeys", .tooLong(maximumCharacters: 128))
        ),
        ("the largest key", { setPasskeys([passkey("k", keyBytes: 2048)], in: &$0) }, []),
        (
            "a larger key", { setPasskeys([passkey("k", keyBytes: 2049)], in: &$0) },
            fault("passkeys", .tooManyBytes(maximum: 2048))
        ),
        ("eight ways", { setPasskeys([passkey("k", transports: (0..<8).map { "t\($0)" })], in: &$0) }, []),
        (
            "nine ways", { setPasskeys([passkey("k", transports: (0..<9).map { "t\($0)" })], in: &$0) },
            fault("passkeys", .tooManyFields(maximum: 8))
        ),
        (
            "a long way", { setPasskeys([passkey("k", transports: [long(33)])], in: &$0) },
            fault("passkeys", .tooLong(maximumCharacters: 32))
        ),
        // Second factors
        ("an authenticator app", { $0.credentials.factors = [factor("f")] }, []),
        ("five", { $0.credentials.factors = (0..<5).map { factor("f\($0)") } }, []),
        (
            "six", { $0.credentials.factors = (0..<6).map { factor("f\($0)") } },
            fault("totp", .tooManyFields(maximum: 5))
        ),
        ("one twice", { $0.credentials.factors = [factor("f"), factor("f")] }, fault("totp", .notUnique)),
        ("one without a name", { $0.credentials.factors = [factor("f", name: "")] }, fault("totp", .empty)),
        (
            "a long name of an app", { $0.credentials.factors = [factor("f", name: long(101))] },
            fault("totp", .tooLong(maximumCharacters: 100))
        ),
        ("a long id", { $0.credentials.factors = [factor(long(129))] }, fault("totp", .tooManyBytes(maximum: 128))),
        (
            "a large key of an app", { $0.credentials.factors = [factor("f", keyBytes: 2049)] },
            fault("totp", .tooManyBytes(maximum: 2048))
        ),
        ("ten recovery codes", { $0.credentials.recoveryCodes = (0..<10).map { SecretDigest(of: [$0]) } }, []),
        (
            "eleven", { $0.credentials.recoveryCodes = (0..<11).map { SecretDigest(of: [$0]) } },
            fault("recoveryCodes", .tooManyFields(maximum: 10))
        ),
        (
            "one code twice", { $0.credentials.recoveryCodes = [SecretDigest(of: [1]), SecretDigest(of: [1])] },
            fault("recoveryCodes", .notUnique)
        ),
        // Roles
        ("a hundred roles", { $0.user.grants = Set((0..<100).map { Identifier(rawValue: "r\($0)") }) }, []),
        (
            "one role more", { $0.user.grants = Set((0..<101).map { Identifier(rawValue: "r\($0)") }) },
            fault("roles", .tooManyFields(maximum: 100))
        ),
        (
            "a role with a long id", { $0.user.grants = [Identifier(rawValue: long(129))] },
            fault("roles", .tooManyBytes(maximum: 128))
        ),
        // Sessions
        ("a session", { $0.credentials.sessions = [session("s")] }, []),
        ("a hundred sessions", { $0.credentials.sessions = (0..<100).map { session("s\($0)") } }, []),
        (
            "one session more", { $0.credentials.sessions = (0..<101).map { session("s\($0)") } },
            fault("sessions", .tooManyFields(maximum: 100))
        ),
        (
            "one session twice", { $0.credentials.sessions = [session("s"), session("s")] },
            fault("sessions", .notUnique)
        ),
        (
            "a token twice",
            {
                var other = session("t")
                other.token = session("s").token
                $0.credentials.sessions = [session("s"), other]
            }, fault("sessions", .notUnique)
        ),
        (
            "a session of its own protocol", { $0.credentials.sessions = [session("s") { $0.protocolName = .native }] },
            fault("sessions", .notOffered)
        ),
        (
            "a session of the pages", { $0.credentials.sessions = [session("s") { $0.protocolName = .pages }] },
            fault("sessions", .notOffered)
        ),
        ("a session without an id", { $0.credentials.sessions = [session("")] }, fault("sessions", .empty)),
        (
            "a session with a long key", { $0.credentials.sessions = [session("s") { $0.deviceKey = long(257) }] },
            fault("sessions", .tooManyBytes(maximum: 256))
        ),
        (
            "a session with a long origin", { $0.credentials.sessions = [session("s") { $0.origin = long(257) }] },
            fault("sessions", .tooManyBytes(maximum: 256))
        ),
        (
            "a session with a long parent",
            { $0.credentials.sessions = [session("s") { $0.parent = Identifier(rawValue: long(257)) }] },
            fault("sessions", .tooManyBytes(maximum: 256))
        ),
        ("the longest address", { $0.credentials.sessions = [session("s") { $0.address = long(256) }] }, []),
    ]

    @Test("are refused by name and rule, and taken to their bounds", arguments: rows.indices)
    func faults(index: Int) {
        let row = Self.rows[index]
        #expect(Self.record(row.change).faults == row.faults, "\(row.name)")
    }

    @Test("that come along are the newest sessions of old protocols that go on, a hundred at the most")
    func kept() {
        let own = Self.session("own") { $0.protocolName = .native }
        let pages = Self.session("pages") { $0.protocolName = .pages }
        let over = Self.session("over") { $0.expiresAt = Self.now }
        let last = Self.session("last") { $0.expiresAt = Self.now + .milliseconds(1) }
        let kept = ExportedSession.kept(of: [own, pages, over, last], at: Self.now)
        #expect(kept.map(\.session.id.rawValue) == ["last"])
        let many = (0..<150).map { Self.session("s\($0)") }
        #expect(ExportedSession.kept(of: many, at: Self.now) == Array(many.prefix(100)))
    }

    @Test("that come along have fields of 256 KiB together at the most")
    func keptBytes() {
        let sessions = (0..<10).map { number in
            Self.session("s\(number)") { $0.fields = ["text": .string(Self.long(60_000))] }
        }
        #expect(ExportedSession.kept(of: sessions, at: Self.now).count == 4)
    }

    @Test("are opened and sealed record by record, each for its own purpose, and lose what proves something")
    func secrets() throws {
        let record = Self.record { record in
            Self.setPasskeys([Self.passkey("k")], in: &record)
            record.credentials.factors = [Self.factor("f")]
            record.credentials.recoveryCodes = [SecretDigest(of: [1])]
            var (google, guest) = (Self.account(), Self.account())
            google.sealedGrant = [5]
            guest.provider = .anonymous
            guest.sealedGrant = [6]
            record.credentials.accounts = [google, guest, Self.account(audience: "none")]
            record.credentials.sessions = [Self.session("s")]
        }
        var purposes: [String] = []
        let changed = try record.credentials.mapSecrets { bytes, purpose throws(DomainError) in
            purposes.append(purpose)
            return bytes + [9]
        }
        #expect(
            purposes == [
                TOTPFactor.purpose(Self.id, Self.application), ProviderAccount.purpose(.google, in: Self.application),
                AnonymousId.purpose(in: Self.application),
            ])
        #expect(changed.factors.map { $0.sealedKey.last } == [9] && changed.factors.map(\.name) == ["app"])
        #expect(changed.accounts.map(\.sealedGrant) == [[5, 9], [6, 9], nil])
        #expect(changed.passkeys == record.credentials.passkeys && changed.sessions == record.credentials.sessions)
        let bare = record.credentials.withoutSecrets()
        #expect(bare.factors.isEmpty && bare.recoveryCodes.isEmpty && bare.sessions.isEmpty)
        #expect(bare.accounts.count == 3 && bare.accounts.allSatisfy { $0.sealedGrant == nil })
        #expect(bare.passkeys == record.credentials.passkeys)
    }
}
