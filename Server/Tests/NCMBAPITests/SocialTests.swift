import Crypto
import Domain
import FakeProviders
import Foundation
import Logging
import OutboundServices
import Testing

@Suite("Sign in with Apple by NCMB's SDKs")
struct SocialTests {
    private static let team = "TEAM123456"
    private static let bundle = "com.example.app"

    /// A server whose application knows a fake Apple.
    private struct AppleWorld {
        let world: NCMBWorld
        let apple: FakeApple

        init(isConfigured: Bool = true) async throws {
            let keys = try FakeKey.rsa(id: "fake-1")
            let clock = StandingClock()
            apple = try FakeApple(clock: clock, keys: [keys])
            let privateKey = P256.Signing.PrivateKey()
            apple.register(team: team, keyId: "KEY1234567", publicKey: privateKey.publicKey)
            var addresses = ProviderAddresses()
            addresses.apple = await FakePlace.address(of: apple)
            world = try await NCMBWorld(
                providers: addresses, caller: CurlCaller(limits: .init(whole: .seconds(5)), asksThisMachine: true))
            guard isConfigured else { return }
            try await world.useCases.setProvider(
                ProviderSettings(provider: .apple, audiences: [bundle], teamId: team, keyId: "KEY1234567"),
                secret: Secret(privateKey.pemRepresentation), of: world.application.id)
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
        let place = try await AppleWorld()
        let world = place.world
        let body = try place.authData("001234.hana.0099")
        let first = try await world.send("POST", "/2013-09-01/users", body: body)
        #expect(first.status == 201, "\(first.text)")
        #expect(first.text.contains(#""access_token""#) && first.text.contains(#""client_id":"com.example.app""#))
        let token = try first.text("sessionToken")
        #expect(try await world.send("POST", "/2013-09-01/users", body: body).code == "E401003")
        let again = try await world.send(
            "POST", "/2013-09-01/users", body: try place.authData("001234.hana.0099"), token: token)
        #expect(again.status == 200)
        #expect(try again.text("objectId") == first.text("objectId"))

        let member = try await world.signUp("taro")
        let path = "/2013-09-01/users/\(member.id)"
        let taken = try place.authData("001234.hana.0099")
        #expect(try await world.send("PUT", path, body: taken, token: member.token).code == "E409001")
        let own = try place.authData("001234.taro.0001")
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
        let place = try await AppleWorld()
        func code(_ body: String) async throws -> String? {
            try await place.world.send("POST", "/2013-09-01/users", body: body).code
        }
        #expect(try await code(place.authData("1", code: "made-up")) == "E401003")
        #expect(try await code(place.authData("1", client: "com.example.other")) == "E401003")
        let other = try place.authData("1").replacing(#""id":"1""#, with: #""id":"2""#)
        #expect(try await code(other) == "E401003")
        #expect(try await code(#"{"authData":{"apple":{"id":"1"}}}"#) == "E401003")
        #expect(try await code(#"{"authData":{"apple":{"access_token":"x"}}}"#) == "E400003")
        #expect(try await code(#"{"authData":{"google":{"id":"1","access_token":"x"}}}"#) == "E403005")
        let off = try await AppleWorld(isConfigured: false)
        let answer = try await off.world.send("POST", "/2013-09-01/users", body: try off.authData("1"))
        #expect(answer.code == "E403005")
        #expect(answer.text.contains("apple must not be entered."))
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

/// The fakes' server: one for the process, on a loopback port, with a path for each test.
private enum FakePlace {
    private static let server = FakeProviderServer()

    /// Runs until the process ends: nobody awaits it, and it holds nothing but its port.
    private static let address = Task<String, Never> {
        let (addresses, continuation) = AsyncStream<String>.makeStream()
        Task.detached {
            try await server.run(logger: Logger(label: "fake") { _ in SwiftLogNoOpLogHandler() }) {
                continuation.yield($0)
            }
        }
        return await addresses.first { _ in true } ?? "http://127.0.0.1:9"
    }

    /// Puts a provider at an address of its own.
    static func address(of provider: any FakeProvider) async -> String {
        let name = UUID().uuidString
        server.add(provider, named: name)
        return "\(await address.value)/\(name)"
    }
}
