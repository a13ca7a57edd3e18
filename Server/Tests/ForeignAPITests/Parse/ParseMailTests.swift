import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import ParseAPI
import TestWorld
import Testing

@Suite("Mails of Parse, and the pages they lead to")
struct ParseMailTests {
    private let world: ForeignWorld

    init() async throws {
        world = try await Self.world(verifiesEmails: true)
    }

    /// A server whose mails lead to Parse's own pages.
    private static func world(verifiesEmails: Bool) async throws -> ForeignWorld {
        var (settings, options) = (ApplicationSettings(), ForeignOptions())
        options.verifiesEmails = verifiesEmails
        settings.foreignOptions[.parse] = options
        let world = try await ForeignWorld(settings, server: ["rate-limits": "off", "dev": "on"])
        try await world.modules.messaging.changeMailSettings(of: world.application.id, by: .local) { mail in
            mail.verificationURL = "https://id.example.test/parse/apps/app1/verify_email"
            mail.resetURL = "https://id.example.test/parse/apps/app1/request_password_reset"
        }
        return world
    }

    /// The path behind the host of the link in the newest mail.
    private func link() async throws -> String {
        _ = try await world.modules.messaging.deliverMail()
        world.clock.advance(by: .milliseconds(1))
        let mail = try #require(try await world.modules.messaging.readOutbox(of: world.application.id).first)
        let link = try #require(mail.text.firstMatch(of: #/https:\/\/id\.example\.test(\/\S+)/#))
        return String(link.1)
    }

    private func page(_ answer: Answer) throws -> String {
        #expect(answer.status == 302)
        let location = try #require(answer.headers[.location])
        #expect(location.hasPrefix("http://id.example.test/parse/apps/"))
        return String(location.dropFirst("http://id.example.test".count))
    }

