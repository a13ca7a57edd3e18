import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// The parameters of a search in the domain's words.
struct MemberSearch {
    /// What `updateDate` is in the application.
    private let updateDate: UserField

    init(for options: ForeignOptions) {
        updateDate = options.logInMovesUpdateTime ? .changedOrLoggedInAt : .updatedAt
    }

    /// Arrays and objects within each other that are read of a `where`.
    private static let maximumDepth = 24
    /// What must never be found out by looking for it.
    private static let hidden: Set<String> = ["password", "sessionToken", "temporaryPassword", "authData", "acl"]

    /// The JSON of a `where`.
    ///
    /// - Throws: `E400001`, `E400005`.
    static func value(_ text: String) throws(NCMBFault) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONReader.value(ofOldSDK: Array(text.utf8), maximumDepth: maximumDepth)
        } catch {
            throw error == .tooDeep ? .notValid("where") : .notJSON
        }
        guard !value.holds(moreThan: UserSearch.maximumValues) else { throw .notValid("where") }
        guard !value.hasUnreadableDate(by: NCMBDates.time) else { throw .notValid("where") }
        return value
    }

    /// - Throws: `E400005` for a `where` that is no object, or that asks what is not offered.
    func condition(_ value: JSONValue) throws(NCMBFault) -> UserCondition {
        guard case .object(let members) = value else { throw .notValid("where") }
        var parts: [UserCondition] = []
        for (name, asked) in members.sorted(by: { $0.key < $1.key }) {
            if name == "$or" {
                guard case .array(let branches) = asked else { throw .notValid("where") }
                var ways: [UserCondition] = []
                for branch in branches { ways.append(try condition(branch)) }
                parts.append(.any(ways))
            } else {
                parts.append(try condition(on: name, asked))
            }
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private func condition(on name: String, _ asked: JSONValue) throws(NCMBFault) -> UserCondition {
        if Self.hidden.contains(name) { return .any([]) }
        let field = try field(name)
        guard case .object(let members) = asked, members.keys.contains(where: { $0.hasPrefix("$") }) else {
            return .equals(field, value(asked, of: field))
        }
        var parts: [UserCondition] = []
        for (name, operand) in members.sorted(by: { $0.key < $1.key }) {
            parts.append(try condition(name, field, operand))
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private func condition(
        _ name: String, _ field: UserField, _ operand: JSONValue
    ) throws(NCMBFault) -> UserCondition {
        switch name {
        case "$ne": return .not(.equals(field, value(operand, of: field)))
        case "$lt": return .compares(field, .less, value(operand, of: field))
        case "$lte": return .compares(field, .lessOrEqual, value(operand, of: field))
        case "$gt": return .compares(field, .greater, value(operand, of: field))
        case "$gte": return .compares(field, .greaterOrEqual, value(operand, of: field))
        case "$in", "$inArray": return .isOneOf(field, try values(operand, of: field))
        case "$nin", "$ninArray": return .not(.isOneOf(field, try values(operand, of: field)))
        case "$all": return .all(try values(operand, of: field).map { .equals(field, $0) })
        case "$exists":
            guard case .bool(let isThere) = operand else { throw .notValid("where") }
            return isThere ? .exists(field) : .not(.exists(field))
        case "$regex":
            guard case .string(let expression) = operand else { throw .notValid("where") }
            do {
                return try TextExpression.condition(expression, on: field)
            } catch {
                throw .notValid("where")
            }
        default: throw .notValid("where")
        }
    }

    private func values(_ operand: JSONValue, of field: UserField) throws(NCMBFault) -> [SearchValue] {
        guard case .array(let list) = operand else { return [value(operand, of: field)] }
        return list.map { value($0, of: field) }
    }

    private func field(_ name: String) throws(NCMBFault) -> UserField {
        switch name {
        case "objectId": return .id
        case "userName": return .username
        case "mailAddress": return .email
        case "mailAddressConfirm": return .emailVerified
        case "createDate": return .createdAt
        case "updateDate": return updateDate
        default:
            let path = name.pieces(at: ".", keepsEmpty: true).map(String.init)
            guard path.count <= 8, path.allSatisfy(MemberFields.isName) else { throw .notValid("where") }
            return .custom(path)
        }
    }

    private func value(_ value: JSONValue, of field: UserField) -> SearchValue {
        SearchValue(value, of: field, time: NCMBDates.time)
    }

    /// - Throws: `E400005`.
    func order(_ text: String?) throws(NCMBFault) -> [UserOrder] {
        var orders: [UserOrder] = []
        for part in (text ?? "").pieces(at: ",") {
            // As many as the domain sorts by: no more are looked at.
            guard orders.count < UserSearch.maximumOrders else {
                throw .size("order", 0, UserSearch.maximumOrders)
            }
            let word = part.drop { $0 == " " }
            let isDescending = word.hasPrefix("-")
            let name = String(word.drop { $0 == "-" || $0 == " " })
            guard !Self.hidden.contains(name) else { throw .notValid("order") }
            do {
                orders.append(UserOrder(try field(name), isDescending: isDescending))
            } catch {
                throw .notValid("order")
            }
        }
        return orders
    }
}
