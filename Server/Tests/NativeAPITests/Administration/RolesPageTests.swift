import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing

@testable import Dashboard

@Suite("The dashboard's page of roles")
struct RolesPageTests {
    private func rules(_ world: AdminWorld) async throws -> AccessRules {
        try await world.server.modules.applications.findApplication(world.server.application.id).settings.access
    }

    @Test("is drawn in every language", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await world.server.modules.applications.changeAccessRules.create(
            "editor", .role(permissions: ["posts:write"]), in: world.server.application.id, by: .local)
        let shown = try await world.browser().get(world.page("roles") + "?role=editor&lang=\(language.rawValue)")
        #expect(shown.status == 200 && shown.html.contains("posts:write"))
        #expect(shown.html.firstMatch(of: /\broles\.[a-z]+/) == nil)
        #expect(shown.value(of: "role-name") == "editor" && shown.value(of: "role-gives") == "posts:write")
    }

    @Test("makes, replaces and removes roles and groups, and says what is wrong")
    func life() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("roles"))
        let token = try await browser.get(address).token
        func post(_ name: String, _ fields: [String: String]) async throws -> Int {
            try await browser.post("\(address)/\(name)", fields, token: token).status
        }
        #expect(try await post("role", ["role-name": "editor", "role-gives": "posts:write posts:read"]) == 303)
        #expect(try await post("role", ["role-name": "editor", "role-gives": "posts:write"]) == 303)
        #expect(try await post("group", ["group-name": "staff", "group-gives": "editor"]) == 303)
        let made = try await rules(world)
        #expect(made.sorted(.role).map(\.permissions) == [["posts:write"]])
        let role = try #require(made.named("editor", .role))
        #expect(made.named("staff", .group)?.roles == [role.id])
        #expect(try await post("role", ["role-name": "bad name", "role-gives": ""]) == 422)
        #expect(try await post("group", ["group-name": "others", "group-gives": "unknown"]) == 422)
        #expect(try await post("remove", ["removed": role.id.rawValue]) == 303)
        #expect(try await rules(world).sorted(.role).isEmpty)
        #expect(try await post("remove", ["removed": role.id.rawValue]) == 422)
    }

    @Test("is beside the roles of each user, which are given and taken on the user's page")
    func user() async throws {
        let world = try await AdminWorld(roles: [])
        let role = try await world.server.modules.applications.changeAccessRules.create(
            "editor", .role(permissions: ["posts:write"]), in: world.server.application.id, by: .local)
        let person = try await world.server.person()
        let (browser, address) = (world.browser(), world.page("users/\(person.logIn.user.id)"))
        let token = try await browser.get(address).token
        let given = try await browser.post("\(address)/roles/give", ["grant": role.id.rawValue], token: token)
        #expect(given.status == 303)
        #expect(try await browser.get(address).html.contains("posts:write"))
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self).roles == ["editor"])
        let taken = try await browser.post("\(address)/roles/take", ["grant": role.id.rawValue], token: token)
        #expect(taken.status == 303)
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self).roles == nil)
        let unknown = try await browser.post("\(address)/roles/give", ["grant": "nothing"], token: token)
        #expect(unknown.status == 404)
    }
}
