import HTTPTypes
import OkaeriWire
import Testing

@Suite("Accounts elsewhere in Parse")
struct ParseSocialTests {
    private static let providers = ["facebook", "google", "twitter"]
    private static let anonymous = "a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"

    /// What the SDKs send; the fakes take a token for the name of whom it is about.
    private func entry(_ provider: String, _ id: String, token: String? = nil) -> String {
        let token = token ?? id
        let rest =
            switch provider {
            case "facebook": #""access_token":"\#(token)","expiration_date":"2027-01-02T03:04:05.678Z""#
            case "google": #""access_token":"\#(token)""#
            default:
                #""screen_name":"\#(id)","consumer_key":"ck","consumer_secret":"cs","auth_token":"\#(token)","#
                    + #""auth_token_secret":"s""#
            }
        return #""\#(provider)":{"id":"\#(id)",\#(rest)}"#
    }

    /// What is read back after a log-in: tokens are never kept.
    private func readBack(_ provider: String, _ id: String) -> JSONValue {
        switch provider {
        case "facebook":
            [
                "id": .string(id), "access_token": "expired", "expiration_date": "1970-01-01T00:00:00.000Z",
                "last_refresh_date": "1970-01-01T00:00:00.000Z",
            ]
        case "twitter":
            ["id": .string(id), "screen_name": "", "auth_token": "expired", "auth_token_secret": "expired"]
        default: ["id": .string(id)]
        }
    }

    private func body(_ entries: String...) -> String { #"{"authData":{\#(entries.joined(separator: ","))}}"# }

    @Test("sign up with 201, and log in with 200", arguments: providers)
    func logIn(provider: String) async throws {
        let (world, social) = try await ForeignWorld.withSocialAccounts()
        let made = try await world.parse("POST", "/users", body(entry(provider, "hana")))
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.text("username").count == 25 && made.text("sessionToken").hasPrefix("r:"))
        let session = try await world.parse("GET", "/sessions/me", token: made.text("sessionToken"))
        #expect(try session.json()["createdWith"] == ["action": "login", "authProvider": .string(provider)])
        // Other members of the body count at the sign-up alone.
        let more = #"{"score":5,"authData":{\#(entry(provider, "hana"))}}"#
        let again = try await world.parse("POST", "/classes/_User", more)
        #expect(again.status == 200, "\(again.text)")
        #expect(try again.text("objectId") == made.text("objectId") && again.json()["score"] == nil)
        #expect(again.headers[.location]?.hasSuffix("/users/\(try made.text("objectId"))") == true)
        #expect(social.askedCount == 2)
        let me = try await world.parse("GET", "/users/me", token: again.text("sessionToken"))
        #expect(try me.json()["authData"] == .object([provider: readBack(provider, "hana")]))
    }

