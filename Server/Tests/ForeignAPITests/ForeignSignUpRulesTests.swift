import Domain
import OkaeriWire
import TestWorld
import Testing

@Suite("What sign-up demands, in old protocols")
struct ForeignSignUpRulesTests {
    private func world(holdsOldProtocols: Bool) async throws -> ForeignWorld {
        var settings = ApplicationSettings()
        settings.signUp.usernameMinimumCharacters = 6
        settings.signUp.isEmailRequired = true
        settings.signUp.holdsOldProtocols = holdsOldProtocols
        return try await ForeignWorld(settings)
    }

    @Test("is not asked of their apps by default")
    func ownRules() async throws {
        let world = try await world(holdsOldProtocols: false)
        let parse = try await world.parse("POST", "/users", #"{"username":"hana","password":"another 1"}"#)
        #expect(parse.status == 201, "\(parse.text)")
        let ncmb = try await world.ncmb("POST", "/users", #"{"userName":"taro","password":"another 1"}"#)
        #expect(ncmb.status == 201, "\(ncmb.text)")
        _ = try await world.kiiUser("mina", "another 1")
        #expect(try await world.modules.directory.listUsers(in: world.application.id).count == 3)
    }

    @Test("is asked of them when the application says so, in their own words")
    func held() async throws {
        let world = try await world(holdsOldProtocols: true)
        let parse = try await world.parse("POST", "/users", #"{"username":"hanako","password":"another 1"}"#)
        #expect(parse.status == 400 && parse.text.contains("204"), "\(parse.text)")
        let short = #"{"username":"hana","email":"h@example.com","password":"another 1"}"#
        #expect(try await world.parse("POST", "/users", short).status == 400)
        let ncmb = try await world.ncmb("POST", "/users", #"{"userName":"hana_0001","password":"another 1"}"#)
        #expect(ncmb.status == 400, "\(ncmb.text)")
        // AuthService keeps the address among the fields.
        let envelope = try await world.send(
            "POST", "/user/signup", body: #"{"id":"hanako","password":"pass"}"#)
        #expect(envelope.text.contains(#""success":true"#), "\(envelope.text)")
        #expect(try await world.modules.directory.listUsers(in: world.application.id).map(\.username) == ["hanako"])
        // Guests have no form.
        #expect(
            try await world.parse(
                "POST", "/users", #"{"authData":{"anonymous":{"id":"0f8fad5b-d9cb-469f-a165-70867728950e"}}}"#
            )
            .status == 201)
    }
}
