import Domain
import OkaeriWire

/// A `where`: what the database finds, and between it what only this server compares: expressions by the automaton, and
/// distances on the earth.
indirect enum SearchFormula {
    case database(UserCondition)
    case expression(UserField, RegularExpression)
    /// A custom field whose point is within a distance of another.
    case near([String], GeoCircle)
    case all([SearchFormula])
    case any([SearchFormula])
    case not(SearchFormula)

    /// The whole, when the database finds it alone.
    var condition: UserCondition? {
        if case .database(let condition) = self { condition } else { nil }
    }

    /// What all parts ask; the database's alone is one condition.
    static func joined(_ parts: [SearchFormula]) -> SearchFormula {
        if parts.count == 1 { return parts[0] }
        let conditions = parts.compactMap(\.condition)
        return conditions.count == parts.count ? .database(.all(conditions)) : .all(parts)
    }

    /// What at least one part asks.
    static func either(_ parts: [SearchFormula]) -> SearchFormula {
        let conditions = parts.compactMap(\.condition)
        return conditions.count == parts.count ? .database(.any(conditions)) : .any(parts)
    }

    static func negated(_ part: SearchFormula) -> SearchFormula {
        part.condition.map { .database(.not($0)) } ?? .not(part)
    }
}

/// What users must look like beside what the database finds: expressions that only an automaton of our own compares, and
/// distances, alike for both engines. The database finds all who may fit, and says of each which of the other conditions hold.
struct ExpressionFilter: Sendable {
    /// The formula with numbers of probes in the stead of conditions.
    private indirect enum Test: Sendable {
        case probe(Int)
        case expression(UserField, RegularExpression)
        case near([String], GeoCircle)
        case all([Test])
        case any([Test])
        case not(Test)
    }

    /// Whom the database looks for: everybody who may fit.
    let condition: UserCondition
    /// What the database says of each of them.
    private(set) var probes: [UserCondition] = []
    private var tests: [Test] = []
    private var comparisons = 0
    private var budget = Self.maximumSteps

    /// How many expressions and distances there may be.
    private static let maximumComparisons = 5
    /// How many states one request may look at, a tenth of a second.
    private static let maximumSteps = 5_000_000

    /// - Throws: 102 for too many expressions and distances.
    init(_ formula: SearchFormula) throws(ParseFault) {
        condition = Self.wider(formula, isPositive: true)
        // What the database has seen to for everybody is not asked again.
        var required = [formula]
        while let part = required.popLast() {
            switch part {
            case .database: continue
            case .all(let parts): required += parts
            case .expression, .near, .any, .not:
                let test = try test(part)
                tests.append(test)
            }
        }
    }

    /// A condition for everybody who may fit: whether an expression does, is open.
    private static func wider(_ formula: SearchFormula, isPositive: Bool) -> UserCondition {
        switch formula {
        case .database(let condition): condition
        // The field is named in both, because not everybody may ask of it.
        case .expression(let field, _): isPositive ? .exists(field) : .all([.exists(field), .any([])])
        case .near(let path, let circle):
            isPositive ? circle.condition(at: path) : .all([.exists(.custom(path)), .any([])])
        case .all(let parts): .all(parts.map { wider($0, isPositive: isPositive) })
        case .any(let parts): .any(parts.map { wider($0, isPositive: isPositive) })
        case .not(let part): .not(wider(part, isPositive: !isPositive))
        }
    }

    private mutating func test(_ formula: SearchFormula) throws(ParseFault) -> Test {
        switch formula {
        case .database(let condition):
            probes.append(condition)
            return .probe(probes.count - 1)
        case .expression(let field, let expression):
            try countComparison()
            return .expression(field, expression)
        case .near(let path, let circle):
            try countComparison()
            return .near(path, circle)
        case .all(let parts): return .all(try tests(of: parts))
        case .any(let parts): return .any(try tests(of: parts))
        case .not(let part): return .not(try test(part))
        }
    }

    private mutating func countComparison() throws(ParseFault) {
        comparisons += 1
        guard comparisons <= Self.maximumComparisons else { throw .invalidQuery("The query is too large: where.") }
    }

    private mutating func tests(of parts: [SearchFormula]) throws(ParseFault) -> [Test] {
        var tests: [Test] = []
        for part in parts {
            let test = try test(part)
            tests.append(test)
        }
        return tests
    }

    /// - Parameters:
    ///   - user: Somebody whom the database found.
    ///   - probed: Which of the probes hold.
    /// - Returns: whether the formula holds.
    /// - Throws: `searchTooSlow`.
    mutating func fits(_ user: User, _ probed: [Bool]) throws(DomainError) -> Bool {
        for test in tests where try !holds(test, user, probed) { return false }
        return true
    }

    private mutating func holds(_ test: Test, _ user: User, _ probed: [Bool]) throws(DomainError) -> Bool {
        switch test {
        case .probe(let number): return number < probed.count && probed[number]
        case .expression(let field, let expression):
            guard let text = user.text(of: field) else { return false }
            guard let matches = expression.matches(text, within: &budget) else { throw .searchTooSlow }
            return matches
        case .near(let path, let circle): return circle.holds(user.value(at: path))
        case .all(let parts):
            for part in parts where try !holds(part, user, probed) { return false }
            return true
        case .any(let parts):
            for part in parts where try holds(part, user, probed) { return true }
            return false
        case .not(let part): return try !holds(part, user, probed)
        }
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
            if case .string(let text)? = value(at: path) { return text }
            return nil
        }
    }

    /// What stands at a path of custom fields.
    func value(at path: [String]) -> JSONValue? {
        var value = JSONValue.object(fields)
        for name in path {
            guard case .object(let members) = value, let member = members[name] else { return nil }
            value = member
        }
        return value
    }
}
