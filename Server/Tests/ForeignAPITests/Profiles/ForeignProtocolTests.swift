import AuthServiceAPI
import Crypto
import Domain
import KiiAPI
import NCMBAPI
import OkaeriServer
import ParseAPI
import StorageSQLite
import TestWorld
import Testing

@Suite("A foreign protocol")
struct ForeignProtocolTests {
    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), protocols: Composition.protocols)
    }

    @Test("is found by its public key as soon as it is on, and not any more when it is off")
    func onAndOff() async throws {
        let application = try await world.makeApplication()
        let key = "6145f91061916580"
        await #expect(throws: DomainError.applicationUnknown) {
            try await world.modules.applications.findProtocol(.ncmb, publicKey: key)
        }
        let issued = try await world.modules.applications.enableProtocol(
            .ncmb, given: [.applicationKey: Secret(key), .clientKey: Secret("1343d198")], of: application.id, by: .local
        )
        #expect(issued.keys[.clientKey]?.revealed == "1343d198")
        let found = try await world.modules.applications.findProtocol(.ncmb, publicKey: key)
        #expect(found.application == application)
        let code = try #require(found.authenticator(.clientKey)).finalize()
        #expect(code == HMAC(key: SymmetricKey(data: Array("1343d198".utf8))).finalize())
        #expect(world.modules.applications.findProtocol.atOnce(.ncmb, publicKey: key) === found)
        #expect(world.modules.applications.findProtocol.atOnce(.parse, publicKey: key) == nil)
        #expect(try await world.modules.applications.disableProtocol(.ncmb, of: application.id, by: .local))
        #expect(world.modules.applications.findProtocol.atOnce(.ncmb, publicKey: key) == nil)
        await #expect(throws: DomainError.applicationUnknown) {
            try await world.modules.applications.findProtocol(.ncmb, publicKey: key)
        }
    }

    @Test("makes keys in the form of its own service, and tells an administrator's key once")
    func generated() async throws {
        let made = try await world.modules.applications.createApplication(
            name: "Old app", protocols: [.ncmb: [:], .parse: [:], .kii: [:], .envelope: [:]], by: .local)
        let keys = Dictionary(uniqueKeysWithValues: made.protocols.map { ($0.protocolName, $0.keys) })
        #expect(keys[.ncmb]?[.applicationKey]?.revealed.count == 64)
        #expect(keys[.parse]?.count == 5)
        #expect(keys[.kii]?[.appId]?.revealed.count == 8)
        #expect(keys[.envelope]?[.basePath]?.revealed == "/\(made.application.id)")
        let shown = try await world.modules.applications.listProtocolKeys(of: made.application.id)
        #expect(shown.map(\.profile) == Composition.protocols.foreign)
        #expect(shown[1].keys[.masterKey] == nil && shown[2].keys[.clientSecret] == nil)
        #expect(shown[1].keys[.restKey] == keys[.parse]?[.restKey])
        let parse = try await world.modules.applications.findProtocol(
            .parse, publicKey: try #require(keys[.parse]?[.applicationId]).revealed)
        let master = try #require(keys[.parse]?[.masterKey]).revealed
        #expect(parse.accepts(master, as: .masterKey))
        #expect(!parse.accepts(master + "x", as: .masterKey))
        #expect(!parse.accepts("", as: .clientSecret))
    }

    @Test("makes only those keys beside imported ones that it cannot do without")
    func imported() async throws {
        let application = try await world.makeApplication()
        let issued = try await world.modules.applications.enableProtocol(
            .parse, given: [.applicationId: Secret("app1"), .restKey: Secret("rest")], of: application.id, by: .local)
        #expect(Set(issued.keys.keys) == [.applicationId, .restKey, .masterKey])
        let again = try await world.modules.applications.enableProtocol(
            .parse, given: [.clientKey: Secret("client")], of: application.id, by: .local)
        #expect(again.keys[.applicationId]?.revealed == "app1")
        #expect(again.keys[.restKey]?.revealed == "rest")
        #expect(again.keys[.clientKey]?.revealed == "client")
        #expect(again.keys[.masterKey] == nil)
    }

    @Test("refuses a public key that another application has")
    func taken() async throws {
        let (one, other) = (try await world.makeApplication(), try await world.makeApplication("Other"))
        let keys: [ProtocolKey: Secret] = [.appId: Secret("a1b2c3d4")]
        _ = try await world.modules.applications.enableProtocol(.kii, given: keys, of: one.id, by: .local)
        _ = try await world.modules.applications.enableProtocol(.kii, given: keys, of: one.id, by: .local)
        await #expect(throws: DomainError.fieldsRefused([ValidationError(field: "kii.appId", rule: .notUnique)])) {
            try await world.modules.applications.enableProtocol(.kii, given: keys, of: other.id, by: .local)
        }
        await #expect(throws: DomainError.self) {
            try await world.modules.applications.createApplication(name: "Third", protocols: [.kii: keys], by: .local)
        }
        #expect(try await world.modules.applications.listApplications().count == 2)
    }

    @Test(
        "refuses keys that no header can carry, and base paths that others have",
        arguments: [
            (Session.ProtocolName.ncmb, ProtocolKey.applicationKey, ""), (.ncmb, .clientKey, "a b"),
            (.kii, .appId, "キー"), (.parse, .applicationId, String(repeating: "a", count: 256)),
            (.kii, .masterKey, "master"), (.envelope, .basePath, "/v1"), (.envelope, .basePath, "/a/b"),
            (.envelope, .basePath, "a"), (.envelope, .basePath, "/.."), (.envelope, .basePath, "/a\u{0}"),
        ])
    func malformed(name: Session.ProtocolName, key: ProtocolKey, text: String) async throws {
        let application = try await world.makeApplication()
        await #expect(throws: DomainError.self) {
            try await world.modules.applications.enableProtocol(
                name, given: [key: Secret(text)], of: application.id, by: .local)
        }
    }

    private static let rules = AccountRules(userNames: .plain(3...64), passwords: .printable(4...50))

    @Test("has sessions that count nowhere else, and live by its own rules")
    func sessions() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.modules.logIns.signUp(
            SignUp.Request(
                application: application, identifiers: NewIdentifiers(username: .set("mika_1"), rules: Self.rules),
                password: Secret("1234"),
                client: LogInClient(
                    .kii, from: TestWorld.address, origin: RequestOrigin(address: TestWorld.address.text))))
        #expect(logIn.session.protocolName == .kii)
        #expect(logIn.session.expiresAt - world.clock.now == SessionRules.endless)
        let token = logIn.token.revealed
        for name in [Session.ProtocolName.kii, .native, .parse] {
            let request = Authenticate.Request(
                application: application, token: token[...], proof: nil, protocolName: name)
            if name == .kii {
                #expect(
                    try await world.modules.sessions.authenticate(request, from: { TestWorld.address }).user.id
                        == logIn.user.id
                )
            } else {
                await #expect(throws: DomainError.sessionInvalid) {
                    try await world.modules.sessions.authenticate(request, from: { TestWorld.address })
                }
            }
        }
    }

    @Test("ends the older session of an NCMB member with the next log-in, and no other")
    func oneSession() async throws {
        let application = try await world.makeApplication()
        _ = try await world.modules.logIns.signUp(
            SignUp.Request(
                application: application,
                identifiers: NewIdentifiers(
                    username: .set("taro"),
                    rules: AccountRules(
                        userNames: .anyText(maximumCharacters: 255), passwords: .anyText(minimumCharacters: 1))),
                password: Secret("taro"),
                client: LogInClient(
                    .envelope, from: TestWorld.address, origin: RequestOrigin(address: TestWorld.address.text))))
        for _ in 0..<2 {
            world.clock.advance(by: .seconds(1))
            _ = try await world.modules.logIns.logInWithPassword(
                LogInWithPassword.Request(
                    application: application, identifier: "taro", password: Secret("taro"),
                    client: LogInClient(
                        .ncmb, from: TestWorld.address, origin: .local)))
        }
        let user = try #require(try await world.modules.directory.listUsers(in: application.id).first)
        let sessions = try await world.modules.sessions.listSessions(of: user.id, in: application)
        #expect(sessions.map(\.protocolName) == [.ncmb, .envelope])
    }

    @Test(
        "gives tokens of its own form",
        arguments: [(Session.ProtocolName.ncmb, 25), (.parse, 34), (.kii, 43), (.envelope, 43), (.native, 54)])
    func tokens(name: Session.ProtocolName, length: Int) {
        let token = SessionToken.Draw(Composition.protocols[name].token, CountingRandomness())
            .token(of: .init(rawValue: "hana"))
        #expect(token.revealed.utf8.count == length)
        #expect(SessionToken.digest(of: token.revealed, in: name) == token.digest)
    }
}
