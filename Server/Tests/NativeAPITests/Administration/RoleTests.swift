import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Roles and groups over the admin API")
struct RoleTests {
    /// Makes a role or group, and returns its id.
    private func make(_ world: AdminWorld, _ kind: String, _ body: String) async throws -> String {
        let made = try await world.send("owner", .post, world.path("/\(kind)"), body: body)
        #expect(made.status == 201, "\(made.text)")
        return try #require(try made.json["id"]?.text)
    }

    private func give(
        _ world: AdminWorld, _ id: String, to person: Person, changes: Bool = true
    ) async throws -> Answer {
        try await world.send(
            "owner", .patch, world.path("/users/\(person.logIn.user.id)/roles"), body: #"{"add": ["\#(id)"]}"#,
            changes: changes)
    }

    private func user(_ person: Person) async throws -> UserBody {
        try await person.send(.get, APIPath.user).read(UserBody.self)
    }

    @Test("are made, listed, changed and removed, and each change stands in the audit log")
    func life() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let role = try await make(
            world, "roles", #"{"name": "editor", "permissions": ["posts:write", "posts:write"]}"#)
        let group = try await make(world, "groups", #"{"name": "staff", "roles": ["\#(role)"]}"#)
        let roles = try await world.send("owner", .get, world.path("/roles"))
        #expect(try roles.json["roles"]?.list.map { $0["permissions"] } == [["posts:write"]])
        #expect(try roles.json["next"] == nil)
        let groups = try await world.send("owner", .get, world.path("/groups"))
        #expect(try groups.json["groups"]?.list.map { $0["roles"] } == [[.string(role)]])
        // A role is no group.
        expect(try await world.send("owner", .get, world.path("/groups/\(role)")), 404, .notFound)
        let changed = try await world.send(
            "owner", .patch, world.path("/roles/\(role)"), body: #"{"name": "Writer"}"#)
        #expect(try changed.json["name"] == "Writer" && changed.json["permissions"] == ["posts:write"])
        #expect(try await world.send("owner", .delete, world.path("/roles/\(role)")).status == 204)
        expect(try await world.send("owner", .delete, world.path("/roles/\(role)")), 404, .notFound)
        let left = try await world.send("owner", .get, world.path("/groups/\(group)"))
        #expect(try left.json["roles"] == [])
        let log = try await world.send("auditor", .get, world.path("/audit?action=roles.changed"))
        let details = try log.json["entries"]?.list.compactMap { $0["details"]?["change"]?.text } ?? []
        #expect(details.sorted() == ["changed", "created", "created", "removed"])
    }

    @Test("are listed a page at a time, by name")
    func pages() async throws {
        let world = try await AdminWorld(roles: [])
        for name in ["c", "a", "b"] { _ = try await make(world, "roles", #"{"name": "\#(name)"}"#) }
        let first = try await world.send("owner", .get, world.path("/roles?limit=2"))
        #expect(try first.json["roles"]?.list.map { $0["name"]?.text } == ["a", "b"] && first.json["next"] == "b")
        let second = try await world.send("owner", .get, world.path("/roles?limit=2&from=b"))
        #expect(try second.json["roles"]?.list.map { $0["name"]?.text } == ["c"] && second.json["next"] == nil)
    }

    @Test(
        "refuse names that are empty, huge, taken in another case, or look like others",
        arguments: ["", String(repeating: "x", count: 65), "EDITOR", "rédacteur", "editor ", "edit\u{0}", "ｅditor"])
    func names(name: String) async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await make(world, "roles", #"{"name": "editor"}"#)
        let text = name.replacing("\u{0}", with: "\\u0000")
        let refused = try await world.send("owner", .post, world.path("/roles"), body: #"{"name": "\#(text)"}"#)
        #expect(refused.status == 400, "\(refused.text)")
        // A group may be called as a role is.
        _ = try await make(world, "groups", #"{"name": "editor"}"#)
    }

    @Test("are bounded: a hundred thousand of them are refused, and so are too many permissions")
    func bounds() async throws {
        var settings = ApplicationSettings()
        settings.access = AccessRules(
            (0..<AccessRules.maximumGrants).map {
                Grant(id: Identifier(rawValue: "role\($0)"), name: "role\($0)", content: .role(permissions: []))
            })
        let world = try await AdminWorld(try await TestServer(application: settings), roles: [])
        let full = try await world.send("owner", .post, world.path("/roles"), body: #"{"name": "one-more"}"#)
        #expect(full.status == 400 && full.text.contains("too_many"), "\(full.text)")
        let ids = (0..<60_000).map { "\"role\($0)\"" }.joined(separator: ",")
        let person = try await world.server.person()
        let path = world.path("/users/\(person.logIn.user.id)/roles")
        let flood = try await world.send("owner", .patch, path, body: #"{"add": [\#(ids)]}"#)
        #expect(flood.status == 400 || flood.status == 413, "\(flood.text.prefix(200))")
        let some = (0...AccessRules.maximumGrantsOfUser).map { "\"role\($0)\"" }.joined(separator: ",")
        let many = try await world.send("owner", .patch, path, body: #"{"add": [\#(some)]}"#)
        #expect(many.status == 400 && many.text.contains("too_many"), "\(many.text)")
        let names = (0...100).map { "\"permission\($0)\"" }.joined(separator: ",")
        let wide = try await world.send(
            "owner", .patch, world.path("/roles/role1"), body: #"{"permissions": [\#(names)]}"#)
        #expect(wide.status == 400 && wide.text.contains("too_many"), "\(wide.text)")
    }

    @Test("reach the user at the next request, by themselves and by a group, and go the same way")
    func given() async throws {
        let world = try await AdminWorld(roles: [])
        let role = try await make(world, "roles", #"{"name": "editor", "permissions": ["posts:write"]}"#)
        let group = try await make(world, "groups", #"{"name": "staff", "roles": ["\#(role)"]}"#)
        let person = try await world.server.person()
        #expect(try await user(person).roles == nil)
        let given = try await give(world, group, to: person)
        #expect(try given.status == 200 && given.json["allRoles"] == ["editor"] && given.json["roles"] == [])
        let seen = try await user(person)
        #expect(seen.roles == ["editor"] && seen.groups == ["staff"] && seen.permissions == ["posts:write"])
        #expect(seen.claims == ["roles": ["editor"]] && seen.claimsVersion != nil)
        // What the user has already changes nothing: the request after a lost response.
        #expect(try await give(world, group, to: person, changes: false).status == 200)
        let members = try await world.send("owner", .get, world.path("/groups/\(group)/users"))
        #expect(try members.json["users"]?.list.map { $0["user"]?["id"]?.text } == [person.logIn.user.id])
        // The role is taken from the group: the user of an open session loses it with the next request.
        _ = try await world.send("owner", .patch, world.path("/groups/\(group)"), body: #"{"roles": []}"#)
        let after = try await user(person)
        #expect(after.roles == nil && after.permissions == nil && after.claims == nil && after.groups == ["staff"])
        #expect(try await world.send("owner", .delete, world.path("/groups/\(group)")).status == 204)
        #expect(try await user(person).groups == nil)
    }

    @Test("that were removed come back for nobody, also when another one gets the name")
    func removed() async throws {
        let world = try await AdminWorld(roles: [])
        let role = try await make(world, "roles", #"{"name": "editor"}"#)
        let person = try await world.server.person()
        #expect(try await give(world, role, to: person).status == 200)
        #expect(try await world.send("owner", .delete, world.path("/roles/\(role)")).status == 204)
        let again = try await make(world, "roles", #"{"name": "editor"}"#)
        #expect(again != role)
        #expect(try await user(person).roles == nil)
        let members = try await world.send("owner", .get, world.path("/roles/\(again)/users"))
        #expect(try members.json["users"]?.list == [])
        #expect(try await give(world, role, to: person).status == 400)
    }

    @Test("of another application are out of reach, to read and to give")
    func tenants() async throws {
        let world = try await AdminWorld(roles: [])
        let made = try await world.send(
            "owner", .post, "applications/\(world.foreign.id)/roles", body: #"{"name": "editor"}"#)
        let foreign = try #require(try made.json["id"]?.text)
        let person = try await world.server.person()
        for (method, body) in [(HTTPRequest.Method.get, nil), (.patch, "{}"), (.delete, nil)] {
            let answer = try await world.send("owner", method, world.path("/roles/\(foreign)"), body: body)
            expect(answer, 404, .notFound)
        }
        expect(try await world.send("owner", .get, world.path("/roles/\(foreign)/users")), 404, .notFound)
        let refused = try await give(world, foreign, to: person)
        #expect(refused.status == 400 && refused.text.contains("not_listed"), "\(refused.text)")
        let group = try await world.send(
            "owner", .post, world.path("/groups"), body: #"{"name": "staff", "roles": ["\#(foreign)"]}"#)
        #expect(group.status == 400, "\(group.text)")
    }

    @Test("are written by no user, whatever is sent")
    func owners() async throws {
        let world = try await AdminWorld(roles: [])
        let role = try await make(world, "roles", #"{"name": "editor"}"#)
        let person = try await world.server.person()
        for body in [
            #"{"roles": ["editor"]}"#, #"{"claims": {"roles": ["editor"]}}"#, #"{"grants": ["\#(role)"]}"#,
        ] {
            #expect(try await person.send(.patch, APIPath.user, body: body).status == 400)
        }
        _ = try await person.send(.patch, APIPath.user, body: #"{"fields": {"roles": ["editor"]}}"#)
        #expect(try await user(person).roles == nil)
        let asked = try await world.send(
            person.token, .patch, world.path("/users/\(person.logIn.user.id)/roles"), body: #"{"add": ["\#(role)"]}"#)
        expect(asked, 401, .adminRequired)
    }

    @Test("are an event, and memberships go with the user")
    func eventsAndErasure() async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await world.send("owner", .patch, world.path("/event-settings"), body: #"{"isStreamed": true}"#)
        let role = try await make(world, "roles", #"{"name": "editor", "permissions": ["posts:write"]}"#)
        let person = try await world.server.person()
        _ = try await give(world, role, to: person)
        let events = try await world.send("owner", .get, world.path("/events?after=0&types=user.roles-changed"))
        #expect(try events.json["events"]?.list.map { $0["data"]?["details"]?["added"] } == ["role:editor"])
        let deletion = world.server.modules.deletion
        let id = Identifier<User>(rawValue: person.logIn.user.id)
        try await deletion.eraseUser(id, in: world.server.application.id, by: .local)
        let members = try await world.server.modules.directory.listMembers(
            of: Identifier(rawValue: role), in: world.server.application.id, for: .unrestricted, limit: 9)
        #expect(members.users.isEmpty)
    }
}
