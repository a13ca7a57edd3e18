import Domain
import Foundation
import OkaeriWire
import Testing

@Suite("Queries of Parse")
struct ParseQueryTests {
    private func world() async throws -> ForeignWorld {
        let world = try await ForeignWorld()
        for (name, score, team) in [("anna", 1, "red"), ("berta", 2, "blue"), ("Clara", 3, "red")] {
            _ = try await world.parseUser(
                name,
                #","score":\#(score),"team":"\#(team)","tags":["\#(team)","x"],"email":"\#(name)@example.com","ACL":{"*":{"read":true}}"#
            )
        }
        return world
    }

    private func names(_ world: ForeignWorld, _ condition: String, _ more: String = "") async throws -> [String] {
        let encoded = condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await world.parse("GET", "/users?order=username&where=\(encoded)\(more)")
        guard answer.status == 200 else { throw Missing(description: answer.text) }
        return try answer.results().compactMap { if case .string(let name)? = $0["username"] { name } else { nil } }
    }

    @Test(
        "find users by their values",
        arguments: [
            (#"{}"#, ["Clara", "anna", "berta"]), (#"{"score":2}"#, ["berta"]), (#"{"score":{"$eq":2}}"#, ["berta"]),
            (#"{"score":{"$gt":1,"$lte":3}}"#, ["Clara", "berta"]), (#"{"team":{"$in":["blue","green"]}}"#, ["berta"]),
            (#"{"team":{"$nin":["blue"]}}"#, ["Clara", "anna"]), (#"{"team":{"$ne":"red"}}"#, ["berta"]),
            (#"{"$or":[{"score":1},{"score":3}]}"#, ["Clara", "anna"]),
            (#"{"$and":[{"team":"red"},{"score":3}]}"#, ["Clara"]), (#"{"$nor":[{"team":"red"}]}"#, ["berta"]),
            (#"{"tags":"blue"}"#, ["berta"]), (#"{"tags":{"$all":["red","x"]}}"#, ["Clara", "anna"]),
            (#"{"nothing":{"$exists":false},"score":1}"#, ["anna"]), (#"{"password":"s3cret"}"#, []),
            (#"{"username":{"$regex":"^\\Qan\\E"}}"#, ["anna"]),
            (#"{"username":{"$regex":"\\Qa\\E$"}}"#, ["Clara", "anna", "berta"]),
            (#"{"username":{"$regex":"^clara$","$options":"i"}}"#, ["Clara"]),
            (#"{"username":{"$regex":"^clara$"}}"#, []),
            (#"{"username":{"$regex":"^b.*t.$"}}"#, ["berta"]), (#"{"team":{"$regex":"blu|gre"}}"#, ["berta"]),
            (#"{"username":{"$regex":"%"}}"#, []), (#"{"username":{"$regex":"\\*"}}"#, []),
            (#"{"score":{"$regex":"1"}}"#, []), (#"{"username":{"$regex":"^[a-b][a-z]{3,4}$"}}"#, ["anna", "berta"]),
            (#"{"username":{"$regex":"(n+|rt)a$"}}"#, ["anna", "berta"]),
            (#"{"username":{"$regex":"^[A-C]","$options":"i"},"team":"red"}"#, ["Clara", "anna"]),
            (#"{"$and":[{"username":{"$regex":"\\w{5}"}},{"score":{"$gt":2}}]}"#, ["Clara"]),
            (#"{"score":{"$regex":"[0-9]"}}"#, []),
            (#"{"username":{"$regex":"[a-z]","$ne":"anna"}}"#, ["Clara", "berta"]),
        ])
    func find(condition: String, expected: [String]) async throws {
        let world = try await world()
        #expect(try await names(world, condition) == expected)
    }

    @Test(
        "find by a number of another service who was saved with it, also beyond what a floating-point number tells apart",
        arguments: [
            #"{"facebook":10152345678901235}"#, #"{"facebook":{"$in":[1,10152345678901235]}}"#,
            #"{"facebook":{"$gte":10152345678901235},"ids":{"$all":[7,10152345678901235]}}"#,
            #"{"facebook":{"$ne":10152345678901237}}"#,
        ])
    func largeNumber(condition: String) async throws {
        let world = try await ForeignWorld()
        for (name, number) in [("mika", "10152345678901235"), ("nina", "10152345678901237")] {
            _ = try await world.parseUser(
                name, #","facebook":\#(number),"ids":[\#(number),7],"ACL":{"*":{"read":true}}"#)
        }
        #expect(try await names(world, condition) == ["mika"])
    }

    @Test("find by a name that was cut within an emoji who was saved so")
    func halfEmoji() async throws {
        let world = try await ForeignWorld()
        _ = try await world.parseUser("mika", #","nick":"Taro \ud83d","ACL":{"*":{"read":true}}"#)
        #expect(try await names(world, #"{"nick":"Taro \ud83d"}"#) == ["mika"])
    }

    @Test("count, skip, order and cut columns, with numbers as texts in an overridden GET")
    func options() async throws {
        let world = try await world()
        let answer = try await world.parse(
            "POST", "/classes/_User",
            #"{"_method":"GET","where":{"team":"red"},"order":"-score","limit":"1","skip":"1","count":"1","keys":"score"}"#
        )
        #expect(try answer.json()["count"] == 2)
        let row = try #require(try answer.results().first)
        #expect(row["score"] == 1 && row["team"] == nil && row["objectId"] != nil && row["email"] == nil)
        let none = try await world.parse("GET", "/users?limit=0&count=1")
        #expect(try none.json() == ["results": [], "count": 3])
        let byMaster = try await world.parse(
            "GET", "/users?where=%7B%22email%22%3A+%22anna%40example.com%22%7D", master: true)
        #expect(try byMaster.results().count == 1)
    }

    @Test(
        "count those who are found: a user who is disabled is neither counted nor on a page, but for the master key",
        arguments: [
            ("", 3, 3), ("&limit=2&skip=2", 3, 1), ("&limit=0", 3, 0), (#"&where={"username":"dora"}"#, 0, 0),
            (#"&where={"team":"red","username":{"$regex":"a$"}}"#, 2, 2),
            (#"&where={"username":{"$regex":"[a-z]a$"}}"#, 3, 3),
        ])
    func disabled(query: String, count: Int64, found: Int) async throws {
        let world = try await world()
        let hidden = try await world.parseUser("dora", #","team":"red","ACL":{"*":{"read":true}}"#)
        let id = Identifier<User>(rawValue: hidden.id)
        try await world.modules.accounts.setUserDisabled(id, in: world.application, isDisabled: true, by: .local)
        let path = "/users?count=1\(query.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? "")"
        for token in [nil, try await world.parseLogIn("anna").text("sessionToken")] {
            let answer = try await world.parse("GET", path, token: token)
            #expect(try answer.json()["count"] == .integer(count) && answer.results().count == found, "\(answer.text)")
        }
        let all = try await world.parse("GET", "/users?count=1", master: true)
        #expect(try all.json()["count"] == 4 && all.results().count == 4)
    }

    @Test(
        "that nobody may ask are refused with their code",
        arguments: [
            ("limit=x", 102), ("wish=1", 102), ("where=%7B", 107), ("where=%5B%5D", 107),
            (#"where={"ACL":1}"#, 102), (#"where={"_x":1}"#, 105), (#"where={"email":"a"}"#, 119), ("order=email", 119),
            ("order=password", 102), (#"where={"a":{"$wish":1}}"#, 107), (#"where={"$or":{}}"#, 102),
            (#"where={"a":{"$inQuery":{}}}"#, 102),
            (#"where={"a":{"$inQuery":{"className":"Post","where":{}}}}"#, 119),
            (#"where={"a":{"$select":{"query":{"className":"_User","where":{"email":"a"}},"key":"b"}}}"#, 119),
            (#"where={"a":{"$in":1}}"#, 107),
            (#"where={"$relatedTo":{}}"#, 119),
            (#"where={"a":{"$regex":7}}"#, 102), (#"where={"a":{"$regex":"a","$options":"g"}}"#, 102),
            ("limit=1&limit=2", 102),
        ])
    func refusals(query: String, code: Int) async throws {
        let world = try await ForeignWorld()
        let parts = query.split(separator: "=", maxSplits: 1)
        let encoded =
            parts[1].contains("{")
            ? "\(parts[0])=\(parts[1].addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" : query
        let answer = try await world.parse("GET", "/users?\(encoded)")
        #expect(answer.parseCode == code, "\(query): \(answer.text)")
    }

    @Test(
        "take so many names in a list, as text and as JSON, and no more",
        arguments: [("keys", 500), ("excludeKeys", 500), ("include", 500), ("order", 8)])
    func longLists(option: String, most: Int) async throws {
        let world = try await world()
        func code(_ list: String) async throws -> Int? {
            let answer = try await world.parse("POST", "/classes/_User", #"{"_method":"GET","\#(option)":\#(list)}"#)
            return answer.status == 200 ? nil : answer.parseCode
        }
        func names(_ count: Int, _ separator: String) -> String {
            [String](repeating: "score", count: count).joined(separator: separator)
        }
        #expect(try await code("\"\(names(most, ","))\"") == nil)
        #expect(try await code("\"\(names(most + 1, ","))\"") == 102)
        #expect(try await code("[\"\(names(most, "\",\""))\"]") == nil)
        #expect(try await code("[\"\(names(most + 1, "\",\""))\"]") == 102)
        // One name that is longer than any.
        #expect(try await code("\"\(String(repeating: "a.", count: 40_000))\"") == 102)
    }

    @Test("take their options as JSON too, as Parse-Swift writes them into addresses")
    func optionsInJSON() async throws {
        let world = try await world()
        func query(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        let order = query(#"["-score","username"]"#)
        let rows = try await world.parse(
            "GET", "/classes/_User?order=\(order)&keys=\(query(#"["score","team"]"#))&limit=-1"
        ).results()
        #expect(rows.map { $0["score"] } == [3, 2, 1])
        #expect(rows.allSatisfy { $0["username"] == nil && $0["team"] != nil })
        let cut = try await world.parse("GET", "/users?excludeKeys=\(query(#"["score"]"#))&order=\(query(#""score""#))")
        #expect(try cut.results().allSatisfy { $0["score"] == nil && $0["team"] != nil })
        for wrong in ["[7]", "[", #"[["a"]]"#] {
            #expect(try await world.parse("GET", "/users?order=\(query(wrong))").parseCode == 102, "\(wrong)")
        }
    }

    @Test("put users where pointers to them stand, as far as the asker may read them")
    func include() async throws {
        let world = try await world()
        let all = try await world.parse("GET", "/users?order=username").results()
        let ids = all.compactMap { if case .string(let id)? = $0["objectId"] { id } else { nil } }
        func pointer(_ id: String, _ name: String = "_User") -> String {
            #"{"__type":"Pointer","className":"\#(name)","objectId":"\#(id)"}"#
        }
        let hidden = try await world.parseUser("hidden")
        let fields =
            #","friend":\#(pointer(ids[0])),"foes":[\#(pointer(ids[1])),\#(pointer(hidden.id))],"#
            + #""game":\#(pointer("g", "Game")),"ACL":{"*":{"read":true}}"#
        let dora = try await world.parseUser("dora", fields)
        func team(_ value: JSONValue?) -> JSONValue? {
            if case .object(let members)? = value { members["team"] } else { nil }
        }
        for path in ["/users/\(dora.id)?include=friend,foes,game", "/users/\(dora.id)?includeAll=true"] {
            let row = try await world.parse("GET", path).json()
            #expect(team(row["friend"]) == "red", "\(path)")
            guard case .array(let foes)? = row["foes"], case .object(let game)? = row["game"] else {
                throw Missing(description: "no foes")
            }
            #expect(foes.count == 1 && team(foes.first) == "red" && game["__type"] == "Pointer")
        }
        let query = "where=%7B%22username%22%3A%22dora%22%7D"
        let found = try await world.parse("GET", "/users?\(query)&include=%5B%22friend%22%5D").results()
        #expect(team(found.first?["friend"]) == "red")
        let others = try await world.parse("GET", "/users?\(query)&include=friend").text
        #expect(!others.contains("@example.com"))
        #expect(try await world.parse("GET", "/users?include=a.b.c.d").parseCode == 102)
    }

    @Test("find the different values of a field, for administrators")
    func distinct() async throws {
        let world = try await world()
        func values(_ query: String) async throws -> Set<JSONValue> {
            let answer = try await world.parse("GET", "/aggregate/_User?\(query)", master: true)
            guard case .array(let values)? = try answer.json()["results"] else {
                throw Missing(description: answer.text)
            }
            #expect(Set(values).count == values.count)
            return Set(values)
        }
        #expect(try await values("distinct=team") == ["red", "blue"])
        #expect(try await values("distinct=tags") == ["red", "blue", "x"])
        #expect(try await values("distinct=score&where=%7B%22team%22%3A%22red%22%7D") == [1, 3])
        #expect(try await world.parse("GET", "/aggregate/_User?distinct=team").status == 403)
        #expect(try await world.parse("GET", "/aggregate/_User?distinct=password", master: true).parseCode == 105)
        for path in ["/aggregate/Game?distinct=a", "/aggregate/_User?group=a", "/aggregate/_User"] {
            #expect(try await world.parse("GET", path, master: true).parseCode == 119, "\(path)")
        }
    }

    @Test(
        "find by expressions within alternatives and their opposite, beside other conditions",
        arguments: [
            (#"{"$or":[{"username":{"$regex":"^[b]"}},{"score":3}]}"#, ["Clara", "berta"]),
            (
                #"{"$or":[{"username":{"$regex":"^[b]"},"team":"blue"},{"username":{"$regex":"[n]{2}"}}]}"#,
                ["anna", "berta"]
            ),
            (
                #"{"$or":[{"username":{"$regex":"^[b]"},"team":"red"},{"username":{"$regex":"[n]{2}"}}]}"#, ["anna"]
            ),
            (#"{"$nor":[{"username":{"$regex":"^[ab]"}}]}"#, ["Clara"]),
            (#"{"$nor":[{"username":{"$regex":"^[b]"}},{"score":3}]}"#, ["anna"]),
            (
                #"{"$and":[{"$or":[{"username":{"$regex":"[n]{2}"}},{"username":{"$regex":"^[C]"}}]},{"score":3}]}"#,
                ["Clara"]
            ),
            (#"{"$nor":[{"nothing":{"$regex":"[a]"}}]}"#, ["Clara", "anna", "berta"]),
        ])
    func alternatives(condition: String, expected: [String]) async throws {
        #expect(try await names(try await world(), condition) == expected)
    }

    @Test("count and skip what expressions find, and refuse what no automaton has")
    func expressionsWithOptions() async throws {
        let world = try await world()
        func query(_ condition: String) -> String {
            condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        let found = try await world.parse(
            "GET", "/users?order=username&count=1&limit=1&skip=1&where=\(query(#"{"username":{"$regex":"[a-z]+a"}}"#))")
        #expect(try found.json()["count"] == 3 && found.results().first?["username"] == "anna")
        for condition in [
            #"{"$or":[{"username":{"$regex":"[a"}}]}"#,
            #"{"$or":[\#(Array(repeating: #"{"username":{"$regex":"[a]"}}"#, count: 6).joined(separator: ","))]}"#,
            #"{"username":{"$inQuery":{"className":"_User","where":{"username":{"$regex":"[a]"}}}}}"#,
            #"{"username":{"$regex":"(a)\\1"}}"#, #"{"username":{"$regex":"(?=a)"}}"#, #"{"username":{"$regex":"[a"}}"#,
        ] { #expect(try await world.parse("GET", "/users?where=\(query(condition))").parseCode == 102, "\(condition)") }
        // What may not be asked is not asked so either.
        for hidden in [#"{"email":{"$regex":"[a-z]"}}"#, #"{"$nor":[{"email":{"$regex":"[a-z]"}}]}"#] {
            #expect(try await world.parse("GET", "/users?where=\(query(hidden))").parseCode == 119)
        }
    }

    @Test("ask about other users within")
    func subqueries() async throws {
        let world = try await world()
        let anna = try #require(
            try await world.parse("GET", "/users?where=%7B%22username%22%3A%22anna%22%7D").results().first)
        guard case .string(let id)? = anna["objectId"] else { throw Missing(description: "no id") }
        let pointer = #"{"__type":"Pointer","className":"_User","objectId":"\#(id)"}"#
        let dora = #","friend":\#(pointer),"rival":"berta","ACL":{"*":{"read":true}}"#
        _ = try await world.parseUser("dora", dora)
        func query(_ condition: String) -> String { #"{"className":"_User","where":\#(condition)}"# }
        let red = query(#"{"team":"red"}"#)
        #expect(try await names(world, #"{"friend":{"$inQuery":\#(red)}}"#) == ["dora"])
        #expect(try await names(world, #"{"friend":{"$inQuery":\#(query(#"{"team":"blue"}"#))}}"#).isEmpty)
        #expect(
            try await names(world, #"{"friend":{"$notInQuery":\#(red)}}"#) == ["Clara", "anna", "berta"])
        let rivals = #"{"query":\#(query(#"{"friend":{"$exists":true}}"#)),"key":"rival"}"#
        #expect(try await names(world, #"{"username":{"$select":\#(rivals)}}"#) == ["berta"])
        #expect(
            try await names(world, #"{"$and":[{"username":{"$dontSelect":\#(rivals)}},{"score":{"$gt":1}}]}"#)
                == ["Clara"])
        // What the asker may not read is not found out by asking.
        let hidden = #"{"username":{"$select":{"query":\#(query("{}")),"key":"email"}}}"#
        #expect(try await names(world, hidden).isEmpty)
        let nested = query(#"{"friend":{"$inQuery":\#(query(#"{"friend":{"$inQuery":\#(red)}}"#))}}"#)
        let deep =
            "/users?where="
            + (#"{"friend":{"$inQuery":\#(nested)}}"#
                .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        #expect(try await world.parse("GET", deep).parseCode == 102)
    }

    @Test("with expressions that could take for ever are refused or answered at once")
    func expressions() async throws {
        let world = try await ForeignWorld()
        let long = String(repeating: "a", count: 30_000)
        _ = try await world.parseUser("mika", #","text":"\#(long)","ACL":{"*":{"read":true}}"#)
        func find(_ expression: String) async throws -> Answer {
            let escaped = expression.replacing(#"\"#, with: #"\\"#)
            return try await world.parse(
                "POST", "/users", #"{"_method":"GET","where":{"text":{"$regex":"\#(escaped)"}}}"#)
        }
        // By the automaton, whose steps are counted: `RegularExpressionTests` says how many.
        for expression in [
            "(a+)+$", "(a|a)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*x", "a{1,9999}", "[a-z]*[a-z]*[a-z]*!", #"\d+"#,
            "a++", String(repeating: "a", count: 501), ".*.*.*.*.*.*.*.*.*.*=", String(repeating: ".*a", count: 9),
            String(repeating: ".a.*", count: 9) + "b",
        ] {
            let answer = try await find(expression)
            #expect(answer.status == 200 || [102, 124].contains(answer.parseCode), "\(expression): \(answer.text)")
        }
        for expression in [String(repeating: "a", count: 499) + "b"] {
            var fastest = Duration.seconds(60)
            // The other tests run beside it: what it takes at best is what the expression takes.
            for _ in 0..<100 where fastest >= .milliseconds(100) {
                let start = ContinuousClock.now
                let answer = try await find(expression)
                fastest = min(fastest, start.duration(to: .now))
                #expect(answer.status == 200 || answer.parseCode == 102, "\(answer.text)")
            }
            #expect(fastest < .milliseconds(100), "\(expression)")
        }
    }
}
