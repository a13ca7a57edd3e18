import Domain
import Foundation
import HTTPTypes
import NCMBAPI
import OkaeriWire
import Testing

@Suite("A hostile request in NCMB's protocol")
struct HostileRequestTests {
    private static let path = "/2013-09-01/users"

    @Test(
        "is refused when a part of what is signed was changed",
        arguments: ["method", "host", "path", "query", "timestamp", "key", "signature", "no signature", "no timestamp"])
    func tampered(_ part: String) async throws {
        let world = try await NCMBWorld()
        var (method, host, target) = ("GET", NCMBWorld.host, "\(Self.path)?limit=1")
        let text = NCMBWorld.signedText(method, host, target, timestamp: world.timestamp)
        var headers = [
            ("X-NCMB-Application-Key", NCMBWorld.applicationKey), ("X-NCMB-Timestamp", world.timestamp),
            ("X-NCMB-Signature", NCMBWorld.signature(text)), ("Content-Type", "application/json"),
        ]
        switch part {
        case "method": method = "POST"
        case "host": host = "evil.example.test"
        case "path": target = "/2013-09-01/login?limit=1"
        case "query": target = "\(Self.path)?limit=2"
        case "timestamp": headers[1].1 = "2026-01-02T03:04:05.678Z"
        case "key": headers[0].1 = "0" + NCMBWorld.applicationKey.dropFirst()
        case "signature": headers[2].1 = NCMBWorld.signature(text + " ")
        case "no signature": headers.remove(at: 2)
        default: headers.remove(at: 1)
        }
        let answer = try await world.sendRaw(method, target, headers, host: host)
        #expect(answer.code == (part == "key" ? "E404005" : "E401001"))
        #expect(answer.headers[.contentType] == "application/json;charset=UTF-8")
        #expect(answer.headers[.wwwAuthenticate] == nil)
    }

