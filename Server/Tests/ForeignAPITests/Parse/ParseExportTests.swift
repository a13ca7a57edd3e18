import Domain
import OkaeriWire
import ParseAPI
import TestWorld
import Testing

@Suite("Users of an export of Parse")
struct ParseExportTests {
    private static let mongo = """
        {"_id":"_User","objectId":"string","avatar":"file","home":"geopoint","blob":"bytes","born":"date",
         "team":"*Team","games":"relation<Game>","area":"polygon","score":"number","_metadata":{}}
        """
    private static let postgres = """
        {"className":"_User","schema":{"fields":{"avatar":{"type":"File"},"home":{"type":"GeoPoint"},
         "blob":{"type":"Bytes"},"born":{"type":"Date"},"team":{"type":"Pointer","targetClass":"Team"},
         "games":{"type":"Relation","targetClass":"Game"},"area":{"type":"Polygon"},"score":{"type":"Number"}}},
         "isParseClass":true}
        """
    private static let mongoRow = """
        {"_id":"u1","_created_at":{"$date":"2024-01-02T03:04:05.678Z"},"username":"mika","avatar":"a.png",
         "home":[139.7,35.6],"blob":{"$binary":{"base64":"aGk=","subType":"00"}},
         "born":{"$date":"2001-02-03T00:00:00Z"},"_p_team":"Team$t1",
         "area":{"type":"Polygon","coordinates":[[[1,2],[3,4],[5,6],[1,2]]]},"score":{"$numberDouble":"1.5"}}
        """
    private static let postgresRow = """
        {"objectId":"u1","createdAt":"2024-01-02T03:04:05.678+00:00","username":"mika","avatar":"a.png",
         "home":"(139.7,35.6)","blob":{"__type":"Bytes","base64":"aGk="},"born":"2001-02-03T00:00:00+00:00",
         "team":"t1","area":"((1,2),(3,4),(5,6),(1,2))","score":1.5,"email":null}
        """

    /// Of "s3cret".
    private static let hash = "$2b$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC"

    private static func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    private static func user(_ text: String, _ schema: ParseSchema? = nil) throws -> ImportedUser {
        try ParseExport.user(try value(text), of: Identifier(rawValue: "app"), schema: schema)
    }

