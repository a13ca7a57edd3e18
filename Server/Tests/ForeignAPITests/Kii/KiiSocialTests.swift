import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Kii's accounts elsewhere")
struct KiiSocialTests {
    private static let providers = ["facebook", "twitter", "google"]

    private func world() async throws -> ForeignWorld {
        try await ForeignWorld.withSocialAccounts().world
    }

    private func body(_ token: String) -> String { #"{"accessToken":"\#(token)","accessTokenSecret":"s"}"# }

    private func logIn(_ provider: String, _ token: String, at world: ForeignWorld) async throws -> Answer {
        let name = provider.prefix(1).uppercased() + provider.dropFirst()
        return try await world.kii(
            "POST", "/integration/\(provider)", body(token), type: "application/vnd.kii.AuthToken\(name)Request+json")
    }

    @Test("sign up, and log in afterwards", arguments: providers)
    func logIn(provider: String) async throws {
        let world = try await world()
        let first = try await logIn(provider, "hana", at: world)
        #expect(first.status == 200, "\(first.text)")
        #expect(try first.json()["new_user_created"] == .bool(true) && first.json()["expires_in"] != nil)
        let again = try await logIn(provider, "hana", at: world)
        #expect(try again.json()["new_user_created"] == .bool(false))
        #expect(try again.text("id") == first.text("id"))
        let user = try await world.kii("GET", "/users/me", token: again.text("access_token")).json()
        #expect(user["_hasPassword"] == .bool(false))
        // Unity's SDK takes a Google account for linked by this name alone.
        let name = provider == "google" ? "googleplus" : provider
        guard case .object(let accounts)? = user["_thirdPartyAccounts"],
            case .object(let account)? = accounts[name], accounts.count == 1
        else { throw Missing(description: "no _thirdPartyAccounts") }
        #expect(account["id"] == "hana" && account["type"] == .string(name) && account["createdAt"] != nil)
    }

    @Test("have tokens that end when the client wished, at the first log-in and afterwards", arguments: providers)
    func lifetimes(provider: String) async throws {
        let world = try await world()
        func logIn(until end: Int64) async throws -> Answer {
            try await world.kii(
                "POST", "/integration/\(provider)",
                #"{"accessToken":"hana","accessTokenSecret":"s","expiresAt":\#(end)}"#)
        }
        for isNew in [true, false] {
            let answer = try await logIn(until: world.clock.now.milliseconds + 60_000)
            #expect(try answer.json()["expires_in"] == .integer(60), "\(answer.text)")
            #expect(try answer.json()["new_user_created"] == .bool(isNew))
            let token = try answer.text("access_token")
            #expect(try await world.kii("GET", "/users/me", token: token).status == 200)
            world.clock.advance(by: .seconds(61))
            #expect(try await world.kii("GET", "/users/me", token: token).code == "WRONG_TOKEN")
        }
        let past = try await logIn(until: 1)
        #expect(past.status == 400 && past.code == "INVALID_INPUT_DATA", "\(past.text)")
    }

    @Test("are refused as invalid_grant when the provider does not vouch for them", arguments: providers)
    func refused(provider: String) async throws {
        let answer = try await logIn(provider, "foreign", at: try await world())
        #expect(answer.status == 400 && answer.code == "invalid_grant", "\(answer.text)")
        #expect(try answer.text("error") == "invalid_grant")
        #expect(!answer.text.contains("password"))
    }

    @Test("are linked to a pseudo user and unlinked again", arguments: providers)
    func link(provider: String) async throws {
        let world = try await world()
        let user = try await world.pseudoUser()
        let path = "/users/me/\(provider)"
        let none = try await world.kii("POST", "\(path)/unlink", token: user.token)
        #expect(none.status == 409 && none.code == "USER_NOT_LINKED")
        #expect(try none.text("userID") == user.id)
        #expect(try await world.kii("POST", "\(path)/link", body("hana"), token: user.token).status == 204)
        #expect(try await logIn(provider, "hana", at: world).text("id") == user.id)
        let named = #"{"loginName":"one_1","password":"123ABC"}"#
        #expect(try await world.kii("POST", "/users/\(user.id)", named, token: user.token).status == 200)
        #expect(try await world.kii("POST", "\(path)/unlink", token: user.token).status == 204)
        #expect(try await logIn(provider, "hana", at: world).json()["new_user_created"] == .bool(true))
    }

    @Test("are unlinked from a pseudo user, who keeps the token", arguments: providers)
    func unlinkPseudoUser(provider: String) async throws {
        let world = try await world()
        let user = try await world.pseudoUser()
        #expect(
            try await world.kii("POST", "/users/me/\(provider)/link", body("hana"), token: user.token).status == 204)
        #expect(try await world.kii("POST", "/users/me/\(provider)/unlink", token: user.token).status == 204)
        let me = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(me["userID"] == .string(user.id) && me["_thirdPartyAccounts"] == nil)
        #expect(try await logIn(provider, "hana", at: world).text("id") != user.id)
    }

    @Test("that belong to another user are refused with the provider's name", arguments: providers)
    func taken(provider: String) async throws {
        let world = try await world()
        _ = try await logIn(provider, "hana", at: world)
        let user = try await world.kiiUser("one_1")
        let answer = try await world.kii("POST", "/users/\(user.id)/\(provider)/link", body("hana"), token: user.token)
        #expect(answer.status == 409 && answer.code == "\(provider.uppercased())_USER_ALREADY_LINKED", "\(answer.text)")
    }

    @Test("cannot be linked to somebody else, nor by a stranger")
    func others() async throws {
        let world = try await world()
        let (one, two) = (try await world.kiiUser("one_1"), try await world.pseudoUser())
        for token in [two.token, nil, try await world.administrator()] {
            let answer = try await world.kii("POST", "/users/\(one.id)/facebook/link", body("hana"), token: token)
            #expect(answer.status == 401 && answer.code == "UNAUTHORIZED")
        }
    }

    @Test("by a page in a web view of the SDK are refused at the address by which the view closes")
    func webView() async throws {
        let world = try await ForeignWorld()
        func open(_ application: String) async throws -> Answer {
            try await world.send("GET", "/api/apps/\(application)/integration/webauth/connect?id=facebook", [])
        }
        let answer = try await open(ForeignWorld.appId)
        let address = "result?kii_succeeded=false&kii_error_code=OPERATION_NOT_IMPLEMENTED"
        #expect(answer.status == 302 && answer.headers[.location] == address, "\(answer.text)")
        #expect(try await open("nothing").code == "APP_NOT_FOUND")
    }

    @Test(
        "of services that are not set up are refused, whether or not this server knows them",
        arguments: ["facebook", "qq", "renren"])
    func notSetUp(provider: String) async throws {
        let answer = try await logIn(provider, "hana", at: try await ForeignWorld())
        #expect(answer.status == 400 && answer.code == "ACCOUNT_TYPE_NOT_SUPPORTED", "\(answer.text)")
    }
}
