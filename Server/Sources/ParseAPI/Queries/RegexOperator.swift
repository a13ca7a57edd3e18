import Domain
import OkaeriWire

/// `$regex` and `$options`. Expressions of texts, dots and alternatives are compared by the database; all others, with classes,
/// groups and repetitions, by `ExpressionFilter`.
enum RegexOperator {
    /// - Throws: 102.
    static func condition(
        _ operand: JSONValue, _ options: JSONValue?, on field: UserField
    ) throws(ParseFault) -> UserCondition {
        let (expression, flags) = try parts(operand, options)
        do {
            return try TextExpression.condition(expression, flags: flags, on: field)
        } catch {
            throw ParseFault(
                102,
                "This regular expression is offered only as a condition that every result must meet, not within $or, $nor "
                    + "or another question; references, look-around and more than 1,000 steps are not offered at all.")
        }
    }

    /// Whether the database compares by it.
    static func isPattern(_ operand: JSONValue, _ options: JSONValue?) throws(ParseFault) -> Bool {
        let (expression, flags) = try parts(operand, options)
        // The refusal is the answer.
        return (try? TextExpression.condition(expression, flags: flags, on: .id)) != nil
    }

    /// - Throws: 102.
    static func compiled(_ operand: JSONValue, _ options: JSONValue?) throws(ParseFault) -> RegularExpression? {
        let (expression, flags) = try parts(operand, options)
        // The refusal is the answer.
        return try? RegularExpression(expression, flags: flags)
    }

    private static func parts(
        _ operand: JSONValue, _ options: JSONValue?
    ) throws(ParseFault) -> (expression: String, flags: String) {
        guard case .string(let expression) = operand else { throw ParseFault(102, "bad regex") }
        var flags = ""
        switch options {
        case nil: break
        case .string(let text)?: flags = text
        default: throw ParseFault(102, "Bad $options value for query")
        }
        guard flags.utf8.count <= 10, flags.allSatisfy({ "imxs".contains($0) }) else {
            throw .invalidQuery("Bad $options value for query: \(flags.prefix(10))")
        }
        return (expression, flags)
    }
}

/// What users must look like beside what the database finds: expressions that only an automaton of our own compares, alike
/// for both engines.
struct ExpressionFilter {
    private var conditions: [(field: UserField, expression: RegularExpression)] = []
    private var budget = Self.maximumSteps

    /// How many conditions there may be.
    private static let maximumConditions = 5
    /// How many states one request may look at, some hundredths of a second.
    private static let maximumSteps = 5_000_000

    var isEmpty: Bool { conditions.isEmpty }

    /// Takes the expressions that every result must meet out of a `where`. In their stead it asks for the field.
    ///
    /// - Throws: 102, and what the field's name throws.
    init(takenFrom condition: inout JSONValue, isMaster: Bool) throws(ParseFault) {
        condition = try rest(of: condition, isMaster)
    }

    private mutating func rest(of value: JSONValue, _ isMaster: Bool) throws(ParseFault) -> JSONValue {
        guard case .object(var members) = value else { return value }
        for (name, asked) in members {
            if name == "$and", case .array(let parts) = asked {
                var rests: [JSONValue] = []
                for part in parts { rests.append(try rest(of: part, isMaster)) }
                members[name] = .array(rests)
                continue
            }
            guard !name.hasPrefix("$"), case .object(var constraints) = asked, let operand = constraints["$regex"],
                try !RegexOperator.isPattern(operand, constraints["$options"]),
                let expression = try RegexOperator.compiled(operand, constraints["$options"]),
                let field = try WhereClause.field(name, isMaster: isMaster)
            else { continue }
            guard conditions.count < Self.maximumConditions else {
                throw .invalidQuery("The query is too large: where.")
            }
            conditions.append((field, expression))
            constraints["$regex"] = nil
            constraints["$options"] = nil
            if constraints["$exists"] == nil { constraints["$exists"] = true }
            members[name] = .object(constraints)
        }
        return .object(members)
    }

    /// - Throws: 124 when it takes too long.
    mutating func fits(_ user: User) throws(ParseFault) -> Bool {
        for (field, expression) in conditions {
            guard let text = user.text(of: field) else { return false }
            guard let matches = expression.matches(text, within: &budget) else {
                throw ParseFault(124, "The query takes too long.")
            }
            if !matches { return false }
        }
        return true
    }
}

extension User {
    /// The text of a field, if it is one.
    fileprivate func text(of field: UserField) -> String? {
        switch field {
        case .id: return id.rawValue
        case .username: return username
        case .email: return email
        case .phone: return phone
        case .displayName: return displayName
        case .emailVerified, .createdAt, .updatedAt, .changedOrLoggedInAt: return nil
        case .custom(let path):
            var value = JSONValue.object(fields)
            for name in path {
                guard case .object(let members) = value, let member = members[name] else { return nil }
                value = member
            }
            if case .string(let text) = value { return text }
            return nil
        }
    }
}
