import Domain
import KiiAPI
import OkaeriWire
import TestWorld
import Testing

@Suite("Users who came from Kii")
struct KiiImportTests {
    private static let record = #""userID":"7f3c1a90-5be2-4d17-9a44-2f0e6c1d8b35","loginName":"hanako_01""#

    /// Takes a record in.
    private func take(
        _ members: String, at world: ForeignWorld, as outcome: ImportOutcome = .imported
    ) async throws {
        let record = try JSONValue(parsing: Array("{\(members)}".utf8))
        let user = try KiiExport.user(record, of: world.application.id, at: world.clock.now)
        let outcomes = try await world.modules.imports.importUsers(
            [user], into: world.application.id, of: .kii, isRehearsal: false)
        #expect(outcomes == [outcome])
    }

    @Test(
        "have the password that they had, and are pseudo users only when they were",
        arguments: [
            (Self.record, true), (Self.record + #","_hasPassword":true"#, true),
            (Self.record + #","_hasPassword":false"#, false), (#""userID":"1","_hasPassword":false"#, false),
            (#""userID":"1""#, false),
        ])
    func hasPassword(members: String, expected: Bool) async throws {
        let world = try await ForeignWorld()
        try await take(members + #","_accessToken":"kVx1mW7bYt3+/=""#, at: world)
        let user = try await world.kii("GET", "/users/me", token: "kVx1mW7bYt3+/=").json()
        #expect(user["_hasPassword"] == .bool(expected))
    }

    @Test(
        "are refused for one member that cannot be taken, or taken in without it",
        arguments: [
            (#""emailAddress":"hana..ko@docomo.example""#, "email", .notAMailAddress),
            (#""emailAddress":7"#, "email", .otherType), (#""phoneNumber":"09012345678""#, "phone", .notAPhoneNumber),
            (#""displayName":"\#(String(repeating: "a", count: 51))""#, "displayName", .tooLong(maximumCharacters: 50)),
            (#""country":"JPN""#, "fields.country", .notListed), (#""locale":{}"#, "locale", .otherType),
            (#""_thirdPartyAccounts":{"facebook":{}}"#, "identities.facebook", .required),
            (#""_thirdPartyAccounts":"none""#, "identities._thirdPartyAccounts", .otherType),
        ] as [(String, String, ValidationError.Rule)])
    func parts(member: String, field: String, rule: ValidationError.Rule) async throws {
        let world = try await ForeignWorld()
        let record = try JSONValue(parsing: Array("{\(Self.record),\"HighScore\":7,\(member)}".utf8))
        let user = try KiiExport.user(record, of: world.application.id, at: world.clock.now)
        let fault = ValidationError(field: field, rule: rule)
        func take(inPart takesParts: Bool) async throws -> [ImportOutcome] {
            try await world.modules.imports.importUsers(
                [user], into: world.application.id, of: .kii, by: .init(takesParts: takesParts), isRehearsal: false)
        }
        #expect(try await take(inPart: false) == [.refused([fault])])
        #expect(try await take(inPart: true) == [.importedInPart([fault])])
        let stored = try await world.modules.directory.readUser(user.user.id, in: world.application.id)
        #expect(stored.username == "hanako_01" && stored.fields == ["HighScore": 7])
    }

    @Test("have no address, number or name by an empty text")
    func emptyTexts() async throws {
        let world = try await ForeignWorld()
        let record = Self.record + #","emailAddress":"","phoneNumber":"","displayName":"","country":"","locale":"""#
        try await take(record, at: world)
    }

    @Test("do not get a token back that they gave up for another password, when their record comes again")
    func takenTwice() async throws {
        let world = try await ForeignWorld()
        let record = Self.record + #","_accessTokens":["kVx1mW7bYt3","second.token"]"#
        try await take(record, at: world)
        let changed = try await world.kii(
            "PUT", "/users/me/password", #"{"oldPassword":"as it was","newPassword":"456DEF"}"#, token: "kVx1mW7bYt3")
        #expect(changed.status == 204, "\(changed.text)")
        for _ in 0..<2 {
            for token in ["kVx1mW7bYt3", "second.token"] {
                #expect(try await world.kii("GET", "/users/me", token: token).code == "WRONG_TOKEN")
            }
            try await take(record, at: world, as: .present)
        }
    }

    @Test("keep their password in an update, and get another one by the token as long as the old one is unknown")
    func unknownPassword() async throws {
        let world = try await ForeignWorld()
        try await take(Self.record + #","_accessToken":"kVx1mW7bYt3""#, at: world)
        let echoed = try await world.kii(
            "POST", "/users/me", #"{"loginName":"hanako_01","password":"stolen1"}"#, token: "kVx1mW7bYt3")
        #expect(echoed.status == 200)
        let refused = try await world.kii("POST", "/oauth2/token", #"{"username":"hanako_01","password":"stolen1"}"#)
        #expect(refused.code == "invalid_grant")
        let changed = try await world.kii(
            "PUT", "/users/me/password", #"{"oldPassword":"as it was","newPassword":"456DEF"}"#, token: "kVx1mW7bYt3")
        #expect(changed.status == 204, "\(changed.text)")
        #expect(try await world.kii("GET", "/users/me", token: "kVx1mW7bYt3").code == "WRONG_TOKEN")
        let token = try await world.kiiToken("hanako_01", "456DEF")
        let wrong = try await world.kii(
            "PUT", "/users/me/password", #"{"oldPassword":"as it was","newPassword":"789GHI"}"#, token: token)
        #expect(wrong.status == 401 && wrong.code == "WRONG_PASSWORD")
        #expect(try wrong.text("address") == "hanako_01" && wrong.text("principalID") != "")
    }
}