    @Test(
        "are read back with all that Apple's and Android's SDKs ask of an entry, who unlink it otherwise",
        arguments: [
            ("facebook", ["id", "access_token", "expiration_date"]),
            ("twitter", ["id", "screen_name", "auth_token", "auth_token_secret"]),
        ])
    func restored(provider: String, asked: [String]) async throws {
        let (world, social) = try await ForeignWorld.withSocialAccounts()
        let made = try await world.parse(
            "POST", "/users", #"{"username":"hana","password":"s3cret","authData":{\#(entry(provider, "hana"))}}"#)
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        let before = social.askedCount
        // A fetch of the current user, one by another SDK, and a log-in by password on another device.
        for answer in [
            try await world.parse("GET", "/classes/_User/\(id)", token: token),
            try await world.parse("GET", "/users/me", token: token), try await world.parseLogIn("hana"),
        ] {
            guard case .object(let authData)? = try answer.json()["authData"],
                case .object(let found)? = authData[provider]
            else { throw Missing(description: answer.text) }
            for name in asked {
                guard case .string(let text)? = found[name] else { throw Missing(description: answer.text) }
                #expect(!text.isEmpty || name == "screen_name", "\(name)")
            }
        }
        // The next save sends it all back, which asks nobody and changes nothing.
        let save = try String(
            decoding: JSONBytesOfTest.bytes(
                of: ["score": 1, "authData": .object([provider: readBack(provider, "hana")])]), as: UTF8.self)
        #expect(try await world.parse("PUT", "/classes/_User/\(id)", save, token: token).status == 200)
        #expect(social.askedCount == before)
        let again = try await world.parse("POST", "/users", body(entry(provider, "hana")))
        #expect(try again.status == 200 && again.text("objectId") == id)
        // It is no token: nobody logs in with what is read back.
        let stolen = try String(
            decoding: JSONBytesOfTest.bytes(of: ["authData": .object([provider: readBack(provider, "hana")])]),
            as: UTF8.self)
        #expect(try await world.parse("POST", "/users", stolen).parseCode == 101)
    }

    @Test("come as often from one address as the operator says, and are asked about no more then")
    func limited() async throws {
        let (world, social) = try await ForeignWorld.withSocialAccounts(server: ["old-app-provider-credentials": "2"])
        for status in [201, 200] {
            #expect(try await world.parse("POST", "/users", body(entry("facebook", "hana"))).status == status)
        }
        let more = try await world.parse("POST", "/users", body(entry("facebook", "hana")))
        #expect(more.parseCode == 100 && more.headers[.retryAfter] == "3600", "\(more.text)")
        #expect(social.askedCount == 2)
    }

    @Test("take a name and a password that are sent along", arguments: providers)
    func named(provider: String) async throws {
        let world = try await ForeignWorld.withSocialAccounts().world
        let both = #"{"username":"hana","password":"s3cret","authData":{\#(entry(provider, "hana"))}}"#
        let made = try await world.parse("POST", "/users", both)
        #expect(made.status == 201, "\(made.text)")
        #expect(try await world.parseLogIn("hana").text("objectId") == made.text("objectId"))
        let known = try await world.parse("POST", "/users", body(entry(provider, "hana")))
        #expect(try known.status == 200 && known.text("objectId") == made.text("objectId"))
    }

    @Test("are refused with 101 where the provider does not vouch, and leave nobody behind", arguments: providers)
    func refused(provider: String) async throws {
        let world = try await ForeignWorld.withSocialAccounts().world
        for wrong in [
            entry(provider, "hana", token: "foreign"), entry(provider, "hana", token: "taro"),
            #""\#(provider)":{"id":"hana"}"#,
        ] {
            let answer = try await world.parse("POST", "/users", body(wrong))
            #expect(answer.parseCode == 101, "\(answer.text)")
        }
        let found = try await world.parse("GET", "/users", master: true)
        #expect(try found.results().isEmpty)
    }

    @Test("are linked, unlinked and linked again", arguments: providers)
    func link(provider: String) async throws {
        let (world, social) = try await ForeignWorld.withSocialAccounts()
        let user = try await world.parseUser("taro")
        let path = "/classes/_User/\(user.id)"
        let linked = try await world.parse("PUT", path, body(entry(provider, "taro")), token: user.token)
        #expect(try linked.status == 200 && linked.json()["updatedAt"] != nil && linked.json()["sessionToken"] == nil)
        #expect(try await world.parse("POST", "/users", body(entry(provider, "taro"))).text("objectId") == user.id)
        // All that is linked comes with each save, with tokens that have long been over: nobody is asked.
        let before = social.askedCount
        let old = #"{"score":1,"authData":{\#(entry(provider, "taro", token: "foreign"))}}"#
        #expect(try await world.parse("PUT", path, old, token: user.token).status == 200)
        // As this server reads it back: without any token.
        let bare = #"{"authData":{"\#(provider)":{"id":"taro"}}}"#
        #expect(try await world.parse("PUT", path, bare, token: user.token).status == 200)
        for _ in 0..<2 {
            let none = #"{"authData":{"\#(provider)":null}}"#
            #expect(try await world.parse("PUT", path, none, token: user.token).status == 200)
        }
        #expect(social.askedCount == before)
        #expect(try await world.parse("GET", "/users/me", token: user.token).json()["authData"] == nil)
        // It leads to nobody now, and is free for the next one.
        let other = try await world.parse("POST", "/users", body(entry(provider, "taro")))
        #expect(try other.status == 201 && other.text("objectId") != user.id)
    }

    @Test("of somebody else are 208, but only once they proved good", arguments: providers)
    func taken(provider: String) async throws {
        let world = try await ForeignWorld.withSocialAccounts().world
        _ = try await world.parse("POST", "/users", body(entry(provider, "hana")))
        let taro = try await world.parseUser("taro")
        let path = "/users/\(taro.id)"
        let probe = try await world.parse(
            "PUT", path, body(entry(provider, "hana", token: "foreign")), token: taro.token)
        #expect(probe.parseCode == 206, "\(probe.text)")
        let proved = try await world.parse("PUT", path, body(entry(provider, "hana")), token: taro.token)
        #expect(proved.parseCode == 208, "\(proved.text)")
        let both = try await world.parse("POST", "/users", body(entry(provider, "hana")), token: taro.token)
        #expect(both.parseCode == 208, "\(both.text)")
        #expect(try await world.parse("GET", "/users/me", token: taro.token).json()["authData"] == nil)
    }

    @Test("stand beside each other; one that is sent with others must lead to the same user")
    func several() async throws {
        let (world, social) = try await ForeignWorld.withSocialAccounts()
        let made = try await world.parse("POST", "/users", body(entry("facebook", "hana")))
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        let linked = try await world.parse(
            "PUT", "/users/\(id)", body(entry("facebook", "hana", token: "foreign"), entry("twitter", "hana")),
            token: token)
        #expect(linked.status == 200, "\(linked.text)")
        #expect(social.askedCount == 2)
        let added = try await world.parse(
            "POST", "/users", body(entry("facebook", "hana"), entry("google", "hana-2")))
        #expect(try added.status == 200 && added.text("objectId") == id, "\(added.text)")
        let me = try await world.parse("GET", "/users/me", token: token)
        #expect(
            try me.json()["authData"]
                == .object([
                    "facebook": readBack("facebook", "hana"), "google": readBack("google", "hana-2"),
                    "twitter": readBack("twitter", "hana"),
                ]))
        _ = try await world.parse("POST", "/users", body(entry("google", "other")))
        let mixed = try await world.parse("POST", "/users", body(entry("facebook", "hana"), entry("google", "other")))
        #expect(mixed.parseCode == 208, "\(mixed.text)")
        // A re-link is verified, and takes the place of the one before.
        let changed = try await world.parse("PUT", "/users/\(id)", body(entry("twitter", "hana-3")), token: token)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try await world.parse("POST", "/users", body(entry("twitter", "hana-3"))).text("objectId") == id)
        #expect(try await world.parse("POST", "/users", body(entry("twitter", "hana"))).status == 201)
    }

    @Test("take the place of an anonymous id, and the objectId stays", arguments: providers)
    func fromAnonymous(provider: String) async throws {
        let world = try await ForeignWorld.withSocialAccounts().world
        let start = body(#""anonymous":{"id":"\#(Self.anonymous)"}"#)
        let made = try await world.parse("POST", "/users", start)
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        let linked = try await world.parse(
            "PUT", "/users/\(id)", body(entry(provider, "hana"), #""anonymous":null"#), token: token)
        #expect(linked.status == 200, "\(linked.text)")
        let known = try await world.parse("POST", "/users", body(entry(provider, "hana")))
        #expect(try known.status == 200 && known.text("objectId") == id)
        #expect(try await world.parse("POST", "/users", start).status == 201)
    }

    @Test("are linked by an administrator, who gets a session of the user", arguments: providers)
    func byMaster(provider: String) async throws {
        let world = try await ForeignWorld.withSocialAccounts().world
        let user = try await world.parseUser("taro")
        let linked = try await world.parse("PUT", "/users/\(user.id)", body(entry(provider, "taro")), master: true)
        #expect(linked.status == 200, "\(linked.text)")
        let me = try await world.parse("GET", "/users/me", token: linked.text("sessionToken"))
        #expect(try me.text("objectId") == user.id)
    }
}
