import Crypto
import Domain
import FakeProviders
import Foundation
import NCMBAPI
import OutboundServices
import Testing

@Suite("Sign in with Apple by NCMB's SDKs")
struct SocialTests {
    fileprivate static let team = "TEAM123456"
    fileprivate static let bundle = "com.example.app"

    /// A server whose application knows a fake Apple.
    private struct AppleWorld {
        let world: NCMBWorld
        let apple: FakeApple

        init(
            isConfigured: Bool = true, teamId: String = team, keyId: String = "KEY1234567", hasOtherKey: Bool = false
        ) async throws {
            let keys = try FakeKey.rsa(id: "fake-1")
            let clock = StandingClock()
            apple = try FakeApple(clock: clock, keys: [keys])
            let privateKey = P256.Signing.PrivateKey()
            apple.register(team: team, keyId: "KEY1234567", publicKey: privateKey.publicKey)
            var addresses = ProviderAddresses()
            addresses.apple = await FakeHost.address(of: apple)
            world = try await NCMBWorld(
                providers: addresses,
                caller: CurlCaller(
                    limits: .init(connecting: .seconds(60), whole: .seconds(60)),
                    policy: EgressPolicy(privateNetworks: IPNetwork.loopback, operatorURLs: [])))
            guard isConfigured else { return }
            try await world.modules.providers.setProvider(
                ProviderSettings(provider: .apple, audiences: [bundle], teamId: teamId, keyId: keyId),
                secret: Secret((hasOtherKey ? P256.Signing.PrivateKey() : privateKey).pemRepresentation),
                of: world.application.id, by: .local)
        }

        /// The `authData` of somebody who has just signed in at Apple.
        func authData(_ subject: String, code: String? = nil, client: String = bundle) throws -> String {
            let fresh = try apple.signIn(
                FakeApple.Person(subject: subject, email: "\(subject)@example.com"), audience: bundle, nonce: nil
            ).code
            return """
                {"authData":{"apple":{"id":"\(subject)","access_token":"\(code ?? fresh)","client_id":"\(client)"}}}
                """
        }
    }

    @Test("signs up, logs in, links and unlinks, by codes that count once")
    func life() async throws {
        let fixture = try await AppleWorld()
        let world = fixture.world
        let body = try fixture.authData("001234.hana.0099")
        let first = try await world.send("POST", "/2013-09-01/users", body: body)
        #expect(first.status == 201, "\(first.text)")
        #expect(first.text.contains(#""access_token""#) && first.text.contains(#""client_id":"com.example.app""#))
        let token = try first.text("sessionToken")
        #expect(try await world.send("POST", "/2013-09-01/users", body: body).code == "E401003")
        let again = try await world.send(
            "POST", "/2013-09-01/users", body: try fixture.authData("001234.hana.0099"), token: token)
        #expect(again.status == 200)
        #expect(try again.text("objectId") == first.text("objectId"))

        let member = try await world.signUp("taro")
        let path = "/2013-09-01/users/\(member.id)"
        let taken = try fixture.authData("001234.hana.0099")
        #expect(try await world.send("PUT", path, body: taken, token: member.token).code == "E409001")
        let own = try fixture.authData("001234.taro.0001")
        #expect(try await world.send("PUT", path, body: own, token: member.token).status == 200)
        // JavaScript sends it again with every update: the code is used up, and nobody asks for it.
        #expect(try await world.send("PUT", path, body: own, token: member.token).status == 200)
        let read = try await world.send("GET", path, token: member.token)
        #expect(read.text.contains(#""id":"001234.taro.0001""#))
        let unlink = #"{"authData":{"apple":null}}"#
        #expect(try await world.send("PUT", path, body: unlink, token: member.token).status == 200)
        #expect(try await world.send("GET", path, token: member.token).text.contains(#""authData":null"#))
        #expect(try await world.send("GET", "/2013-09-01/logout", token: member.token).status == 200)
    }

