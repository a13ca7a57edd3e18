import Domain
import Foundation
import OkaeriWire
import Testing

@Suite("Searches of NCMB's SDKs")
struct SearchTests {
    private static let users = "/2013-09-01/users"

    private func world() async throws -> NCMBWorld {
        let world = try await NCMBWorld()
        for (name, score, team) in [("anna", 1, "red"), ("berta", 2, "blue"), ("clara", 3, "red")] {
            _ = try await world.signUp(
                name, #","score":\#(score),"team":"\#(team)","tags":["\#(team)","x"],"acl":{"*":{"read":true}}"#)
        }
        return world
    }

    private func answer(_ world: NCMBWorld, _ condition: String) async throws -> Answer {
        let encoded = condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await world.send("GET", "\(Self.users)?order=userName&where=\(encoded)")
    }

    private func names(_ world: NCMBWorld, _ condition: String) async throws -> [String] {
        try Self.names(in: try await answer(world, condition))
    }

    private static func names(in answer: Answer) throws -> [String] {
        guard case .object(let members) = try answer.json(), case .array(let rows)? = members["results"] else {
            throw Missing(description: answer.text)
        }
        return rows.compactMap { row in
            guard case .object(let row) = row, case .string(let name)? = row["userName"] else { return nil }
            return name
        }
    }

    @Test(
        "find members by their values",
        arguments: [
            (#"{}"#, ["anna", "berta", "clara"]), (#"{"score":2}"#, ["berta"]),
            (#"{"score":{"$ne":2}}"#, ["anna", "clara"]),
            (#"{"score":{"$gt":1,"$lte":3}}"#, ["berta", "clara"]), (#"{"score":{"$lt":2}}"#, ["anna"]),
            (#"{"score":{"$gte":3}}"#, ["clara"]), (#"{"team":{"$in":["blue","green"]}}"#, ["berta"]),
            (#"{"team":{"$nin":["blue"]}}"#, ["anna", "clara"]), (#"{"tags":{"$inArray":["blue"]}}"#, ["berta"]),
            (#"{"tags":{"$ninArray":["blue"]}}"#, ["anna", "clara"]),
            (#"{"tags":{"$all":["red","x"]}}"#, ["anna", "clara"]),
            (#"{"nothing":{"$exists":false},"score":1}"#, ["anna"]),
            (#"{"$or":[{"score":1},{"score":3}]}"#, ["anna", "clara"]),
            (#"{"userName":{"$regex":"^an"}}"#, ["anna"]),
            (#"{"userName":{"$regex":"a$"}}"#, ["anna", "berta", "clara"]),
            (#"{"userName":{"$regex":"^b.*t.$"}}"#, ["berta"]), (#"{"team":{"$regex":"blu|gre"}}"#, ["berta"]),
            (#"{"userName":{"$regex":"%"}}"#, []), (#"{"userName":{"$regex":"A"}}"#, []),
            (#"{"password":{"$regex":"."}}"#, []), (#"{"mailAddress":{"$regex":"."}}"#, []),
            // Cut within an emoji, as the SDK for Unity escapes it.
            (#"{"team":{"$in":["blue","x\ud83d"]}}"#, ["berta"]),
        ])
    func find(condition: String, expected: [String]) async throws {
        #expect(try await names(try await world(), condition) == expected)
    }

    @Test(
        "find nothing out about fields that everybody may not read",
        arguments: [
            "where={\"score\":1}", "where={\"$or\":[{\"team\":\"red\"},{\"score\":{\"$exists\":true}}]}",
            "where={\"score\":{\"$regex\":\".\"}}", "order=score", "order=-userName,score",
            "where={\"score\":99}&count=1",
        ])
    func hidden(query: String) async throws {
        let world = try await world()
        try await world.modules.applications.changeFieldRules(of: world.application.id, mayLoosen: true, by: .local) {
            rules in
            rules["score"] = FieldRule(name: "score", reader: .owner)
        }
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return "\(parts[0])=\(parts[1].addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        let answer = try await world.send("GET", "\(Self.users)?\(pairs.joined(separator: "&"))")
        #expect(answer.status == 403 && answer.text.contains("E403003"), "\(answer.text)")
        // The others are found as before, and hidden fields are left out.
        let found = try await self.answer(world, #"{"team":"red"}"#)
        #expect(found.status == 200 && found.text.contains("anna") && !found.text.contains("score"), "\(found.text)")
    }

    @Test(
        "sort by several fields, with or without a space behind the comma",
        arguments: [
            ("team,-score", ["berta", "clara", "anna"]), ("team, -score", ["berta", "clara", "anna"]),
            ("-team,score", ["anna", "clara", "berta"]), ("-userName", ["clara", "berta", "anna"]),
        ])
    func sorted(order: String, expected: [String]) async throws {
        let encoded = order.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await world().send("GET", "\(Self.users)?order=\(encoded)")
        #expect(try Self.names(in: answer) == expected)
    }

    @Test(
        "take limit and skip within their bounds, and count all that are found",
        arguments: [
            ("limit=1&skip=1&count=1&order=userName", ["berta"], 3), ("limit=0&count=1", [], 3),
            ("limit=2000&count=1&order=userName", ["anna", "berta", "clara"], 3), ("skip=9&count=1", [], 3),
        ])
    func pages(query: String, expected: [String], count: Int) async throws {
        let answer = try await world().send("GET", "\(Self.users)?\(query)")
        #expect(try Self.names(in: answer) == expected)
        guard case .object(let members) = try answer.json() else { return }
        #expect(members["count"] == .integer(Int64(count)))
    }

    @Test(
        "refuse a limit and a skip that are none", arguments: ["limit=-1", "limit=x", "skip=-1", "skip=1.5", "limit="])
    func noNumber(query: String) async throws {
        #expect(try await world().send("GET", "\(Self.users)?\(query)").code == "E400005")
    }

    @Test("put members where pointers to them stand, as the caller may read them")
    func included() async throws {
        let world = try await world()
        let anna = try await world.signUp("anna2", #","mailAddress":"anna@example.com","acl":{"*":{"read":true}}"#)
        let hidden = try await world.signUp("hidden", #","acl":{"\#(anna.id)":{"read":true}}"#)
        func pointer(_ id: String, _ name: String = "user") -> String {
            #"{"__type":"Pointer","className":"\#(name)","objectId":"\#(id)"}"#
        }
        _ = try await world.signUp(
            "dora",
            #","friend":\#(pointer(anna.id)),"rivals":[\#(pointer(anna.id)),\#(pointer(hidden.id))],"#
                + #""game":\#(pointer(anna.id, "Game")),"acl":{"*":{"read":true}}"#)
        let find = "\(Self.users)?where=%7B%22userName%22%3A%22dora%22%7D"
        func row(_ include: String) async throws -> [String: JSONValue] {
            let answer = try await world.send("GET", "\(find)\(include)")
            guard case .object(let members) = try answer.json(), case .array(let rows)? = members["results"],
                case .object(let row)? = rows.first
            else { throw Missing(description: answer.text) }
            return row
        }
        let plain = try await row("")
        #expect(try plain["friend"] == JSONValue(parsing: Array(pointer(anna.id).utf8)))
        let included = try await row("&include=friend")
        guard case .object(let friend)? = included["friend"] else { throw Missing(description: "\(included)") }
        #expect(friend["__type"] == "Object" && friend["className"] == "user" && friend["userName"] == "anna2")
        #expect(friend["objectId"] == .string(anna.id) && friend["mailAddress"] == .null)
        #expect(included["rivals"] == plain["rivals"] && included["game"] == plain["game"])
        // Lists too; a member whom nobody here may read stays a pointer.
        let rivals = try await row("&include=rivals")
        guard case .array(let list)? = rivals["rivals"], list.count == 2 else {
            throw Missing(description: "\(rivals)")
        }
        #expect(list[0] == .object(friend))
        #expect(try list[1] == JSONValue(parsing: Array(pointer(hidden.id).utf8)))
        #expect(try await row("&include=game")["game"] == plain["game"])
        #expect(try await world.send("GET", "\(find)&include=a.b.c.d").code == "E400005")
    }

    @Test("leave pointers to nobody as they are")
    func include() async throws {
        let world = try await world()
        let pointer = #"{"__type":"Pointer","className":"user","objectId":"Abc123Def456Ghi7"}"#
        _ = try await world.signUp("dora", #","friend":\#(pointer),"acl":{"*":{"read":true}}"#)
        let answer = try await world.send(
            "GET", "\(Self.users)?include=friend&where=%7B%22userName%22%3A%22dora%22%7D")
        #expect(answer.status == 200 && answer.text.contains(#""__type":"Pointer""#), "\(answer.text)")
    }

    @Test("ask about other members within")
    func subqueries() async throws {
        let world = try await world()
        let anna = try await world.signUp("anna2", #","team":"green","acl":{"*":{"read":true}}"#)
        let pointer = #"{"__type":"Pointer","className":"user","objectId":"\#(anna.id)"}"#
        _ = try await world.signUp("dora", #","friend":\#(pointer),"rival":"berta","acl":{"*":{"read":true}}"#)
        func query(_ condition: String) -> String { #"{"className":"user","where":\#(condition)}"# }
        #expect(try await names(world, #"{"friend":{"$inQuery":\#(query(#"{"team":"green"}"#))}}"#) == ["dora"])
        #expect(try await names(world, #"{"friend":{"$inQuery":\#(query(#"{"team":"red"}"#))}}"#).isEmpty)
        let rivals = #"{"query":\#(query(#"{"userName":"dora"}"#)),"key":"rival"}"#
        #expect(try await names(world, #"{"userName":{"$select":\#(rivals)}}"#) == ["berta"])
    }

    @Test(
        "that are not offered are E400005",
        arguments: [
            #"{"a":{"$regex":"(a+)+$"}}"#, #"{"a":{"$regex":7}}"#, #"{"a":{"$inQuery":{}}}"#,
            #"{"a":{"$inQuery":{"className":"Post","where":{}}}}"#, #"{"a":{"$select":{"key":"b"}}}"#,
            #"{"$relatedTo":{"object":{},"key":"a"}}"#,
            #"{"a":{"$nearSphere":{"__type":"GeoPoint","latitude":1,"longitude":1}}}"#,
        ])
    func refusals(condition: String) async throws {
        #expect(try await answer(try await world(), condition).code == "E400005")
    }

    @Test("with expressions that could take for ever are refused or answered at once")
    func expressions() async throws {
        let world = try await NCMBWorld()
        let long = String(repeating: "a", count: 30_000)
        _ = try await world.signUp("mika", #","text":"\#(long)","acl":{"*":{"read":true}}"#)
        for expression in [
            "(a+)+$", "(.*)*x", ".*.*.*.*.*.*.*.*.*.*=", String(repeating: ".*a", count: 9), "a{1,9999}",
        ] {
            var fastest = Duration.seconds(60)
            // The other tests run beside it: what it takes at best is what the expression takes.
            for _ in 0..<100 where fastest >= .milliseconds(100) {
                let start = ContinuousClock.now
                let answer = try await answer(world, #"{"text":{"$regex":"\#(expression)"}}"#)
                fastest = min(fastest, start.duration(to: .now))
                #expect(answer.status == 200 || answer.code == "E400005", "\(answer.text)")
            }
            #expect(fastest < .milliseconds(100), "\(expression)")
        }
    }
}
