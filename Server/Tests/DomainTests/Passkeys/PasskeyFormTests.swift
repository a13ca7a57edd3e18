import StorageSQLite
import TestWorld
import Testing
import WebAuthn

@testable import Domain

/// What a passkey says of itself, and what is shown of its user.
@Suite("The form of a passkey")
struct PasskeyFormTests {
    private static let now = StandingClock().now

    private static func registration(_ transports: [String]) -> AddPasskey.Registration {
        AddPasskey.Registration(id: "k", clientData: [], attestationObject: [], transports: transports, name: nil)
    }

    @Test(
        "has eight ways of 1 to 32 small letters and hyphens",
        arguments: [
            ([], nil), (["usb"], nil), (["smart-card"], nil), (["a", "z", "-"], nil),
            ([String(repeating: "t", count: 32)], nil), (Array(repeating: "nfc", count: 8), nil),
            ([String(repeating: "t", count: 33)], .notListed), ([""], .notListed), (["usb", "Ble"], .notListed),
            (["usb2"], .notListed), (["a_b"], .notListed), (["`"], .notListed), (["{"], .notListed),
            (["é"], .notListed), (Array(repeating: "nfc", count: 9), .tooManyFields(maximum: 8)),
        ] as [([String], ValidationError.Rule?)])
    func transports(transports: [String], rule: ValidationError.Rule?) {
        let faults = rule.map { [ValidationError(field: "credential.response.transports", rule: $0)] } ?? []
        #expect(Self.registration(transports).faults == faults)
    }

    @Test(
        "has a name of 1 to 100 characters",
        arguments: [
            ("", .empty), ("a", nil), (String(repeating: "鍵", count: 100), nil),
            (String(repeating: "鍵", count: 101), .tooLong(maximumCharacters: 100)), ("a\nb", .controlCharacter),
        ] as [(String, ValidationError.Rule?)])
    func name(name: String, rule: ValidationError.Rule?) {
        #expect(Passkey.faults(name: name) == (rule.map { [ValidationError(field: "name", rule: $0)] } ?? []))
    }

    @Test("is refused to a user who has twenty", arguments: [(0, true), (19, true), (20, false), (21, false)])
    func number(count: Int, isTaken: Bool) {
        var refusal: DomainError?
        do throws(DomainError) { try AddPasskey.refuseMore(than: count) } catch { refusal = error }
        let fault = ValidationError(field: "credential", rule: .tooManyFields(maximum: 20))
        #expect(refusal == (isTaken ? nil : .fieldsRefused([fault])))
    }

    private static func application(isEnabled: Bool = true) -> Application {
        var settings = ApplicationSettings()
        settings.passkeys.isEnabled = isEnabled
        settings.passkeys.domain = "example.com"
        return Application(
            id: Identifier(rawValue: "app"), name: "Star", adminKeyDigest: SecretDigest(of: []), settings: settings,
            createdAt: now)
    }

    private static func user(
        username: String? = nil, email: String? = nil, displayName: String? = nil
    ) -> User {
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), displayName: displayName,
            createdAt: now, updatedAt: now)
        user.username = username
        user.email = email
        return user
    }

    private static let names: [(User, user: String, display: String)] = [
        (user(username: "hana", email: "h@example.com", displayName: "花"), "hana", "花"),
        (user(username: "hana", email: "h@example.com"), "hana", "hana"),
        (user(email: "h@example.com", displayName: "花"), "h@example.com", "花"),
        (user(email: "h@example.com"), "h@example.com", "h@example.com"), (user(displayName: "花"), "花", "花"),
        (user(), "Star", "Star"),
    ]

    @Test("is shown under what its user logs in by, or else is called", arguments: names.indices)
    func shown(index: Int) throws {
        let (user, name, display) = Self.names[index]
        let signals = try PasskeySignals(of: user, [], in: Self.application(), pages: nil)
        #expect(signals.userName == name && signals.displayName == display && signals.domain == "example.com")
        // Known to the authenticator that there is none.
        #expect(signals.accepted == [Passkey.handle(of: user.id, in: user.application): []])
    }

    @Test("is signalled by the handle that it was made with, and only where passkeys are taken")
    func signalled() throws {
        let (user, application) = (Self.user(), Self.application())
        func passkey(_ id: String, _ handle: String) -> Passkey {
            Passkey(
                .init(
                    id: id, userHandle: handle, publicKey: [], aaguid: "", signCount: 0, transports: [],
                    isBackupEligible: false, isBackedUp: false),
                application: application.id, name: "n", createdAt: Self.now)
        }
        let own = Passkey.handle(of: user.id, in: application.id)
        let signals = try PasskeySignals(
            of: user, [passkey("a", own), passkey("b", "moved"), passkey("c", own)], in: application, pages: nil)
        #expect(signals.accepted == [own: ["a", "c"], "moved": ["b"]])
        #expect(throws: DomainError.passkeysNotEnabled) {
            try PasskeySignals(of: user, [], in: Self.application(isEnabled: false), pages: nil)
        }
    }
}

