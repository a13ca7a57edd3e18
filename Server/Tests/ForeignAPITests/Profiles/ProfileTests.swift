import AuthServiceAPI
import Domain
import KiiAPI
import NCMBAPI
import OkaeriServer
import ParseAPI
import TestWorld
import Testing

/// The profiles of all protocols, each against what its own service did, by requests as its apps send them.
@Suite("The profile of a protocol")
struct ProfileTests {
    /// When a session ends.
    enum End: Sendable {
        case afterDisuse(days: Int64)
        case after(days: Int64)
        case never
    }

    /// What apps of a protocol count on.
    struct Expected: Sendable, CustomTestStringConvertible {
        let spoken: SpokenProtocol
        /// The form of a token, as a whole.
        let token: @Sendable (Substring) -> Bool
        let end: End
        /// Whether a second log-in leaves the first session alone.
        let keepsSessions: Bool
        /// Whether a password of one character can be chosen, and a user name of 200.
        let takes: (shortPasswords: Bool, longNames: Bool)

        var testDescription: String { spoken.name }
    }

    private static let letters = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    private static let hexadecimal = Set("0123456789abcdef")
    private static let base64URL = letters.union("-_")

    static let table: [Expected] = [
        Expected(
            spoken: .native,
            token: {
                $0.hasPrefix("oks_") && $0.dropLast(43).last == "." && $0.suffix(43).allSatisfy(base64URL.contains)
            },
            end: .afterDisuse(days: 60), keepsSessions: true, takes: (false, false)),
        Expected(
            spoken: .ncmb, token: { $0.count == 25 && $0.allSatisfy(letters.contains) }, end: .afterDisuse(days: 1),
            keepsSessions: false, takes: (true, true)),
        Expected(
            spoken: .parse,
            token: { $0.hasPrefix("r:") && $0.count == 34 && $0.dropFirst(2).allSatisfy(hexadecimal.contains) },
            end: .after(days: 365), keepsSessions: true, takes: (true, true)),
        Expected(
            spoken: .kii, token: { $0.count == 43 && $0.allSatisfy(base64URL.contains) }, end: .never,
            keepsSessions: true, takes: (false, false)),
        Expected(
            spoken: .envelope, token: { $0.count == 43 && $0.allSatisfy(base64URL.contains) },
            end: .afterDisuse(days: 400), keepsSessions: true, takes: (true, true)),
    ]

    private static let password = "a long enough secret"

    private func logIn(_ spoken: SpokenProtocol, _ world: ForeignWorld) async throws -> SpokenProtocol.Pass {
        try #require(try await spoken.logIn(world, "hana_1", Self.password))
    }

    @Test("gives tokens of the form that its apps know, a new one each time", arguments: table)
    func tokens(expected: Expected) async throws {
        let world = try await ForeignWorld()
        _ = try await expected.spoken.register(world, "hana_1", Self.password)
        let (one, other) = (try await logIn(expected.spoken, world), try await logIn(expected.spoken, world))
        #expect(expected.token(one.token[...]) && expected.token(other.token[...]))
        #expect(one.token != other.token)
    }

    @Test("ends sessions when its own service did, and not a second earlier", arguments: table)
    func ends(expected: Expected) async throws {
        let world = try await ForeignWorld()
        _ = try await expected.spoken.register(world, "hana_1", Self.password)
        let pass = try await logIn(expected.spoken, world)
        func counts() async throws -> Bool { try await expected.spoken.read(world, pass) != nil }
        switch expected.end {
        case .never:
            world.clock.advance(by: .days(20_000))
            #expect(try await counts())
        case .after(let days):
            world.clock.advance(by: Duration.days(days) - .seconds(1))
            #expect(try await counts())
            world.clock.advance(by: .seconds(1))
            #expect(try await !counts())
        case .afterDisuse(let days):
            // Its use is what keeps it alive.
            for _ in 0..<2 {
                world.clock.advance(by: Duration.days(days) - .seconds(1))
                #expect(try await counts())
            }
            world.clock.advance(by: Duration.days(days))
            #expect(try await !counts())
        }
    }

    @Test("ends earlier sessions of a user only where its own service did", arguments: table)
    func earlierSessions(expected: Expected) async throws {
        let world = try await ForeignWorld()
        _ = try await expected.spoken.register(world, "hana_1", Self.password)
        let first = try await logIn(expected.spoken, world)
        world.clock.advance(by: .seconds(1))
        let second = try await logIn(expected.spoken, world)
        let keeps = try await expected.spoken.read(world, first) != nil
        #expect(keeps == expected.keepsSessions)
        #expect(try await expected.spoken.read(world, second) != nil)
    }

    @Test("takes the names and passwords that its own service took", arguments: table)
    func accounts(expected: Expected) async throws {
        let world = try await ForeignWorld()
        _ = try await expected.spoken.register(world, "hana_1", "1")
        let takesShort = try await expected.spoken.logIn(world, "hana_1", "1") != nil
        #expect(takesShort == expected.takes.shortPasswords)
        let name = String(repeating: "n", count: 200)
        _ = try await expected.spoken.register(world, name, Self.password)
        let takesLong = try await expected.spoken.logIn(world, name, Self.password) != nil
        #expect(takesLong == expected.takes.longNames)
    }

