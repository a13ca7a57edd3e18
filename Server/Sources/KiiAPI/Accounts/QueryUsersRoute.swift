import Domain
import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// `POST /apps/{appID}/users/query`: users by what they are, for administrators.
struct QueryUsersRoute: Sendable {
    let api: KiiAPI

    private static let usualLimit = 100
    private static let maximumLimit = 200

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        guard try await api.caller(enabled, request, context).isAdministrator else {
            throw KiiFault.unauthorized(in: enabled.publicKey)
        }
        let body = try await api.body(of: request, context)
        guard let asked = body.members["userQuery"], case .object(let query) = asked,
            !asked.holds(moreThan: UserSearch.maximumValues)
        else { throw KiiFault.invalid(["userQuery"]) }
        let page = try Page(body)
        var search = UserSearch(
            condition: try KiiClause.condition(query["clause"] ?? ["type": "all"]), limit: page.limit + 1,
            skip: page.skip, reader: .everything)
        if case .string(let field)? = query["orderBy"] {
            search.order = [UserOrder(try KiiClause.field(field), isDescending: query["descending"] == true)]
        }
        let found = try await api.modules.accounts.searchUsers(
            search, in: enabled.application, for: SearchRequest(by: .backend)
        ).users
        var members: [String: JSONValue] = [
            "results": .array(
                found.prefix(page.limit).map { user in
                    .object(KiiUserObject.full(user.shown(to: .server, in: enabled.application), enabled.options))
                }),
            "queryDescription": "users",
        ]
        if found.count > page.limit { members["nextPaginationKey"] = .string(page.next) }
        return KiiResponse.response(members, .ok, KiiResponse.mediaType("UserQueryResponse"))
    }

    /// `bestEffortLimit`, and a `paginationKey` that an answer gave: `100/2` is what follows two pages of a hundred.
    private struct Page {
        let limit: Int
        let skip: Int

        var next: String { "\(limit)/\(skip / limit + 1)" }

        init(_ body: KiiBody) throws(KiiFault) {
            var asked = usualLimit
            switch body.members["bestEffortLimit"] {
            case nil, .null?: break
            case .integer(let number)?:
                guard number > 0 else { throw .invalid(["bestEffortLimit"]) }
                asked = min(Int(clamping: number), maximumLimit)
            default: throw .invalid(["bestEffortLimit"])
            }
            guard let key = try body.text("paginationKey") else {
                (limit, skip) = (asked, 0)
                return
            }
            let parts = key.split(separator: "/").map { Int($0, radix: 10) }
            guard parts.count == 2, let size = parts[0], let pages = parts[1], (1...maximumLimit).contains(size),
                (0...UserSearch.maximumSkip / size).contains(pages)
            else { throw .invalid(["paginationKey"]) }
            (limit, skip) = (size, size * pages)
        }
    }
}

/// A clause of a query, as Kii's other queries have them too.
enum KiiClause {
    private static let maximumDepth = 8

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
            return .equals(field, try self.value(value))
        case "in":
            guard case .array(let list)? = clause["values"] else { throw wrong }
            var values: [SearchValue] = []
            for value in list { values.append(try self.value(value)) }
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
            parts.append(.compares(field, sign, try value(lower)))
        }
        if let upper = clause["upperLimit"], upper != .null {
            let sign: UserCondition.Comparison = clause["upperIncluded"] == false ? .less : .lessOrEqual
            parts.append(.compares(field, sign, try value(upper)))
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

    private static func value(_ value: JSONValue) throws(KiiFault) -> SearchValue {
        switch value {
        case .bool(let truth): return .truth(truth)
        case .integer(let number): return .number(Double(number))
        case .number(let number): return .number(number)
        case .string(let text): return .text(text)
        case .null, .object, .array: throw .invalid(["clause"])
        }
    }
}