/// What is published of all applications of one domain.
@Suite("The apps and origins of a domain of passkeys")
struct PasskeyDomainListTests {
    private static func rules(_ change: (inout PasskeyRules) -> Void) -> PasskeyRules {
        var rules = PasskeyRules()
        change(&rules)
        return rules
    }

    @Test("hold each other origin of HTTPS once, and not the domain's own")
    func origins() {
        let rules = Self.rules {
            $0.origins = [
                "https://a.example", "https://example.com", "http://localhost:1", "https://a.example",
                "https://example.com:8443",
            ]
        }
        let domain = PasskeyDomain("example.com", [rules, rules])
        #expect(domain.origins == ["https://a.example", "https://example.com:8443"])
        #expect(domain.appleApps.isEmpty && domain.androidApps.isEmpty)
    }

    @Test("are five hundred of each kind", arguments: [499, 500, 501])
    func counts(count: Int) {
        let first = Self.rules { rules in
            rules.origins = (0..<count - 1).map { "https://a\($0).example" }
            rules.appleApps = (0..<count - 1).map { "TEAM.app\($0)" }
            rules.androidApps = (0..<count - 1).map {
                PasskeyRules.AndroidApp(packageName: "app\($0)", certificates: ["A"])
            }
        }
        let second = Self.rules { rules in
            rules.origins = ["https://a0.example", "https://last.example"]
            rules.appleApps = ["TEAM.app0", "TEAM.last"]
            rules.androidApps = [.init(packageName: "last", certificates: ["A"])]
        }
        let domain = PasskeyDomain("example.com", [first, second])
        let listed = min(count, 500)
        #expect(domain.origins.count == listed && domain.appleApps.count == listed)
        #expect(domain.androidApps.count == listed)
        let hasLast = count <= 500
        #expect(domain.origins.contains("https://last.example") == hasLast)
        #expect(domain.appleApps.contains("TEAM.last") == hasLast)
        #expect(domain.androidApps.contains(where: { $0.packageName == "last" }) == hasLast)
    }

    @Test("name each certificate of an app once, five hundred at the most", arguments: [499, 500, 501])
    func certificates(count: Int) {
        func app(_ certificates: [String]) -> PasskeyRules {
            Self.rules { $0.androidApps = [.init(packageName: "app", certificates: certificates)] }
        }
        let all = (0..<count).map(String.init)
        let domain = PasskeyDomain(
            "example.com", [app(Array(all.prefix(2))), app(Array(all.dropFirst())), app(["0", "1"])])
        #expect(domain.androidApps.map(\.packageName) == ["app"])
        #expect(domain.androidApps.first?.certificates == Array(all.prefix(500)))
    }
}

/// Whether a page may ask an authenticator to forget a passkey.
@Suite("The domain of a passkey that leads to nobody")
struct UnknownPasskeyTests {
    private let world: TestWorld

    init() throws { world = try TestWorld(try SQLiteStore(.memory, role: .server)) }

    private func application(_ domain: String = "example.com", isEnabled: Bool = true) async throws -> Application {
        var settings = ApplicationSettings()
        (settings.passkeys.isEnabled, settings.passkeys.domain) = (isEnabled, domain)
        return try await world.makeApplication(settings: settings)
    }

    private func domain(of passkey: String, in application: Application) async throws -> String? {
        try await world.modules.passkeys.findPasskeyDomain.domain(ofUnknown: passkey, in: application)
    }

    @Test("is known however many applications share it")
    func number() async throws {
        let first = try await application()
        for _ in 1...100 { _ = try await application() }
        #expect(try await domain(of: "k", in: first) == "example.com")
    }

    @Test("is that of its application, and none for a passkey that another one has")
    func known() async throws {
        let (own, other) = (try await application(), try await application())
        let (apart, off) = (try await application("apart.example"), try await application(isEnabled: false))
        let now = world.clock.now
        let user = User(id: Identifier(rawValue: "u"), application: other.id, createdAt: now, updatedAt: now)
        let passkey = Passkey(
            .init(
                id: "k", userHandle: "handle", publicKey: [1], aaguid: "kind", signCount: 0, transports: [],
                isBackupEligible: false, isBackedUp: false),
            application: other.id, name: "phone", createdAt: now)
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(user)
            try transaction.insert(passkey)
            try transaction.insert(
                Identity(provider: .passkey, subject: passkey.id, linkedAt: now), for: user.id, in: user.application)
        }
        #expect(try await domain(of: "k", in: own) == nil)
        #expect(try await domain(of: "k", in: other) == nil)
        #expect(try await domain(of: "k", in: apart) == nil)
        #expect(try await domain(of: "x", in: apart) == "apart.example")
        #expect(try await domain(of: "k", in: off) == nil)
        #expect(try await domain(of: "x", in: other) == "example.com")
        // No id is longer.
        #expect(try await domain(of: String(repeating: "x", count: 1364), in: own) == "example.com")
        #expect(try await domain(of: String(repeating: "x", count: 1365), in: own) == nil)
    }

    @Test("is none for an admin's, who logs in to the dashboard at the same address")
    func admins() async throws {
        let own = try await application()
        let passkey = Passkey(
            .init(
                id: "k", userHandle: "handle", publicKey: [1], aaguid: "kind", signCount: 0, transports: [],
                isBackupEligible: false, isBackedUp: false),
            application: AuditEntry.server, name: "laptop", createdAt: world.clock.now)
        #expect(try await domain(of: "k", in: own) == "example.com")
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(passkey) }
        #expect(try await domain(of: "k", in: own) == nil)
    }
}

