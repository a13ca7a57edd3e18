package import Domain
package import OkaeriWire

/// Questions within a question, as Parse and NCMB, which took them over, write them in a `where`: `$inQuery`,
/// `$notInQuery`, `$select` and `$dontSelect` about users. Each is asked first, and its findings take its place, so that
/// what is left is a question about values.
package struct Subqueries {
    /// How many there may be in one `where`.
    package static let maximumQueries = 5
    /// How many users each may find.
    package static let maximumMatches = 50
    /// How deep they may stand within each other.
    private static let maximumDepth = 2

    /// Why a question cannot be asked.
    package enum Refusal: Error, Hashable {
        /// It has not the form of one.
        case malformed(String)
        /// It is about a class that is not here.
        case otherClass(String)
        /// There are too many, or one finds too many.
        case tooLarge(String)
    }

    /// The class of users in the protocol's words.
    private let className: String
    /// Finds users by a `where`.
    private let find: (_ condition: JSONValue, _ limit: Int) async throws -> [User]
    /// A user as the caller may see it.
    private let members: (User) -> [String: JSONValue]?
    private var asked = 0

    package init(
        className: String, find: @escaping (JSONValue, Int) async throws -> [User],
        members: @escaping (User) -> [String: JSONValue]?
    ) {
        self.className = className
        self.find = find
        self.members = members
    }

    /// A `where` without questions in it.
    ///
    /// - Throws: `Refusal`, and what finding throws.
    package mutating func answered(_ condition: JSONValue) async throws -> JSONValue {
        try await answered(condition, depth: 0)
    }

    private mutating func answered(_ value: JSONValue, depth: Int) async throws -> JSONValue {
        switch value {
        case .array(let values):
            var answered: [JSONValue] = []
            for value in values { answered.append(try await self.answered(value, depth: depth)) }
            return .array(answered)
        case .object(let members):
            var answered: [String: JSONValue] = [:]
            for (name, operand) in members {
                let (operation, value) =
                    switch name {
                    case "$inQuery": ("$in", try await pointers(name, operand, depth: depth))
                    case "$notInQuery": ("$nin", try await pointers(name, operand, depth: depth))
                    case "$select": ("$in", try await values(name, operand, depth: depth))
                    case "$dontSelect": ("$nin", try await values(name, operand, depth: depth))
                    default: (name, try await self.answered(operand, depth: depth))
                    }
                // Two lists for one field would be one after the other: nobody asks so.
                guard answered[operation] == nil else { throw Refusal.malformed(name) }
                answered[operation] = value
            }
            return .object(answered)
        default: return value
        }
    }

    /// `{"where": …, "className": …}`: pointers to the users that are found.
    private mutating func pointers(_ name: String, _ query: JSONValue, depth: Int) async throws -> JSONValue {
        .array(
            try await users(name, query, depth: depth).map { user in
                .object([
                    "__type": "Pointer", "className": .string(className), "objectId": .string(user.id.rawValue),
                ])
            })
    }

    /// `{"query": {"where": …, "className": …}, "key": …}`: a value of each user that is found.
    private mutating func values(_ name: String, _ operand: JSONValue, depth: Int) async throws -> JSONValue {
        guard case .object(let parts) = operand, let query = parts["query"], case .string(let key)? = parts["key"],
            parts.count == 2
        else { throw Refusal.malformed(name) }
        let path = key.pieces(at: ".", keepsEmpty: true).map(String.init)
        return .array(
            try await users(name, query, depth: depth).compactMap { user in
                var value = members(user).map(JSONValue.object)
                for part in path {
                    guard case .object(let members)? = value else { return nil }
                    value = members[part]
                }
                return value == .null ? nil : value
            })
    }

    private mutating func users(_ name: String, _ query: JSONValue, depth: Int) async throws -> [User] {
        guard case .object(let parts) = query, case .string(let asked)? = parts["className"],
            parts.keys.allSatisfy(["className", "where"].contains)
        else { throw Refusal.malformed(name) }
        guard asked == className else { throw Refusal.otherClass(name) }
        self.asked += 1
        guard self.asked <= Self.maximumQueries, depth < Self.maximumDepth else { throw Refusal.tooLarge(name) }
        let condition = try await answered(parts["where"] ?? .object([:]), depth: depth + 1)
        let users = try await find(condition, Self.maximumMatches + 1)
        guard users.count <= Self.maximumMatches else { throw Refusal.tooLarge(name) }
        return users.filter { members($0) != nil }
    }
}

extension JSONValue {
    /// Whether a condition holds a date that is none, which would be compared as an object and find nobody without a word.
    ///
    /// - Parameter time: Reads a date as the backend writes it.
    /// - Returns: Whether there is one.
    package func hasUnreadableDate(by time: (JSONValue) -> Timestamp?) -> Bool {
        switch self {
        case .array(let values): values.contains { $0.hasUnreadableDate(by: time) }
        case .object(let members):
            members["__type"] == "Date"
                ? time(self) == nil : members.values.contains { $0.hasUnreadableDate(by: time) }
        case .null, .bool, .integer, .number, .string: false
        }
    }
}
