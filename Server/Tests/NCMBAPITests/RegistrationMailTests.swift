import Domain
import Foundation
import HTTPTypes
import NCMBAPI
import OkaeriWire
import Testing

@Suite("Registration by mail in NCMB's protocol")
struct RegistrationMailTests {
    private static let path = "/2013-09-01/requestMailAddressUserEntry"

    private func world(_ settings: [String: String] = [:]) async throws -> NCMBWorld {
        try await NCMBWorld(server: ["rate-limits": "off", "dev": "on"].merging(settings) { $1 })
    }

    private func newestMail(at world: NCMBWorld) async throws -> MailMessage {
        _ = try await world.modules.messaging.deliverMail()
        // Mails of one moment have no order.
        defer { world.clock.advance(by: .seconds(1)) }
        return try #require(try await world.modules.messaging.readOutbox(of: world.application.id).first)
    }

    /// The token of the link to one of the server's pages in the newest mail.
    private func linkedToken(at world: NCMBWorld, _ page: String) async throws -> String {
        let mail = try await newestMail(at: world)
        let start = "https://\(NCMBWorld.host)/a/\(world.application.id)/\(page)?token="
        let line = try #require(mail.text.split(separator: "\n").first { $0.hasPrefix(start) }, "\(mail.text)")
        return String(line.dropFirst(start.count))
    }

