import Domain
import Foundation
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Searches for members.
final class SearchController: Sendable {
    private let requests: NCMBRequests
    private let searchUsers: SearchUsers
    private let readAnonymousId: ReadAnonymousId

    init(_ requests: NCMBRequests, _ modules: Modules) {
        self.requests = requests
        searchUsers = modules.directory.searchUsers
        readAnonymousId = modules.directory.readAnonymousId
    }

    /// `GET /users`: members whom the caller may read.
    func members(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        let member = try await requests.member(of: request, context, for: caller)
        let query = try NCMBQuery(request)
        let reading = MemberSearch(for: caller.options)
        var search = UserSearch(
            order: try reading.order(query["order"]), limit: try query.number("limit") ?? 100,
            skip: try query.number("skip") ?? 0, counts: query["count"].map { $0 != "0" } ?? false,
            reader: caller.reader(member?.user.id))
        let asking = SearchRequest(by: .client(requests.client(of: request, context)))
        if let text = query["where"], !text.isEmpty {
            search.condition = try reading.condition(
                try await answered(try MemberSearch.value(text), by: search.reader, for: asking, caller))
        }
        let found = try await searchUsers(search, in: caller.application, for: asking)
        let own = found.users.first { $0.id == member?.user.id }
        var anonymousId: Secret?
        if let own { anonymousId = try await readAnonymousId(of: own) }
        let results = found.users.map { user in
            user.id == own?.id
                ? MemberObject(user, for: caller, anonymousId: anonymousId).own()
                : MemberObject(user, for: caller).forOthers
        }
        let rows = try await included(results, query["include"], by: search.reader, for: asking, caller)
        var answer = NCMBObject([("results", .array(rows))])
        if let count = found.count { answer.append("count", .integer(Int64(clamping: count))) }
        return try NCMBResponse.signed(answer, for: caller)
    }

    /// What was found, with members in the place of the pointers that `include` names. A pointer to a member whom the
    /// caller may not read stays.
    private func included(
        _ results: [NCMBObject], _ include: String?, by reader: UserSearch.Reader, for request: SearchRequest,
        _ caller: NCMBCaller
    ) async throws -> [JSONValue] {
        guard let include, !include.isEmpty else { return results.map(\.value) }
        let searchUsers = searchUsers
        let users = IncludedUsers.Source(className: "user", keepsUnreadable: true) { ids in
            let search = UserSearch(
                condition: .isOneOf(.id, ids.map { .text($0) }), limit: ids.count, reader: reader)
            return try await searchUsers(search, in: caller.application, for: request).users
        } members: { user in
            MemberObject(user, for: caller).forOthers.fields
        }
        do {
            let names = include.pieces(at: ",").map { $0.withoutBlanks }
            return try await IncludedUsers(Set(names), users).expanded(results.map(\.fields)).map { .object($0) }
        } catch is IncludedUsers.Refusal {
            throw NCMBFault.notValid("include")
        }
    }

    /// A `where` with the findings of the questions about other members in it.
    private func answered(
        _ condition: JSONValue, by reader: UserSearch.Reader, for request: SearchRequest, _ caller: NCMBCaller
    ) async throws -> JSONValue {
        let (searchUsers, reading) = (searchUsers, MemberSearch(for: caller.options))
        var subqueries = Subqueries(className: "user") { condition, limit in
            let search = UserSearch(condition: try reading.condition(condition), limit: limit, reader: reader)
            return try await searchUsers(search, in: caller.application, for: request).users
        } members: { user in
            MemberObject(user, for: caller).forOthers.fields
        }
        do {
            return try await subqueries.answered(condition)
        } catch is Subqueries.Refusal {
            throw NCMBFault.notValid("where")
        }
    }

    /// `/classes/user`, which is not where members are.
    func membersAsClass(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        throw NCMBFault.prohibited
    }
}
