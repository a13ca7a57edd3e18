import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import ParseAPI
import Testing

@Suite("Parse around its users")
struct ParseServiceTests {
    @Test(
        "takes the keys that are configured, and no others",
        arguments: [
            ([("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest")], 200),
            ([("X-Parse-Application-Id", "app1"), ("X-Parse-Client-Key", "client")], 200),
            (
                [
                    ("X-Parse-Application-Id", "app1"), ("X-Parse-Javascript-Key", "jskey"),
                    ("X-Parse-Client-Key", "no"),
                ], 200
            ),
            ([("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "no")], 403),
            ([("X-Parse-Application-Id", "app1")], 403), ([("X-Parse-REST-API-Key", "rest")], 403),
            ([("X-Parse-Application-Id", "other"), ("X-Parse-REST-API-Key", "rest")], 403), ([], 403),
            (
                [("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "no"), ("X-Parse-REST-API-Key", "rest")],
                200
            ),
            ([("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "master")], 403),
            ([("Authorization", "Basic \(Data("app1:javascript-key=jskey".utf8).base64EncodedString())")], 200),
            ([("Authorization", "Basic \(Data("app1:javascript-key=no".utf8).base64EncodedString())")], 403),
            ([("Authorization", "Basic ???")], 403),
            // A password of a proxy or a test server in front is no word on the app.
            (
                [
                    ("Authorization", "Basic \(Data("staff:letmein".utf8).base64EncodedString())"),
                    ("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest"),
                ], 200
            ),
            (
                [
                    ("Authorization", "Basic \(Data("staff:javascript-key=jskey".utf8).base64EncodedString())"),
                    ("X-Parse-Application-Id", "app1"),
                ], 403
            ),
            (
                [
                    ("Authorization", "Basic \(Data("app1:javascript-key=jskey".utf8).base64EncodedString())"),
                    ("X-Parse-Application-Id", "other"),
                ], 200
            ),
        ] as [([(String, String)], Int)])
    func keys(headers: [(String, String)], status: Int) async throws {
        let world = try await ForeignWorld()
        let answer = try await world.send("GET", "/parse/users", headers)
        #expect(answer.status == status, "\(answer.text)")
        if status == 403 { #expect(answer.text == #"{"error":"unauthorized"}"#) }
    }

    @Test("takes the key of .NET and Unity beside that of the other clients, once it is brought along")
    func dotNetKey() async throws {
        let world = try await ForeignWorld()
        func status(_ header: String, _ key: String) async throws -> Int {
            try await world.send("GET", "/parse/users", [("X-Parse-Application-Id", "app1"), (header, key)]).status
        }
        // The one key of all clients, where the application has no other.
        #expect(try await status("X-Parse-Windows-Key", "client") == 200)
        #expect(try await status("X-Parse-Windows-Key", "windows") == 403)
        _ = try await world.modules.applications.enableProtocol(
            .parse, given: [.dotNetKey: Secret("windows")], of: world.application.id, by: .local)
        for (header, key, expected) in [
            ("X-Parse-Windows-Key", "windows", 200), ("X-Parse-Windows-Key", "client", 200),
            ("X-Parse-Windows-Key", "no", 403), ("X-Parse-Client-Key", "client", 200),
            ("X-Parse-Client-Key", "windows", 403), ("X-Parse-REST-API-Key", "windows", 403),
        ] {
            #expect(try await status(header, key) == expected, "\(header): \(key)")
        }
        // Unity sends every method as a POST.
        let logIn = try await world.send(
            "POST", "/parse/login?username=nobody&password=x",
            [("X-Parse-Application-Id", "app1"), ("X-Parse-Windows-Key", "windows")],
            body: #"{"_method":"GET","_noBody":true}"#)
        #expect(logIn.parseCode == 101, "\(logIn.text)")
    }

    @Test("takes the master key from this machine, or from where the application says")
    func master() async throws {
        let world = try await ForeignWorld()
        let headers = [("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "master")]
        #expect(try await world.send("GET", "/parse/serverInfo", headers, peer: "127.0.0.1").status == 200)
        #expect(
            try await world.parse("GET", "/serverInfo").text == #"{"error":"unauthorized: master key is required"}"#)
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id, to: ["administratorNetworks": .texts(["10.0.0.0/8"])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        #expect(try await world.send("GET", "/parse/serverInfo", headers, peer: "10.1.2.3").status == 200)
        #expect(try await world.send("GET", "/parse/serverInfo", headers, peer: "127.0.0.1").status == 403)
    }

    @Test(
        "takes the master key from nobody whom a proxy stands before that is not listed",
        arguments: [
            [("X-Forwarded-For", "127.0.0.1")], [("X-Forwarded-For", "203.0.113.9")], [("X-Real-IP", "127.0.0.1")],
            [("Forwarded", "for=127.0.0.1")], [("Via", "1.1 proxy")], [("X-Forwarded-Proto", "https")],
            [("X-Forwarded-Host", "id.example.test")], [("x-forwarded-for", "")], [("CF-Connecting-IP", "127.0.0.1")],
        ])
    func unlistedProxy(_ added: [(String, String)]) async throws {
        let world = try await ForeignWorld()
        let headers = [("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "master")]
        #expect(try await world.send("GET", "/parse/serverInfo", headers, peer: "127.0.0.1").status == 200)
        #expect(try await world.send("GET", "/parse/serverInfo", headers + added, peer: "127.0.0.1").status == 403)
        // The same for a network that the application lists.
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id, to: ["administratorNetworks": .texts(["10.0.0.0/8"])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        #expect(try await world.send("GET", "/parse/serverInfo", headers, peer: "10.1.2.3").status == 200)
        #expect(try await world.send("GET", "/parse/serverInfo", headers + added, peer: "10.1.2.3").status == 403)
    }

    @Test(
        "takes the master key through a listed proxy from the client that it names, and from this machine past it",
        arguments: [
            ("127.0.0.1", [], 200), ("127.0.0.1", [("X-Forwarded-For", "127.0.0.1")], 200),
            ("127.0.0.1", [("X-Forwarded-For", "203.0.113.9")], 403),
            ("127.0.0.1", [("X-Forwarded-For", "127.0.0.1, 203.0.113.9")], 403),
            ("127.0.0.1", [("X-Forwarded-For", "203.0.113.9, 127.0.0.1")], 403),
            ("127.0.0.1", [("X-Forwarded-For", "127.0.0.1, nonsense")], 403),
            ("127.0.0.1", [("X-Forwarded-For", "")], 403), ("127.0.0.1", [("X-Forwarded-Proto", "https")], 403),
            ("::1", [("X-Forwarded-For", "203.0.113.9, 127.0.0.1")], 403), ("::1", [], 200),
            // What another machine calls loopback is not this one.
            ("10.0.0.1", [("X-Forwarded-For", "127.0.0.1")], 403), ("10.0.0.1", [], 403),
            ("10.0.0.1", [("X-Forwarded-For", "203.0.113.9, 127.0.0.1")], 403),
            ("10.0.0.1", [("X-Forwarded-For", "192.0.2.7")], 200),
            ("10.0.0.1", [("X-Forwarded-For", "203.0.113.9, 192.0.2.7")], 200),
            ("10.0.0.1", [("X-Forwarded-For", "192.0.2.7, 203.0.113.9")], 403),
        ] as [(String, [(String, String)], Int)])
    func listedProxy(peer: String, added: [(String, String)], status: Int) async throws {
        let world = try await ForeignWorld(
            server: ["rate-limits": "off", "trusted-proxies": "\(peer)", "public-url": "https://id.example.test"])
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id,
            to: ["administratorNetworks": .texts(["127.0.0.0/8", "::1", "192.0.2.7"])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        let headers = [("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "master")]
        #expect(try await world.send("GET", "/parse/serverInfo", headers + added, peer: peer).status == status)
    }

    @Test(
        "does not take this machine for an administrator when the public address is https and no proxy is listed",
        arguments: [
            (["public-url": "https://id.example.test"], 403), (["public-url": "http://localhost:8080"], 200),
            (["public-url": "https://id.example.test", "trusted-proxies": "10.0.0.1"], 200),
        ])
    func silentProxy(settings: [String: String], status: Int) async throws {
        let world = try await ForeignWorld(server: settings.merging(["rate-limits": "off"]) { $1 })
        let headers = [("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "master")]
        #expect(try await world.send("GET", "/parse/serverInfo", headers, peer: "127.0.0.1").status == status)
        #expect(try await world.send("GET", "/parse/serverInfo", headers, peer: "::1").status == status)
    }

    @Test(
        "does not take what passes connections on for this machine: the host is the one that its client asked for",
        arguments: [
            ("127.0.0.1:8080", 200), ("localhost", 200), ("[::1]:8080", 200), ("okaeri.localhost:8080", 200),
            ("id.example.test", 403), ("id.example.test:8080", 403), ("okaeri", 403), ("203.0.113.9", 403),
            ("127.0.0.1.example.test", 403), ("localhost.example.test", 403), ("", 403),
        ])
    func passedOn(host: String, status: Int) async throws {
        let world = try await ForeignWorld()
        let headers = [("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "master")]
        for peer in ["127.0.0.1", "::1"] {
            let answer = try await world.send("GET", "/parse/serverInfo", headers, peer: peer, host: host)
            #expect(answer.status == status, "\(peer)")
        }
        // From another machine the host says nothing: only a proxy of this machine's looks like it.
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id, to: ["administratorNetworks": .texts(["10.0.0.0/8"])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        #expect(
            try await world.send("GET", "/parse/serverInfo", headers, peer: "10.1.2.3", host: host).status == 200)
    }

    @Test("reads the JavaScript envelope, whatever the media type", arguments: ["text/plain", "application/json", ""])
    func envelope(type: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.parseUser("mika")
        let headers = type.isEmpty ? [] : [("Content-Type", type)]
        let credentials =
            #""_ApplicationId":"app1","_JavaScriptKey":"jskey","_ClientVersion":"js5.3.0","_RevocableSession":"1","#
            + #""_InstallationId":"i-1","_context":{},"_noBody":true"#
        let logIn = try await world.send(
            "POST", "/parse/login", headers,
            body: #"{"username":"mika","password":"s3cret","_method":"GET",\#(credentials)}"#)
        #expect(logIn.status == 200, "\(logIn.text)")
        let token = try logIn.text("sessionToken")
        let me = try await world.send(
            "POST", "/parse/users/me", headers, body: #"{"_method":"GET","_SessionToken":"\#(token)",\#(credentials)}"#)
        #expect(try me.text("username") == "mika")
        let saved = try await world.send(
            "POST", "/parse/classes/_User/\(try me.text("objectId"))", headers,
            body: #"{"score":1,"_method":"PUT","_SessionToken":"\#(token)",\#(credentials)}"#)
        #expect(saved.status == 200, "\(saved.text)")
        for trick in [
            #"{"_method":"PATCH","_ApplicationId":"app1","_JavaScriptKey":"jskey"}"#,
            #"{"_method":7,"_ApplicationId":"app1","_JavaScriptKey":"jskey"}"#,
        ] {
            #expect(try await world.send("POST", "/parse/users", headers, body: trick).parseCode == 107)
        }
        // Beside a known application in the header they are data, and give nobody a right.
        let beside = try await world.parse("POST", "/users", #"{"username":"a","password":"b","_MasterKey":"master"}"#)
        #expect(beside.parseCode == 105)
        let both = try await world.parse("POST", "/users/me", #"{"_method":"GET","_SessionToken":"\#(token)"}"#)
        #expect(both.parseCode == 209)
    }

    @Test("does batches in their order, with one caller, and routes all or none")
    func batch() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika")
        let body = #"""
            {"requests":[{"method":"PUT","path":"/parse/users/\#(user.id)","body":{"phone":"1"}},
             {"method":"DELETE","path":"/parse/classes/_User/Zz00000000"},
             {"method":"GET","path":"/parse/users/me"},
             {"method":"POST","path":"/parse/login","body":{"username":"mika","password":"wrong"}}]}
            """#
        let answer = try await world.parse("POST", "/batch", body, token: user.token)
        guard case .array(let results) = try JSONValue(parsing: answer.body), results.count == 4 else {
            throw Missing(description: answer.text)
        }
        #expect(results[1] == ["error": ["code": 206, "error": "Insufficient auth."]])
        guard case .object(let me) = results[2], case .object(let members)? = me["success"] else {
            throw Missing(description: answer.text)
        }
        #expect(members["phone"] == "1" && members["sessionToken"] == .string(user.token))
        #expect(results[3] == ["error": ["code": 101, "error": "Invalid username/password."]])
        // An item's address was read up to its query: a search found everybody.
        let counted = try await world.parse(
            "POST", "/batch",
            #"""
            {"requests":[{"method":"GET","path":"/parse/users?limit=0&count=1&where=%7B%22username%22%3A%22hana%22%7D"},
             {"method":"GET","path":"/parse/users?count=1&limit=9","body":{"limit":0}}]}
            """#, token: user.token)
        #expect(
            try JSONValue(parsing: counted.body) == [
                ["success": ["results": [], "count": 0]], ["success": ["results": [], "count": 1]],
            ], "\(counted.text)")
        for (wrong, words) in [
            (#"{"requests":7}"#, "requests must be an array"), (#"{"requests":[7]}"#, "requests must have"),
            (#"{"requests":[{"method":"GET","path":"/other/users"}]}"#, "cannot route batch path"),
            (#"{"requests":[{"method":"GET","path":"/parse/classes/Game"}]}"#, "cannot route GET"),
            (#"{"requests":[{"method":"POST","path":"/parse/batch"}]}"#, "cannot route POST"),
        ] {
            let refused = try await world.parse("POST", "/batch", wrong, token: user.token)
            #expect(try refused.parseCode == 107 && refused.text("error").hasPrefix(words), "\(refused.text)")
            #expect(refused.status == 400)
        }
        let transaction = try await world.parse("POST", "/batch", #"{"requests":[],"transaction":true}"#)
        #expect(transaction.parseCode == 119)
    }

    /// Values are many times as long as their text, and what is ready waits for the last item.
    @Test("begins no further item of a batch behind very many values")
    func longBatch() async throws {
        let world = try await ForeignWorld()
        let lists = [String](repeating: "[0]", count: 3000).joined(separator: ",")
        for number in 0..<12 {
            let made = try await world.parse(
                "POST", "/users",
                #"{"username":"u\#(number)","password":"a password of u","ACL":{"*":{"read":true}},"x":[\#(lists)]}"#)
            #expect(made.status == 201, "\(made.text)")
        }
        let item = #"{"method":"GET","path":"/parse/users"}"#
        let answer = try await world.parse("POST", "/batch", "{\"requests\":[\(item),\(item)]}")
        guard case .array(let results) = try JSONValue(parsing: answer.body), results.count == 2,
            case .object(let first) = results[0], case .object(let second) = results[1],
            case .object(let error)? = second["error"]
        else { throw Missing(description: String(answer.text.prefix(1000))) }
        #expect(first["success"] != nil && error["code"] == 102)
    }

    @Test("answers health to everybody, preflights without keys, and unknown paths in JSON")
    func service() async throws {
        let world = try await ForeignWorld()
        for method in ["GET", "POST"] {
            #expect(try await world.send(method, "/parse/health").text == #"{"status":"ok"}"#)
        }
        let preflight = try await world.send("OPTIONS", "/parse/users/me")
        #expect(
            preflight.status == 200 && preflight.headers[.accessControlAllowMethods] == "GET,PUT,POST,DELETE,OPTIONS")
        #expect(preflight.headers[.accessControlAllowHeaders]?.contains("X-Parse-Installation-Id") == true)
        let unknown = try await world.parse("GET", "/wish")
        for path in ["/parse/users/me", "/api/apps/\(ForeignWorld.appId)/users/me"] {
            let native = try await world.send("GET", path, origin: nil)
            #expect(!native.headers.contains { $0.name.canonicalName.hasPrefix("access-control") }, "\(path)")
        }
        #expect(try unknown.status == 404 && unknown.text("error") == "cannot route GET /parse/wish")
        #expect(try await world.parse("GET", "/config").json() == ["params": [:]])
        for path in ["/roles", "/classes/_Role"] {
            #expect(try await world.parse("GET", path).json() == ["results": []])
            #expect(try await world.parse("GET", "\(path)/x").parseCode == 101)
            #expect(try await world.parse("POST", path, "{}").parseCode == 119)
        }
        for path in ["/classes/Game", "/installations", "/files/a.txt", "/functions/hello", "/push", "/schemas"] {
            let absent = try await world.parse("GET", path)
            #expect(try absent.parseCode == 119 && absent.text("error").contains("/users"), "\(path)")
        }
        let file = try await world.send("POST", "/parse/files/a.txt", [("Content-Type", "text/plain")], body: "hello")
        #expect(file.status == 403 && file.text == #"{"error":"unauthorized"}"#)
        #expect(try await world.parse("POST", "/files/a.txt", "hello").parseCode == 119)
        #expect(try await world.parse("POST", "/challenge", "{}").parseCode == -1)
        #expect(try await world.parse("POST", "/challenge", #"{"challengeData":{}}"#).json() == ["challengeData": [:]])
    }

    @Test(
        "takes hostile requests for what they are",
        arguments: [
            ("POST", "/users", "no JSON", 107), ("POST", "/users", "[]", 107), ("POST", "/users", "7", 107),
            ("POST", "/users", #"{"a":1,"a":2}"#, 107), ("POST", "/users", String(repeating: "[", count: 5000), 107),
            ("POST", "/login", "{", 107), ("GET", "/users?where=%FF", nil, 102),
            ("GET", "/users?where=" + String(repeating: "%7B%22$or%22%3A%5B", count: 100), nil, 102),
            ("GET", "/users/" + String(repeating: "x", count: 300), nil, 101), ("GET", "/users/%00", nil, 101),
            ("PUT", "/users/%2e%2e%2fme", "{}", 206), ("POST", "/users/me", #"{"_method":"DELETE"}"#, 206),
            ("POST", "/requestPasswordReset", "{}", 204), ("POST", "/requestPasswordReset", #"{"email":7}"#, 125),
            ("POST", "/verificationEmailRequest", "{}", 204),
        ] as [(String, String, String?, Int)])
    func hostile(method: String, path: String, body: String?, code: Int) async throws {
        let world = try await ForeignWorld()
        let answer = try await world.parse(method, path, body)
        #expect(answer.parseCode == code, "\(answer.status) \(answer.text)")
    }

    @Test("refuses a body of more than a megabyte, reads one below it, and does not mind a body on DELETE")
    func sizes() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika")
        let path = "/users/\(user.id)"
        for (size, code) in [(1_100_000, 116), (1_000_000, 116), (1000, nil)] as [(Int, Int?)] {
            let text = String(repeating: "a", count: size)
            let answer = try await world.parse("PUT", path, #"{"text":"\#(text)"}"#, token: user.token)
            #expect(answer.parseCode == code, "\(answer.text)")
        }
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(try await world.parse("PUT", path, #"{"deep":\#(deep)}"#, token: user.token).parseCode == 111)
        let context = try await world.parse("GET", "/users", nil, [("X-Parse-Cloud-Context", "7")])
        #expect(context.parseCode == 107)
        #expect(try await world.parse("DELETE", path, "{}", token: user.token).text == "{}")
    }
}