    private func ask(_ address: String, at world: NCMBWorld) async throws -> Answer {
        try await world.send("POST", Self.path, body: #"{"mailAddress":"\#(address)"}"#)
    }

    /// The token in the link of the newest mail.
    private func token(at world: NCMBWorld) async throws -> String {
        _ = try await world.modules.messaging.deliverMail()
        let mail = try #require(try await world.modules.messaging.readOutbox(of: world.application.id).first)
        let line = mail.text.split(separator: "\n").first { $0.contains("/register?token=") }
        let link = try #require(line, "\(mail.text)")
        return String(link.split(separator: "=").last ?? "")
    }

    @Test("makes a member who sets a password from the mail, and then logs in by the address")
    func life() async throws {
        let world = try await world()
        let asked = try await ask("taro@example.com", at: world)
        #expect(asked.status == 201)
        #expect(try asked.text("createDate") == world.timestamp)
        // Nobody is there until the page is done.
        #expect(try await world.modules.directory.listUsers(in: world.application.id).isEmpty)
        let body = #"{"mailAddress":"taro@example.com","password":"four quiet words"}"#
        #expect(try await world.send("POST", "/2013-09-01/login", body: body).code == "E401002")
        let reset = try await world.sendRaw(
            "POST", "/v1/password-reset",
            [("Okaeri-Application", world.application.id.rawValue), ("Content-Type", "application/json")],
            body: Array(#"{"token":"\#(try await token(at: world))","newPassword":"four quiet words"}"#.utf8))
        #expect(reset.status < 300, "\(reset.text)")
        let logIn = try await world.send("POST", "/2013-09-01/login", body: body)
        #expect(logIn.status == 200, "\(logIn.text)")
        guard case .object(let member) = try logIn.json() else { return }
        #expect(member["mailAddress"] == "taro@example.com" && member["mailAddressConfirm"] == .bool(true))
        #expect(try logIn.text("userName").utf8.count == 10)
        // Now the address belongs to a user.
        let again = try await ask("TARO@example.com", at: world)
        #expect(again.code == "E409001" && again.text.contains("mailAddress is duplication."))
    }

    /// Opens the page of a link and sends its form, as a browser does.
    private func choose(_ password: String, at world: NCMBWorld, _ token: String) async throws -> (
        shown: Answer, sent: Answer
    ) {
        let path = "/a/\(world.application.id)/register"
        let shown = try await world.sendRaw("GET", "\(path)?token=\(token)", [("Accept-Language", "ja")])
        let cookie = try #require(shown.headers[values: .setCookie].first).prefix { $0 != ";" }
        let formToken = try #require(
            shown.text.firstMatch(of: #/name="form_token"[^>]*? value="([^"]+)"/#), "\(shown.text)")
        let kept = try #require(shown.text.firstMatch(of: #/name="token"[^>]*? value="([^"]+)"/#), "\(shown.text)")
        let fields = [
            "form_token": String(formToken.output.1), "token": String(kept.output.1), "password": password,
        ].map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        let sent = try await world.sendRaw(
            "POST", path,
            [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", String(cookie)),
                ("Origin", "https://\(NCMBWorld.host)"), ("Sec-Fetch-Site", "same-origin"),
            ], body: Array(fields.joined(separator: "&").utf8))
        return (shown, sent)
    }

    private func logIn(_ address: String, _ password: String, at world: NCMBWorld) async throws -> Answer {
        try await world.send(
            "POST", "/2013-09-01/login", body: #"{"mailAddress":"\#(address)","password":"\#(password)"}"#)
    }

    @Test(
        "is done on the page that the mail leads to, as a person does it, and the app logs in by the address (issue 20)"
    )
    func page() async throws {
        let world = try await world(["public-url": "https://\(NCMBWorld.host)"])
        #expect(try await ask("taro@example.com", at: world).status == 201)
        let token = try await linkedToken(at: world, "register")
        // Mail programs open links too: that makes nothing, and uses nothing up.
        let path = "/a/\(world.application.id)/register?token=\(token)"
        for _ in 0..<3 { #expect(try await world.sendRaw("GET", path, []).status == 200) }
        #expect(try await world.modules.directory.listUsers(in: world.application.id).isEmpty)
        // A password that breaks the rules leaves the link good.
        let short = try await choose("short", at: world, token)
        #expect(short.sent.status == 422, "\(short.sent.text)")
        #expect(try await world.modules.directory.listUsers(in: world.application.id).isEmpty)
        let done = try await choose("four quiet words", at: world, token)
        #expect(done.sent.status == 200, "\(done.sent.text)")
        let member = try await logIn("taro@example.com", "four quiet words", at: world)
        #expect(member.status == 200, "\(member.text)")
        #expect(member.text.contains(#""mailAddressConfirm":true"#))
        let (id, session) = (try member.text("objectId"), try member.text("sessionToken"))
        // The member takes a name of its own, and logs in by it.
        let named = try await world.send(
            "PUT", "/2013-09-01/users/\(id)", body: #"{"userName":"taro"}"#, token: session)
        #expect(named.status == 200, "\(named.text)")
        let again = try await world.send(
            "POST", "/2013-09-01/login", body: #"{"userName":"taro","password":"four quiet words"}"#)
        #expect(try again.text("objectId") == id)
        // The link is used up, and changes no password.
        #expect(try await choose("another quiet word", at: world, token).sent.status >= 400)
        #expect(try await logIn("taro@example.com", "another quiet word", at: world).code == "E401002")
    }

    @Test("that nobody finished holds no address: the next one who signs up has it, and the link makes nobody then")
    func halfDone() async throws {
        let world = try await world(["public-url": "https://\(NCMBWorld.host)"])
        #expect(try await ask("taro@example.com", at: world).status == 201)
        let token = try await linkedToken(at: world, "register")
        let path = "/a/\(world.application.id)/register?token=\(token)"
        #expect(try await world.sendRaw("GET", path, []).status == 200)
        _ = try await world.signUp("hana", #","mailAddress":"taro@example.com""#)
        let late = try await choose("four quiet words", at: world, token)
        #expect(late.sent.status == 422, "\(late.sent.text)")
        #expect(try await world.modules.directory.listUsers(in: world.application.id).map(\.username) == ["hana"])
        #expect(try await logIn("taro@example.com", "four quiet words", at: world).code == "E401002")
    }

    @Test("is over after its link's life, and can be begun anew")
    func tooLate() async throws {
        let world = try await world(["public-url": "https://\(NCMBWorld.host)"])
        #expect(try await ask("taro@example.com", at: world).status == 201)
        let token = try await linkedToken(at: world, "register")
        world.clock.advance(by: .days(8))
        #expect(try await choose("four quiet words", at: world, token).sent.status >= 400)
        #expect(try await world.modules.directory.listUsers(in: world.application.id).isEmpty)
        #expect(try await ask("taro@example.com", at: world).status == 201)
        let fresh = try await linkedToken(at: world, "register")
        #expect(try await choose("four quiet words", at: world, fresh).sent.status == 200)
    }

    @Test("sends another mail to who has not followed the first one, whose link is void then")
    func again() async throws {
        let world = try await world(["public-url": "https://\(NCMBWorld.host)"])
        var tokens: [String] = []
        for _ in 0..<3 {
            #expect(try await ask("taro@example.com", at: world).status == 201)
            tokens.append(try await linkedToken(at: world, "register"))
        }
        let reset = "/v1/password-reset"
        for (token, status) in [(tokens[0], 400), (tokens[1], 400), (tokens[2], 204), (tokens[2], 400)] {
            let answer = try await world.sendRaw(
                "POST", reset,
                [("Okaeri-Application", world.application.id.rawValue), ("Content-Type", "application/json")],
                body: Array(#"{"token":"\#(token)","newPassword":"four quiet words"}"#.utf8))
            #expect(answer.status == status, "\(answer.text)")
        }
        #expect(try await world.modules.directory.listUsers(in: world.application.id).count == 1)
    }

    @Test("leads to the server's pages in words of its own, which the other mails do not use")
    func links() async throws {
        let world = try await world(["public-url": "https://\(NCMBWorld.host)"])
        _ = try await ask("hana@example.com", at: world)
        let token = try await linkedToken(at: world, "register")
        let page = try await world.sendRaw(
            "GET", "/a/\(world.application.id)/register?token=\(token)", [("Accept-Language", "en")])
        #expect(page.status == 200 && page.text.contains("Choose a password"), "\(page.text)")
        for (language, words) in [
            ("ja", "会員登録のご案内"), ("ko", "회원 가입 안내"), ("en", "Finish your registration"),
        ] {
            let asked = try await world.send(
                "POST", Self.path, body: #"{"mailAddress":"\#(language)@example.com"}"#, [("Accept-Language", language)]
            )
            #expect(asked.status == 201)
            let mail = try await newestMail(at: world)
            #expect(mail.subject.contains(words), "\(mail.subject)")
        }
        _ = try await world.signUp("taro", #","mailAddress":"taro@example.com""#)
        _ = try await linkedToken(at: world, "verify")
        _ = try await world.send(
            "POST", "/2013-09-01/requestPasswordReset", body: #"{"mailAddress":"taro@example.com"}"#)
        _ = try await linkedToken(at: world, "reset")
    }

    @Test(
        "is refused in NCMB's words",
        arguments: [
            ("{}", "E400003", "mailAddress is empty."),
            (#"{"mailAddress":""}"#, "E400004", "mailAddress is invalid format."),
            (#"{"mailAddress":null}"#, "E400006", "mailAddress does not exist."),
            (#"{"mailAddress":"nobody"}"#, "E400004", "mailAddress is invalid format."),
            (#"{"mailAddress":7}"#, "E400004", "mailAddress is invalid format."),
        ])
    func refused(body: String, code: String, message: String) async throws {
        let answer = try await world().send("POST", Self.path, body: body)
        #expect(answer.code == code)
        #expect(try answer.text("error") == message)
    }

    @Test("is refused where there is no mail, or the application does not want it")
    func off() async throws {
        let mailless = try await NCMBWorld()
        #expect(try await ask("taro@example.com", at: mailless).code == "E502002")
        #expect(try await mailless.modules.directory.listUsers(in: mailless.application.id).isEmpty)
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb, default: ForeignOptions()].allowsSignUpByMail = false
        let off = try await NCMBWorld(settings, server: ["rate-limits": "off", "dev": "on"])
        let answer = try await ask("taro@example.com", at: off)
        #expect(answer.text == #"{"code":"E403005","error":"mailAddress must not be entered."}"#)
    }

    @Test("asks for a new password with one answer for known and unknown addresses")
    func reset() async throws {
        let world = try await world()
        _ = try await world.signUp("taro", #","mailAddress":"taro@example.com""#)
        for address in ["taro@example.com", "nobody@example.com"] {
            let answer = try await world.send(
                "POST", "/2013-09-01/requestPasswordReset", body: #"{"mailAddress":"\#(address)"}"#)
            #expect(answer.status == 201)
        }
        // The old password goes on while nobody has set a new one.
        let logIn = try await world.send(
            "POST", "/2013-09-01/login", body: #"{"userName":"taro","password":"secret-1"}"#)
        #expect(logIn.status == 200)
    }
}
