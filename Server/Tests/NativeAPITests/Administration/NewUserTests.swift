import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Users whom admins make")
struct NewUserTests {
    @Test("choose their password on the page to which the mail of a reset leads, and nobody else knows one")
    func reset() async throws {
        let mail = try await MailServerWorld(settings: ["public-url": TestServer.url])
        let world = try await AdminWorld(mail.server, roles: [])
        let made = try await world.send(
            "owner", .post, world.path("/users"),
            body: #"{"email": "Rin@Example.com", "displayName": "Rin", "locale": "ja", "fields": {"plan": "pro"}}"#)
        #expect(made.status == 201 && made.headers[.eTag] != nil, "\(made.text)")
        let user = try #require(try made.json["user"])
        let id = try #require(user["id"]?.text)
        #expect(user["displayName"]?.text == "Rin" && user["fields"]?["plan"]?.text == "pro")
        let password = "four quiet words here"
        expect(try await mail.server.logIn("rin@example.com", password), 401, .credentialRefused)
        #expect(try await world.send("owner", .post, world.path("/users/\(id)/password-reset")).status == 204)
        let sent = try #require(try await mail.mails().first)
        let token = try #require(sent.token)
        #expect(sent.language == "ja")
        let browser = Browser(mail.server)
        let page = browser.path("reset")
        #expect(sent.text.contains("\(TestServer.url)\(page)?token=\(token)"), "\(sent.text)")
        let form = try await browser.get("\(page)?token=\(token)")
        let reset = try await browser.post(page, ["token": token, "password": password], token: form.token)
        #expect(reset.status == 200, "\(reset.html)")
        let logIn = try await mail.server.logIn("rin@example.com", password).read(LogInResponse.self)
        #expect(logIn.user.id == id && logIn.user.emailVerified)
    }

    @Test(
        "have something to type, which nobody else has, and no password of an admin's",
        arguments: [
            ("{}", 400, .invalidMember), (#"{"displayName": "Rin"}"#, 400, .invalidMember),
            (#"{"email": "no address"}"#, 400, .invalidMember), (#"{"username": "a@b"}"#, 400, .invalidMember),
            (#"{"username": "rin", "password": "four quiet words"}"#, 400, .unknownMember),
            (#"{"username": "HANAKO"}"#, 409, .identifierTaken),
        ] as [(String, Int, ErrorCode)])
    func refused(body: String, status: Int, code: ErrorCode) async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await world.server.signUp("hanako").read(LogInResponse.self)
        expect(try await world.send("owner", .post, world.path("/users"), body: body), status, code)
        let users = try await world.send("owner", .get, world.path("/users")).json["users"]?.list
        #expect(users?.count == 1)
    }

    @Test("have fields that only the server writes, and come in by a transfer code without an address")
    func fields() async throws {
        let world = try await AdminWorld(roles: [])
        let rule = try await world.send(
            "owner", .put, world.path("/fields/plan"), body: #"{"write": "server"}"#)
        #expect((200..<300).contains(rule.status), "\(rule.text)")
        let made = try await world.send(
            "owner", .post, world.path("/users"), body: #"{"username": "rin", "fields": {"plan": "pro"}}"#)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(try made.json["user"]?["id"]?.text)
        let code = try await world.send("owner", .post, world.path("/users/\(id)/transfer-code"))
        #expect(code.status == 201, "\(code.text)")
    }

    @Test("come by the dashboard's form too, which says what is wrong and keeps what was typed")
    func form() async throws {
        let world = try await AdminWorld(roles: [.support])
        let (browser, address) = (world.browser(), world.page("users"))
        let shown = try await browser.get(address)
        #expect(shown.html.contains("New user"))
        for (typed, words) in [("no address", "A mail address"), ("", "This cannot be empty.")] {
            let refused = try await browser.post(
                address, ["email": typed, "displayName": "Rin"], token: shown.token)
            #expect(refused.status == 422)
            #expect(refused.error("email")?.contains(words) == true, "\(refused.html)")
            #expect(refused.value(of: "displayName") == "Rin")
        }
        let made = try await browser.post(
            address, ["email": "rin@example.com", "username": "", "phone": "", "displayName": "Rin", "locale": ""],
            token: shown.token)
        let location = try #require(made.location)
        #expect(location.hasSuffix("?done=created"))
        let page = try await browser.get(location).html
        #expect(page.contains("The user is made.") && page.contains("rin@example.com"))
        // Who only reads makes nobody.
        let support = try await world.browser("support").get(address)
        #expect(support.status == 200 && !support.html.contains("New user"))
    }
}