    @Test(
        "keep the types of their fields, which the schema knows",
        arguments: [(mongo, mongoRow), (postgres, postgresRow)])
    func types(schema: String, row: String) throws {
        let types = ParseSchema([try Self.value(schema)], filesURL: "https://files.example.com/")
        let fields = try Self.user(row, types).user.fields
        #expect(
            fields["avatar"] == ["__type": "File", "name": "a.png", "url": "https://files.example.com/a.png"])
        #expect(fields["home"] == ["__type": "GeoPoint", "latitude": 35.6, "longitude": 139.7])
        #expect(fields["blob"] == ["__type": "Bytes", "base64": "aGk="])
        #expect(fields["born"] == ["__type": "Date", "iso": "2001-02-03T00:00:00.000Z"])
        #expect(fields["team"] == ["__type": "Pointer", "className": "Team", "objectId": "t1"])
        #expect(fields["games"] == ["__type": "Relation", "className": "Game"])
        guard case .object(let area)? = fields["area"], case .array(let points)? = area["coordinates"] else {
            Issue.record("no area")
            return
        }
        #expect(area["__type"] == "Polygon" && points.count == 3)
        #expect(fields["score"] == 1.5)
        #expect(fields["email"] == nil)
    }

    @Test("have plain values without a schema, but for bytes and times that say what they are")
    func withoutSchema() throws {
        let fields = try Self.user(Self.mongoRow).user.fields
        #expect(fields["avatar"] == "a.png" && fields["games"] == nil)
        #expect(fields["blob"] == ["__type": "Bytes", "base64": "aGk="])
        #expect(!ParseSchema([try Self.value(#"{"_id":"Game","a":"file"}"#)], filesURL: nil).namesUsers)
        // An app whose users have plain values alone has a schema too.
        #expect(ParseSchema([try Self.value(#"{"_id":"_User","score":"number"}"#)], filesURL: nil).namesUsers)
        let old = #"{"_id":"u","_created_at":"2024-01-02T03:04:05.678Z","b":{"$binary":"aGk=","$type":"00"}}"#
        #expect(try Self.user(old).user.fields["b"] == ["__type": "Bytes", "base64": "aGk="])
    }

    @Test(
        "bring sessions along with what apps kept of them",
        arguments: [
            """
            {"_id":"s1","sessionToken":"r:0123456789abcdef0123456789abcdef","_p_user":"_User$u1","restricted":false,
             "createdWith":{"action":"login","authProvider":"gcenter"},"expiresAt":{"$date":"2030-01-02T03:04:05.678Z"},
             "_created_at":{"$date":"2024-01-02T03:04:05.678Z"},"_updated_at":{"$date":"2024-02-02T03:04:05.678Z"},
             "theme":"dark","since":{"$date":"2024-01-01T00:00:00Z"}}
            """,
            """
            {"objectId":"s1","sessionToken":"r:0123456789abcdef0123456789abcdef","user":"u1","restricted":false,
             "createdWith":{"action":"login","authProvider":"gcenter"},"expiresAt":"2030-01-02T03:04:05.678Z",
             "createdAt":"2024-01-02T03:04:05.678Z","updatedAt":"2024-02-02T03:04:05.678Z","theme":"dark",
             "since":{"__type":"Date","iso":"2024-01-01T00:00:00Z"},"installationId":null,"_rperm":null}
            """,
        ])
    func sessions(row: String) async throws {
        let world = try await ForeignWorld()
        try await world.importParseUser("u1")
        let session = try ParseExport.session(try Self.value(row), of: world.application.id)
        #expect(session.user.rawValue == "u1" && session.method.rawValue == "gamecenter")
        #expect(try await world.modules.sessions.importSessions([session], isRehearsal: false) == [.imported])
        let read = try await world.parse(
            "GET", "/sessions/me", token: "r:0123456789abcdef0123456789abcdef")
        #expect(try read.json()["theme"] == "dark" && read.text("updatedAt") == "2024-02-02T03:04:05.678Z")
        #expect(try read.json()["since"] == ["__type": "Date", "iso": "2024-01-01T00:00:00.000Z"])
        #expect(try read.json()["createdWith"] == ["action": "login", "authProvider": "gcenter"])
        #expect(try read.json()["restricted"] == nil)
    }

    @Test("keep what is linked, with an empty authData beside the columns too")
    func authData() throws {
        let columns = #""_auth_data_facebook":{"id":"7"},"_auth_data_apple":{"id":"a"}"#
        for members in [columns, #""authData":{},\#(columns)"#, #""authData":{"apple":{"id":"a"}},\#(columns)"#] {
            let row = #"{"_id":"u","_created_at":"2024-01-02T03:04:05.678Z",\#(members)}"#
            #expect(try Self.user(row).providerNames == [.facebook: "7", .apple: "a"], "\(members)")
        }
    }

    @Test(
        "have a fault for each field that cannot be taken, and for the access list, and are taken in without them",
        arguments: [
            (#""score":{"$numberDouble":"NaN"}"#, "fields.score", .notOfKind(.number)),
            (#""until":{"$date":{"$numberLong":"9223372036854775807"}}"#, "fields.until", .notOfKind(.date)),
            (#""until":{"__type":"Date","iso":"never"}"#, "fields.until", .notOfKind(.date)),
            (#""home":{"__type":"GeoPoint","latitude":"35"}"#, "fields.home", .otherType),
            (#""length":7"#, "fields.length", .notAFieldName), (#""box":{"a.b":1}"#, "fields.box", .notAFieldName),
            (#""_p_team":"t1""#, "fields._p_team", .otherType), (#""ACL":{"*":7}"#, "accessList", .otherType),
        ] as [(String, String, ValidationError.Rule)])
    func fieldFaults(member: String, field: String, rule: ValidationError.Rule) async throws {
        let world = try await ForeignWorld()
        let row = #"{"_id":"u1","_created_at":"2024-01-02T03:04:05.678Z","username":"mika","level":3,\#(member)}"#
        let user = try ParseExport.user(try Self.value(row), of: world.application.id)
        let fault = ValidationError(field: field, rule: rule)
        #expect(user.faults == [fault] && user.user.fields == ["level": 3])
        func take(inPart takesParts: Bool) async throws -> [ImportOutcome] {
            try await world.modules.imports.importUsers(
                [user], into: world.application.id, of: .parse, by: .init(takesParts: takesParts), isRehearsal: false)
        }
        #expect(try await take(inPart: false) == [.refused([fault])])
        #expect(try await take(inPart: true) == [.importedInPart([fault])])
    }

    @Test("whose names differ in capitals alone are two, where that is wished, and log in by their own spelling")
    func twins() async throws {
        let world = try await ForeignWorld()
        let users = try [("first", "Mika"), ("second", "mika")].map { id, name in
            let row =
                #"{"_id":"\#(id)","_created_at":"2024-01-02T03:04:05.678Z","username":"\#(name)","#
                + #""_hashed_password":"\#(Self.hash)"}"#
            return try ParseExport.user(try Self.value(row), of: world.application.id)
        }
        func take(takesTwins: Bool) async throws -> [ImportOutcome] {
            try await world.modules.imports.importUsers(
                users, into: world.application.id, of: .parse, by: .init(takesTwins: takesTwins),
                isRehearsal: !takesTwins)
        }
        let twin = ImportOutcome.refused([ValidationError(field: "username", rule: .notUnique)])
        #expect(try await take(takesTwins: false) == [.imported, twin])
        #expect(try await take(takesTwins: true) == [.imported, .imported])
        for (name, id) in [("Mika", "first"), ("mika", "second")] {
            #expect(try await world.parseLogIn(name).text("objectId") == id)
        }
        #expect(try await world.parseLogIn("MIKA").parseCode == 101)
    }

    @Test("brings no session of a user who was made here: somebody has written it into the export")
    func forgedSession() async throws {
        let world = try await ForeignWorld()
        let made = try await world.parseUser("mika")
        let (id, application, now) = (
            Identifier<Domain.User>(rawValue: made.id), world.application.id, world.clock.now
        )
        let session = ImportedSession(
            user: id, application: application, token: Secret("r:forged1"), protocolName: .parse, method: .password,
            createdAt: now)
        for isRehearsal in [true, false] {
            let outcomes = try await world.modules.sessions.importSessions([session], isRehearsal: isRehearsal)
            #expect(outcomes == [.refused([ValidationError(field: "user", rule: .notListed)])])
        }
        let again = ImportedUser(
            user: Domain.User(id: id, application: application, createdAt: now, updatedAt: now),
            tokens: [Secret("r:forged2")])
        let outcomes = try await world.modules.imports.importUsers(
            [again], into: application, of: .parse, isRehearsal: false)
        #expect(outcomes == [.present])
        for token in ["r:forged1", "r:forged2"] {
            #expect(try await world.parse("GET", "/users/me", token: token).parseCode == 209)
        }
    }

    @Test("whose ids are one text, written in two ways, are two: none changes the other")
    func canonicalIds() async throws {
        let world = try await ForeignWorld()
        let ids = ["hana": "ren\u{E9}", "thief": "rene\u{301}"]
        let users = try ["hana", "thief"].map { name in
            let id = try #require(ids[name])
            let row =
                #"{"_id":"\#(id)","_created_at":"2024-01-02T03:04:05.678Z","username":"\#(name)","#
                + #""_hashed_password":"\#(Self.hash)"}"#
            return try ParseExport.user(try Self.value(row), of: world.application.id)
        }
        for isRehearsal in [true, false] {
            let outcomes = try await world.modules.imports.importUsers(
                users, into: world.application.id, of: .parse, isRehearsal: isRehearsal)
            #expect(outcomes == [.imported, .imported])
        }
        let token = try await world.parseLogIn("thief").text("sessionToken")
        func change(_ name: String, _ body: String) async throws -> String {
            let id = try #require(ids[name])
            return try await world.parse(
                "POST", "/batch",
                #"{"requests":[{"method":"PUT","path":"/parse/users/\#(id)","body":\#(body)}]}"#, token: token
            ).text
        }
        #expect(try await change("hana", #"{"password":"n3w s3cret"}"#).contains(#""error""#))
        #expect(try await change("thief", #"{"score":1}"#).contains(#""success""#))
        #expect(try await world.parseLogIn("hana").status == 200)
        #expect(try await world.parseLogIn("hana", "n3w s3cret").parseCode == 101)
        #expect(try await world.parse("GET", "/users/me", token: token).text("username") == "thief")
    }

    @Test("keep their address, its verification and all sessions when an app sends it back as it was imported")
    func importedAddress() async throws {
        let world = try await ForeignWorld()
        let row =
            #"{"_id":"u1","_created_at":"2024-01-02T03:04:05.678Z","username":"mika","email":"Mika@Example.COM","#
            + #""emailVerified":true,"_hashed_password":"\#(Self.hash)"}"#
        let user = try ParseExport.user(try Self.value(row), of: world.application.id)
        let outcomes = try await world.modules.imports.importUsers(
            [user], into: world.application.id, of: .parse, isRehearsal: false)
        #expect(outcomes == [.imported])
        let (phone, tablet) = (
            try await world.parseLogIn("mika").text("sessionToken"),
            try await world.parseLogIn("mika").text("sessionToken")
        )
        let address = try await world.parse("GET", "/users/me", token: phone).text("email")
        // ParsePy saves all fields that it knows.
        let saved = try await world.parse(
            "PUT", "/users/u1", #"{"email":"\#(address)","score":1}"#, token: phone)
        #expect(saved.status == 200, "\(saved.text)")
        for token in [phone, tablet] {
            let read = try await world.parse("GET", "/users/me", token: token)
            #expect(try read.text("email") == address && read.json()["emailVerified"] == true, "\(read.text)")
        }
    }

    @Test("have a fault for an authData that is no object", arguments: ["7", "[]", #""{}""#])
    func oddAuthData(value: String) throws {
        let row = #"{"_id":"u","_created_at":"2024-01-02T03:04:05.678Z","authData":\#(value)}"#
        #expect(try Self.user(row).faults == [ValidationError(field: "identities.authData", rule: .otherType)])
    }

    @Test(
        "have a fault for each identity that cannot be taken, and keep the others",
        arguments: [#""myspace":{"id":"1"}"#, #""anonymous":{"id":"no uuid"}"#, #""google":{}"#, #""google":7"#])
    func faults(member: String) throws {
        let row =
            #"{"_id":"u","_created_at":"2024-01-02T03:04:05.678Z","authData":{"facebook":{"id":"7"},\#(member)}}"#
        let imported = try Self.user(row)
        #expect(imported.providerNames == [.facebook: "7"] && imported.anonymousId == nil)
        #expect(imported.faults.count == 1 && imported.faults.allSatisfy { $0.field.hasPrefix("identities.") })
    }
}