@Suite("The roots of makers of authenticators")
struct AttestationRootTests {
    private static let kinds = ["00000000-0000-0000-0000-000000000001", "AB000000-0000-0000-0000-00000000000F"]

    /// Takes for certificates what begins like one.
    private struct Verifier: CertificateVerifier {
        func certificates(pem: String) -> [[UInt8]]? { pem.hasPrefix("-") ? [[1]] : nil }

        func verify(_ chain: [[UInt8]], roots: [[UInt8]], at now: Timestamp) -> VerifiedCertificate? { nil }
    }

    private static func roots(_ certificates: String = "-", _ authenticators: [String] = []) -> AttestationRoots {
        AttestationRoots(certificates: certificates, authenticators: authenticators)
    }

    private static func pem(_ bytes: Int) -> String { "-" + String(repeating: "x", count: bytes - 1) }

    private static let rows: [(String, [AttestationRoots], [ValidationError.Rule])] = [
        ("none", [], []), ("one of every kind", [roots()], []), ("one of two kinds", [roots("-", kinds)], []),
        ("twenty", Array(repeating: roots(), count: 20), []),
        ("one more", Array(repeating: roots("x"), count: 21), [.tooManyFields(maximum: 20)]),
        ("16 KiB", [roots(pem(16_384))], []),
        ("a byte more", [roots(pem(16_385))], [.tooManyBytes(maximum: 16_384)]),
        ("a hundred kinds", [roots("-", Array(repeating: kinds[0], count: 100))], []),
        ("one kind more", [roots("-", Array(repeating: kinds[0], count: 101))], [.tooManyFields(maximum: 100)]),
        ("no kind", [roots("-", [kinds[0], "*"])], [.notAnAuthenticator]),
        ("no certificate", [roots("x", kinds)], [.notACertificate]),
        ("two of three wrong", [roots("x"), roots(), roots("-", [""])], [.notACertificate, .notAnAuthenticator]),
    ]

    @Test("are bounded, and are certificates of kinds that there can be", arguments: rows.indices)
    func faults(index: Int) {
        let (name, roots, broken) = Self.rows[index]
        var rules = PasskeyRules()
        rules.attestationRoots = roots
        let faults = broken.map { ValidationError(field: "passkeys.attestationRoots", rule: $0) }
        #expect(rules.rootFaults(Verifier()) == faults, "\(name)")
    }

    @Test("stand for their kinds, in any letters, or for every kind")
    func stand() throws {
        let (first, second) = (try #require(AAGUID(Self.kinds[0])), try #require(AAGUID(Self.kinds[1])))
        #expect(Self.roots().stands(for: first) && Self.roots().stands(for: second))
        let one = Self.roots("-", [Self.kinds[1].lowercased()])
        #expect(!one.stands(for: first) && one.stands(for: second))
        #expect(PasskeyRules().authority(Verifier(), at: StandingClock().now) == nil)
        var rules = PasskeyRules()
        rules.attestationRoots = [one]
        #expect(rules.authority(Verifier(), at: StandingClock().now) != nil)
    }

    private static func certificate(_ text: String) -> String {
        "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }

    private static let written: [(String, String, [AttestationRoots])] = [
        ("nothing", "", []), ("empty lines", "\n  \n", []),
        ("a certificate alone", certificate("AA"), [roots(certificate("AA"))]),
        ("one of every kind", "*\n\(certificate("AA"))", [roots(certificate("AA"))]),
        (
            "two of one kind, with lines between", "\(kinds[0])\n\n\(certificate("AA"))\n\(certificate("BB"))",
            [roots(certificate("AA") + certificate("BB"), [kinds[0]])]
        ),
        (
            "kinds on one line and on several",
            "\(kinds[0])  \(kinds[1])\n\(certificate("AA"))\(kinds[0])\n\(kinds[1])\n\(certificate("BB"))",
            [roots(certificate("AA"), kinds), roots(certificate("BB"), kinds)]
        ),
        ("a kind without a certificate", kinds[0], [roots("", [kinds[0]])]),
    ]

    @Test("are read from lines, and written so that they are read as they were", arguments: written.indices)
    func read(index: Int) {
        let (name, text, roots) = Self.written[index]
        var rules = PasskeyRules()
        rules.attestationRootLines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(rules.attestationRoots == roots, "\(name)")
        var again = PasskeyRules()
        again.attestationRootLines = rules.attestationRootLines
        #expect(again.attestationRoots == roots, "\(name)")
    }
}
