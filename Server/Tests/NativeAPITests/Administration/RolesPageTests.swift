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
        // The form is there for the role that was chosen in the list.
        try await browser.get("\(address)?role=editor")
        #expect(try await post("remove", ["removed": role.id.rawValue]) == 303)
        #expect(try await rules(world).sorted(.role).isEmpty)
        #expect(try await post("remove", ["removed": role.id.rawValue]) == 422)
    }

    @Test("names each field that is wrong once, however many of its words are")
    func summary() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("roles"))
        let token = try await browser.get(address).token
        let refused = try await browser.post(
            "\(address)/role", ["role-name": "bad name", "role-gives": "a! b!"], token: token)
        let items = refused.html.matches(of: /href="#field-role_2d[a-z]+">([^<]+)</).map { String($0.output.1) }
        #expect(items.count == 2, "\(items)")
        #expect(Set(items.map { String($0.prefix { $0 != ":" }) }) == ["Name", "What it permits"], "\(items)")
    }

    @Test("asks before a role goes from everybody, and says how many have it", arguments: [0, 1, 2])
    func removal(holders: Int) async throws {
        let world = try await AdminWorld(roles: [])
        let application = world.server.application.id
        let change = world.server.modules.applications.changeAccessRules
        let role = try await change.create("editor", .role(permissions: ["a"]), in: application, by: .local)
        _ = try await change.create("staff", .group(roles: [role.id]), in: application, by: .local)
        let (browser, address) = (world.browser(), world.page("roles"))
        for _ in 0..<holders {
            let user = world.page("users/\(try await world.server.person().logIn.user.id)")
            let token = try await browser.get(user).token
            let given = try await browser.post("\(user)/roles/give", ["grant": role.id.rawValue], token: token)
            #expect(given.status == 303)
        }
        // Without a choice nobody could say what goes.
        #expect(try await !browser.get(address).html.contains("roles/remove"))
        let shown = try await browser.get("\(address)?role=editor")
        let words = ["0 users were", "1 user was", "2 users were"][holders] + " given it."
        #expect(shown.html.contains("data-sure") && shown.html.contains(words))
        #expect(shown.html.contains("from the groups staff."))
        #expect(shown.html.contains("name=\"sure.about\" value=\"Role editor\""))
        let fields = ["removed": role.id.rawValue, "sure.about": "Role editor", "sure.note": words]
        let asked = try await browser.post(
            "\(address)/remove", fields.merging(["sure.ask": "Remove"]) { $1 }, token: shown.token)
        #expect(asked.status == 200 && asked.html.contains("Role editor") && asked.html.contains(words))
        #expect(try await rules(world).named("editor", .role) != nil)
        let removed = try await browser.post(
            "\(address)/remove", fields.merging(["sure": "yes"]) { $1 }, token: shown.token)
        #expect(removed.status == 303)
        #expect(try await rules(world).named("editor", .role) == nil)
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
