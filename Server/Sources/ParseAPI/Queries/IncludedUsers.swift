import Domain
import OkaeriWire

/// Puts users where pointers to them stand, as `include` asks. A user whom the caller may not read leaves nothing there, as
/// in the reference; pointers to other classes stay.
struct IncludedUsers: Sendable {
    private let searchUsers: SearchUsers
    /// The paths, the shorter ones first, so that `friend` is there before `friend.boss`.
    private let paths: [[String]]
    private let includesAll: Bool

    private static let maximumPaths = 20
    private static let maximumDepth = 3
    /// How many users one search asks for, within the values that a question may hold.
    private static let idsOfSearch = 150

    /// - Throws: 102 for too many paths.
    init(_ includes: Set<String>, _ searchUsers: SearchUsers) throws(ParseFault) {
        self.searchUsers = searchUsers
        includesAll = includes.contains("*")
        var paths: Set<[String]> = []
        for include in includes where include != "*" {
            let path = include.split(separator: ".").map(String.init)
            guard path.count <= Self.maximumDepth else { throw .invalidQuery("include goes too deep.") }
            for length in 1...max(1, path.count) where length <= path.count { paths.insert(Array(path.prefix(length))) }
        }
        guard paths.count <= Self.maximumPaths else { throw .invalidQuery("include names too much.") }
        self.paths = paths.sorted { ($0.count, $0.joined(separator: ".")) < ($1.count, $1.joined(separator: ".")) }
    }

    /// - Parameters:
    ///   - rows: What was found.
    ///   - reader: Whom the caller may read.
    ///   - request: What the search is part of.
    ///   - call: Who asks.
    /// - Returns: the rows with users in them.
    /// - Throws: what the search throws.
    func expanded(
        _ rows: [[String: JSONValue]], for reader: UserSearch.Reader, _ request: SearchRequest, _ call: ParseCall
    ) async throws -> [[String: JSONValue]] {
        var values = rows.map { JSONValue.object($0) }
        // One user may be pointed to from everywhere, and by users who are themselves pointed to.
        var size = ResponseSize()
        for value in values { try size.add(ResponseSize.of(value)) }
        let all = includesAll ? Set(rows.flatMap(\.keys)).sorted().map { [$0] } : []
        for path in all + paths {
            var ids: Set<String> = []
            for value in values { Self.collect(path[...], of: value, into: &ids) }
            guard !ids.isEmpty else { continue }
            let users = try await users(ids.sorted(), for: reader, request, call)
            values = try values.compactMap { value throws(DomainError) in
                try Self.replaced(path[...], of: value, by: users, &size)
            }
        }
        return values.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }

    private func users(
        _ ids: [String], for reader: UserSearch.Reader, _ request: SearchRequest, _ call: ParseCall
    ) async throws -> [String: Included] {
        var (users, rest): ([String: Included], ArraySlice<String>) = ([:], ids.prefix(UserSearch.maximumLimit))
        var size = ResponseSize()
        while !rest.isEmpty {
            let part = rest.prefix(Self.idsOfSearch)
            rest = rest.dropFirst(part.count)
            let search = UserSearch(
                condition: .isOneOf(.id, part.map { .text($0) }), limit: part.count, reader: reader)
            for user in try await searchUsers(search, in: call.application, for: request).users {
                guard var members = call.caller.view(user) else { continue }
                members["__type"] = "Object"
                members["className"] = "_User"
                let included = Included(.object(members))
                try size.add(included.bytes)
                users[user.id.rawValue] = included
            }
        }
        return users
    }

    private static func pointed(_ value: JSONValue) -> String? {
        guard case .object(let members) = value, members["__type"] == "Pointer", members["className"] == "_User",
            case .string(let id)? = members["objectId"]
        else { return nil }
        return id
    }

    private static func collect(_ path: ArraySlice<String>, of value: JSONValue, into ids: inout Set<String>) {
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

    private static func replaced(
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
                guard let user = users[id] else { return nil }
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