    @Test("is refused with the codes that the apps know")
    func refusals() async throws {
        let fixture = try await AppleWorld()
        func code(_ body: String) async throws -> String? {
            try await fixture.world.send("POST", "/2013-09-01/users", body: body).code
        }
        #expect(try await code(fixture.authData("1", code: "made-up")) == "E401003")
        #expect(try await code(fixture.authData("1", client: "com.example.other")) == "E401003")
        let other = try fixture.authData("1").replacing(#""id":"1""#, with: #""id":"2""#)
        #expect(try await code(other) == "E401003")
        #expect(try await code(#"{"authData":{"apple":{"id":"1"}}}"#) == "E401003")
        #expect(try await code(#"{"authData":{"apple":{"access_token":"x"}}}"#) == "E400003")
        #expect(try await code(#"{"authData":{"google":{"id":"1","access_token":"x"}}}"#) == "E403005")
        let off = try await AppleWorld(isConfigured: false)
        let answer = try await off.world.send("POST", "/2013-09-01/users", body: try off.authData("1"))
        #expect(answer.code == "E403005")
        #expect(answer.text.contains("apple must not be entered."))
    }

    /// What an operator or an app can have wrong.
    enum Mistake: String, CaseIterable, Sendable {
        case code, usedCode, appId, subject, teamId, keyId, key, noCode
    }

    @Test("is refused with E401003 for whatever Apple does not vouch for", arguments: Mistake.allCases)
    func notVouchedFor(mistake: Mistake) async throws {
        let fixture = try await AppleWorld(
            teamId: mistake == .teamId ? "OTHER12345" : Self.team,
            keyId: mistake == .keyId ? "OTHERKEY00" : "KEY1234567",
            hasOtherKey: mistake == .key)
        let body: String =
            switch mistake {
            case .code: try fixture.authData("1", code: "made-up")
            case .appId: try fixture.authData("1", client: "com.example.other")
            case .subject: try fixture.authData("1").replacing(#""id":"1""#, with: #""id":"2""#)
            case .noCode: #"{"authData":{"apple":{"id":"1"}}}"#
            case .usedCode, .teamId, .keyId, .key: try fixture.authData("1")
            }
        if mistake == .usedCode {
            #expect(try await fixture.world.send("POST", "/2013-09-01/users", body: body).status == 201)
        }
        let member = try await fixture.world.signUp("taro")
        let path = "/2013-09-01/users/\(member.id)"
        for (method, path, token) in [("POST", "/2013-09-01/users", nil), ("PUT", path, member.token)] {
            let answer = try await fixture.world.send(method, path, body: body, token: token)
            #expect(answer.text == #"{"code":"E401003","error":"OAuth apple authentication error."}"#, "\(method)")
        }
        #expect(try await fixture.world.send("GET", path, token: member.token).text.contains(#""authData":null"#))
    }

    @Test("is refused with E403005 where Apple is not set up, at sign-up and at linking")
    func notSetUp() async throws {
        let fixture = try await AppleWorld(isConfigured: false)
        let member = try await fixture.world.signUp("taro")
        let path = "/2013-09-01/users/\(member.id)"
        for (method, path, token) in [("POST", "/2013-09-01/users", nil), ("PUT", path, member.token)] {
            let answer = try await fixture.world.send(method, path, body: try fixture.authData("1"), token: token)
            #expect(answer.text == #"{"code":"E403005","error":"apple must not be entered."}"#, "\(method)")
        }
    }

    @Test("is refused with E409001 when two members are meant, and when somebody else is linked")
    func taken() async throws {
        let fixture = try await AppleWorld()
        let world = fixture.world
        let first = try await world.send("POST", "/2013-09-01/users", body: try fixture.authData("1"))
        #expect(first.status == 201)
        let anonymous = #"{"anonymous":{"id":"0f9e8d7c-6b5a-4433-9211-00ffeeddccbb"}}"#
        _ = try await world.send("POST", "/2013-09-01/users", body: #"{"authData":\#(anonymous)}"#)
        let both = try fixture.authData("1").replacing("}}}", with: "},\(anonymous.dropFirst().dropLast())}}")
        let member = try await world.signUp("taro")
        for (method, path, body, token) in [
            ("POST", "/2013-09-01/users", both, nil),
            ("PUT", "/2013-09-01/users/\(member.id)", try fixture.authData("1"), member.token),
        ] {
            let answer = try await world.send(method, path, body: body, token: token)
            #expect(
                answer.text == #"{"code":"E409001","error":"authData is duplication."}"#, "\(method): \(answer.text)")
        }
    }

    @Test("takes a missing or an empty client_id for the configured App ID", arguments: ["", #","client_id":"""#])
    func noClientId(rest: String) async throws {
        let fixture = try await AppleWorld()
        let body = try fixture.authData("1").replacing(#","client_id":"com.example.app""#, with: rest)
        let answer = try await fixture.world.send("POST", "/2013-09-01/users", body: body)
        #expect(answer.status == 201, "\(answer.text)")
    }

    @Test("links another Apple account in place of the one before, and unlinks what is not linked without a fault")
    func relink() async throws {
        let fixture = try await AppleWorld()
        let member = try await fixture.world.signUp("taro")
        let path = "/2013-09-01/users/\(member.id)"
        let unlink = #"{"authData":{"apple":null}}"#
        #expect(try await fixture.world.send("PUT", path, body: unlink, token: member.token).status == 200)
        for subject in ["1", "2"] {
            let body = try fixture.authData(subject)
            #expect(try await fixture.world.send("PUT", path, body: body, token: member.token).status == 200)
        }
        let read = try await fixture.world.send("GET", path, token: member.token)
        #expect(read.text.contains(#""id":"2""#) && !read.text.contains(#""id":"1""#))
        #expect(try await fixture.world.send("PUT", path, body: unlink, token: member.token).status == 200)
        #expect(try await fixture.world.send("POST", "/2013-09-01/users", body: fixture.authData("2")).status == 201)
    }

    @Test("takes the whole member of a device that has the name of the team before (complaint 22)")
    func transferred() async throws {
        let fixture = try await AppleWorld()
        let (world, providers) = (fixture.world, fixture.world.modules.providers)
        let made = try fixture.authData("001.hana")
        let first = try await world.send("POST", "/2013-09-01/users", body: made)
        let (token, path) = (try first.text("sessionToken"), "/2013-09-01/users/\(try first.text("objectId"))")
        let (application, next) = (world.application.id, P256.Signing.PrivateKey())
        fixture.apple.willTransfer(FakeApple.Person(subject: "001.hana"), as: "moves", to: .init(subject: "002.hana"))
        _ = try await providers.transferTeam(
            .prepare(newTeam: "NEWTEAM123"), of: application, by: .local, isDryRun: false)
        fixture.apple.register(team: "NEWTEAM123", keyId: "KEY7654321", publicKey: next.publicKey)
        try await providers.setProvider(
            ProviderSettings(
                provider: .apple, audiences: [Self.bundle], teamId: "NEWTEAM123", keyId: "KEY7654321"),
            secret: Secret(next.pemRepresentation), of: application, by: .local)
        let report = try await providers.transferTeam(.finish, of: application, by: .local, isDryRun: false)
        #expect(report.done == 1)
        let saved = try await world.send("PUT", path, body: made, token: token)
        #expect(saved.status == 200, "\(saved.text)")
        let read = try await world.send("GET", path, token: token)
        #expect(read.text.contains(#""id":"002.hana""#) && !read.text.contains("001.hana"))
        let other = try await world.signUp("taro")
        let foreign = try await world.send(
            "PUT", "/2013-09-01/users/\(other.id)", body: made, token: other.token)
        #expect(foreign.code == "E401003")
    }

    @Test("is refused for an anonymous id where the application wants none")
    func anonymous() async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(allowsAnonymous: false)
        let answer = try await NCMBWorld(settings).send(
            "POST", "/2013-09-01/users",
            body: #"{"authData":{"anonymous":{"id":"0f9e8d7c-6b5a-4433-9211-00ffeeddccbb"}}}"#)
        #expect(answer.text == #"{"code":"E403005","error":"anonymous must not be entered."}"#)
    }
}

/// The server of the fake providers: one for the process, on a loopback port, with a path for each test.
private enum FakeHost {
    private static let server = FakeProviderServer()
    private static let base = server.start()

    /// Puts a provider at an address of its own.
    static func address(of provider: any FakeProvider) async -> String {
        "\(await base.value)/\(server.add(provider))"
    }
}
