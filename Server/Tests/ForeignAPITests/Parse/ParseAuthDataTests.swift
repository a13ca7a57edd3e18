import Crypto
import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import ParseAPI
import TestWorld
import Testing

@Suite("authData of Parse")
struct ParseAuthDataTests {
    private static let anonymous = "a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"
    private static let bundle = "com.example.app"

    /// A server whose application knows a fake Apple.
    private struct AppleWorld {
        let world: ForeignWorld
        let apple: FakeApple

        init() async throws {
            apple = try FakeApple(clock: StandingClock(), keys: [try FakeKey.rsa(id: "fake-1")])
            let key = P256.Signing.PrivateKey()
            apple.register(team: "TEAM123456", keyId: "KEY1234567", publicKey: key.publicKey)
            var addresses = ProviderAddresses()
            addresses.apple = await FakeHost.address(of: apple)
            world = try await ForeignWorld(
                providers: addresses,
                caller: .ofTests(private: IPNetwork.loopback))
            try await world.modules.providers.setProvider(
                ProviderSettings(
                    provider: .apple, audiences: [bundle], teamId: "TEAM123456", keyId: "KEY1234567"),
                secret: Secret(key.pemRepresentation), of: world.application.id, by: .local)
        }

        func authData(
            _ subject: String, audience: String = bundle, nonce: String? = nil, claims: [String: JSONValue] = [:]
        ) throws -> String {
            // Two of one second would be one token, which counts once.
            let token = try apple.signIn(
                FakeApple.Person(subject: subject), audience: audience, nonce: nonce,
                claims: claims.merging(["at_hash": .string(UUID().uuidString)]) { $1 }
            ).identityToken
            return #""authData":{"apple":{"id":"\#(subject)","token":"\#(token)"}}"#
        }

        /// Moves the app to another team, at which a person has another name.
        ///
        /// - Returns: what that person's next tokens say beside.
        func move(_ subject: String, to new: String) async throws -> [String: JSONValue] {
            let (providers, application) = (world.modules.providers, world.application.id)
            apple.willTransfer(FakeApple.Person(subject: subject), as: "moves", to: FakeApple.Person(subject: new))
            _ = try await providers.transferTeam(
                .prepare(newTeam: "NEWTEAM123"), of: application, by: .local, isDryRun: false)
            try await providers.setProvider(
                ProviderSettings(
                    provider: .apple, audiences: [bundle], teamId: "NEWTEAM123", keyId: "KEY1234567"),
                secret: nil, of: application, by: .local)
            return ["transfer_sub": .string("moves")]
        }
    }

