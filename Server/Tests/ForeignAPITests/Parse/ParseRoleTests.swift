import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// Roles as the SDKs of Parse ask for them.
@Suite("Parse: roles")
struct ParseRoleTests {
    private let world: ForeignWorld

    init() async throws {
        world = try await ForeignWorld()
    }

    private static func pointers(_ operation: String, _ users: [String]) -> String {
        let objects = users.map { #"{"__type":"Pointer","className":"_User","objectId":"\#($0)"}"# }
        return #"{"__op":"\#(operation)","objects":[\#(objects.joined(separator: ","))]}"#
    }

    private func make(_ name: String, _ users: [String] = []) async throws -> String {
        let relation = users.isEmpty ? "" : #","users":\#(Self.pointers("AddRelation", users))"#
        let made = try await world.parse(
            "POST", "/roles", #"{"name":"\#(name)","ACL":{"*":{"read":true}}\#(relation)}"#, master: true)
        #expect(made.status == 201, "\(made.text)")
        return try made.text("objectId")
    }

    private func find(
        _ condition: String, _ path: String = "/roles", token: String? = nil, master: Bool = false, _ more: String = ""
    ) async throws -> Answer {
        let escaped = condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await world.parse("GET", "\(path)?where=\(escaped)\(more)", token: token, master: master)
    }

    private func names(_ answer: Answer) throws -> [String] {
        try answer.results().compactMap { if case .string(let name)? = $0["name"] { name } else { nil } }
    }

    @Test("are made, filled, emptied, renamed and removed with the master key, and are Okaeri's own roles")
    func life() async throws {
        let (mika, taro) = (try await world.parseUser("mika"), try await world.parseUser("taro"))
        let id = try await make("Admins", [mika.id])
        let read = try await world.parse("GET", "/classes/_Role/\(id)", master: true).json()
        #expect(read["name"] == "Admins" && read["objectId"] == .string(id))
        #expect(read["users"] == ["__type": "Relation", "className": "_User"])
        #expect(read["roles"] == ["__type": "Relation", "className": "_Role"])
        #expect(read["ACL"] == ["role:Admins": ["read": true]])
        guard case .string(let created)? = read["createdAt"] else { throw Missing(description: "\(read)") }
        #expect(WireTime(created) != nil)
        let changed = try await world.parse(
            "PUT", "/roles/\(id)",
            #"{"users":{"__op":"Batch","ops":[\#(Self.pointers("AddRelation", [taro.id])),"#
                + #"\#(Self.pointers("RemoveRelation", [mika.id, "nobody"]))]}}"#, master: true)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try changed.json()["updatedAt"] != nil)
        let relation =
            #"{"$relatedTo":{"object":{"__type":"Pointer","className":"_Role","objectId":"\#(id)"},"key":"users"}}"#
        let members = try await find(relation, "/users", master: true, "&count=1")
        #expect(try members.results().map { $0["objectId"] } == [.string(taro.id)])
        #expect(try members.json()["count"] == 1)
        #expect(try await find(relation, "/users", master: true, "&count=1&skip=1").json()["results"] == [])
        // The same role by the rules of the server.
        let application = try await world.modules.applications.findApplication(world.application.id)
        let role = try #require(application.settings.access.named("Admins", .role))
        #expect(role.id.rawValue == id)
        let user = try await world.modules.directory.readUser(Identifier(rawValue: taro.id), in: application.id)
        #expect(user.access(in: application).roles == ["Admins"])
        #expect(try await world.parse("PUT", "/roles/\(id)", #"{"name":"Owners"}"#, master: true).status == 200)
        #expect(try await names(find(#"{"name":"Owners"}"#, master: true)) == ["Owners"])
        #expect(try await world.parse("DELETE", "/roles/\(id)", master: true).json() == [:])
        #expect(try await world.parse("DELETE", "/roles/\(id)", master: true).parseCode == 101)
        #expect(try await world.parse("PUT", "/roles/\(id)", "{}", master: true).parseCode == 101)
        #expect(try await world.parse("GET", "/roles", master: true).results().isEmpty)
        #expect(try await find(relation, "/users", master: true).results().isEmpty)
        let entries = try await world.modules.administration.audit.list(in: world.application.id, limit: 100)
        #expect(entries.count { $0.action.rawValue == "roles.changed" } == 3)
        #expect(entries.count { $0.action.rawValue == "user.roles-changed" } == 3)
    }

    @Test("are seen by who has them alone, and by the master key, whatever is asked")
    func reading() async throws {
        let (mika, taro) = (try await world.parseUser("mika"), try await world.parseUser("taro"))
        let admins = try await make("Admins", [mika.id])
        _ = try await make("Editors", [mika.id, taro.id])
        func pointer(_ id: String) -> String {
            #"{"users":{"__type":"Pointer","className":"_User","objectId":"\#(id)"}}"#
        }
        #expect(try await names(world.parse("GET", "/roles", token: mika.token)) == ["Admins", "Editors"])
        #expect(try await names(find(pointer(mika.id), token: mika.token)) == ["Admins", "Editors"])
        #expect(try await names(world.parse("GET", "/roles", token: taro.token)) == ["Editors"])
        #expect(try await names(find(pointer(mika.id), token: taro.token)) == [])
        #expect(try await names(find(#"{"name":"Admins"}"#, token: taro.token)) == [])
        #expect(try await world.parse("GET", "/roles/\(admins)", token: taro.token).parseCode == 101)
        #expect(try await world.parse("GET", "/roles/\(admins)", token: mika.token).status == 200)
        #expect(try await names(world.parse("GET", "/roles")) == [])
        #expect(try await names(find(pointer(taro.id), master: true)) == ["Editors"])
        #expect(try await names(find(pointer("nobody"), master: true)) == [])
        #expect(try await names(find(#"{"name":{"$in":["Admins","Owners",1]}}"#, master: true)) == ["Admins"])
        #expect(try await names(find(#"{"objectId":{"$eq":"\#(admins)"}}"#, master: true)) == ["Admins"])
        let page = try await find("{}", master: true, "&order=-name&limit=1&skip=1&count=1&keys=name")
        #expect(try names(page) == ["Admins"])
        #expect(try page.json()["count"] == 2 && page.results().first?["users"] == nil)
        // Roles within roles are none: an SDK that looks for them comes to an end.
        #expect(try await names(find(#"{"roles":{"$in":[{"__type":"Pointer"}]}}"#, token: mika.token)) == [])
        let within =
            #"{"$relatedTo":{"object":{"__type":"Pointer","className":"_Role","objectId":"\#(admins)"},"key":"roles"}}"#
        #expect(try await names(find(within, master: true)) == [])
        let members = within.replacing(#""key":"roles""#, with: #""key":"users""#)
        #expect(try await find(members, "/users", token: mika.token).parseCode == 119)
        for strange in [#"{"name":{"$regex":"A"}}"#, #"{"score":1}"#, members] {
            #expect(try await find(strange, master: true).parseCode == 119, "\(strange)")
        }
        #expect(try await find(#"{"users":"mika"}"#, master: true).parseCode == 106)
        // An access list names a role, and gives it nothing: see decision 0120.
        let body = #"{"ACL":{"role:Editors":{"read":true,"write":true}}}"#
        #expect(try await world.parse("PUT", "/users/\(mika.id)", body, token: mika.token).status == 200)
        #expect(try await world.parse("GET", "/users/\(mika.id)", token: taro.token).parseCode == 101)
    }

    @Test(
        "are refused in Parse's words, and nothing is made",
        arguments: [
            (#"{"ACL":{}}"#, 111), (#"{"name":"a"}"#, 111), (#"{"name":1,"ACL":{}}"#, 111),
            (#"{"name":"","ACL":{}}"#, 139), (#"{"name":"two words","ACL":{}}"#, 139), (#"{"name":"é","ACL":{}}"#, 139),
            (#"{"name":"a","ACL":1}"#, 123), (#"{"name":"a","ACL":{"*":{"write":true}}}"#, 119),
            (#"{"name":"a","ACL":{},"objectId":"x"}"#, 105), (#"{"name":"a","ACL":{},"score":1}"#, 119),
            (#"{"name":"a","ACL":{},"users":[]}"#, 111), (#"{"name":"a","ACL":{},"users":{"__op":"Add"}}"#, 108),
            (#"{"name":"a","ACL":{},"users":{"__op":"AddRelation"}}"#, 107),
            (#"{"name":"a","ACL":{},"users":{"__op":"AddRelation","objects":["x"]}}"#, 106),
            (
                #"{"name":"a","ACL":{},"users":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"Game","objectId":"x"}]}}"#,
                111
            ),
            (
                #"{"name":"a","ACL":{},"users":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"_User","objectId":"x"}]}}"#,
                101
            ),
            (
                #"{"name":"a","ACL":{},"roles":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"_Role","objectId":"x"}]}}"#,
                119
            ),
            (#"{"name":"a","ACL":{},"users":{"__op":"Batch","ops":[{"__op":"Batch","ops":[]}]}}"#, 108),
        ])
    func refusals(body: String, code: Int) async throws {
        let answer = try await world.parse("POST", "/roles", body, master: true)
        #expect(answer.parseCode == code, "\(answer.text)")
        #expect(try await world.parse("GET", "/roles", master: true).results().isEmpty)
    }

    @Test("are written with the master key alone, and keep their limits")
    func limits() async throws {
        let mika = try await world.parseUser("mika")
        let id = try await make("Admins")
        for (method, path) in [("POST", "/roles"), ("PUT", "/roles/\(id)"), ("DELETE", "/roles/\(id)")] {
            let body =
                method == "DELETE"
                ? nil : #"{"name":"mine","ACL":{},"users":\#(Self.pointers("AddRelation", [mika.id]))}"#
            #expect(try await world.parse(method, path, body, token: mika.token).parseCode == 119, "\(method)")
        }
        #expect(try await world.parse("GET", "/roles", token: mika.token).results().isEmpty)
        #expect(
            try await world.parse("POST", "/roles", #"{"name":"admins","ACL":{}}"#, master: true).parseCode == 137)
        let many = Self.pointers("AddRelation", (0...200).map { "user\($0)" })
        #expect(try await world.parse("PUT", "/roles/\(id)", #"{"users":\#(many)}"#, master: true).parseCode == 116)
        // As an SDK sends back what it read.
        let whole =
            #"{"users":{"__type":"Relation","className":"_User"},"roles":{"__type":"Relation","className":"_Role"}}"#
        #expect(try await world.parse("PUT", "/roles/\(id)", whole, master: true).status == 200)
    }
}
