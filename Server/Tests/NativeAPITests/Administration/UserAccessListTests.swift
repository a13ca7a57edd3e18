import Domain
import Foundation
import OkaeriWire
import PageSupport
import Testing

@testable import Dashboard

@Suite("The access list of a user of an old protocol")
struct UserAccessListTests {
    private static let attack = #""><script>alert(1)</script>"#

    /// Gives a user a list, and returns the page of the user.
    private func page(
        of user: Identifier<User>, listing entries: [ACL.Subject: ACL.Rights]?, in world: AdminWorld,
        language: PageLanguage = .english
    ) async throws -> String {
        var changed = try await world.server.modules.directory.readUser(user, in: world.server.application.id)
        changed.acl = entries.map { ACL($0) }
        let listed = changed
        try await world.server.store.write { transaction throws(DomainError) in try transaction.updateACL(of: listed) }
        let shown = try await world.browser().get(world.page("users/\(user)") + "?lang=\(language.rawValue)")
        #expect(shown.status == 200)
        return shown.html
    }

    /// What stands below a heading of second order.
    private func section(_ heading: String, of html: String) -> String? {
        let parts = html.components(separatedBy: "<h2>\(heading)</h2>")
        return parts.count == 2 ? parts[1].components(separatedBy: "</section>").first : nil
    }

    @Test("is on the user's page: who may read and who may write, in every language", arguments: PageLanguage.allCases)
    func words(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        let user = Identifier<User>(rawValue: try await world.server.person().logIn.user.id)
        let other = Identifier<User>(rawValue: try await world.server.person().logIn.user.id)
        let html = try await page(
            of: user,
            listing: [
                .everybody: .read, .user(other): [.read, .write], .user(Identifier(rawValue: "stranger")): .write,
                .role("staff"): .read, .role("nothing"): [],
            ], in: world, language: language)
        let texts = try #require(try PageTexts(Dashboard.tables).tables[language])
        let heading = try #require(texts["user.accessList"])
        let panel = try #require(section(heading, of: html))
        let lists = panel.components(separatedBy: "<dt>")
        try #require(lists.count == 3)
        let hint = try #require(texts["user.accessListHint"])
        #expect(panel.contains(hint))
        let (readers, writers) = (try #require(texts["user.readers"]), try #require(texts["user.writers"]))
        #expect(lists[1].hasPrefix(readers) && lists[2].hasPrefix(writers))
        let everybody = try #require(texts["user.everybody"])
        let role = try #require(texts["user.listedRole"]).replacing("{name}", with: "staff")
        #expect(lists[1].contains(everybody) && lists[1].contains(role) && !lists[1].contains("stranger"))
        #expect(!lists[2].contains(everybody) && !lists[2].contains(role) && lists[2].contains(">stranger</span>"))
        // A user there is leads to the page of that user, and nobody else does.
        for list in lists.dropFirst() {
            #expect(list.contains("\(world.page("users/\(other)"))\">\(other)</a>"), "\(list)")
            #expect(list.components(separatedBy: "<a ").count == 2, "\(list)")
        }
        #expect(!panel.contains("nothing"))
    }

    @Test("is text, whatever it names, and is not there for a user without one")
    func text() async throws {
        let world = try await AdminWorld(roles: [])
        let user = Identifier<User>(rawValue: try await world.server.person().logIn.user.id)
        let attacks: [ACL.Subject: ACL.Rights] = [
            .user(Identifier(rawValue: Self.attack)): .read, .role(Self.attack): .write,
        ]
        let html = try await page(of: user, listing: attacks, in: world)
        #expect(html.components(separatedBy: "alert(1)").count == 3 && !html.contains("<script>alert"))
        let heading = try #require(try PageTexts(Dashboard.tables).tables[.english]?["user.accessList"])
        let nobody = try #require(section(heading, of: try await page(of: user, listing: [:], in: world)))
        #expect(nobody.components(separatedBy: "<li class=\"hint\">").count == 3)
        #expect(section(heading, of: try await page(of: user, listing: nil, in: world)) == nil)
    }
}
