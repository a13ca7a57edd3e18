import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// Texts that once kept the whole server busy for seconds: each is refused by its bytes before anything looks at it.
@Suite("A text that would keep the server busy", .serialized, .timeLimit(.minutes(5)))
struct HostileTextTests {
    /// Marks of two classes in turn, which Swift has to sort: 62,500 of them took it twenty seconds.
    static let marks = "e" + String(repeating: "\u{301}\u{323}", count: 31_250)
    /// What grows to eighteen times its length when it is normalised.
    static let growing = String(repeating: "\u{FDFA}", count: 20_000)
    static let long = String(repeating: "a", count: 500_000)
    static let all = [
        "marks": marks, "growing": growing, "long": long, "flags": String(repeating: "\u{1F1E6}", count: 60_000),
    ]
    /// The beginning of the marks, in bytes that fit into a header.
    static let fewMarks = String(String.UnicodeScalarView(marks.unicodeScalars.prefix(7000)))

    /// Whether one of a few tries takes no longer than what these texts never needed when they kept the server busy: a machine
    /// that stands still does so once.
    static func isQuick(
        within limit: Duration = .seconds(5), _ work: () async throws -> Void
    ) async throws -> Bool {
        for _ in 0..<5 {
            let start = ContinuousClock.now
            try await work()
            if start.duration(to: .now) < limit { return true }
        }
        return false
    }

    private func isRefused(_ what: String, in statuses: Set<Int>, _ send: () async throws -> Int) async throws {
        let isQuick = try await Self.isQuick {
            let status = try await send()
            #expect(statuses.contains(status), "\(what): \(status)")
        }
        #expect(isQuick, "\(what)")
    }

    private static func json(_ text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    }

