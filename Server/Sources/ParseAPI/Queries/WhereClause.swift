import Domain
import HTTPSupport
import OkaeriWire

/// A `where` in the domain's words.
enum WhereClause {
    /// What must never be found out by looking for it.
    private static let hidden: Set<String> = ["password", "sessionToken", "authData"]
    /// Known operators that this server does not have.
    private static let absent: Set<String> = [
        "$containedBy", "$relatedTo", "$text", "$geoIntersects", "$maxDistance", "$maxDistanceInMiles",
        "$maxDistanceInKilometers", "$maxDistanceInRadians",
    ]

    /// What the database finds alone.
    ///
    /// - Throws: 102, 105, 107, 119.
    static func condition(_ value: JSONValue, for reader: UserSearch.Reader) throws(ParseFault) -> UserCondition {
        guard let condition = try formula(value, for: reader).condition else {
            throw ParseFault(
                102,
                "This regular expression or distance is not offered in a question within another, nor with distinct.")
        }
        return condition
    }

    /// - Throws: 102, 105, 107, 119.
    static func formula(_ value: JSONValue, for reader: UserSearch.Reader) throws(ParseFault) -> SearchFormula {
        guard case .object(let members) = value else { throw ParseFault(107, "where must be an object.") }
        var parts: [SearchFormula] = []
        for (name, asked) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "$or": parts.append(.either(try branches(name, asked, for: reader)))
            case "$and": parts.append(.joined(try branches(name, asked, for: reader)))
            case "$nor": parts.append(.negated(.either(try branches(name, asked, for: reader))))
            default:
                if absent.contains(name) { throw notOffered(name) }
                parts.append(try formula(on: name, asked, for: reader))
            }
        }
        return .joined(parts)
    }

    private static func branches(
        _ name: String, _ value: JSONValue, for reader: UserSearch.Reader
    ) throws(ParseFault) -> [SearchFormula] {
        guard case .array(let list) = value else { throw .invalidQuery("Bad \(name) format - use an array value.") }
        var branches: [SearchFormula] = []
        for branch in list { branches.append(try formula(branch, for: reader)) }
        return branches
    }

    private static func formula(
        on name: String, _ asked: JSONValue, for reader: UserSearch.Reader
    ) throws(ParseFault) -> SearchFormula {
        let field = try field(name, for: reader)
        guard let field else { return .database(.any([])) }
        guard case .object(let members) = asked, members.keys.contains(where: { $0.hasPrefix("$") }) else {
            return .database(.equals(field, value(asked, of: field)))
        }
        var parts: [SearchFormula] = []
        let isNear = members["$nearSphere"] != nil
        for (name, operand) in members.sorted(by: { $0.key < $1.key })
        where name != "$options" && !(isNear && GeoOperators.distances[name] != nil) {
            if name == "$regex" {
                parts.append(try RegexOperator.formula(operand, members["$options"], on: field))
            } else if GeoOperators.names.contains(name) {
                parts.append(try GeoOperators.formula(name, members, on: field))
            } else {
                parts.append(.database(try condition(name, field, operand)))
            }
        }
        return .joined(parts)
    }

    private static func condition(
        _ name: String, _ field: UserField, _ operand: JSONValue
    ) throws(ParseFault) -> UserCondition {
        switch name {
        case "$eq": return .equals(field, value(operand, of: field))
        case "$ne": return .not(.equals(field, value(operand, of: field)))
        case "$lt": return .compares(field, .less, value(operand, of: field))
        case "$lte": return .compares(field, .lessOrEqual, value(operand, of: field))
        case "$gt": return .compares(field, .greater, value(operand, of: field))
        case "$gte": return .compares(field, .greaterOrEqual, value(operand, of: field))
        case "$in": return .isOneOf(field, try values(name, operand, of: field))
        case "$nin": return .not(.isOneOf(field, try values(name, operand, of: field)))
        case "$all": return .all(try values(name, operand, of: field).map { .equals(field, $0) })
        case "$exists":
            guard case .bool(let isThere) = operand else { throw ParseFault(107, "bad $exists value") }
            return isThere ? .exists(field) : .not(.exists(field))
        case let name where absent.contains(name): throw notOffered(name)
        default: throw ParseFault(107, "bad constraint: \(MemberFault.printable(name))")
        }
    }

    static func notOffered(_ name: String) -> ParseFault {
        ParseFault(119, "\(name) is not offered: only users and sessions are here, to be found by their own values.")
    }

    private static func values(
        _ name: String, _ operand: JSONValue, of field: UserField
    ) throws(ParseFault) -> [SearchValue] {
        guard case .array(let list) = operand else { throw ParseFault(107, "bad \(name) value") }
        return list.map { value($0, of: field) }
    }

    /// - Returns: `nil` for what nobody can be found by.
    static func field(_ name: String, for reader: UserSearch.Reader) throws(ParseFault) -> UserField? {
        switch name {
        case "objectId": return .id
        case "username": return .username
        case "email", "emailVerified":
            guard reader == .everything else {
                throw ParseFault(119, "This user is not allowed to query \(name) on class _User")
            }
            return name == "email" ? .email : .emailVerified
        case "createdAt": return .createdAt
        case "updatedAt": return .updatedAt
        case "ACL": throw ParseFault(102, "Cannot query on ACL.")
        default:
            // No field has a longer name.
            guard name.utf8.count <= FieldChanges.maximumNameBytes else {
                throw ParseFault(105, "Invalid key name: \(MemberFault.printable(name))")
            }
            let path = name.pieces(at: ".", keepsEmpty: true).map(String.init)
            guard let first = path.first, UserFields.isName(first), path.count <= 8,
                path.allSatisfy({ part in
                    !part.isEmpty && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c && $0 != 0x24 }
                })
            else { throw ParseFault(105, "Invalid key name: \(MemberFault.printable(name))") }
            return hidden.contains(first) ? nil : .custom(path)
        }
    }

    private static func value(_ value: JSONValue, of field: UserField) -> SearchValue {
        SearchValue(value, of: field, time: ParseValue.time)
    }

    /// The order of a search: at most as many fields as the domain sorts by, so that no more are looked at.
    ///
    /// - Throws: 102, 105, 119.
    static func order(_ text: String?, for reader: UserSearch.Reader) throws(ParseFault) -> [UserOrder] {
        var orders: [UserOrder] = []
        for part in (text ?? "").pieces(at: ",") {
            guard orders.count < UserSearch.maximumOrders else {
                throw .invalidQuery("The query is too large: order.")
            }
            let isDescending = part.hasPrefix("-")
            let name = String(part.drop { $0 == "-" || $0 == "+" || $0 == " " })
            guard let field = try field(name, for: reader) else {
                throw .invalidQuery("Cannot order by \(name).")
            }
            orders.append(UserOrder(field, isDescending: isDescending))
        }
        return orders
    }
}
