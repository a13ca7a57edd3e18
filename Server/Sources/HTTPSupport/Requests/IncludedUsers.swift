package import Domain
package import OkaeriWire

/// Puts users where pointers to them stand, as `include` of Parse and NCMB asks; pointers to other classes stay.
package struct IncludedUsers: Sendable {
    /// Why an `include` cannot be followed.
    package enum Refusal: Error, Hashable, Sendable {
        case tooDeep
        case tooMany
    }

    /// Whose pointers, and what comes in their place.
    package struct Source: Sendable {
        /// The class of users in the protocol's words.
        let className: String
        /// Whether the pointer to a user whom the caller may not read stays; else it leaves nothing there.
        let keepsUnreadable: Bool
        /// Users by their ids, as far as the caller may read them.
        let find: @Sendable (_ ids: [String]) async throws -> [User]
        /// A user as the caller may see it.
        let members: @Sendable (User) -> [String: JSONValue]?

        package init(
            className: String, keepsUnreadable: Bool, find: @escaping @Sendable ([String]) async throws -> [User],
            members: @escaping @Sendable (User) -> [String: JSONValue]?
        ) {
            self.className = className
            self.keepsUnreadable = keepsUnreadable
            self.find = find
            self.members = members
        }
    }

    private let source: Source
    /// The paths, the shorter ones first, so that `friend` is there before `friend.boss`.
    private let paths: [[String]]
    private let includesAll: Bool

    private static let maximumPaths = 20
    private static let maximumDepth = 3
    /// How many users one search asks for, within the values that a question may hold.
    private static let idsOfSearch = 150

    /// - Throws: `Refusal`.
    package init(_ includes: Set<String>, _ source: Source) throws(Refusal) {
        self.source = source
        includesAll = includes.contains("*")
        var paths: Set<[String]> = []
        for include in includes where include != "*" {
            guard include.utf8.count(where: { $0 == UInt8(ascii: ".") }) <= Self.maximumDepth else { throw .tooDeep }
            let path = include.pieces(at: ".").map(String.init)
            guard path.count <= Self.maximumDepth else { throw .tooDeep }
            for length in 1...max(1, path.count) where length <= path.count { paths.insert(Array(path.prefix(length))) }
        }
        guard paths.count <= Self.maximumPaths else { throw .tooMany }
        self.paths = paths.sorted { ($0.count, $0.joined(separator: ".")) < ($1.count, $1.joined(separator: ".")) }
    }

    /// - Parameter rows: What was found.
    /// - Returns: the rows with users in them.
    /// - Throws: `searchTooLarge`, and what finding throws.
    package func expanded(_ rows: [[String: JSONValue]]) async throws -> [[String: JSONValue]] {
        var values = rows.map { JSONValue.object($0) }
        // One user may be pointed to from everywhere, and by users who are themselves pointed to.
        var size = ResponseSize()
        for value in values { try size.add(ResponseSize.of(value)) }
        let all = includesAll ? Set(rows.flatMap(\.keys)).sorted().map { [$0] } : []
        for path in all + paths {
            var ids: Set<String> = []
            for value in values { collect(path[...], of: value, into: &ids) }
            guard !ids.isEmpty else { continue }
            let users = try await users(ids.sorted())
            values = try values.compactMap { value throws(DomainError) in
                try replaced(path[...], of: value, by: users, &size)
            }
        }
        return values.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }

    private func users(_ ids: [String]) async throws -> [String: Included] {
        var (users, rest): ([String: Included], ArraySlice<String>) = ([:], ids.prefix(UserSearch.maximumLimit))
        var size = ResponseSize()
        while !rest.isEmpty {
            let part = rest.prefix(Self.idsOfSearch)
            rest = rest.dropFirst(part.count)
            for user in try await source.find(Array(part)) {
                guard var members = source.members(user) else { continue }
                members["__type"] = "Object"
                members["className"] = .string(source.className)
                let included = Included(.object(members))
                try size.add(included.bytes)
                users[user.id.rawValue] = included
            }
        }
        return users
    }

    private func pointed(_ value: JSONValue) -> String? {
        guard case .object(let members) = value, members["__type"] == "Pointer",
            members["className"] == .string(source.className), case .string(let id)? = members["objectId"]
        else { return nil }
        return id
    }

    private func collect(_ path: ArraySlice<String>, of value: JSONValue, into ids: inout Set<String>) {
        switch value {
        case .array(let values): for value in values { collect(path, of: value, into: &ids) }
        case .object(let members):
            guard let name = path.first else {
                if let id = pointed(value) { ids.insert(id) }
                return
            }
            if let member = members[name] { collect(path.dropFirst(), of: member, into: &ids) }
        default: return
        }
    }

    private func replaced(
        _ path: ArraySlice<String>, of value: JSONValue, by users: [String: Included], _ size: inout ResponseSize
    ) throws(DomainError) -> JSONValue? {
        switch value {
        case .array(let values):
            var replacements: [JSONValue] = []
            for value in values {
                guard let replacement = try replaced(path, of: value, by: users, &size) else { continue }
                replacements.append(replacement)
            }
            return .array(replacements)
        case .object(var members):
            guard let name = path.first else {
                guard let id = pointed(value) else { return value }
                guard let user = users[id] else {
                    guard source.keepsUnreadable else { return nil }
                    return value
                }
                try size.add(user.bytes)
                return user.value
            }
            guard let member = members[name] else { return value }
            members[name] = try replaced(path.dropFirst(), of: member, by: users, &size)
            return .object(members)
        default: return value
        }
    }
}

/// A user as it stands where a pointer was.
private struct Included {
    let value: JSONValue
    let bytes: Int

    init(_ value: JSONValue) {
        self.value = value
        bytes = ResponseSize.of(value)
    }
}
