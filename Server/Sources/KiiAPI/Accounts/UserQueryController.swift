import Domain
import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// Users by what they are.
final class UserQueryController: Sendable {
    private let searchUsers: SearchUsers
    private let recordReading: RecordReading

    private static let usualLimit = 100
    private static let maximumLimit = 200

    init(_ modules: Modules) {
        searchUsers = modules.directory.searchUsers
        recordReading = modules.directory.recordReading
    }

    /// `POST /apps/{appID}/users/query`, for administrators.
    func find(_ request: KiiRequest) async throws -> Response {
        let body = try await request.body()
        guard let asked = body.members["userQuery"], case .object(let query) = asked,
            !asked.holds(moreThan: UserSearch.maximumValues)
        else { throw KiiFault.invalid(["userQuery"]) }
        var page = try Page(body)
        var search = UserSearch(
            condition: try KiiClause.condition(query["clause"] ?? ["type": "all"]), limit: page.limit + 1,
            skip: page.skip, reader: .everything)
        if case .string(let field)? = query["orderBy"] {
            search.order = [UserOrder(try KiiClause.field(field), isDescending: query["descending"] == true)]
        }
        let searching = SearchRequest(by: .backend)
        let found: [User]
        do throws(DomainError) {
            found = try await searchUsers(search, in: request.application, for: searching).users
        } catch {
            guard case .searchTooLarge = error, let shorter = page.shorter else { throw error }
            page = shorter
            search.limit = page.limit + 1
            found = try await searchUsers(search, in: request.application, for: searching).users
        }
        try await recordReading(
            of: nil, in: request.application.id, by: Operator(actor: .protocolKey(.kii), origin: request.origin))
        var members: [String: JSONValue] = [
            "results": .array(
                found.prefix(page.limit).map { user in
                    .object(KiiUserObject.full(user.shown(to: .server, in: request.application), request.options))
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

        /// The most users of a page that would hold too much: with the largest fields that can be set they fit.
        private static let shorterLimit = 20

        var next: String { "\(limit)/\(skip / limit + 1)" }

        /// A part of the page, of which the pages after it begin where a part of the same size ends.
        var shorter: Page? {
            guard let part = (1...Self.shorterLimit).last(where: { limit.isMultiple(of: $0) }), part < limit else {
                return nil
            }
            return Page(limit: part, skip: skip)
        }

        private init(limit: Int, skip: Int) {
            self.limit = limit
            self.skip = skip
        }

        init(_ body: KiiBody) throws(KiiFault) {
            var asked = usualLimit
            if let number = try body.number("bestEffortLimit") {
                guard number > 0 else { throw .invalid(["bestEffortLimit"]) }
                asked = min(Int(clamping: number), maximumLimit)
            }
            guard let key = try body.text("paginationKey") else {
                (limit, skip) = (asked, 0)
                return
            }
            let parts = key.pieces(at: "/").map { Int($0, radix: 10) }
            guard parts.count == 2, let size = parts[0], let pages = parts[1], (1...maximumLimit).contains(size),
                (0...UserSearch.maximumSkip / size).contains(pages)
            else { throw .invalid(["paginationKey"]) }
            (limit, skip) = (size, size * pages)
        }
    }
}
