import Domain
import Foundation
import HTTPTypes
import NCMBAPI
import OkaeriWire
import Testing

/// Numbers and dates at the ends of what there is, and beyond. Each protocol refuses them in its own words or takes them as
/// they are, and no value stops the process (issue 18).
@Suite("An extreme value in a foreign protocol")
struct ExtremeValueTests {
    /// Dates beyond the years 0000 to 9999 once their offset is taken into account, and others that are none.
    static let dates = [
        "0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00.000+00:01", "9999-12-31T23:59:59-23:59",
        "9999-12-31T23:59:59.999-00:01", "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z", "-0001-12-31T23:59:59Z",
        "292278994-08-17T07:12:55.807Z", "",
    ]
    /// The first and the last instant that there is, with and without an offset.
    static let ends = [
        ("0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z"),
        ("0000-01-01T23:59:00+23:59", "0000-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("9999-12-31T00:00:59.999-23:59", "9999-12-31T23:59:59.999Z"),
    ]
    static let numbers = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "1e18", "1e300",
        "-1e300", "99999999999999999999999999",
    ]

    private func lives(_ world: ForeignWorld) async throws {
        #expect(try await world.send("GET", "/health/live").status == 200)
    }

    private func escaped(_ text: String) throws -> String {
        try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }

    private static func date(_ text: String) -> String { #"{"__type":"Date","iso":"\#(text)"}"# }

    @Test("is refused by Parse as a date of a field, wherever it stands", arguments: dates)
    func parseDate(text: String) async throws {
        let world = try await ForeignWorld()
        let date = Self.date(text)
        let user = try await world.parseUser("taro")
        for value in [
            date, "[\(date)]", #"{"a":{"b":[\#(date)]}}"#, #"{"__op":"Add","objects":[\#(date)]}"#,
            #"{"__op":"AddUnique","objects":[\#(date)]}"#, #"{"__op":"Remove","objects":[\#(date)]}"#,
        ] {
            let made = try await world.parse("POST", "/users", #"{"username":"a","password":"b","when":\#(value)}"#)
            #expect(made.status == 400 && made.parseCode == 111, "\(value): \(made.text)")
            let changed = try await world.parse("PUT", "/users/\(user.id)", #"{"when":\#(value)}"#, token: user.token)
            #expect(changed.status == 400 && changed.parseCode == 111, "\(value): \(changed.text)")
        }
        for condition in [date, #"{"$gt":\#(date)}"#, #"{"$in":[\#(date)]}"#, #"{"$ne":\#(date)}"#] {
            for name in ["when", "createdAt", "updatedAt"] {
                let found = try await world.parse(
                    "GET", "/users?where=\(try escaped(#"{"\#(name)":\#(condition)}"#))", token: user.token)
                #expect(found.status == 400 && found.parseCode == 111, "\(condition): \(found.text)")
            }
        }
        #expect(try await world.parse("GET", "/users", token: user.token).results().count == 1)
        try await lives(world)
    }

    @Test("is kept by Parse and NCMB when it is the first or the last date that there is", arguments: ends)
    func keptDate(text: String, written: String) async throws {
        let world = try await ForeignWorld()
        let made = try await world.parse(
            "POST", "/users", #"{"username":"a","password":"b","when":\#(Self.date(text))}"#)
        #expect(made.status == 201, "\(made.text)")
        let token = try made.text("sessionToken")
        let read = try await world.parse("GET", "/users/me", token: token).json()
        #expect(read["when"] == .object(["__type": "Date", "iso": .string(written)]))
        let found = try await world.parse(
            "GET", "/users?where=\(try escaped(#"{"when":\#(Self.date(written))}"#))", token: token)
        #expect(try found.results().count == 1)
        let member = try await world.ncmb(
            "POST", "/users", #"{"userName":"c","password":"d","when":\#(Self.date(text))}"#)
        #expect(member.status == 201, "\(member.text)")
    }

    @Test("is refused by NCMB as a date of a field or of a search", arguments: dates)
    func ncmbDate(text: String) async throws {
        let world = try await ForeignWorld()
        let date = Self.date(text)
        for value in [date, "[\(date)]", #"{"a":[\#(date)]}"#, #"{"__op":"AddUnique","objects":[\#(date)]}"#] {
            let made = try await world.ncmb("POST", "/users", #"{"userName":"a","password":"b","when":\#(value)}"#)
            #expect(made.status == 400, "\(value): \(made.text)")
            #expect(try made.text("code") == "E400002", "\(value): \(made.text)")
        }
        for condition in [date, #"{"$gte":\#(date)}"#, #"{"$in":[\#(date)]}"#] {
            for name in ["when", "createDate"] {
                let found = try await world.ncmb(
                    "GET", "/users?where=\(try escaped(#"{"\#(name)":\#(condition)}"#))")
                #expect(found.status == 400, "\(condition): \(found.text)")
                #expect(try found.text("code") == "E400005", "\(condition): \(found.text)")
            }
        }
        try await lives(world)
    }

    @Test("is refused by NCMB as the time of a request that must not be old", arguments: dates)
    func ncmbTimestamp(text: String) async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(timestampWindow: .seconds(600))
        let world = try await ForeignWorld(settings)
        let answer = try await world.send(
            "GET", "/2013-09-01/users",
            [
                ("X-NCMB-Application-Key", "ncmb-key"), ("X-NCMB-Timestamp", text), ("X-NCMB-Signature", "AA=="),
                ("Content-Type", "application/json"),
            ])
        #expect(answer.status == 401, "\(answer.text)")
        #expect(try answer.text("code") == "E401001", "\(answer.text)")
        try await lives(world)
    }

    @Test("is refused by Parse and NCMB as a limit or a skip, but for the largest, which are cut", arguments: numbers)
    func pages(number: String) async throws {
        let world = try await ForeignWorld()
        for name in ["limit", "skip"] {
            let parse = try await world.parse("GET", "/users?\(name)=\(number)")
            let ncmb = try await world.ncmb("GET", "/users?\(name)=\(number)")
            if name == "skip" || Int(number) ?? -1 < 0 { #expect(ncmb.status == 400, "\(name): \(ncmb.text)") }
            // A negative limit is none there.
            if name == "skip" || Int64(number) == nil {
                #expect(parse.status == 400, "\(name): \(parse.text)")
            }
            #expect(parse.status == 200 || parse.parseCode == 102, "\(parse.text)")
            #expect(ncmb.status == 200 || ncmb.text.contains("E4000"), "\(ncmb.text)")
            // As Apple's SDK sends it: in a body.
            let posted = try await world.parse("POST", "/users", #"{"_method":"GET","\#(name)":\#(number)}"#)
            #expect(posted.status == 200 || posted.parseCode == 102, "\(posted.text)")
        }
        let user = try await world.parseUser("taro")
        for query in ["skip=\(number)", "limit=\(number)", "order=createdAt&skip=\(number)&limit=\(number)"] {
            let sessions = try await world.parse("GET", "/sessions?\(query)", token: user.token)
            #expect(sessions.status == 200 || sessions.parseCode == 102, "\(sessions.text)")
        }
        try await lives(world)
    }

    @Test("is counted on by Parse and NCMB as long as there are numbers", arguments: numbers)
    func increment(number: String) async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("taro", #","score":9223372036854775807"#)
        let member = try await world.ncmb(
            "POST", "/users", #"{"userName":"hana","password":"b","score":-9223372036854775808}"#)
        let (id, token) = (try member.text("objectId"), try member.text("sessionToken"))
        for _ in 0..<3 {
            let body = #"{"score":{"__op":"Increment","amount":\#(number)}}"#
            #expect(try await world.parse("PUT", "/users/\(user.id)", body, token: user.token).status == 200)
            #expect(try await world.ncmb("PUT", "/users/\(id)", body, token: token).status == 200)
        }
        let largest = #"{"score":{"__op":"Increment","amount":1.7e308}}"#
        for _ in 0..<2 { _ = try await world.parse("PUT", "/users/\(user.id)", largest, token: user.token) }
        let over = try await world.parse("PUT", "/users/\(user.id)", largest, token: user.token)
        #expect(over.status == 400 && over.parseCode == 111, "\(over.text)")
        #expect(try await world.parse("GET", "/users/me", token: user.token).status == 200)
        try await lives(world)
    }

    @Test("is found or not found by Parse, NCMB and Kii as a number of a search", arguments: numbers)
    func searched(number: String) async throws {
        let world = try await ForeignWorld()
        let admin = try await world.administrator()
        for condition in [number, #"{"$lt":\#(number)}"#, #"{"$in":[\#(number)]}"#] {
            let query = try escaped(#"{"score":\#(condition)}"#)
            #expect(try await world.parse("GET", "/users?where=\(query)").status == 200)
            #expect(try await world.ncmb("GET", "/users?where=\(query)").status == 200)
        }
        let kii = try await world.kii(
            "POST", "/users/query",
            #"{"userQuery":{"clause":{"type":"range","field":"score","lowerLimit":\#(number)}}}"#, token: admin)
        #expect(kii.status == 200, "\(kii.text)")
        try await lives(world)
    }

    @Test("is refused by Kii as a page, a limit, and the end of a token but where that is to come", arguments: numbers)
    func kii(number: String) async throws {
        let world = try await ForeignWorld()
        let user = try await world.kiiUser("taro")
        for value in [number, #""\#(number)""#] {
            let body = #"{"username":"taro","password":"123ABC","expiresAt":\#(value)}"#
            let logIn = try await world.kii("POST", "/oauth2/token", body)
            let isToCome = !number.hasPrefix("-") && (value == number || Int64(number) != nil)
            #expect(logIn.status == (isToCome ? 200 : 400), "\(value): \(logIn.text)")
            #expect(isToCome || logIn.code == "INVALID_INPUT_DATA", "\(value): \(logIn.text)")
        }
        let admin = try await world.administrator()
        for key in ["\(number)/\(number)", "1/\(number)", "\(number)/0", "-1/-1", "0/0", "/", "1/", "1/1/1"] {
            let page = try await world.kii(
                "POST", "/users/query", #"{"userQuery":{},"paginationKey":"\#(key)"}"#, token: admin)
            #expect(page.status == 400, "\(key): \(page.text)")
        }
        let limit = try await world.kii(
            "POST", "/users/query", #"{"userQuery":{},"bestEffortLimit":\#(number)}"#, token: admin)
        #expect([200, 400].contains(limit.status), "\(limit.text)")
        let field = try await world.kii("POST", "/users/me", #"{"score":\#(number)}"#, token: user.token)
        #expect(field.status == 200, "\(field.text)")
        #expect(try await world.kii("GET", "/users/me", token: user.token).status == 200)
        try await lives(world)
    }

    @Test("is no token of Kii's as the end in its text", arguments: numbers + ["zzzzzzzzzzzzz", "-zzzzzzzzzz"])
    func kiiToken(number: String) async throws {
        let world = try await ForeignWorld()
        let stem = String(repeating: "a", count: 43)
        for token in ["adm_\(number)_x", "anon_\(number)_", "\(stem)--\(number)", "\(stem)---1", "\(stem)--"] {
            let answer = try await world.kii("GET", "/users/me", token: token)
            #expect(answer.status == 403, "\(token): \(answer.text)")
        }
        try await lives(world)
    }

    @Test("is refused by the envelope where it takes texts", arguments: numbers)
    func envelope(number: String) async throws {
        let world = try await ForeignWorld()
        for body in [#"{"id":\#(number),"password":"b"}"#, #"{"id":"a","password":\#(number)}"#] {
            for path in ["/user/signup", "/user/signin"] {
                let answer = try await world.send("POST", path, [("Content-Type", "application/json")], body: body)
                // The envelope tells its refusals with status 200.
                #expect((200..<500).contains(answer.status), "\(answer.text)")
                #expect(try answer.json()["success"] == .bool(false))
            }
        }
        try await lives(world)
    }

    @Test("of a user who was stored by an older version can be read in every protocol")
    func stored() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("taro")
        for milliseconds in [Int64.min, -62_167_219_200_001, 253_402_300_800_000, .max] {
            let time = Timestamp(milliseconds: milliseconds)
            try await world.importing { transaction throws(DomainError) in
                guard var stored = try transaction.user(Identifier(rawValue: user.id), in: world.application.id)
                else { throw .userUnknown }
                (stored.updatedAt, stored.lastLogInAt) = (time, time)
                try transaction.updateProfile(of: stored)
            }
            let shown = try await world.parse("GET", "/users/\(user.id)", token: user.token)
            #expect(shown.status == 200, "\(shown.text)")
            #expect(WireTime(try shown.text("updatedAt"))?.millisecondsSince1970 == time.milliseconds)
        }
    }
}
