import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

extension ParseAPI {
    /// `GET /users/me`: the hot path. The session's cache has the user already, and after the first time the answer's bytes
    /// too, but for the token, which nothing keeps.
    func readMe(_ call: ParseCall) async throws -> ParseResponse {
        guard let session = call.caller.session, let token = call.caller.token else { throw ParseFault.sessionInvalid }
        let written = try session.written(for: .parse, Self.me(session.user, call))
        return ParseResponse(.bytes(written.bytes(with: token)))
    }

    private static func me(_ user: User, _ call: ParseCall) -> JSONValue {
        var members = UserObject(user, for: call.caller).own()
        members["__type"] = "Object"
        members["className"] = "_User"
        return .object(members)
    }

    /// `GET /users/{objectId}`
    func readUser(_ call: ParseCall) async throws -> ParseResponse {
        let columns = try QueryOptions.columns(of: call)
        let user = try await modules.accounts.readUser(try call.id(), in: call.application.id)
        guard var members = call.caller.view(user).map(columns.cut) else { throw ParseFault.objectNotFound }
        if user.id == call.caller.session?.user.id, let token = call.caller.token {
            members["sessionToken"] = .string(token)
        }
        return ParseResponse(members)
    }

    /// `GET /users`: users whom the caller may read.
    func searchUsers(_ call: ParseCall) async throws -> ParseResponse {
        let options = try QueryOptions(call)
        var search = UserSearch(
            order: try WhereClause.order(options.order, isMaster: call.caller.isMaster), limit: options.limit,
            skip: options.skip, counts: options.counts,
            reader: call.caller.isMaster
                ? .everything
                : .user(call.caller.session?.user.id, seesUnlisted: call.caller.options.isReadableByAll))
        let request = SearchRequest(by: call.caller.isMaster ? .backend : .client(client(of: call)))
        if let asked = options.condition {
            let answered = try await answered(asked, by: search.reader, for: request, call)
            search.condition = try WhereClause.condition(answered, isMaster: call.caller.isMaster)
        }
        let found = try await modules.accounts.searchUsers(search, in: call.application, for: request)
        let results = found.users.compactMap { user in
            call.caller.view(user).map { JSONValue.object(options.columns.cut($0)) }
        }
        var members: [String: JSONValue] = ["results": .array(results)]
        if let count = found.count { members["count"] = .integer(Int64(clamping: count)) }
        return ParseResponse(members)
    }

    /// A `where` with the findings of the questions about other users in it.
    private func answered(
        _ condition: JSONValue, by reader: UserSearch.Reader, for request: SearchRequest, _ call: ParseCall
    ) async throws -> JSONValue {
        var subqueries = Subqueries(className: "_User") { condition, limit in
            let condition = try WhereClause.condition(condition, isMaster: call.caller.isMaster)
            let search = UserSearch(condition: condition, limit: limit, reader: reader)
            return try await modules.accounts.searchUsers(search, in: call.application, for: request).users
        } members: { user in
            call.caller.view(user)
        }
        do {
            return try await subqueries.answered(condition)
        } catch let refusal as Subqueries.Refusal {
            throw ParseFault(refusal)
        }
    }
}

extension ParseFault {
    fileprivate init(_ refusal: Subqueries.Refusal) {
        switch refusal {
        case .malformed(let name): self.init(102, "bad \(name) value")
        case .otherClass(let name): self.init(119, "\(name) is offered for _User alone: other classes are not here.")
        case .tooLarge(let name):
            self.init(
                102,
                "\(name) finds too much: \(Subqueries.maximumMatches) users each, "
                    + "\(Subqueries.maximumQueries) questions in all.")
        }
    }
}
