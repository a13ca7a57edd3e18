import Domain
import OkaeriWire
import TestWorld
import Testing

@testable import HTTPSupport

/// Conditions of old protocols that ask for users in the middle of a question for users.
@Suite("A question within a question")
struct SubqueryTests {
    /// What was asked for.
    private final class Asked {
        var conditions: [JSONValue] = []
        var limits: [Int] = []
    }

    private static func user(_ id: String, _ fields: [String: JSONValue] = [:]) -> User {
        let now = StandingClock().now
        return User(
            id: Identifier(rawValue: id), application: Identifier(rawValue: "a"), fields: fields, createdAt: now,
            updatedAt: now)
    }

    private static func pointer(_ id: String) -> JSONValue {
        ["__type": "Pointer", "className": "_User", "objectId": .string(id)]
    }

    /// The condition with its inner questions answered by users, those called `hidden` being out of sight.
    private static func answered(
        _ condition: JSONValue, by users: [User] = [user("1", ["city": "東京"]), user("2", ["city": .null]), user("3")],
        _ asked: Asked = Asked()
    ) async throws -> JSONValue {
        var subqueries = Subqueries(
            className: "_User",
            find: { condition, limit in
                asked.conditions.append(condition)
                asked.limits.append(limit)
                return users
            },
            members: { $0.id.rawValue == "hidden" ? nil : $0.fields })
        return try await subqueries.answered(condition)
    }

    private static func refusal(_ condition: JSONValue, by users: [User] = []) async throws -> Subqueries.Refusal? {
        do {
            _ = try await answered(condition, by: users)
            return nil
        } catch let refusal as Subqueries.Refusal {
            return refusal
        }
    }

    private static let query: JSONValue = ["className": "_User", "where": ["x": 1]]

    @Test("becomes a list of pointers", arguments: [("$inQuery", "$in"), ("$notInQuery", "$nin")])
    func pointers(name: String, list: String) async throws {
        let asked = Asked()
        let users = [Self.user("1"), Self.user("hidden"), Self.user("2")]
        let answer = try await Self.answered(["friend": [name: Self.query], "age": ["$gt": 3]], by: users, asked)
        #expect(answer == ["friend": [list: [Self.pointer("1"), Self.pointer("2")]], "age": ["$gt": 3]])
        #expect(asked.conditions == [["x": 1]] && asked.limits == [51])
    }

    @Test("becomes a list of values, those that are there", arguments: [("$select", "$in"), ("$dontSelect", "$nin")])
    func values(name: String, list: String) async throws {
        let answer = try await Self.answered(["town": [name: ["query": Self.query, "key": "city"]]])
        #expect(answer == ["town": [list: ["東京"]]])
        let nested = [Self.user("1", ["home": ["city": "大阪"]]), Self.user("2", ["home": "none"]), Self.user("3")]
        let deep = try await Self.answered(["town": [name: ["query": Self.query, "key": "home.city"]]], by: nested)
        #expect(deep == ["town": [list: ["大阪"]]])
    }

    @Test("without a condition asks for all, and is found in lists too")
    func everybody() async throws {
        let asked = Asked()
        let answer = try await Self.answered(
            ["$or": [["a": ["$inQuery": ["className": "_User"]]], ["b": 1], 2]], by: [], asked)
        #expect(answer == ["$or": [["a": ["$in": []]], ["b": 1], 2]])
        #expect(asked.conditions == [[:]])
    }

    private static let wrong: [JSONValue] = [
        ["f": ["$inQuery": 1]], ["f": ["$inQuery": [:]]], ["f": ["$inQuery": ["className": 1]]],
        ["f": ["$inQuery": ["className": "_User", "limit": 1]]],
        ["f": ["$inQuery": ["className": "_User"], "$in": []]],
        ["f": ["$inQuery": ["className": "_User"], "$select": ["query": ["className": "_User"], "key": "k"]]],
        ["f": ["$select": ["query": ["className": "_User"]]]], ["f": ["$select": ["key": "k"]]],
        ["f": ["$select": ["query": ["className": "_User"], "key": 1]]],
        ["f": ["$select": ["query": ["className": "_User"], "key": "k", "more": 1]]], ["f": ["$select": "k"]],
    ]

    @Test("is refused when it is none", arguments: wrong.indices)
    func malformed(index: Int) async throws {
        let refusal = try await Self.refusal(Self.wrong[index])
        guard case .malformed? = refusal else {
            Issue.record("\(Self.wrong[index]): \(String(describing: refusal))")
            return
        }
    }

    @Test("is about users alone", arguments: ["$inQuery", "$notInQuery"])
    func otherClass(name: String) async throws {
        #expect(try await Self.refusal(["f": [name: ["className": "Game"]]]) == .otherClass(name))
    }

    @Test("is one of five, of two levels, and of fifty users")
    func bounds() async throws {
        let one: JSONValue = ["$inQuery": ["className": "_User"]]
        func many(_ count: Int) -> JSONValue { .array((0..<count).map { .object(["f\($0)": one]) }) }
        #expect(try await Self.refusal(many(5)) == nil)
        #expect(try await Self.refusal(many(6)) == .tooLarge("$inQuery"))
        func nested(_ levels: Int) -> JSONValue {
            (1..<levels).reduce(["f": one]) { inner, _ in
                ["f": ["$inQuery": ["className": "_User", "where": inner]]]
            }
        }
        #expect(try await Self.refusal(nested(1)) == nil)
        #expect(try await Self.refusal(nested(2)) == nil)
        #expect(try await Self.refusal(nested(3)) == .tooLarge("$inQuery"))
        func users(_ count: Int) -> [User] { (0..<count).map { Self.user("\($0)") } }
        #expect(try await Self.refusal(["f": one], by: users(50)) == nil)
        #expect(try await Self.refusal(["f": one], by: users(51)) == .tooLarge("$inQuery"))
    }