    @Test("has tokens that count in no other protocol", arguments: table, SpokenProtocol.all)
    func foreignTokens(expected: Expected, other: SpokenProtocol) async throws {
        let world = try await ForeignWorld()
        _ = try await expected.spoken.register(world, "hana_1", Self.password)
        let pass = try await logIn(expected.spoken, world)
        let counts = try await other.read(world, pass) != nil
        #expect(counts == (other.name == expected.spoken.name))
    }

    @Test(
        "has the keys of its own service: what names the app, what ships inside it, and what makes an administrator",
        arguments: [
            (.ncmb, ["applicationKey 64"], ["clientKey 64"], []),
            (.parse, ["applicationId 40"], ["restKey 40", "javascriptKey 40", "clientKey 64"], ["masterKey 40"]),
            (.kii, ["appId 8"], ["appKey 32", "clientId 32"], ["clientSecret 64"]),
            (.envelope, ["basePath 17"], [], []),
        ] as [(Session.ProtocolName, [String], [String], [String])])
    func keys(name: Session.ProtocolName, open: [String], sealed: [String], digested: [String]) async throws {
        let profile = Composition.protocols[name]
        func names(_ keeping: ProtocolProfile.Key.Keeping) -> [ProtocolKey] {
            profile.keys.filter { $0.keeping == keeping && $0.isMade }.map(\.name)
        }
        let world = try await ForeignWorld()
        let made = try await world.modules.applications.createApplication(
            name: "New app", protocols: [name: [:]], by: .local)
        let keys = try #require(made.protocols.first).keys
        func described(_ keeping: ProtocolProfile.Key.Keeping) -> [String] {
            names(keeping).map { "\($0.rawValue) \(keys[$0]?.revealed.count ?? 0)" }
        }
        #expect(described(.open) == open && described(.sealed) == sealed && described(.digested) == digested)
        // What names the app comes first, and what makes an administrator is shown once.
        #expect(profile.keys.first?.keeping == .open)
        let again = try await world.modules.applications.listProtocolKeys(of: made.application.id)
        #expect(Set(try #require(again.first).keys.keys) == Set(names(.open) + names(.sealed)))
    }

    @Test(
        "heeds its own rules, and those that all heed",
        arguments: [
            (
                .ncmb,
                [
                    .allowsAnonymous, .isReadableByAll, .takesPasswordsInAddresses,
                    .timestampWindowSeconds, .hosts, .allowsSignUpByMail, .logInMovesUpdateTime,
                ]
            ),
            (
                .parse,
                [
                    .allowsAnonymous, .isReadableByAll, .needsVerifiedEmail, .hasPasswordPolicy, .ignoresCase,
                    .administratorNetworks, .verifiesEmails, .upstream,
                ]
            ),
            (
                .kii,
                [
                    .isReadableByAll, .demandsVerifiedEmail, .demandsVerifiedPhone, .refreshedTokenSeconds,
                    .hasDashedIds,
                ]
            ),
            (.envelope, []),
        ] as [(Session.ProtocolName, [ProtocolRule.Name])])
    func rules(name: Session.ProtocolName, own: [ProtocolRule.Name]) {
        let heeded = ProtocolRule.heeded(by: Composition.protocols[name]).map(\.id)
        #expect(Set(heeded) == Set(own + [.idleSeconds, .sessionsPerUser, .retiresWeakPasswords]))
        #expect(heeded.count == own.count + 3)
    }

    @Test("is known by its name, and every rule is heeded by one of them")
    func registry() {
        let foreign = Composition.protocols.foreign
        #expect(foreign.map(\.name.rawValue) == ["ncmb", "parse", "kii", "envelope"])
        for profile in foreign + [.native, .pages] { #expect(Composition.protocols[profile.name] == profile) }
        let heeded = foreign.flatMap { ProtocolRule.heeded(by: $0).map(\.id) }
        #expect(Set(heeded) == Set(ProtocolRule.Name.allCases))
        let gone = Composition.protocols[Session.ProtocolName(rawValue: "of another program")]
        #expect(gone.keys.isEmpty && gone.sessions == SessionRules())
    }

    @Test("is needed to switch a protocol on", arguments: ["native", "pages", "", "NCMB"])
    func unknown(name: String) async throws {
        let world = try await ForeignWorld()
        let (id, name) = (world.application.id, Session.ProtocolName(rawValue: name))
        let refusal = DomainError.fieldsRefused([ValidationError(field: "protocol", rule: .notListed)])
        await #expect(throws: refusal) {
            try await world.modules.applications.enableProtocol(name, of: id, by: .local)
        }
        await #expect(throws: refusal) {
            try await world.modules.applications.changeProtocolRules(
                name, of: id, to: ["idleSeconds": .number(1)], mayLoosen: true, isCurrent: { _ in true }, by: .local)
        }
        await #expect(throws: refusal) {
            try await world.modules.applications.createApplication(name: "App", protocols: [name: [:]], by: .local)
        }
        #expect(try await world.modules.applications.listApplications().count == 1)
    }

    @Test("asks for good passwords where the application does, and only there")
    func strictAccounts() {
        for profile in Composition.protocols.foreign {
            var options = ForeignOptions()
            #expect(profile.accountRules(under: options) == profile.accounts)
            options.hasPasswordPolicy = true
            let isStrict = profile.accountRules(under: options).passwords == .strong
            #expect(isStrict == (profile.name == .parse))
        }
    }
}