    @Test("is refused as the name of a member, in every body")
    func members() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        let body = "{\(Self.json(Self.marks)): 1}"
        for path in ["/v1/admin/log-in", "/v1/admin/set-up/open", APIPath.signUp, APIPath.logInWithPassword] {
            try await isRefused(path, in: [400]) { try await server.send(.post, path, body: body).status }
        }
        let patch = #"{"fields": {"a": \#(body)}}"#
        try await isRefused("patch", in: [400]) { try await person.send(.patch, APIPath.user, body: patch).status }
        let answer = try await server.send(.post, APIPath.signUp, body: body)
        #expect(answer.text.contains("more than 30 combining marks"), "\(answer.text)")
    }

    @Test("is refused as a value that names or proves a person", arguments: ["marks", "growing", "long", "flags"])
    func values(kind: String) async throws {
        let server = try await TestServer(settings: ["rate-limits": "off"])
        let text = Self.json(Self.all[kind] ?? "")
        for body in [
            #"{"username": \#(text), "password": "correct horse battery"}"#,
            #"{"email": \#(text), "password": "correct horse battery"}"#,
            #"{"phone": \#(text), "password": "correct horse battery"}"#,
            #"{"username": "hana", "password": \#(text)}"#,
            #"{"username": "hana", "password": "correct horse battery", "user": {"displayName": \#(text)}}"#,
            #"{"username": "hana", "password": "correct horse battery", "device": {"name": \#(text)}}"#,
        ] {
            try await isRefused(String(body.prefix(30)), in: [400]) {
                try await server.send(.post, APIPath.signUp, body: body).status
            }
        }
        // Who can be nobody is refused as such; a password that is nobody's as a wrong one.
        try await isRefused("log-in", in: [400]) {
            try await server.send(
                .post, APIPath.logInWithPassword, body: #"{"identifier": \#(text), "password": "p"}"#
            ).status
        }
        try await isRefused("password", in: kind == "marks" ? [400] : [401]) {
            try await server.send(
                .post, APIPath.logInWithPassword, body: #"{"identifier": "hana", "password": \#(text)}"#
            ).status
        }
        for (name, rest) in [
            ("name", #""password": "p", "code": "000000""#), ("password", #""name": "a", "code": "000000""#),
            ("code", #""name": "a", "password": "p""#),
        ] {
            try await isRefused("admin \(name)", in: [400, 401]) {
                try await server.send(
                    .post, "/v1/admin/log-in", body: #"{"\#(name)": \#(text), \#(rest)}"#, isNamed: false
                ).status
            }
        }
        try await isRefused("reset", in: [202, 400, 503]) {
            try await server.send(.post, APIPath.requestPasswordReset, body: #"{"email": \#(text)}"#).status
        }
    }

    @Test("is refused in forms, their names and files, and in queries")
    func pages() async throws {
        let server = try await TestServer(settings: ["public-url": TestServer.url])
        let browser = Browser(server)
        for page in [browser.path("log-in"), "/dashboard/log-in"] {
            let token = try await browser.get(page).token
            for fields in [
                [Self.marks: "1"], ["identifier": Self.marks], ["name": Self.marks], ["password": Self.marks],
            ] {
                // With percent signs the form is longer than forms may be: a shorter one says more.
                let short = Dictionary(
                    uniqueKeysWithValues: fields.map { (Self.cut($0.key), Self.cut($0.value)) })
                try await isRefused(page, in: [400, 403, 413]) {
                    try await browser.post(page, short, token: token).answer.status
                }
            }
            // Flags are read from the front: to go back by characters takes time by the square of their number.
            for text in [
                String(repeating: "\u{FDFA}", count: 2000), String(repeating: "a", count: 20_000),
                String(repeating: "\u{1F1E6}", count: 1700),
            ] {
                try await isRefused(page, in: [400, 401, 403, 422]) {
                    try await browser.post(
                        page, ["identifier": text, "name": text, "password": text], token: token
                    ).answer.status
                }
            }
            let query = Browser.escaped(Self.cut(Self.marks))
            try await isRefused("query", in: [200, 400]) { try await browser.get("\(page)?\(query)=1").answer.status }
        }
        let admins = try await AdminWorld(server)
        let query = Browser.escaped(Self.cut(Self.marks))
        try await isRefused("admin query", in: [400]) {
            try await admins.send("owner", .get, admins.path("/users?\(query)=1")).status
        }
        try await isRefused("admin path", in: [400, 404, 428]) {
            try await admins.send("owner", .delete, admins.path("/fields/\(query)")).status
        }
    }

    /// What a form or a query has room for once it is escaped.
    private static func cut(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(8000)))
    }

    @Test("counts as not sent in a header, a cookie or a proof")
    func headers() async throws {
        let server = try await TestServer(settings: ["public-url": TestServer.url])
        let person = try await server.person()
        let marks = Self.fewMarks
        for (name, statuses) in [
            ("Okaeri-Application", [400, 401, 404]), ("Authorization", [401]), ("DPoP", [401]),
        ] as [(String, Set<Int>)] {
            try await isRefused(name, in: statuses) {
                try await server.send(
                    .get, APIPath.user, [(name, marks)], isNamed: name != "Okaeri-Application"
                ).status
            }
        }
        // These say nothing that must be known.
        for name in ["User-Agent", "Accept-Language", "X-Forwarded-For", "If-Match", "Idempotency-Key", "Cookie"] {
            try await isRefused(name, in: [200]) { try await person.send(.get, APIPath.user, [(name, marks)]).status }
        }
        let page = Browser(server)
        for cookie in ["\(marks)=1", "okaeri-language=\(marks)", "a=1; \(marks)"] {
            try await isRefused("cookie", in: [200]) {
                try await page.get(page.path("log-in"), [("Cookie", cookie)]).answer.status
            }
        }
    }

    @Test("is refused in the head of a request, and the server answers others meanwhile")
    func heads() async throws {
        try await RunningServer.run { server in
            let marks = String(String.UnicodeScalarView(Self.marks.unicodeScalars.prefix(4000)))
            for head in [
                server.head("GET /v1/\(marks)", "Connection: close"),
                server.head("GET /v1/user?\(marks)", "Connection: close"),
                server.head("GET /v1/user", "Authorization: \(marks)", "Connection: close"),
                server.head("GET /v1/user", "Cookie: \(marks)=\(marks)", "Connection: close"),
            ] {
                let isQuick = try await Self.isQuick {
                    async let refusal = server.exchange([head + "\r\n"])
                    async let health = server.exchange([
                        server.head("GET /health/live", "Connection: close") + "\r\n"
                    ])
                    let (answer, live) = (try await refusal, try await health)
                    #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(300))")
                    #expect(live.hasPrefix("HTTP/1.1 200"), "\(live)")
                }
                #expect(isQuick)
            }
        }
    }

    @Test("is 400 where all it breaks is a limit of the profile, and names field and rule")
    func profile() async throws {
        let person = try await TestServer().person()
        let many = (0..<60_000).map(String.init).joined(separator: ",")
        let names = (0..<20_000).map { #""m\#($0)":1"# }.joined(separator: ",")
        for (body, field, code) in [
            (#"{"fields": {"list": [\#(many)]}}"#, "fields", "too_many_bytes"),
            (#"{"fields": {\#(names)}}"#, "fields", "too_many"),
            (#"{"fields": {"a": {\#(names)}}}"#, "fields", "too_many_bytes"),
            (#"{"displayName": "\#(Self.long)"}"#, "displayName", "too_long"),
            (#"{"locale": "\#(Self.long)"}"#, "locale", "too_long"),
        ] {
            let isQuick = try await Self.isQuick {
                let answer = try await person.send(.patch, APIPath.user, body: body)
                let problem = try answer.read(Problem.self)
                #expect(answer.status == 400 && problem.errors?.map(\.field) == [field], "\(answer.text)")
                #expect(problem.errors?.map(\.code) == [code], "\(answer.text)")
            }
            #expect(isQuick)
        }
    }

    @Test("is refused before it is taken apart when it has more values than anything that is kept")
    func values() async throws {
        let server = try await TestServer(settings: ["rate-limits": "off"])
        let person = try await server.person()
        // Each name of accents is normalised wherever it is hashed: a mebibyte of them took a third of a second.
        let accents = String(repeating: "e\u{301}", count: 8)
        let names = (0..<8400).map { "\"\(accents)\($0)\":1" }.joined(separator: ",")
        let list = [String](repeating: "1", count: 300_000).joined(separator: ",")
        for fields in ["{\(names)}", #"{"list":[\#(list)]}"#, #"{"list":[{\#(names)}]}"#] {
            for (method, path) in [(HTTPRequest.Method.patch, APIPath.user), (.post, APIPath.signUp)] {
                let answer = try await person.send(method, path, body: #"{"fields":\#(fields)}"#)
                #expect(answer.status == 400 && answer.text.contains("more than 65536 values"), "\(answer.text)")
            }
        }
        // What is kept of a person is far below.
        let some = (0..<90).map { "\"\(accents)\($0)\":1" }.joined(separator: ",")
        let taken = try await person.send(.patch, APIPath.user, body: "{\"fields\":{\"a\":{\(some)}}}")
        #expect(taken.status == 200, "\(taken.text)")
    }

    @Test("is no user name when it is short and grows beyond the limit")
    func growth() async throws {
        let server = try await TestServer()
        let four = String(repeating: "\u{FDFA}", count: 4)
        let refused = try await server.signUp(four)
        #expect(refused.status == 400 && refused.text.contains("too_long"), "\(refused.text)")
        #expect(try await server.signUp("\u{337F}\u{337F}").status == 201)
    }

    @Test("gets no fault of the server for U+0000 in anything that is stored or looked up")
    func null() async throws {
        let server = try await TestServer(settings: ["rate-limits": "off"])
        let person = try await server.person()
        let zero = #"a\u0000b"#
        let calls: [(HTTPRequest.Method, String, String)] = [
            (.post, APIPath.signUp, #"{"username": "\#(zero)", "password": "correct horse battery"}"#),
            (.post, APIPath.signUp, #"{"username": "a", "password": "correct horse \#(zero)"}"#),
            (.post, APIPath.signUp, #"{"email": "\#(zero)@example.com", "password": "correct horse battery"}"#),
            (
                .post, APIPath.signUp,
                #"{"username": "hana", "password": "correct horse battery", "device": {"name": "\#(zero)"}}"#
            ),
            (.patch, APIPath.user, #"{"fields": {"\#(zero)": 1}}"#),
            (.patch, APIPath.user, #"{"fields": {"a": {"\#(zero)": 1}}}"#),
            (.patch, APIPath.user, #"{"fields": {"a": ["\#(zero)"]}}"#),
            (.patch, APIPath.user, #"{"displayName": "\#(zero)"}"#),
            (.post, APIPath.logInWithPassword, #"{"identifier": "\#(zero)", "password": "p"}"#),
            (.post, APIPath.logInWithPassword, #"{"identifier": "a", "password": "\#(zero)"}"#),
        ]
        for (method, path, body) in calls {
            let answer = try await person.send(method, path, body: body)
            #expect((400..<500).contains(answer.status), "\(path) \(body): \(answer.status) \(answer.text)")
        }
    }
}