    @Test("logs in again by the token of a response that was lost, and refuses it to everybody else")
    func retry() async throws {
        let known = try await AppleWorld()
        let world = known.world
        let body = "{\(try known.authData("001.mika"))}"
        let made = try await world.parse("POST", "/users", body, installation: "phone")
        #expect(made.status == 201)
        let again = try await world.parse("POST", "/users", body, installation: "phone")
        #expect(try again.status == 200 && again.text("objectId") == made.text("objectId"))
        for thief in ["tablet", nil] {
            #expect(try await world.parse("POST", "/users", body, installation: thief).parseCode == 101)
        }
        // A client without an installation is its address.
        let other = "{\(try known.authData("001.mika"))}"
        for _ in 0..<2 { #expect(try await world.parse("POST", "/users", other).status == 200) }
        let moved = try await world.send(
            "POST", "/parse/users",
            [
                ("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest"),
                ("Content-Type", "application/json"),
            ],
            body: other, peer: "198.51.100.9")
        #expect(moved.parseCode == 101)
    }

    @Test("logs in who moved with the app to another Apple team, and links nobody else to them (complaint 22)")
    func transferred() async throws {
        let known = try await AppleWorld()
        let world = known.world
        let made = try await world.parse("POST", "/users", "{\(try known.authData("001.mika"))}")
        let moved = try await known.move("001.mika", to: "002.mika")
        let (berta, token) = try await world.parseUser("berta")
        let taken = try await world.parse(
            "PUT", "/users/\(berta)", "{\(try known.authData("002.mika", claims: moved))}", token: token)
        #expect(taken.parseCode == 208, "\(taken.text)")
        let again = try await world.parse("POST", "/users", "{\(try known.authData("002.mika", claims: moved))}")
        #expect(try again.status == 200 && again.text("objectId") == made.text("objectId"), "\(again.text)")
    }

    @Test("leaves the other devices of who moved to another Apple team alone when an app links that person again")
    func transferredUpdate() async throws {
        let known = try await AppleWorld()
        let world = known.world
        let made = try await world.parse("POST", "/users", "{\(try known.authData("001.mika"))}", installation: "phone")
        let tablet = try await world.parse(
            "POST", "/users", "{\(try known.authData("001.mika"))}", installation: "tablet")
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        try #require(try tablet.text("objectId") == id)
        let moved = try await known.move("001.mika", to: "002.mika")
        let linked = try await world.parse(
            "PUT", "/users/\(id)", "{\(try known.authData("002.mika", claims: moved))}", token: token)
        #expect(linked.status == 200, "\(linked.text)")
        let user = try await world.modules.directory.readUser(Identifier(rawValue: id), in: world.application.id)
        #expect(user.identities.map(\.subject) == ["NEWTEAM123/002.mika"])
        let other = try await world.parse("GET", "/users/me", token: try tablet.text("sessionToken"))
        #expect(other.status == 200, "\(other.text)")
        let log = try await world.modules.administration.audit.list(in: world.application.id, limit: 100)
        #expect(!log.contains { $0.action == .identityUnlinked || $0.action == .identityLinked })
    }

    @Test("takes the saves of a device that has the name of the team before, as the SDK sends them, and no other name")
    func savesAfterTransfer() async throws {
        let known = try await AppleWorld()
        let world = known.world
        let made = try await world.parse("POST", "/users", "{\(try known.authData("001.mika"))}", installation: "phone")
        let id = try made.text("objectId")
        let tablet = try await world.parse(
            "POST", "/users", "{\(try known.authData("001.mika"))}", installation: "tablet")
        let token = try tablet.text("sessionToken")
        func body(_ name: String) -> String {
            #"{"score":1,"authData":{"apple":{"id":"\#(name)","token":"long over"}}}"#
        }
        #expect(try await world.parse("PUT", "/users/\(id)", body("001.mika"), token: token).status == 200)
        let moved = try await known.move("001.mika", to: "002.mika")
        let again = try await world.parse(
            "POST", "/users", "{\(try known.authData("002.mika", claims: moved))}", installation: "phone")
        try #require(try again.text("objectId") == id)
        for name in ["001.mika", "002.mika"] {
            let saved = try await world.parse("PUT", "/users/\(id)", body(name), token: token)
            #expect(saved.status == 200, "\(name): \(saved.text)")
        }
        let read = try await world.parse("GET", "/users/me", token: token)
        #expect(read.text.contains("002.mika") && !read.text.contains("001.mika"))
        // The name alone leads nobody anywhere.
        let (berta, bertas) = try await world.parseUser("berta")
        for (user, session, name) in [(berta, bertas, "001.mika"), (id, token, "003.mika")] {
            let refused = try await world.parse("PUT", "/users/\(user)", body(name), token: session)
            #expect(refused.parseCode == 206, "\(name): \(refused.text)")
        }
        let unlink = #"{"authData":{"apple":null}}"#
        #expect(try await world.parse("PUT", "/users/\(id)", unlink, token: token).status == 200)
        #expect(try await world.parse("PUT", "/users/\(id)", body("001.mika"), token: token).parseCode == 206)
    }

    @Test("makes a new anonymous user in the place of one that is locked")
    func lockedAnonymous() async throws {
        let world = try await ForeignWorld()
        let start = #"{"authData":{"anonymous":{"id":"\#(Self.anonymous)"}}}"#
        let made = try await world.parse("POST", "/users", start)
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        #expect(try await world.parse("PUT", "/users/\(id)", #"{"ACL":{}}"#, master: true).status == 200)
        let next = try await world.parse("POST", "/users", start)
        #expect(try next.status == 201 && next.text("objectId") != id)
        // 209 would make the app log out: the session may be all that leads to the user.
        for path in ["/users/me", "/sessions/me"] {
            #expect(try await world.parse("GET", path, token: token).parseCode == 119, "\(path)")
        }
        #expect(try await world.parse("POST", "/users", start).status == 200)
        let unlock = #"{"ACL":{"*":{"read":true}}}"#
        #expect(try await world.parse("PUT", "/users/\(id)", unlock, master: true).status == 200)
        #expect(try await world.parse("POST", "/users", start).text("objectId") == next.text("objectId"))
        #expect(try await world.parse("GET", "/users/me", token: token).text("objectId") == id)
        // A log-out while the user is locked lasts.
        #expect(try await world.parse("PUT", "/users/\(id)", #"{"ACL":{}}"#, master: true).status == 200)
        #expect(try await world.parse("POST", "/logout", "{}", token: token).text == "{}")
        #expect(try await world.parse("PUT", "/users/\(id)", unlock, master: true).status == 200)
        #expect(try await world.parse("GET", "/users/me", token: token).parseCode == 209)
    }

    @Test("takes null beside a password for none, and empty values as the original does")
    func emptyValues() async throws {
        let world = try await ForeignWorld()
        let made = try await world.parse(
            "POST", "/users",
            #"{"username":"mika","password":"s3cret","email":"","authData":{"anonymous":null}}"#)
        #expect(made.status == 201, "\(made.text)")
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        #expect(try await world.parse("GET", "/users/me", token: token).json()["email"] == nil)
        for body in [#"{"username":""}"#, #"{"password":""}"#, #"{"email":""}"#] {
            #expect(try await world.parse("PUT", "/users/\(id)", body, token: token).status == 200, "\(body)")
        }
        #expect(try await world.parseLogIn("mika").status == 200)
        let anonymous = #"{"username":"","password":"","authData":{"anonymous":{"id":"\#(Self.anonymous)"}}}"#
        #expect(try await world.parse("POST", "/users", anonymous).text("username").count == 25)
        for body in [#"{"authData":{"anonymous":null}}"#, #"{"authData":{}}"#] {
            #expect(try await world.parse("POST", "/users", body).parseCode == 200, "\(body)")
        }
    }

    @Test("takes no address that is another user's name, nor the reverse: either would stand in the other's way")
    func addressAndName() async throws {
        let world = try await ForeignWorld()
        let first = try await world.parseUser("b@example.com", #","email":"a@example.com""#)
        for (body, code) in [
            (#"{"username":"berta","password":"other","email":"b@example.com"}"#, 203),
            (#"{"username":"a@example.com","password":"other"}"#, 202),
        ] {
            #expect(try await world.parse("POST", "/users", body).parseCode == code)
        }
        for sent in [#""email":"a@example.com""#, #""username":"b@example.com""#, #""username":"a@example.com""#] {
            let logIn = try await world.parse("POST", "/login", "{\(sent),\"password\":\"s3cret\"}")
            #expect(try logIn.text("objectId") == first.id, "\(sent)")
        }
    }

    @Test("makes an anonymous user with 201, finds it with 200, and forgets the id when a password is set")
    func anonymousLife() async throws {
        let world = try await ForeignWorld()
        let start = #"{"authData":{"anonymous":{"id":"\#(Self.anonymous)"}}}"#
        let made = try await world.parse("POST", "/users", start)
        #expect(made.status == 201)
        let (id, name) = (try made.text("objectId"), try made.text("username"))
        #expect(name.wholeMatch(of: #/[A-Za-z0-9]{25}/#) != nil)
        let again = try await world.parse("POST", "/users", start)
        #expect(again.status == 200 && again.headers[.location] != nil)
        #expect(try again.text("objectId") == id && again.text("username") == name)
        #expect(try again.json()["authData"] == ["anonymous": ["id": .string(Self.anonymous)]])
        let token = try again.text("sessionToken")
        let session = try await world.parse("GET", "/sessions/me", token: token)
        #expect(try session.json()["createdWith"] == ["action": "login", "authProvider": "anonymous"])
        // As the JavaScript SDK does it: without the null.
        let upgraded = try await world.parse(
            "PUT", "/classes/_User/\(id)", #"{"username":"mika","password":"s3cret"}"#, token: token)
        #expect(upgraded.status == 200)
        let me = try await world.parse("GET", "/users/me", token: try upgraded.text("sessionToken"))
        #expect(try me.text("objectId") == id && me.text("username") == "mika" && me.json()["authData"] == nil)
        #expect(try await world.parse("GET", "/users/me", token: token).parseCode == 209)
        let free = try await world.parse("POST", "/users", start)
        #expect(try free.status == 201 && free.text("objectId") != id)
    }

    @Test("keeps no anonymous id beside a password of the same sign-up: who has the id is somebody else then")
    func anonymousIdBesidePassword() async throws {
        let world = try await ForeignWorld()
        let linked = #""authData":{"anonymous":{"id":"\#(Self.anonymous)"}}"#
        let made = try await world.parse("POST", "/users", #"{"username":"mika","password":"s3cret",\#(linked)}"#)
        #expect(made.status == 201, "\(made.text)")
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        #expect(try await world.parse("GET", "/users/me", token: token).json()["authData"] == nil)
        let session = try await world.parse("GET", "/sessions/me", token: token)
        #expect(try session.json()["createdWith"] == ["action": "signup", "authProvider": "password"])
        let guest = try await world.parse("POST", "/users", "{\(linked)}")
        #expect(try guest.status == 201 && guest.text("objectId") != id)
        #expect(try await world.parseLogIn("mika").text("objectId") == id)
        // Who is there already is found by the id, as before, and keeps it: name and password are for who is new.
        let known = try await world.parse("POST", "/users", #"{"username":"hana","password":"s3cret",\#(linked)}"#)
        #expect(try known.status == 200 && known.text("objectId") == guest.text("objectId"))
        #expect(try await world.parse("POST", "/users", "{\(linked)}").status == 200)
    }

    @Test("is unlinked as the last way in with 200, as at Parse: the session stays, and the audit log has it")
    func lastWayIn() async throws {
        let world = try await ForeignWorld()
        let start = #"{"authData":{"anonymous":{"id":"\#(Self.anonymous)"}}}"#
        let made = try await world.parse("POST", "/users", start)
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        let unlinked = try await world.parse("PUT", "/users/\(id)", #"{"authData":{"anonymous":null}}"#, token: token)
        #expect(unlinked.status == 200, "\(unlinked.text)")
        #expect(try await world.parse("GET", "/users/me", token: token).text("objectId") == id)
        #expect(try await world.parse("POST", "/users", start).text("objectId") != id)
        let entries = try await world.modules.administration.audit.list(in: world.application.id).filter {
            $0.action == .identityUnlinked
        }
        #expect(entries.map(\.actor) == [.user(Identifier(rawValue: id))])
        #expect(entries.first?.details == ["provider": "anonymous"] && entries.first?.origin.requestId != nil)
        // What leads to the user again is set by the session.
        let named = try await world.parse(
            "PUT", "/users/\(id)", #"{"username":"mika","password":"s3cret"}"#, token: token)
        #expect(named.status == 200)
        #expect(try await world.parseLogIn("mika").text("objectId") == id)
    }

    @Test("is upgraded with the null too, as Apple's and Swift's SDKs send it")
    func upgradeWithNull() async throws {
        let world = try await ForeignWorld()
        let made = try await world.parse("POST", "/users", #"{"authData":{"anonymous":{"id":"\#(Self.anonymous)"}}}"#)
        let id = try made.text("objectId")
        let upgraded = try await world.parse(
            "PUT", "/users/\(id)", #"{"username":"mika","password":"s3cret","authData":{"anonymous":null}}"#,
            token: try made.text("sessionToken"))
        #expect(try upgraded.status == 200 && upgraded.text("sessionToken").hasPrefix("r:"))
        #expect(try await world.parseLogIn("mika").text("objectId") == id)
    }

    @Test(
        "is refused by its form",
        arguments: [
            (#"{"authData":{"anonymous":{"id":"short"}}}"#, 251), (#"{"authData":{"anonymous":{}}}"#, 252),
            (#"{"authData":{"myspace":{"id":"1"}}}"#, 252),
            (#"{"authData":{"facebook":{"id":"1","access_token":"x"}}}"#, 252),
            (#"{"authData":7}"#, 111), (#"{"authData":{"apple":{"id":"1"}}}"#, 101), (#"{"authData":{}}"#, 200),
            (#"{"authData":{"anonymous":null}}"#, 200), (#"{"authData":{"apple":7}}"#, 252),
        ])
    func forms(body: String, code: Int) async throws {
        let world = try await ForeignWorld()
        let answer = try await world.parse("POST", "/users", body)
        #expect(answer.parseCode == code, "\(body): \(answer.text)")
    }

    @Test("unlinks a provider that is not offered, which the device of an imported user still has, and saves the rest")
    func unlinkUnknown() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika")
        let path = "/classes/_User/\(user.id)"
        for (authData, code) in [
            (#"{"instagram":null}"#, nil), (#"{"instagram":null,"apple":null}"#, nil),
            (#"{"instagram":{"id":"1"}}"#, 252), (#"{"instagram":null,"github":{"id":"1"}}"#, 252),
        ] as [(String, Int?)] {
            let saved = try await world.parse(
                "PUT", path, #"{"score":{"__op":"Increment","amount":1},"authData":\#(authData)}"#, token: user.token)
            #expect(saved.parseCode == code, "\(authData): \(saved.text)")
        }
        let read = try await world.parse("GET", path, token: user.token)
        #expect(try read.json()["score"] == 2 && read.json()["authData"] == nil)
        let made = try await world.parse(
            "POST", "/users", #"{"username":"hana","password":"s3cret","authData":{"instagram":null}}"#)
        #expect(made.status == 201, "\(made.text)")
    }

    @Test("is not taken from anonymous users where the application says so")
    func noAnonymous() async throws {
        let world = try await ForeignWorld()
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id, to: ["allowsAnonymous": .truth(false)], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        let answer = try await world.parse("POST", "/users", #"{"authData":{"anonymous":{"id":"\#(Self.anonymous)"}}}"#)
        #expect(answer.parseCode == 252)
    }

    @Test("logs in with Apple, links, is repeated without proof, unlinks, and says 208 only after proof")
    func apple() async throws {
        let fixture = try await AppleWorld()
        let world = fixture.world
        let made = try await world.parse("POST", "/users", "{\(try fixture.authData("001.hana", nonce: "any"))}")
        #expect(made.status == 201, "\(made.text)")
        let again = try await world.parse("POST", "/users", "{\(try fixture.authData("001.hana"))}")
        #expect(try again.status == 200 && again.text("objectId") == made.text("objectId"))
        for wrong in [
            try fixture.authData("001.hana", audience: "com.example.other"),
            try fixture.authData("001.hana").replacing(#""id":"001.hana""#, with: #""id":"002.taro""#),
            #""authData":{"apple":{"id":"001.hana","token":"no.token.here"}}"#,
        ] {
            #expect(try await world.parse("POST", "/users", "{\(wrong)}").parseCode == 101)
        }
        let taro = try await world.parseUser("taro")
        let path = "/users/\(taro.id)"
        // The id alone tells nothing: not proved, not said whose it is.
        let probe = #"{"authData":{"apple":{"id":"001.hana","token":"no.token.here"}}}"#
        #expect(try await world.parse("PUT", path, probe, token: taro.token).parseCode == 206)
        let taken = "{\(try fixture.authData("001.hana"))}"
        #expect(try await world.parse("PUT", path, taken, token: taro.token).parseCode == 208)
        #expect(try await world.parse("POST", "/users", taken, token: taro.token).parseCode == 208)
        // Refused, it is not used up: the SDK logs in with it next.
        #expect(try await world.parse("POST", "/users", taken).status == 200)
        let own = "{\(try fixture.authData("003.taro"))}"
        for _ in 0..<2 { #expect(try await world.parse("PUT", path, own, token: taro.token).status == 200) }
        let me = try await world.parse("GET", "/users/me", token: taro.token)
        #expect(try me.json()["authData"] == ["apple": ["id": "003.taro"]])
        for _ in 0..<2 {
            let unlinked = try await world.parse("PUT", path, #"{"authData":{"apple":null}}"#, token: taro.token)
            #expect(unlinked.status == 200)
        }
        let read = try await world.parse("GET", "/users/me", token: taro.token)
        #expect(try read.json()["authData"] == nil && read.text("username") == "taro")
    }

    @Test("of a provider takes the place of the anonymous id, and the objectId stays")
    func anonymousToApple() async throws {
        let fixture = try await AppleWorld()
        let world = fixture.world
        let made = try await world.parse("POST", "/users", #"{"authData":{"anonymous":{"id":"\#(Self.anonymous)"}}}"#)
        let token = try made.text("sessionToken")
        let body = try fixture.authData("001.hana").dropLast() + #","anonymous":null}"#
        let linked = try await world.parse("PUT", "/users/\(try made.text("objectId"))", "{\(body)}", token: token)
        #expect(linked.status == 200, "\(linked.text)")
        let me = try await world.parse("GET", "/users/me", token: token)
        #expect(try me.json()["authData"] == ["apple": ["id": "001.hana"]])
        #expect(try me.text("objectId") == made.text("objectId"))
        let logIn = try await world.parse("POST", "/users", "{\(try fixture.authData("001.hana"))}")
        #expect(try logIn.text("objectId") == made.text("objectId"))
    }
}
