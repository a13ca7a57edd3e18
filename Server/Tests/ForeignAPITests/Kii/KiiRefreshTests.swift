import Domain
import KiiAPI
import Okaeri
import OkaeriWire
import TestWorld
import Testing

@Suite("Kii's refresh tokens")
struct KiiRefreshTests {
    private func world() async throws -> ForeignWorld {
        var settings = ApplicationSettings()
        settings.foreignOptions[.kii] = ForeignOptions(refreshedTokenLifetime: .seconds(3600))
        return try await ForeignWorld(settings)
    }

    private func logIn(at world: ForeignWorld, rest: String = "") async throws -> Answer {
        try await world.kii("POST", "/oauth2/token", #"{"username":"one_1","password":"123ABC"\#(rest)}"#)
    }

    private func refresh(_ token: String, at world: ForeignWorld) async throws -> Answer {
        try await world.kii("POST", "/oauth2/token", #"{"refresh_token":"\#(token)"}"#)
    }

    @Test("are not there unless the application wants them")
    func off() async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("one_1")
        #expect(try await logIn(at: world).json()["refresh_token"] == nil)
        let refused = try await refresh("made-up", at: world)
        #expect(refused.status == 403 && refused.code == "WRONG_REFRESH_TOKEN")
    }

    @Test("give another pair, and the old token dies at once")
    func pair() async throws {
        let world = try await world()
        _ = try await world.kiiUser("one_1")
        let first = try await logIn(at: world)
        #expect(try first.json()["expires_in"] == .integer(3600))
        let (token, old) = (try first.text("access_token"), try first.text("refresh_token"))
        // Also when the token is over already.
        world.clock.advance(by: .seconds(3601))
        #expect(try await world.kii("GET", "/users/me", token: token).code == "WRONG_TOKEN")
        // Nor does it bring the account to anybody's key by another protocol.
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(kiiToken: token) }
        let second = try await refresh(old, at: world)
        #expect(second.status == 200, "\(second.text)")
        #expect(try second.text("id") == first.text("id") && second.json()["expires_in"] == .integer(3600))
        let fresh = try second.text("access_token")
        #expect(try await world.kii("GET", "/users/me", token: fresh).status == 200)
        // The response may not have come: the same again is the same pair.
        let again = try await refresh(old, at: world)
        #expect(try again.text("access_token") == fresh)
        #expect(try again.text("refresh_token") == second.text("refresh_token"))
        #expect(try await refresh(second.text("refresh_token"), at: world).status == 200)
        #expect(try await world.kii("GET", "/users/me", token: fresh).code == "WRONG_TOKEN")
        #expect(try await refresh(old, at: world).code == "WRONG_REFRESH_TOKEN")
    }

    @Test("cannot be made up, nor used elsewhere, nor after the user is gone or kept out")
    func refused() async throws {
        let world = try await world()
        let user = try await world.kiiUser("one_1")
        let token = try await logIn(at: world).text("refresh_token")
        for wrong in ["", ".", "a.b", token + "x", "x" + token, String(token.reversed())] {
            #expect(try await refresh(wrong, at: world).code == "WRONG_REFRESH_TOKEN", "\(wrong)")
        }
        #expect(try await refresh(token, at: self.world()).code == "WRONG_REFRESH_TOKEN")
        let id = Identifier<Domain.User>(rawValue: user.id)
        try await world.modules.accounts.setUserDisabled(id, in: world.application, isDisabled: true, by: .local)
        #expect(try await refresh(token, at: world).code == "WRONG_REFRESH_TOKEN")
        try await world.modules.accounts.setUserDisabled(id, in: world.application, isDisabled: false, by: .local)
        // The token ended with the disabling (section 8.6).
        #expect(try await refresh(token, at: world).code == "WRONG_REFRESH_TOKEN")
    }

    @Test("give one pair, however often they are used at once")
    func race() async throws {
        let world = try await world()
        _ = try await world.kiiUser("one_1")
        let token = try await logIn(at: world).text("refresh_token")
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await refresh(token, at: world).text("access_token") } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(try await world.kii("GET", "/users/me", token: tokens.first).status == 200)
    }

    @Test("that come again after ten minutes end the session that they were used for")
    func reuse() async throws {
        let world = try await world()
        _ = try await world.kiiUser("one_1")
        let old = try await logIn(at: world).text("refresh_token")
        let pair = try await refresh(old, at: world)
        world.clock.advance(by: .seconds(600))
        #expect(try await world.kii("GET", "/users/me", token: pair.text("access_token")).status == 200)
        #expect(try await refresh(old, at: world).code == "WRONG_REFRESH_TOKEN")
        #expect(try await world.kii("GET", "/users/me", token: pair.text("access_token")).code == "WRONG_TOKEN")
        #expect(try await refresh(pair.text("refresh_token"), at: world).code == "WRONG_REFRESH_TOKEN")
    }

    @Test("never come with a pseudo user, whose token does not end")
    func pseudoUser() async throws {
        let world = try await world()
        let made = try await world.kii(
            "POST", "/users", "{}", type: "application/vnd.kii.RegistrationAndAuthorizationRequest+json")
        #expect(try made.json()["_refreshToken"] == nil)
        world.clock.advance(by: .days(4000))
        #expect(try await world.kii("GET", "/users/me", token: made.text("_accessToken")).status == 200)
        let named = try await world.kii(
            "POST", "/users", #"{"loginName":"one_1","password":"123ABC"}"#,
            type: "application/vnd.kii.RegistrationAndAuthorizationRequest+json")
        #expect(try await refresh(named.text("_refreshToken"), at: world).status == 200)
    }
}
