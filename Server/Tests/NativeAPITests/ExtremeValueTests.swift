import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// Numbers and dates at the ends of what there is, and beyond: refused as the description says, and no value stops the
/// process (issue 18).
@Suite("An extreme value in Okaeri's own API")
struct ExtremeValueTests {
    static let numbers = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "1e18", "1e300",
        "-1e300", "1e999", "99999999999999999999999999", "0", "-1",
    ]

    private func lives(_ server: TestServer) async throws {
        #expect(try await server.send(.get, "/health/live").status == 200)
    }

    @Test("is refused by the admin API as a key's days, which would be seconds beyond all numbers", arguments: numbers)
    func keyDays(number: String) async throws {
        let world = try await AdminWorld(roles: [])
        let body = #"{"name": "a", "scopes": ["users:read"], "days": \#(number)}"#
        let answer = try await world.send("owner", .post, "keys", body: body)
        #expect((400..<500).contains(answer.status), "\(answer.text)")
        try await lives(world.server)
    }

    @Test(
        "is refused by the admin API with field and range, and so is the number beside the range, whatever has one",
        arguments: [
            ("keys", "days", [0, 401], "1 to 400"), ("event-settings", "retentionDays", [0, 91], "1 to 90"),
            ("event-endpoints", "overlapHours", [-1, 169], "0 to 168"),
            ("hooks", "overlapHours", [-1, 169], "0 to 168"),
        ])
    func ranges(what: String, field: String, beside: [Int64], words: String) async throws {
        let world = try await AdminWorld(roles: [])
        let address = "https://app.example.com/hooks"
        let endpoint = try await world.send(
            "owner", .post, world.path("/event-endpoints"), body: #"{"url": "\#(address)"}"#)
        let id = try #require(try endpoint.json["id"]?.text)
        let hook = try await world.send(
            "owner", .put, world.path("/hooks/sign-up"), body: #"{"url": "\#(address)", "whenDown": "allow"}"#)
        #expect(hook.status == 201, "\(hook.text)")
        func send(_ number: Int64) async throws -> Answer {
            let body = #"{"\#(field)": \#(number)}"#
            return switch what {
            case "keys":
                try await world.send(
                    "owner", .post, what, body: #"{"name": "a", "scopes": ["users:read"], "days": \#(number)}"#)
            case "event-settings": try await world.send("owner", .patch, world.path("/\(what)"), body: body)
            case "event-endpoints":
                try await world.send("owner", .post, world.path("/\(what)/\(id)/rotate"), body: body)
            default: try await world.send("owner", .post, world.path("/\(what)/sign-up/rotate"), body: body)
            }
        }
        for number in beside + [.min, .max] {
            let answer = try await send(number)
            expect(answer, 400, .invalidMember)
            for part in [field, "out_of_range", words] { #expect(answer.text.contains(part), "\(answer.text)") }
        }
        let ends = [beside[0] + 1, beside[1] - 1]
        for number in ends {
            let answer = try await send(number)
            #expect((200..<300).contains(answer.status), "\(number): \(answer.text)")
        }
        try await lives(world.server)
    }

    @Test("is refused by the admin API as a span of the settings", arguments: numbers)
    func spans(number: String) async throws {
        let world = try await AdminWorld(roles: [])
        let version = try #require(try await world.send("owner", .get, world.path()).headers[.eTag])
        for name in ["sessionIdleSeconds", "sessionSeconds", "deletionGraceSeconds", "anonymousIdleSeconds"] {
            let answer = try await world.send(
                "owner", .patch, world.path(), [("If-Match", version)], body: #"{"\#(name)": \#(number)}"#)
            #expect((400..<500).contains(answer.status), "\(name): \(answer.text)")
        }
        let characters = try await world.send(
            "owner", .patch, world.path(), [("If-Match", version)],
            body: #"{"passwordMinimumCharacters": \#(number)}"#)
        #expect((400..<500).contains(characters.status), "\(characters.text)")
        try await lives(world.server)
    }

    @Test("is refused by the admin API as a version", arguments: numbers)
    func version(number: String) async throws {
        let world = try await AdminWorld(roles: [.support])
        let user = try await world.server.person().logIn.user.id
        let admins = try await world.send("owner", .get, "admins").json["admins"]?.list ?? []
        let admin = try #require(admins.first { $0["role"]?.text == "support" }?["id"]?.text)
        for (path, body) in [
            (world.path("/users/\(user)"), #"{"displayName": "Hana"}"#), ("admins/\(admin)", #"{"isDisabled": true}"#),
            (world.path(), #"{"name": "Other"}"#),
        ] {
            for sent in ["\"\(number)\"", number, "\"\"", "\"", "W/\"\(number)\""] {
                let answer = try await world.send("owner", .patch, path, [("If-Match", sent)], body: body)
                #expect(answer.status == 412, "\(path) \(sent): \(answer.status) \(answer.text)")
            }
        }
        try await lives(world.server)
    }

    @Test("is refused by the admin API as the size of a page, and leads nowhere as its beginning", arguments: numbers)
    func pages(number: String) async throws {
        let world = try await AdminWorld(roles: [])
        let number = try #require(number.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        for path in [
            world.path("/users"), world.path("/sessions"), world.path("/merges"), world.path("/audit"), "audit",
        ] {
            let answer = try await world.send("owner", .get, "\(path)?limit=\(number)")
            #expect((400..<500).contains(answer.status), "\(path): \(answer.text)")
            for cursor in [number, "\(number).\(number)", "a.\(number)"] {
                let found = try await world.send("owner", .get, "\(path)?from=\(cursor)")
                #expect(found.status < 500, "\(path) \(cursor): \(found.text)")
            }
        }
        for query in ["seenSince=2026-01-01&from=a.\(number)", "notSeenSince=2026-01-01&from=a.\(number)"] {
            let found = try await world.send("owner", .get, "\(world.path("/users"))?\(query)")
            #expect(found.status < 500, "\(query): \(found.text)")
        }
        let overview = try await world.send("owner", .get, "\(world.path("/overview"))?days=\(number)")
        #expect((400..<500).contains(overview.status), "\(overview.text)")
        try await lives(world.server)
    }

    @Test(
        "is no day of the admin API's lists when there is none such, and finds nobody when it is the first or the last",
        arguments: [
            ("0000-01-01", 200), ("9999-12-31", 200), ("10000-01-01", 400), ("-001-01-01", 400), ("0000-00-00", 400),
            ("9999-12-31T23:59:59-23:59", 400), ("9223372036854775807", 400),
        ])
    func days(day: String, status: Int) async throws {
        let world = try await AdminWorld(roles: [])
        for name in ["seenSince", "notSeenSince"] {
            let escaped = try #require(day.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let answer = try await world.send("owner", .get, "\(world.path("/users"))?\(name)=\(escaped)")
            #expect(status == 200 ? answer.status == 200 : (400..<500).contains(answer.status), "\(answer.text)")
            let view = try await world.send(
                "owner", .put, world.path("/views/all"), body: #"{"\#(name)": "\#(day)"}"#)
            #expect(status == 200 ? view.status == 200 : (400..<500).contains(view.status), "\(view.text)")
        }
        #expect(try await world.send("owner", .get, world.path("/views")).status == 200)
        try await lives(world.server)
    }

    @Test("is refused by the admin API as a rule of a protocol", arguments: numbers.filter { $0 != "0" })
    func rules(number: String) async throws {
        let world = try await AdminWorld(roles: [])
        let version = try await world.version(of: world.path("/protocols"))
        for name in ["idleSeconds", "sessionsPerUser", "refreshedTokenSeconds"] {
            let answer = try await world.send(
                "owner", .patch, world.path("/protocols/kii/rules"), version, body: #"{"\#(name)": \#(number)}"#)
            #expect((400..<500).contains(answer.status), "\(name): \(answer.text)")
        }
        try await lives(world.server)
    }

    @Test("is kept in a user's own fields as JSON has it, or refused when JSON has no such number", arguments: numbers)
    func fields(number: String) async throws {
        let server = try await TestServer()
        let person = try await server.person()
        let answer = try await person.send(
            .patch, APIPath.user, body: #"{"fields": {"score": \#(number), "list": [\#(number)]}}"#)
        #expect(number == "1e999" ? answer.status == 400 : answer.status == 200, "\(answer.text)")
        #expect(try await person.send(.get, APIPath.user).status == 200)
        try await lives(server)
    }

    @Test("is a form's mistake in the dashboard, whatever it counts", arguments: numbers)
    func dashboard(number: String) async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        for (page, action, fields) in [
            ("/keys", "", ["name": "a", "scope.users:read": "yes", "days": number]),
            (
                "settings", "",
                ["name": "Test", "sessionIdleDays": number, "sessionDays": "400", "deletionGraceDays": "7"]
            ),
            ("settings", "", ["name": "Test", "passwordMinimumCharacters": number]),
            ("protocols", "/kii/rules", ["kii.idleSeconds": number, "kii.sessionsPerUser": number]),
            ("theme", "/save", ["cornerRadius": number]),
        ] {
            let shown = try await browser.get(world.page(page))
            let answer = try await browser.post(world.page(page) + action, fields, token: shown.token)
            #expect(answer.status < 500, "\(page) \(fields): \(answer.status)")
        }
        let user = try await world.server.person().logIn.user.id
        let page = world.page("users/\(user)")
        let shown = try await browser.get(page)
        let changed = try await browser.post(
            "\(page)/save", ["version": number, "displayName": "a"], token: shown.token)
        #expect(changed.status < 500)
        for query in [
            "users?from=a.\(number)&seen=2026-01-01", "users?count=\(number)&done=disable", "?days=\(number)",
            "fields?done=saved&broken=\(number)", "users?seen=0000-01-01&unseen=9999-12-31", "audit?from=\(number)",
        ] {
            let shown = try await browser.get(query.hasPrefix("?") ? world.page() + query : world.page(query))
            #expect(shown.status < 500, "\(query): \(shown.status)")
        }
        try await lives(world.server)
    }

    @Test("is no age of a log-in that a page could ask for", arguments: numbers)
    func maximumAge(number: String) async throws {
        let redirect = "https://app.example.com/back"
        let server = try await TestServer(
            settings: ["public-url": "http://id.example.test"],
            application: ApplicationSettings(redirectAddresses: [redirect]))
        let browser = Browser(server)
        try await browser.open(accountOf: try await server.person())
        let challenge = Base64URL.text(of: [UInt8](repeating: 7, count: 32))
        let query = [
            "client_id": server.application.id.rawValue, "redirect_uri": redirect, "response_type": "code",
            "code_challenge": challenge, "code_challenge_method": "S256", "scope": "openid", "max_age": number,
        ].map { "\($0)=\(Browser.escaped($1))" }.joined(separator: "&")
        let page = try await browser.get(browser.path("authorize") + "?" + query)
        #expect(page.status < 500)
        try await lives(server)
    }
}