    @Test("verify an address by the old link, also with the name in it, and when it is followed twice")
    func verification() async throws {
        let user = try await world.parseUser("mika", #","email":"mika@example.com""#)
        let link = try await link() + "&username=mika"
        for _ in 0..<2 {
            let answer = try await world.send("GET", link)
            #expect(try page(answer) == "/parse/apps/verify_email_success.html")
        }
        #expect(try await world.parse("GET", "/users/me", token: user.token).json()["emailVerified"] == true)
        for (path, target) in [
            ("verify_email", "invalid_link"), ("verify_email?token=x", "invalid_verification_link"),
        ] {
            let answer = try await world.send("GET", "/parse/apps/app1/\(path)")
            #expect(try page(answer) == "/parse/apps/\(target).html")
        }
        #expect(
            try await world.send("GET", "/parse/apps/none/verify_email?token=x").text == #"{"error":"unauthorized"}"#)
        let own = try await world.parse(
            "POST", "/verificationEmailRequest", #"{"email":"mika@example.com"}"#, token: user.token)
        #expect(own.parseCode == -1)
    }

    @Test(
        "say after a new password that an access list still lets somebody else in, which the audit log has since it was set",
        arguments: [
            (#"{"thief":{"read":true}}"#, true), (#"{"*":{"read":true,"write":true}}"#, true),
            (#"{"*":{"read":true}}"#, false), (#"{"role:admin":{"read":true,"write":true}}"#, false),
        ])
    func shared(list: String, isSaid: Bool) async throws {
        let user = try await world.parseUser("mika", #","email":"mika@example.com""#)
        #expect(try page(try await world.send("GET", try await link())).contains("success"))
        let path = "/users/\(user.id)"
        #expect(try await world.parse("PUT", path, #"{"ACL":\#(list)}"#, token: user.token).status == 200)
        let entries = try await world.modules.administration.audit.list(in: world.application.id, limit: 100)
            .filter { $0.action == .aclChanged }
        #expect(entries.map(\.actor.rawValue) == ["user:\(user.id)"])
        #expect(try await world.parse("PUT", path, #"{"password":"another"}"#, token: user.token).status == 200)
        _ = try await world.modules.messaging.deliverMail()
        let mail = try #require(try await world.modules.messaging.readOutbox(of: world.application.id).first)
        #expect(mail.text.contains("An access list of your account lets others") == isSaid, "\(mail.text)")
    }

    @Test("set a new password on a page, which ends all sessions")
    func reset() async throws {
        let user = try await world.parseUser("mika", #","email":"mika@example.com""#)
        #expect(try await world.parse("POST", "/requestPasswordReset", #"{"email":"mika@example.com"}"#).text == "{}")
        let link = try await link()
        let form = try page(try await world.send("GET", link))
        #expect(form.hasPrefix("/parse/apps/choose_password?token="))
        let shown = try await world.send("GET", form, [("Accept-Language", "ja")])
        #expect(shown.text.contains("新しいパスワード") && shown.text.contains("/parse/apps/app1/request_password_reset"))
        let token = try #require(URLComponents(string: link)?.queryItems?.first { $0.name == "token" }?.value)
        let type = ("Content-Type", "application/x-www-form-urlencoded")
        let path = "/parse/apps/app1/request_password_reset"
        let missing = try await world.send("POST", path, [type], body: "token=\(token)&new_password=")
        #expect(try page(missing).hasSuffix("error=missing"))
        let done = try await world.send(
            "POST", path, [type], body: "username=mika&token=\(token)&new_password=n3w+word")
        #expect(try page(done) == "/parse/apps/password_reset_success.html")
        #expect(try await world.send("GET", "/parse/apps/password_reset_success.html").status == 200)
        #expect(try await world.parse("GET", "/users/me", token: user.token).parseCode == 209)
        #expect(try await world.parseLogIn("mika", "n3w word").status == 200)
        let script = ("X-Requested-With", "XMLHttpRequest")
        for (body, code) in [
            ("token=\(token)&new_password=again", -1), ("token=\(token)", 201), ("new_password=a", -1), ("%FF=1", 102),
        ] {
            #expect(try await world.send("POST", path, [type, script], body: body).parseCode == code)
        }
    }

    @Test("tell at once that the link to a new password is not valid any more")
    func deadLink() async throws {
        _ = try await world.parseUser("mika", #","email":"mika@example.com""#)
        _ = try await world.parse("POST", "/requestPasswordReset", #"{"email":"mika@example.com"}"#)
        let link = try await link()
        #expect(try page(try await world.send("GET", link)).contains("choose_password"))
        let wrong = try await world.send("GET", "/parse/apps/app1/request_password_reset?token=wrong&username=mika")
        #expect(try page(wrong) == "/parse/apps/invalid_link.html")
        world.clock.advance(by: .seconds(3601))
        #expect(try page(try await world.send("GET", link)) == "/parse/apps/invalid_link.html")
    }

    @Test("lead to pages that take forms of so many items and bytes", arguments: ["request_password_reset", "x"])
    func longForms(page: String) async throws {
        func send(_ form: String) async throws -> Answer {
            try await world.send(
                "POST", "/parse/apps/app1/\(page)", [("Content-Type", "application/x-www-form-urlencoded")], body: form)
        }
        let names = (0..<199).map { "&é\($0)=1" }.joined()
        let long = String(repeating: "x", count: 65_536 - "token=".count)
        for form in ["token=a\(names)", "token=\(long)"] {
            #expect(try await send(form).parseCode == (page == "x" ? 107 : nil))
        }
        for form in ["token=a\(names)&b=1", "token=\(long)x"] {
            let answer = try await send(form)
            #expect(answer.parseCode == 107 && answer.text.contains("The form has more than"), "\(answer.text)")
        }
    }

    @Test("lead to a new password by a name that is an address, of a user who has none")
    func resetByName() async throws {
        _ = try await world.parseUser("mika@example.com")
        // Who has an address gets the mail there, and nowhere else.
        _ = try await world.parseUser("hana@example.com", #","email":"other@example.com""#)
        _ = try await world.modules.messaging.deliverMail()
        // Of two mails of one instant neither is the newer one.
        world.clock.advance(by: .milliseconds(1))
        _ = try await world.parse("POST", "/requestPasswordReset", #"{"email":"hana@example.com"}"#)
        _ = try await world.parse("POST", "/requestPasswordReset", #"{"email":"mika@example.com"}"#)
        let link = try await link()
        let mails = try await world.modules.messaging.readOutbox(of: world.application.id)
        #expect(mails.allSatisfy { !$0.recipient.contains("hana") })
        let token = try #require(URLComponents(string: link)?.queryItems?.first { $0.name == "token" }?.value)
        let done = try await world.send(
            "POST", "/parse/apps/app1/request_password_reset",
            [("Content-Type", "application/x-www-form-urlencoded")], body: "token=\(token)&new_password=n3w+word")
        let donePage = try page(done)
        #expect(donePage == "/parse/apps/password_reset_success.html")
        let user = try await world.parseLogIn("mika@example.com", "n3w word")
        #expect(try user.status == 200 && user.json()["email"] == nil && user.json()["emailVerified"] == nil)
    }

    @Test("confirm new addresses only where the rule says so")
    func verificationRule() async throws {
        let silent = try await Self.world(verifiesEmails: false)
        let user = try await silent.parseUser("mika", #","email":"mika@example.com""#)
        _ = try await silent.parse("PUT", "/users/\(user.id)", #"{"email":"new@example.com"}"#, token: user.token)
        func confirmations() async throws -> Int {
            _ = try await silent.modules.messaging.deliverMail()
            return try await silent.modules.messaging.readOutbox(of: silent.application.id)
                .count { $0.text.contains("verify_email") }
        }
        #expect(try await confirmations() == 0)
        // Who asks for one gets it.
        _ = try await silent.parse("POST", "/verificationEmailRequest", #"{"email":"new@example.com"}"#)
        #expect(try await confirmations() == 1)
    }

    @Test("give one answer about addresses, known or not; administrators learn more")
    func enumeration() async throws {
        _ = try await world.parseUser("mika", #","email":"mika@example.com""#)
        for email in ["mika@example.com", "nobody@example.com", "no address"] {
            for path in ["/requestPasswordReset", "/verificationEmailRequest"] {
                let answer = try await world.parse("POST", path, #"{"email":"\#(email)"}"#)
                #expect(answer.status == 200 && answer.text == "{}", "\(path) \(email)")
            }
        }
        let unknown = try await world.parse(
            "POST", "/verificationEmailRequest", #"{"email":"nobody@example.com"}"#, master: true)
        #expect(unknown.parseCode == 205)
        let form = try await world.send(
            "POST", "/parse/apps/app1/resend_verification_email",
            [("Content-Type", "application/x-www-form-urlencoded")], body: "username=mika%40example.com")
        #expect(try page(form) == "/parse/apps/link_send_success.html")
    }

    @Test("write nothing of an address that could be markup")
    func markup() async throws {
        let evil = "%3Cscript%3E%22"
        let answer = try await world.send("GET", "/parse/apps/choose_password?token=\(evil)&id=app1&error=\(evil)")
        #expect(!answer.text.contains("<script>") && answer.text.contains("&lt;script&gt;&quot;"))
        let other = try await world.send("GET", "/parse/apps/choose_password?token=a&id=\(evil)")
        #expect(try page(other) == "/parse/apps/invalid_link.html")
    }
}
