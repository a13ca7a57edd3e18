import AuthServiceAPI
import Domain
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

@Suite("The envelope")
struct AuthServiceTests {
    @Test(
        "is there whatever fails",
        arguments: [
            ("GET", "/user/nothing", 404), ("GET", "/user/signin", 405), ("POST", "/nobody/user/signin", 404),
            ("POST", "/user/signin", 400),
        ])
    func envelopes(method: String, path: String, status: Int) async throws {
        let world = try await ForeignWorld()
        let body = path.hasPrefix("/nobody") ? #"{"id":"a","password":"b"}"# : nil
        let answer = try await world.send(method, path, body: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
        #expect(try answer.json()["success"] == .bool(false))
        #expect(try answer.json()["data"] == nil)
    }

    @Test(
        "takes whatever people type",
        arguments: ["a", "민아", "mina@example.com", "+82 10", "  ", "💚", String(repeating: "x", count: 255)])
    func anyId(id: String) async throws {
        let world = try await ForeignWorld()
        let made = try await world.send("POST", "/user/signup", body: #"{"id":"\#(id)","password":"1"}"#)
        #expect(try made.json()["status"] == .integer(204), "\(made.text)")
        let logIn = try await world.send("POST", "/user/signin", body: #"{"id":"\#(id)","password":"1"}"#)
        #expect(try logIn.json()["success"] == .bool(true), "\(logIn.text)")
    }

    @Test("refuses with a message what no account can have", arguments: [#""#, #"\u0000"#, #"\n"#])
    func refused(id: String) async throws {
        let world = try await ForeignWorld()
        let made = try await world.send("POST", "/user/signup", body: #"{"id":"\#(id)","password":"1"}"#)
        #expect(made.status == 200)
        #expect(try made.json()["success"] == .bool(false) && !made.text("message").isEmpty)
    }

    @Test("takes passwords of up to 1024 bytes, and cuts none", arguments: [(1024, true), (1025, false)])
    func longPassword(bytes: Int, isTaken: Bool) async throws {
        let world = try await ForeignWorld()
        let password = String(repeating: "p", count: bytes)
        let made = try await world.send("POST", "/user/signup", body: #"{"id":"mina","password":"\#(password)"}"#)
        #expect(try made.status == 200 && made.json()["success"] == .bool(isTaken))
        for (typed, fits) in [(password, isTaken), (String(password.dropLast()), false), (password + "p", false)] {
            let logIn = try await world.send("POST", "/user/signin", body: #"{"id":"mina","password":"\#(typed)"}"#)
            #expect(try logIn.status == 200 && logIn.json()["success"] == .bool(fits))
        }
    }

    @Test("has a base path for each application, and the root for one")
    func basePaths() async throws {
        let world = try await ForeignWorld()
        let other = try await world.modules.applications.createApplication(
            name: "Other", protocols: [.envelope: [.basePath: Secret("/diary")]], by: .local)
        let body = #"{"id":"mina26","password":"pw"}"#
        for path in ["/user/signup", "/diary/user/signUp"] {
            let made = try await world.send("POST", path, body: body)
            #expect(try made.json()["status"] == .integer(204), "\(made.text)")
        }
        #expect(try await world.modules.directory.listUsers(in: other.application.id).count == 1)
        let logIn = try await world.send("POST", "/diary/user/signIn", body: body)
        #expect(try logIn.json()["success"] == .bool(true))
    }

    @Test("is 500 when the storage is away, so that the app says so")
    func storageAway() async throws {
        let world = try await ForeignWorld()
        await world.composition.close()
        let answer = try await world.send("POST", "/user/signin", body: #"{"id":"a","password":"b"}"#)
        #expect(answer.status == 500)
        #expect(try answer.json()["success"] == .bool(false))
    }
}
