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

    @Test("has what becomes claims, a line for each, and says which is wrong")
    func claims() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("roles"))
        let token = try await browser.get(address).token
        func post(_ lines: String) async throws -> Page {
            try await browser.post("\(address)/claims", ["claims": lines], token: token)
        }
        let hasura = "https://hasura.io/jwt/claims"
        let lines = [
            "user_id = user", "roles = roles + everybody", "permissions = permissions",
            "x-hasura-role in \(hasura) = value \"user\"", "tier = value {\"a\":[1,2]}",
        ]
        #expect(try await post(lines.joined(separator: "\r\n") + "\r\n\r\n").status == 303)
        let made = try await rules(world).claims
        #expect(made.map(ClaimsForm.line(of:)) == lines)
        #expect(made[3].within == hasura && made[1].source == .names(.roles, and: ["everybody"]))
        let shown = try await browser.get(address)
        #expect(shown.html.contains("x-hasura-role in \(hasura) = value"))
        for wrong in [
            "sub = user", "plan = field plan", "= user", "a", "a =", "a = nothing", "a = user b", "a = roles b",
            "a in = user", "a b = user", "a = value", "a = value {", "a = roles +", "a = user\na = user",
        ] {
            let refused = try await post(wrong)
            let isRefused = refused.status == 422 && refused.error("claims") != nil
            #expect(isRefused || wrong == "a = roles +", "\(wrong): \(refused.status)")
        }
        #expect(try await post("").status == 303)
        #expect(try await rules(world).claims.isEmpty)
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
        // The time line says which role came and went.
        let shown = try await browser.get(address).html
        for change in ["given", "taken away"] {
            #expect(shown.contains("<code>\(change): role:editor</code>"), "\(change)")
        }
    }
}