    @Test("has dates that can be read, wherever they stand")
    func dates() {
        func date(_ text: String) -> JSONValue { ["__type": "Date", "iso": .string(text)] }
        func isUnreadable(_ value: JSONValue) -> Bool {
            value.hasUnreadableDate { $0 == date("good") ? StandingClock().now : nil }
        }
        for good in [date("good"), ["a": [date("good"), 1]], "bad", .null, ["__type": "Other", "a": 1], true, 1.5]
            as [JSONValue]
        {
            #expect(!isUnreadable(good), "\(good)")
        }
        for bad in [date("bad"), [date("good"), date("bad")], ["a": ["b": date("bad")]], [["x": date("bad")]]]
            as [JSONValue]
        {
            #expect(isUnreadable(bad), "\(bad)")
        }
    }
}

@Suite("Users that are put where pointers were")
struct IncludedUserTests {
    private static func pointer(_ id: String, _ name: String = "_User") -> JSONValue {
        ["__type": "Pointer", "className": .string(name), "objectId": .string(id)]
    }

    private static func object(_ id: String, _ members: [String: JSONValue] = [:]) -> JSONValue {
        var all = members
        (all["__type"], all["className"], all["id"]) = ("Object", "_User", .string(id))
        return .object(all)
    }

    /// Of the users `1` to `9`, each of whom points to the next one; `hidden` is out of sight.
    private static func expanded(
        _ row: [String: JSONValue], _ includes: Set<String>, keepsUnreadable: Bool = false
    ) async throws -> [[String: JSONValue]] {
        let now = StandingClock().now
        let source = IncludedUsers.Source(
            className: "_User", keepsUnreadable: keepsUnreadable,
            find: { ids in
                ids.filter { $0 != "gone" }.map { id in
                    User(
                        id: Identifier(rawValue: id), application: Identifier(rawValue: "a"), createdAt: now,
                        updatedAt: now)
                }
            },
            members: { user in
                guard let number = Int(user.id.rawValue) else { return nil }
                return ["id": .string(user.id.rawValue), "next": pointer(String(number + 1))]
            })
        return try await IncludedUsers(includes, source).expanded([row])
    }

    @Test("are those that the request names")
    func named() async throws {
        let row: [String: JSONValue] = ["a": Self.pointer("1"), "b": Self.pointer("2"), "c": 3]
        let one = Self.object("1", ["next": Self.pointer("2")])
        #expect(try await Self.expanded(row, []) == [row])
        #expect(try await Self.expanded(row, ["a"]) == [["a": one, "b": Self.pointer("2"), "c": 3]])
        #expect(try await Self.expanded(row, ["c", "none"]) == [row])
        let two = Self.object("2", ["next": Self.pointer("3")])
        #expect(try await Self.expanded(row, ["*"]) == [["a": one, "b": two, "c": 3]])
        #expect(
            try await Self.expanded(row, ["a.next"]) == [
                ["a": Self.object("1", ["next": two]), "b": Self.pointer("2"), "c": 3]
            ])
    }

    @Test("stand in lists too, and pointers to other things stay")
    func lists() async throws {
        let row: [String: JSONValue] = ["a": [Self.pointer("1"), 5, Self.pointer("1", "Game")]]
        #expect(
            try await Self.expanded(row, ["a"])
                == [["a": [Self.object("1", ["next": Self.pointer("2")]), 5, Self.pointer("1", "Game")]]])
    }

    @Test(
        "whom nobody may read stay pointers, or go, as the protocol has it", arguments: ["hidden", "gone"],
        [true, false])
    func unreadable(id: String, keeps: Bool) async throws {
        let row: [String: JSONValue] = ["a": Self.pointer(id), "l": [Self.pointer(id), 1]]
        let all = try await Self.expanded(row, ["a", "l"], keepsUnreadable: keeps)
        #expect(all == [keeps ? row : ["l": [1]]])
    }

    @Test("are named by paths of three parts, twenty with all that lead there")
    func bounds() throws {
        let source = IncludedUsers.Source(
            className: "_User", keepsUnreadable: false, find: { _ in [] }, members: { _ in nil })
        func refusal(_ includes: Set<String>) -> IncludedUsers.Refusal? {
            do throws(IncludedUsers.Refusal) {
                _ = try IncludedUsers(includes, source)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(["a.b.c"]) == nil && refusal(["a.b.c.d"]) == .tooDeep)
        #expect(refusal(Set((0..<20).map { "f\($0)" })) == nil)
        #expect(refusal(Set((0..<21).map { "f\($0)" })) == .tooMany)
        #expect(refusal(Set((0..<10).map { "f\($0).x" })) == nil)
        #expect(refusal(Set((0..<10).map { "f\($0).x" } + ["g"])) == .tooMany)
        #expect(refusal(["", ".", "*"]) == nil)
    }
}
