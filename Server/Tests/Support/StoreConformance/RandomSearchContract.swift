import Domain
import Storage
import TestWorld
import enum OkaeriWire.JSONValue

extension Contract {
    static let randomSearchContracts = [
        Contract("finds by any question exactly those users who are so when each is looked at") { engine in
            let samples = Samples()
            for seed: UInt64 in 1...3 {
                var draw = SeededGenerator(state: seed)
                let application = Identifier<Application>(rawValue: "application-\(seed)")
                var users: [User] = []
                for number in 0..<16 {
                    var user = samples.user(
                        draw.pick([nil, "a", "aB", "b"]), in: application, after: Int64(number))
                    user.fields = SearchModel.fields(&draw)
                    users.append(user)
                }
                let made = users
                try await engine.write { transaction throws(DomainError) in
                    for user in made { try transaction.insert(user) }
                }
                for _ in 0..<60 {
                    let condition = SearchModel.condition(&draw)
                    let wanted = users.filter { SearchModel.holds(condition, $0) }.map(\.id)
                    let question = UserSearch(condition: condition, limit: 1000, counts: true, reader: .everything)
                    let found = try await engine.search(within: .seconds(60)) { transaction throws(DomainError) in
                        try transaction.search(question, in: application)
                    }.result.get()
                    let differing = users.filter { wanted.contains($0.id) != found.users.map(\.id).contains($0.id) }
                    try expect(
                        found.users.map(\.id) == wanted && found.count == wanted.count,
                        "seed \(seed): \(condition) on \(differing.map { "\($0.displayName ?? "nil") \($0.fields)" })")
                }
            }
        }
    ]
}

/// What a question means for one user, without a database.
private enum SearchModel {
    private static let texts = ["", "a", "aB", "b", "1", "b a"]
    private static let asked: [UserField] = [
        .displayName, .custom(["n"]), .custom(["t"]), .custom(["l"]), .custom(["o"]), .custom(["o", "in"]),
        .custom(["none"]),
    ]

    private static func plain(_ draw: inout SeededGenerator) -> JSONValue {
        switch draw.number(below: 6) {
        case 0: .null
        case 1: .bool(draw.isOne(in: 2))
        case 2: .integer(draw.pick([-1, 0, 1, 2]))
        case 3: .number(draw.pick([0.5, 1.5]))
        default: .string(draw.pick(texts))
        }
    }

    private static func value(_ draw: inout SeededGenerator) -> JSONValue {
        switch draw.number(below: 5) {
        case 0: .array(draw.list(of: draw.number(below: 4)) { plain(&$0) })
        case 1: .object(["in": plain(&draw)])
        default: plain(&draw)
        }
    }

    static func fields(_ draw: inout SeededGenerator) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for name in ["n", "t", "l", "o"] where !draw.isOne(in: 5) { fields[name] = value(&draw) }
        return fields
    }

    private static func wanted(_ draw: inout SeededGenerator) -> SearchValue {
        switch draw.number(below: 9) {
        case 0: .null
        case 1: .truth(draw.isOne(in: 2))
        case 2: .number(draw.pick([-1, 0, 0.5, 1, 1.5, 2]))
        case 3: .integer(draw.pick([-1, 0, 1, 2]))
        case 4: .structure(draw.pick([[], ["a"], [1, "a"], ["in": 1], ["in": "a"]]))
        default: .text(draw.pick(texts))
        }
    }

    static func condition(_ draw: inout SeededGenerator, depth: Int = 0) -> UserCondition {
        let field = draw.pick(asked)
        switch draw.number(below: depth > 2 ? 6 : 10) {
        case 0: return .exists(field)
        case 1: return .isOneOf(field, draw.list(of: draw.number(below: 4)) { wanted(&$0) })
        case 2:
            return .compares(field, draw.pick([.less, .lessOrEqual, .greater, .greaterOrEqual]), wanted(&draw))
        case 3:
            let pieces = draw.list(of: draw.number(below: 4)) { draw -> TextPattern.Piece in
                draw.pick([.anything, .anyCharacter, .text("a"), .text("B"), .text("b")])
            }
            return .matches(field, TextPattern(pieces, ignoresCase: draw.isOne(in: 2)))
        case 4, 5: return .equals(field, wanted(&draw))
        case 6: return .not(condition(&draw, depth: depth + 1))
        case 7: return .any(draw.list(of: draw.number(below: 4)) { condition(&$0, depth: depth + 1) })
        default: return .all(draw.list(of: draw.number(below: 4)) { condition(&$0, depth: depth + 1) })
        }
    }

    static func holds(_ condition: UserCondition, _ user: User) -> Bool {
        switch condition {
        case .all(let parts): return parts.allSatisfy { holds($0, user) }
        case .any(let parts): return parts.contains { holds($0, user) }
        case .not(let part): return !holds(part, user)
        case .exists(let field): return value(of: field, user) != nil
        case .equals(let field, let wanted): return equals(value(of: field, user), wanted)
        case .isOneOf(let field, let values): return values.contains { equals(value(of: field, user), $0) }
        case .compares(let field, let comparison, let wanted):
            return value(of: field, user).map { compares($0, comparison, wanted) } ?? false
        case .matches(let field, let pattern):
            guard case .string(let text)? = value(of: field, user) else { return false }
            return pattern.fits(text)
        }
    }

    /// What is there; `nil` also for null.
    private static func value(of field: UserField, _ user: User) -> JSONValue? {
        switch field {
        case .displayName: return user.displayName.map { .string($0) }
        case .custom(let path):
            var value = JSONValue.object(user.fields)
            for name in path {
                guard case .object(let members) = value, let member = members[name] else { return nil }
                value = member
            }
            guard value != .null else { return .none }
            return value
        default: return nil
        }
    }

    private static func equals(_ value: JSONValue?, _ wanted: SearchValue) -> Bool {
        if wanted == .null { return value == nil }
        guard let value else { return false }
        if case .structure(let structure) = wanted { return value == structure }
        if case .array(let items) = value { return items.contains { isSame($0, wanted) } }
        return isSame(value, wanted)
    }

    private static func isSame(_ value: JSONValue, _ wanted: SearchValue) -> Bool {
        switch (value, wanted) {
        case (.string(let text), .text(let wanted)): text == wanted
        case (.integer(let number), .integer(let wanted)): number == wanted
        case (.number(let number), .integer(let wanted)): number == Double(wanted)
        case (.integer(let number), .number(let wanted)): Double(number) == wanted
        case (.number(let number), .number(let wanted)): number == wanted
        case (.bool(let truth), .truth(let wanted)): truth == wanted
        default: false
        }
    }

    private static func compares(
        _ value: JSONValue, _ comparison: UserCondition.Comparison, _ wanted: SearchValue
    ) -> Bool {
        func holds<Compared: Comparable>(_ one: Compared, _ other: Compared) -> Bool {
            switch comparison {
            case .less: one < other
            case .lessOrEqual: one <= other
            case .greater: one > other
            case .greaterOrEqual: one >= other
            }
        }
        // Texts are compared by their bytes, which is the order of strings for ASCII.
        return switch (value, wanted) {
        case (.string(let text), .text(let wanted)): holds(text, wanted)
        case (.integer(let number), .integer(let wanted)): holds(number, wanted)
        case (.number(let number), .integer(let wanted)): holds(number, Double(wanted))
        case (.integer(let number), .number(let wanted)): holds(Double(number), wanted)
        case (.number(let number), .number(let wanted)): holds(number, wanted)
        default: false
        }
    }
}
