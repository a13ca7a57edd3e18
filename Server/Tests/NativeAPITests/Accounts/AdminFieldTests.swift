import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Rules for fields, by the admin API")
struct AdminFieldTests {
    private func put(
        _ world: AdminWorld, _ name: String, _ body: String, as who: String = "owner"
    ) async throws -> Answer {
        try await world.send(who, .put, world.path("/fields/\(name)"), body: body)
    }

    @Test("are made, read, replaced, removed, and stand in the audit log")
    func life() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let made = try await put(
            world, "coins", #"{"type": "integer", "write": "server", "default": 5, "label": {"ja": "コイン"}}"#)
        #expect(made.status == 200, "\(made.text)")
        #expect(try made.json["users"]?["breaking"] == 0)
        let person = try await world.server.person()
        #expect(person.logIn.user.fields == ["coins": 5])
        let read = try await world.send("auditor", .get, world.path("/fields/coins"))
        #expect(try read.json["default"] == 5 && read.json["read"] == "public")
        _ = try await put(world, "coins", #"{"type": "integer", "read": "owner"}"#)
        let closed = try await world.send("owner", .put, world.path("/fields"), body: #"{"policy": "closed"}"#)
        #expect(try closed.json["policy"] == "closed")
        #expect(try closed.json["fields"]?.list.map { $0["write"] } == ["owner"])
        #expect(try await world.send("owner", .delete, world.path("/fields/coins")).status == 204)
        expect(try await world.send("owner", .delete, world.path("/fields/coins")), 404, .notFound)
        expect(try await world.send("owner", .get, world.path("/fields/coins")), 404, .notFound)
        let log = try await world.send("auditor", .get, world.path("/audit?action=field-rules.changed"))
        let details = try log.json["entries"]?.list.compactMap { $0["details"] } ?? []
        #expect(details.count == 4)
        // All in one millisecond, so that their order is no order.
        #expect(details.contains { $0["field.coins"] == "integer, read public, write server" })
        #expect(details.contains { $0["field.coins"] == "removed" })
        #expect(details.contains { $0["policy"] == "closed" })
    }

    @Test("tell how many users break them")
    func breakers() async throws {
        let world = try await AdminWorld(roles: [])
        for value in ["1", #""x""#, "true", "null"] {
            _ = try await world.server.signUp("user\(value.count)\(value.hash)", #", "fields": {"age": \#(value)}"#)
        }
        _ = try await world.server.person()
        let typed = try await put(world, "age", #"{"type": "integer"}"#)
        #expect(try typed.json["users"]?["breaking"] == 2 && typed.json["users"]?["isComplete"] == true)
        let needed = try await put(world, "age", #"{"type": "integer", "required": true}"#)
        // The anonymous user may be without.
        #expect(try needed.json["users"]?["breaking"] == 3 && needed.json["users"]?["looked"] == 5)
    }

    @Test("refuse what makes no sense, by name")
    func refusals() async throws {
        let world = try await AdminWorld(roles: [])
        let wrong: [(name: String, body: String, fault: String)] = [
            ("a", #"{"read": "server"}"#, "write unreadable"),
            ("a", #"{"required": true, "write": "server"}"#, "default required"),
            ("a", #"{"type": "integer", "default": "x"}"#, "default wrong_type"),
            ("a", #"{"type": "date", "default": "2026-02-30"}"#, "default wrong_type"),
            ("a", #"{"type": "text"}"#, "type malformed"), ("a", #"{"read": "all"}"#, "read malformed"),
            ("a", #"{"label": {"not a tag": "x"}}"#, "label not_a_language_tag"),
            ("a", #"{"label": {"ja": "\#(String(repeating: "x", count: 101))"}}"#, "label too_long"),
            (String(repeating: "x", count: 129), "{}", "name too_long"), ("a%0Ab", "{}", "name control_character"),
            (
                "a", #"{"default": \#(String(repeating: "[", count: 20))\#(String(repeating: "]", count: 20))}"#,
                "default too_deep"
            ),
            ("a", #"{"default": "\#(String(repeating: "x", count: 9000))"}"#, "default too_many_bytes"),
        ]
        for (name, body, fault) in wrong {
            let answer = try await put(world, name, body)
            expect(answer, 400, .invalidMember)
            let faults = try answer.read(Problem.self).errors?.map { "\($0.field) \($0.code)" } ?? []
            #expect(faults.contains(fault), "\(body.prefix(60)): \(faults)")
        }
        #expect(try await put(world, "a", #"{"kind": "integer"}"#).code == .unknownMember)
        let list = try await world.send("owner", .get, world.path("/fields"))
        #expect(try list.json["fields"]?.list.isEmpty == true)
    }

    @Test("are a hundred at the most, and names that languages reserve are names like any other")
    func many() async throws {
        let world = try await AdminWorld(roles: [])
        for name in ["__proto__", "constructor", "hasOwnProperty", "id", "%E8%AA%95%E7%94%9F%E6%97%A5", "$where"] {
            #expect(try await put(world, name, #"{"write": "server", "default": 1}"#).status == 200)
        }
        let names = try await world.send("owner", .get, world.path("/fields")).json["fields"]?.list
        #expect(names?.compactMap { $0["name"]?.text }.contains("誕生日") == true)
        let person = try await world.server.person()
        #expect(person.logIn.user.fields.count == 6)
        let cheat = try await person.send(.patch, APIPath.user, body: #"{"fields": {"__proto__": {"coins": 1}}}"#)
        expect(cheat, 400, .invalidMember)
        try await world.server.modules.applications.changeFieldRules(
            of: world.server.application.id, mayLoosen: true, by: .local
        ) {
            rules in
            for number in 0..<94 { rules["field \(number)"] = FieldRule(name: "field \(number)") }
        }
        let more = try await put(world, "one-too-many", "{}")
        expect(more, 400, .invalidMember)
        await #expect(throws: DomainError.fieldsRefused([.init(field: "fields", rule: .tooManyFields(maximum: 100))])) {
            try await world.server.modules.applications.changeFieldRules(
                of: world.server.application.id, mayLoosen: true, by: .local
            ) {
                rules in
                for number in 0..<1000 { rules["x\(number)"] = FieldRule(name: "x\(number)") }
            }
        }
    }

    @Test("hold for operators where they are about values, and not where they are about persons")
    func operators() async throws {
        let world = try await AdminWorld(roles: [.operator, .support])
        let rule = FieldRule(name: "flag", kind: .string, reader: .server, writer: .server, standard: "none")
        try await world.server.modules.applications.changeFieldRules(
            of: world.server.application.id, mayLoosen: true, by: .local
        ) {
            $0["flag"] = rule
        }
        let person = try await world.server.person()
        let path = world.path("/users/\(person.logIn.user.id)")
        func edit(_ body: String) async throws -> Answer {
            let version = try #require(try await world.send("operator", .get, path).headers[.eTag])
            return try await world.send("operator", .patch, path, [("If-Match", version)], body: body)
        }
        expect(try await edit(#"{"fields": {"flag": 1}}"#), 400, .invalidMember)
        let done = try await edit(#"{"fields": {"flag": "watched"}}"#)
        #expect(done.status == 200 && done.text.contains("watched"))
        #expect(try await !person.send(.get, APIPath.user).text.contains("watched"))
        #expect(try await !world.send("support", .get, path).text.contains("watched"))
    }
}
