import Domain
import enum OkaeriWire.JSONValue

/// A clause of a query, as Kii's other queries have them too.
enum KiiClause {
    private static let maximumDepth = 8
    private static let maximumNumberBytes = 32

    /// - Throws: `KiiFault.invalid` for a clause of another form.
    static func condition(_ value: JSONValue, depth: Int = 0) throws(KiiFault) -> UserCondition {
        let wrong = KiiFault.invalid(["clause"])
        guard depth < maximumDepth, case .object(let clause) = value, case .string(let type)? = clause["type"] else {
            throw wrong
        }
        switch type {
        case "all": return .all([])
        case "not": return .not(try condition(clause["clause"] ?? .null, depth: depth + 1))
        case "and", "or":
            guard case .array(let clauses)? = clause["clauses"], !clauses.isEmpty else { throw wrong }
            var parts: [UserCondition] = []
            for clause in clauses { parts.append(try condition(clause, depth: depth + 1)) }
            return type == "and" ? .all(parts) : .any(parts)
        default: break
        }
        guard case .string(let name)? = clause["field"] else { throw wrong }
        let field = try field(name)
        switch type {
        case "eq":
            guard let value = clause["value"] else { throw wrong }
            let readings = try readings(of: value, in: field)
            return readings.count == 1 ? .equals(field, readings[0]) : .isOneOf(field, readings)
        case "in":
            guard case .array(let list)? = clause["values"] else { throw wrong }
            var values: [SearchValue] = []
            for value in list { values += try readings(of: value, in: field) }
            return .isOneOf(field, values)
        case "prefix":
            guard case .string(let text)? = clause["prefix"] else { throw wrong }
            return .matches(field, TextPattern([.text(text), .anything]))
        case "range": return try range(clause, of: field)
        case "hasField": return .exists(field)
        default: throw wrong
        }
    }

    private static func range(_ clause: [String: JSONValue], of field: UserField) throws(KiiFault) -> UserCondition {
        var parts: [UserCondition] = []
        if let lower = clause["lowerLimit"], lower != .null {
            let sign: UserCondition.Comparison = clause["lowerIncluded"] == false ? .greater : .greaterOrEqual
            parts.append(.any(try readings(of: lower, in: field).map { .compares(field, sign, $0) }))
        }
        if let upper = clause["upperLimit"], upper != .null {
            let sign: UserCondition.Comparison = clause["upperIncluded"] == false ? .less : .lessOrEqual
            parts.append(.any(try readings(of: upper, in: field).map { .compares(field, sign, $0) }))
        }
        guard !parts.isEmpty else { throw .invalid(["clause"]) }
        return .all(parts)
    }

    /// - Throws: `KiiFault.invalid` for what nobody can be found by.
    static func field(_ name: String) throws(KiiFault) -> UserField {
        switch name {
        case "userID": return .id
        case "loginName": return .username
        case "emailAddress": return .email
        case "phoneNumber": return .phone
        case "displayName": return .displayName
        default:
            let isName =
                (1...128).contains(name.utf8.count) && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
            guard isName, name == "country" || !KiiUserObject.isReserved(name) else { throw .invalid(["field"]) }
            return .custom([name])
        }
    }

    /// What a value of a clause may mean: some clients write numbers as texts, so that such a text also stands for the number
    /// where a custom field can hold one.
    private static func readings(of value: JSONValue, in field: UserField) throws(KiiFault) -> [SearchValue] {
        switch value {
        case .bool(let truth): return [.truth(truth)]
        case .integer(let number): return [.integer(number)]
        case .number(let number): return [.number(number)]
        case .string(let text):
            guard case .custom = field else { return [.text(text)] }
            return [.text(text)] + (number(in: text).map { [$0] } ?? [])
        case .null, .object, .array: throw .invalid(["clause"])
        }
    }

    /// The number that a text is as JSON.
    private static func number(in text: String) -> SearchValue? {
        guard text.utf8.count <= maximumNumberBytes else { return nil }
        // What is no JSON is no number.
        return switch try? JSONValue(parsing: Array(text.utf8)) {
        case .integer(let number)?: .integer(number)
        case .number(let number)?: .number(number)
        default: nil
        }
    }
}