    @Test(
        "that a proxy or a clock has spoilt is refused, and ends no session: SDKs forget a member for E401001",
        arguments: ["host", "timestamp", "signature", "key"])
    func spoilt(part: String) async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(timestampWindow: .seconds(600))
        let world = try await NCMBWorld(settings)
        let member = try await world.signUp("taro")
        let target = "\(Self.path)/\(member.id)"
        func read(token: String) async throws -> Answer {
            let timestamp = part == "timestamp" ? "2013-12-02T02:44:35.452Z" : world.timestamp
            let text = NCMBWorld.signedText("GET", NCMBWorld.host, target, timestamp: timestamp)
            var headers = [
                ("X-NCMB-Application-Key", NCMBWorld.applicationKey), ("X-NCMB-Timestamp", timestamp),
                ("X-NCMB-Signature", NCMBWorld.signature(part == "signature" ? text + " " : text)),
                ("X-NCMB-Apps-Session-Token", token),
            ]
            if part == "key" { headers.removeFirst() }
            return try await world.sendRaw(
                "GET", target, headers, host: part == "host" ? "inner.example.test" : NCMBWorld.host)
        }
        let refused = try await read(token: member.token)
        #expect(refused.status == 401 && refused.code == "E401000", "\(refused.text)")
        #expect(try await read(token: "").code == "E401001")
        #expect(try await world.send("GET", target, token: member.token).status == 200)
    }

    @Test("describes its device in 200 signs at the most, whatever is one character with others")
    func device() async throws {
        let world = try await NCMBWorld()
        let (application, long) = (world.application.id, String(repeating: "\u{0600}", count: 5000))
        let answer = try await world.send(
            "POST", Self.path, body: #"{"userName":"taro","password":"secret-1"}"#,
            [("X-NCMB-SDK-Version", long), ("X-NCMB-OS-Version", "1\t2")])
        #expect(answer.status == 201)
        let sessions = try await world.store.read { transaction throws(DomainError) in
            try transaction.sessions(in: application, protocolName: nil, from: nil, limit: 9)
        }
        #expect(sessions.map { $0.device.model?.unicodeScalars.count } == [200])
        #expect(sessions.map { $0.device.system } == ["12"])
    }

    @Test("counts by the host behind a proxy, on any port")
    func hosts() async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(hosts: ["old.example.test"])
        let world = try await NCMBWorld(
            settings,
            server: ["rate-limits": "off", "trusted-proxies": "192.0.2.1", "public-url": "https://id.example.test"])
        for host in ["inner:8080", "id.example.test", "old.example.test", "outer.example.test:8443"] {
            let bare = String(host.prefix { $0 != ":" })
            let text = NCMBWorld.signedText("GET", bare, Self.path, timestamp: world.timestamp)
            let answer = try await world.sendRaw(
                "GET", Self.path,
                [
                    ("X-NCMB-Application-Key", NCMBWorld.applicationKey), ("X-NCMB-Timestamp", world.timestamp),
                    ("X-NCMB-Signature", NCMBWorld.signature(text)),
                    ("X-Forwarded-Host", "spoofed.example.test\u{0600}, outer.example.test:8443"),
                ], host: "inner:8080")
            #expect(answer.status == 200, "\(host): \(answer.text)")
        }
    }

    @Test("is refused by its age only where the application wants that")
    func age() async throws {
        let old = [("X-NCMB-Timestamp", "2013-12-02T02:44:35.452Z")]
        #expect(try await NCMBWorld().send("GET", Self.path, old).status == 200)
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(timestampWindow: .seconds(600))
        let strict = try await NCMBWorld(settings)
        #expect(try await strict.send("GET", Self.path, old).code == "E401001")
        #expect(try await strict.send("GET", Self.path, [("X-NCMB-Timestamp", "soon")]).code == "E401001")
        #expect(try await strict.send("GET", Self.path).status == 200)
    }

    @Test(
        "gets NCMB's own error for a search that is none",
        arguments: [
            ("limit=1&limit=2", "E400000"), ("where=%ff", "E400000"), ("where=%7B", "E400001"),
            ("where=%5B%5D", "E400005"), ("limit=-1", "E400005"), ("limit=many", "E400005"),
            ("skip=99999999", "E400009"), ("where=%7B%22a%22:%7B%22$regex%22:%22(a+)+$%22%7D%7D", "E400005"),
            ("where=%7B%22$where%22:%22sleep(1)%22%7D", "E400005"), ("order=password", "E400005"),
            ("where=%7B%22a%5C%22b%22:1%7D", "E400005"), ("order=a,b,c,d,e,f,g,h,i", "E400009"),
        ])
    func searches(_ query: String, _ code: String) async throws {
        let answer = try await NCMBWorld().send("GET", "\(Self.path)?\(query)")
        #expect(answer.code == code, "\(answer.text)")
    }

    @Test("gets an error for a where of a hundred levels, and for one of a thousand values", arguments: [true, false])
    func greatSearches(isDeep: Bool) async throws {
        let text =
            isDeep
            ? String(repeating: #"{"$or":["#, count: 100) + "{}" + String(repeating: "]}", count: 100)
            : #"{"a":{"$in":["# + (0..<1000).map(String.init).joined(separator: ",") + "]}}"
        let encoded = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let answer = try await NCMBWorld().send("GET", "\(Self.path)?where=\(encoded)")
        #expect([400].contains(answer.status), "\(answer.text)")
    }

    @Test("keeps texts out of the question's own words")
    func injection() async throws {
        let world = try await NCMBWorld()
        _ = try await world.signUp("taro", #","acl":{"*":{"read":true}},"nick":"x""#)
        for text in [#"{"nick":"' OR 1=1 --"}"#, #"{"' OR 1=1 --":"x"}"#, #"{"nick') OR 1=1 --":"x"}"#] {
            let encoded = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let answer = try await world.send("GET", "\(Self.path)?where=\(encoded)")
            #expect(try answer.json() == ["results": []])
        }
    }

    @Test(
        "gets NCMB's own error for a body that is none",
        arguments: [
            ("{", "E400001"), ("[]", "E400001"), (#"{"userName":1,"password":"x"}"#, "E400002"),
            (#"{"userName":"a","password":"x","_id":1}"#, "E400005"),
            (#"{"userName":"a","password":"x","$a":1}"#, "E400005"),
            (#"{"userName":"a","password":"x","a.b":1}"#, "E400005"),
            (#"{"userName":"a","password":"x","acl":[]}"#, "E400002"),
            (#"{"userName":"a","password":"x","acl":{"*":{"read":1}}}"#, "E400002"),
            (#"{"userName":"a","password":"x","d":{"__type":"Date","iso":"soon"}}"#, "E400002"),
            (#"{"userName":"a","password":"x","n":{"__op":"Explode"}}"#, "E400005"),
            (#"{"userName":"a","password":"x","mailAddress":"none"}"#, "E400004"),
            (#"{"authData":{"myspace":{"id":"1"}}}"#, "E400005"), (#"{"authData":"apple"}"#, "E400002"),
            (#"{"authData":{"apple":{"id":"1","access_token":"c"}}}"#, "E403005"),
        ])
    func bodies(_ body: String, _ code: String) async throws {
        let answer = try await NCMBWorld().send("POST", Self.path, body: body)
        #expect(answer.code == code, "\(answer.text)")
    }

    @Test("gets NCMB's own error for a body that is too large, too deep or of another type")
    func sizes() async throws {
        let world = try await NCMBWorld()
        let large = #"{"userName":"a","password":"x","text":""# + String(repeating: "a", count: 1 << 20) + #""}"#
        #expect(try await world.send("POST", Self.path, body: large).code == "E413002")
        let fields = #"{"userName":"a","password":"x","text":""# + String(repeating: "a", count: 40_000) + #""}"#
        #expect(try await world.send("POST", Self.path, body: fields).code == "E400009")
        let deep = #"{"a":"# + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000) + "}"
        #expect(try await world.send("POST", Self.path, body: deep).code == "E400001")
        let other = try await world.send("POST", Self.path, body: "a=1", [("Content-Type", "text/plain")])
        #expect(other.code == "E415001")
    }

    @Test(
        "gets NCMB's own error at a path that is not offered", arguments: ["/classes/Score", "/files/a", "/push", ""])
    func elsewhere(_ path: String) async throws {
        let answer = try await NCMBWorld().send("GET", "/2013-09-01\(path)")
        #expect(answer.code == "E404002")
        let other = try await NCMBWorld().send("PATCH", "/2013-09-01/users")
        #expect(other.code == "E405001")
    }

    @Test("cannot use a session of one application in another, nor by the native API")
    func otherEndpoints() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro")
        let native = try await world.sendRaw(
            "GET", "/v1/user",
            [("Okaeri-Application", world.application.id.rawValue), ("Authorization", "Bearer \(member.token)")])
        #expect(native.status == 401)
    }

    @Test(
        "lets a web page of another origin ask, also about what is not served: else apps read no error, only that there was none",
        arguments: ["users/abc", "classes/Score"])
    func preflight(path: String) async throws {
        let answer = try await NCMBWorld().sendRaw("OPTIONS", "/2013-09-01/\(path)", [("Origin", "https://a.test")])
        #expect(answer.status == 204)
        #expect(answer.headers[.accessControlAllowOrigin] == "*")
        #expect(answer.headers[.accessControlAllowHeaders]?.contains("X-NCMB-Signature") == true)
    }
}
