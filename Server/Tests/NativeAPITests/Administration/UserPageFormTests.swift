import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import StorageSQLite
import Testing

@Suite("The forms on a user's page")
struct UserPageFormTests {
    /// A user with a name and a mail address.
    private func registered(_ name: String, in world: AdminWorld) async throws -> String {
        let answer = try await world.server.send(
            .post, APIPath.signUp,
            body: #"{"username": "\#(name)", "email": "\#(name)@example.com", "password": "four quiet words here"}"#)
        return try answer.read(LogInResponse.self).user.id
    }

    @Test(
        "names the field and the rule of what is wrong, and keep what was typed",
        arguments: [
            ("phone", "12ab", "A number in international form"), ("username", "a@b", "Letters, digits and signs"),
            ("locale", "no language!", "A language tag"), ("email", "taken@example.com", "Somebody else has this."),
            ("fields", "{level: 99", "This is no JSON object."),
            ("displayName", String(repeating: "x", count: 5000), "At most"),
        ])
    func edit(field: String, typed: String, words: String) async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await registered("taken", in: world)
        let address = world.page("users/\(try await registered("hana", in: world))")
        let browser = world.browser()
        let shown = try await browser.get(address)
        let form = [
            "displayName": "Hana", "locale": "ja", "username": "hana", "email": "hana@example.com", "phone": "",
            "fields": "{}", "known": "",
        ]
        let refused = try await browser.post("\(address)/save", form.merging([field: typed]) { $1 }, token: shown.token)
        #expect(refused.status == 422)
        #expect(refused.error(field)?.contains(words) == true, "\(refused.html)")
        #expect(refused.html.contains("<a href=\"#field-\(field)\">"))
        #expect(field == "fields" || refused.value(of: field) == typed)
        #expect(field == "displayName" || refused.value(of: "displayName") == "Hana")
    }

    @Test("tells when the mail address was confirmed, and nothing of it while it was not")
    func confirmedAddress() async throws {
        let mail = try await MailServerWorld()
        let world = try await AdminWorld(mail.server, roles: [])
        let id = Identifier<User>(rawValue: try await registered("rin", in: world))
        let (address, words) = (world.page("users/\(id)"), "<dt>Mail address confirmed</dt>")
        let before = try await world.browser().get(address)
        #expect(before.status == 200 && !before.html.contains(words))
        let (application, now) = (mail.server.application.id, mail.server.clock.now)
        try await mail.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.emailVerifiedAt = now
            try transaction.updateIdentifiers(of: user)
        }
        #expect(try await world.browser().get(address).html.contains(words))
    }

    @Test("deletes nobody when another id was typed, and says so at the field, which stays open")
    func deletion() async throws {
        let world = try await AdminWorld(roles: [])
        let (user, browser) = (try await registered("hana", in: world), world.browser())
        let address = world.page("users/\(user)")
        let token = try await browser.get(address).token
        let refused = try await browser.post("\(address)/delete", ["confirm": "nobody"], token: token)
        #expect(refused.status == 422 && refused.error("confirm")?.contains("Nobody was deleted") == true)
        let form = refused.html.components(separatedBy: "\(address)/delete")[0]
        #expect(form.components(separatedBy: "<details").last?.contains(" open>") == true)
        #expect(try await browser.post("\(address)/delete", ["confirm": user], token: token).status == 303)
    }

    @Test("merges into nobody that is not there, and says so at the field")
    func merge() async throws {
        let world = try await AdminWorld(roles: [])
        let (guest, browser) = (try await world.server.person().logIn.user.id, world.browser())
        let address = world.page("users/\(guest)")
        let token = try await browser.get(address).token
        let refused = try await browser.post("\(address)/merge", ["into": "nobody"], token: token)
        #expect(refused.status == 422 && refused.error("into") == "There is no user with this ID.")
        #expect(refused.value(of: "into") == "nobody")
        let itself = try await browser.post("\(address)/merge", ["into": guest], token: token)
        #expect(itself.status == 422 && itself.error("into")?.hasPrefix("Another user is needed") == true)
        let other = try await registered("hana", in: world)
        #expect(try await browser.post("\(address)/merge", ["into": other], token: token).status == 303)
    }
}
