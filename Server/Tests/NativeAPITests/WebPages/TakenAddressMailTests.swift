import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

/// The mail to somebody whose address another person, or the same one without remembering it, signs up with.
@Suite("Mail about a taken address")
struct TakenAddressMailTests {
    static let password = "correct horse battery"

    private func signUp(
        _ name: String, in world: MailServerWorld, email: String = "HANA@example.com", language: String = "en",
        peer: String = "192.0.2.1"
    ) async throws -> Page {
        try await Browser(world.server, language: language, peer: peer).fill(
            "sign-up", ["username": name, "email": email, "password": Self.password])
    }

    private func notices(_ world: MailServerWorld) async throws -> [MailMessage] {
        try await world.mails().filter { $0.recipient == "hana@example.com" }
    }

    @Test(
        "is in the owner's language, and leads to the log-in",
        arguments: [
            ("ja", "すでにアカウントがあります"), ("ko", "이미 계정이 있습니다"), ("en", "already"),
        ])
    func words(language: String, words: String) async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url], locale: language)
        #expect(try await signUp("taro", in: world, language: "ko").status == 303)
        let mail = try #require(try await notices(world).first)
        #expect(mail.language == language && mail.subject.contains(words) && mail.subject.contains("Test"))
        let link = "\(TestServer.url)/a/\(world.server.application.id)/log-in"
        #expect(mail.text.contains(link) && mail.text.contains("hana@example.com"))
        #expect(mail.html.contains(#"<a href="\#(link)">"#))
        #expect(!mail.text.contains("taro"))
    }

    @Test("comes twice a day at most, from any address, and the page says the same each time")
    func limit() async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url])
        for number in 0..<4 {
            let page = try await signUp("taro\(number)", in: world, peer: "198.51.100.\(number)")
            #expect(page.status == 303 && page.location?.hasSuffix("/account?done=emailSent") == true)
        }
        #expect(try await notices(world).count == 2)
        world.server.clock.advance(by: .days(1) + .seconds(1))
        #expect(try await signUp("late", in: world).status == 303)
        #expect(try await notices(world).count == 3)
    }

    /// Somebody signed up with an address of another's, and has not proved it; or the person has two accounts. Who wanted
    /// the address for the account of a session waited for a mail that never came.
    @Test("comes also when somebody wants the address for an account that there is", arguments: [true, false])
    func anotherAccount(isProved: Bool) async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url], isVerified: isProved)
        let ordered = try await world.server.person().send(
            .post, APIPath.requestEmailVerification, body: #"{"email": "hana@example.com"}"#)
        #expect(ordered.status == 202, "\(ordered.text)")
        let mail = try #require(try await notices(world).first)
        #expect(mail.subject.contains("already") && mail.text.contains("for another account"))
        // It verifies nothing.
        #expect(!mail.text.contains("/verify") && mail.text.firstMatch(of: #/\d{3} \d{3}/#) == nil)
    }

    @Test("never comes to locked accounts")
    func others() async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url])
        let browser = Browser(world.server)
        try await browser.fill("sign-up", ["username": "taro", "password": Self.password])
        let account = try await browser.get(browser.path("account"))
        let changed = try await browser.post(
            browser.path("account/email"), ["email": "hana@example.com"], token: account.token)
        #expect(changed.status == 303)
        #expect(try await notices(world).count == 1)
        let id = Identifier<User>(rawValue: world.person.logIn.user.id)
        try await world.server.modules.accounts.setUserDisabled(
            id, in: world.server.application, isDisabled: true, by: .local)
        // The owner reads of that, and of nothing else.
        let disabled = try await notices(world)
        #expect(try await signUp("tomo", in: world).status == 303)
        #expect(disabled.count == 2)
        #expect(try await notices(world) == disabled)
    }

    @Test("costs the request what a mail to a free address costs: one order, written before anybody is looked up")
    func sameCost() async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url])
        var queued: [[Int]] = []
        for (name, email) in [("taro", "hana@example.com"), ("tomo", "free@example.com")] {
            #expect(try await signUp(name, in: world, email: email).status == 303)
            let mails = try await world.server.modules.messaging.listQueuedMail(in: world.server.application.id)
            queued.append(mails.map(\.attempts))
            _ = try await world.mails()
        }
        #expect(queued[0] == queued[1] && queued[0].count == 1)
    }

    @Test("says what the operator wants, if they have words of their own")
    func ownWords() async throws {
        let own = MailTemplate(subject: "Again?", text: "You are here already: {{link}}")
        let world = try await MailServerWorld(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(mail: MailSettings(templates: [.addressTaken: [.english: own]])))
        #expect(try await signUp("taro", in: world).status == 303)
        let mail = try #require(try await notices(world).first)
        #expect(mail.subject == "Again?" && mail.text.hasPrefix("You are here already: http"))
    }
}
