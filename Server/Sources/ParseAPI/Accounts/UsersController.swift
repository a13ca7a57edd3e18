import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Users: read, found, changed and erased.
final class UsersController: Sendable {
    private let directory: UserDirectory
    private let accounts: Accounts
    private let eraseUser: EraseAccessibleUser
    private let openSession: OpenSession
    private let requestEmailVerification: RequestEmailVerification
    private let verifyCredential: VerifyCredential

    init(_ modules: Modules) {
        directory = modules.directory
        accounts = modules.accounts
        eraseUser = modules.deletion.eraseAccessibleUser
        openSession = modules.sessions.openSession
        requestEmailVerification = modules.messaging.requestEmailVerification
        verifyCredential = modules.providers.verifyCredential
    }

    /// `GET /users/me`: the hot path. The session's cache has the user already, and after the first time the answer's bytes
    /// too, but for the token, which nothing keeps.
    func readMe(_ call: ParseCall) async throws -> ParseResponse {
        guard let session = call.caller.session, let token = call.caller.token else { throw ParseFault.sessionInvalid }
        // An administrator sees fields that are hidden from the user, whose bytes are in the cache.
        guard !call.caller.isMaster else {
            var members = Self.me(session.user, call)
            members["sessionToken"] = .string(token)
            return ParseResponse(members)
        }
        let written = try session.written(for: .parse, JSONValue.object(Self.me(session.user, call)))
        return ParseResponse(.bytes(written.bytes(with: token)))
    }

    private static func me(_ user: User, _ call: ParseCall) -> [String: JSONValue] {
        var members = UserObject(user, for: call.caller).own()
        members["__type"] = "Object"
        members["className"] = "_User"
        return members
    }

    /// `GET /users/{objectId}`
    func read(_ call: ParseCall) async throws -> ParseResponse {
        let options = try QueryOptions(ofOne: call)
        let user = try await directory.readUser(try call.id(), in: call.application.id)
        guard let view = call.caller.view(user).map(options.columns.cut) else { throw ParseFault.objectNotFound }
        var members =
            try await expanded([view], options, for: call.caller.reader, SearchRequest(by: searcher(call)), call).first
            ?? view
        if user.id == call.caller.session?.user.id, let token = call.caller.token {
            members["sessionToken"] = .string(token)
        }
        return ParseResponse(members)
    }

    /// `GET /users`: users whom the caller may read.
    func search(_ call: ParseCall) async throws -> ParseResponse {
        let options = try QueryOptions(call)
        if let role = try RolePointer.roleOfUsers(options.condition) {
            return try await members(of: role, options, call)
        }
        let reader = call.caller.reader
        var search = UserSearch(
            order: try WhereClause.order(options.order, for: reader), limit: options.limit, skip: options.skip,
            counts: options.counts, reader: reader)
        let request = SearchRequest(by: searcher(call))
        var filter: ExpressionFilter?
        var nearest: NearestFirst?
        if let asked = options.condition {
            let answered = try await answered(asked, by: reader, for: request, call)
            let formula = try WhereClause.formula(answered, for: reader)
            if let condition = formula.condition {
                search.condition = condition
            } else {
                filter = try ExpressionFilter(formula)
                if options.order == nil { nearest = NearestFirst(answered) }
            }
        }
        let found =
            if let filter, let nearest {
                try await find(search, nearest, fitting: filter, for: request, call)
            } else if let filter {
                try await find(search, fitting: filter, for: request, call)
            } else {
                try await directory.searchUsers(search, in: call.application, for: request)
            }
        let rows = found.users.compactMap { user in call.caller.view(user).map { options.columns.cut($0) } }
        let results = try await expanded(rows, options, for: reader, request, call)
        var members: [String: JSONValue] = ["results": .array(results.map { .object($0) })]
        if let count = found.count { members["count"] = .integer(Int64(clamping: count)) }
        try await recordReading(call)
        return ParseResponse(members)
    }

    /// The users of a role, for an administrator: those to whom it was given, in the order of their ids.
    private func members(
        of role: Identifier<Grant>, _ options: QueryOptions, _ call: ParseCall
    ) async throws -> ParseResponse {
        guard call.caller.isMaster else { throw ParseFault(119, "Users of a role are listed with the master key.") }
        let limit = min(options.limit, UserSearch.maximumLimit)
        var (rows, passed, last, size) = ([JSONValue](), 0, Identifier<User>?.none, ResponseSize())
        var isEnd = false
        while !isEnd, options.counts || rows.count < limit {
            guard passed < Self.maximumMembers else {
                throw ParseFault.invalidQuery("Of a role's users the first \(Self.maximumMembers) are found.")
            }
            let page = try await directory.listMembers(
                of: role, in: call.application.id, for: .unrestricted, after: last,
                limit: ListMembers.maximumPageSize)
            (last, isEnd) = (page.next, page.next == nil)
            for user in page.users {
                guard let view = call.caller.view(user) else { continue }
                passed += 1
                guard passed > options.skip, rows.count < limit else { continue }
                try size.add(ResponseSize.of(user))
                rows.append(.object(options.columns.cut(view)))
            }
        }
        var members: [String: JSONValue] = ["results": .array(rows)]
        if options.counts { members["count"] = .integer(Int64(clamping: passed)) }
        try await recordReading(call)
        return ParseResponse(members)
    }

    /// Finds users whom the database finds and a filter lets through.
    private func find(
        _ search: UserSearch, fitting filter: ExpressionFilter, for request: SearchRequest, _ call: ParseCall
    ) async throws -> UserSearch.Findings {
        let limit = min(search.limit, UserSearch.maximumLimit)
        var (users, passed, size) = ([User](), 0, ResponseSize())
        try await lookThrough(search, fitting: filter, for: request, call) { part in
            for user in part {
                passed += 1
                guard passed > search.skip, users.count < limit else { continue }
                try size.add(ResponseSize.of(user))
                users.append(user)
            }
            return search.counts || users.count < limit
        }
        return UserSearch.Findings(users: users, count: search.counts ? passed : nil)
    }

    /// Finds them by their distance from a point: all are looked at, and the nearest kept.
    private func find(
        _ search: UserSearch, _ nearest: NearestFirst, fitting filter: ExpressionFilter, for request: SearchRequest,
        _ call: ParseCall
    ) async throws -> UserSearch.Findings {
        guard search.skip <= UserSearch.maximumLimit else {
            throw ParseFault.invalidQuery("The query is too large: skip.")
        }
        let last = search.skip + min(search.limit, UserSearch.maximumLimit)
        var (kept, passed) = ([(angle: Double, user: User)](), 0)
        try await lookThrough(search, fitting: filter, for: request, call) { part in
            for user in part {
                guard let angle = nearest.angle(to: user) else { continue }
                passed += 1
                kept.append((angle, user))
            }
            kept.sort { first, second in
                first.angle == second.angle
                    ? first.user.id.rawValue < second.user.id.rawValue : first.angle < second.angle
            }
            kept.removeLast(max(0, kept.count - last))
            var size = ResponseSize()
            for (_, user) in kept { try size.add(ResponseSize.of(user)) }
            return true
        }
        let users = kept.dropFirst(search.skip).map { $0.user }
        return UserSearch.Findings(users: users, count: search.counts ? passed : nil)
    }

    /// Looks through users whom the database finds and a filter lets through, a part at a time.
    ///
    /// - Parameters:
    ///   - search: What is asked of the database.
    ///   - filter: What is asked of each user.
    ///   - request: Whose time it takes.
    ///   - call: Who asks.
    ///   - collect: Takes a part, and says whether more are wanted.
    /// - Throws: `DomainError`, and what `collect` throws.
    private func lookThrough(
        _ search: UserSearch, fitting filter: ExpressionFilter, for request: SearchRequest, _ call: ParseCall,
        collect: ([User]) throws -> Bool
    ) async throws {
        var filter = filter
        var part = search
        (part.condition, part.probes, part.counts) = (filter.condition, filter.probes, false)
        part.limit = UserSearch.maximumLimit
        for page in 0..<Self.maximumPages {
            part.skip = page * UserSearch.maximumLimit
            let begun = filter
            let (fitting, isLast, left) = try await directory.searchUsers(part, in: call.application, for: request) {
                found throws(DomainError) in
                var (fitting, left) = ([User](), begun)
                for (number, user) in found.users.enumerated() {
                    guard try left.fits(user, found.probed.isEmpty ? [] : found.probed[number]) else { continue }
                    fitting.append(user)
                }
                return (fitting, found.users.count < UserSearch.maximumLimit, left)
            }
            filter = left
            guard try collect(fitting), !isLast else { return }
        }
        throw ParseFault(124, "The query takes too long.")
    }

    /// `GET /aggregate/_User`: the different values of a field, for an administrator.
    func distinct(_ call: ParseCall) async throws -> ParseResponse {
        guard call.caller.isMaster else { throw ParseFault.needsMaster }
        let known: Set<String> = ["distinct", "where", "hint", "comment", "explain"]
        guard call.objectId == "_User", call.query.keys.allSatisfy(known.contains),
            case .string(let name)? = call.query["distinct"]
        else { throw ParseFault.notOffered }
        guard try WhereClause.field(name, for: .everything) != nil else { throw ParseFault.invalidField(name) }
        let path = name.pieces(at: ".").map(String.init)
        let condition = try QueryOptions.condition(of: call).map { value throws(ParseFault) in
            try WhereClause.condition(value, for: .everything)
        }
        let request = SearchRequest(by: .backend)
        var (values, seen, last): ([JSONValue], Set<JSONValue>, String) = ([], [], "")
        var size = ResponseSize()
        for _ in 0..<Self.maximumPages {
            let search = UserSearch(
                condition: .all([.compares(.id, .greater, .text(last))] + (condition.map { [$0] } ?? [])),
                limit: UserSearch.maximumLimit, reader: .everything)
            let found = try await directory.searchUsers(search, in: call.application, for: request).users
            for user in found {
                let members = JSONValue.object(UserObject(user, for: call.caller).own())
                for value in Self.values(path[...], of: members) where seen.insert(value).inserted {
                    try size.add(ResponseSize.of(value))
                    values.append(value)
                }
            }
            guard found.count == UserSearch.maximumLimit, let next = found.last else {
                try await recordReading(call)
                return ParseResponse(["results": .array(values)])
            }
            last = next.id.rawValue
        }
        throw ParseFault(124, "The query takes too long.")
    }

    /// What a master key reads of many users stands in the audit log, as what admins read does (requirement 42).
    private func recordReading(_ call: ParseCall) async throws {
        guard call.caller.isMaster else { return }
        try await directory.recordReading(of: nil, in: call.application.id, by: call.administrator)
    }

    /// How many parts of a thousand users each are looked through.
    private static let maximumPages = 20
    /// How many users of a role a request looks at: each is read by itself.
    private static let maximumMembers = 10_000

    /// What stands at a path: of a list its elements.
    private static func values(_ path: ArraySlice<String>, of value: JSONValue) -> [JSONValue] {
        switch (value, path.first) {
        case (.array(let values), _): values.flatMap { Self.values(path, of: $0) }
        case (.null, _): []
        case (_, nil): [value]
        case (.object(let members), let name?):
            members[name].map { Self.values(path.dropFirst(), of: $0) } ?? []
        default: []
        }
    }

    private func searcher(_ call: ParseCall) -> SearchRequest.Caller {
        call.caller.isMaster ? .backend : .client(call.client)
    }

    private func expanded(
        _ rows: [[String: JSONValue]], _ options: QueryOptions, for reader: UserSearch.Reader, _ request: SearchRequest,
        _ call: ParseCall
    ) async throws -> [[String: JSONValue]] {
        guard !options.includes.isEmpty else { return rows }
        let searchUsers = directory.searchUsers
        // As in the reference, a user whom the caller may not read leaves nothing.
        let users = IncludedUsers.Source(className: "_User", keepsUnreadable: false) { ids in
            let search = UserSearch(
                condition: .isOneOf(.id, ids.map { .text($0) }), limit: ids.count, reader: reader)
            return try await searchUsers(search, in: call.application, for: request).users
        } members: { user in
            call.caller.view(user)
        }
        do {
            return try await IncludedUsers(options.includes, users).expanded(rows)
        } catch let refusal as IncludedUsers.Refusal {
            throw ParseFault.invalidQuery(refusal == .tooDeep ? "include goes too deep." : "include names too much.")
        }
    }

    /// A `where` with the findings of the questions about other users in it.
    private func answered(
        _ condition: JSONValue, by reader: UserSearch.Reader, for request: SearchRequest, _ call: ParseCall
    ) async throws -> JSONValue {
        var subqueries = Subqueries(className: "_User") { [directory] condition, limit in
            let condition = try WhereClause.condition(condition, for: reader)
            let search = UserSearch(condition: condition, limit: limit, reader: reader)
            return try await directory.searchUsers(search, in: call.application, for: request).users
        } members: { user in
            call.caller.view(user)
        }
        do {
            return try await subqueries.answered(condition)
        } catch let refusal as Subqueries.Refusal {
            throw ParseFault(refusal)
        }
    }

    /// `PUT /users/{objectId}`: fields and operations, identifiers, a password, access, and what leads to the user.
    func update(_ call: ParseCall) async throws -> ParseResponse {
        guard call.caller.isMaster || call.caller.session != nil else {
            throw ParseFault(206, "Cannot modify user \(MemberFault.printable(call.objectId)).")
        }
        do {
            return try await changed(call)
        } catch {
            // The SDKs read this code, also for a proof that does not hold.
            throw ParseErrors.fault(error).code == 101 && !call.caller.isMaster ? ParseFault.insufficientAuth : error
        }
    }

    private func changed(_ call: ParseCall) async throws -> ParseResponse {
        let id: Identifier<User> = try call.id()
        let change = try UserChange(call.body, of: id, isMaster: call.caller.isMaster)
        var changes = UserEdit(
            compatible: .operations(change.fields.operations),
            identifiers: NewIdentifiers(username: change.username, email: change.email, rules: call.caller.rules))
        changes.acl = change.acl
        changes.isEmailVerified = change.isEmailVerified
        changes.isDisabled = change.isDisabled(by: call.caller)
        if let password = change.password {
            let renewal = UserEdit.Renewal(protocolName: .parse, device: call.caller.device)
            changes.password = .set(password, renewal: call.caller.isMaster ? nil : renewal)
        }
        var linksByMaster = false
        if let sent = call.body["authData"] {
            let linked = try await directory.readLinkedIdentities(
                of: id, in: call.application.id, for: call.caller.actor, session: call.caller.session)
            let authData = try AuthDataRequest(sent, linked: linked)
            changes.people = try await verifyCredential(authData, call)
            changes.anonymousId = authData.anonymousId
            changes.unlinked = authData.unlinked
            linksByMaster = call.caller.isMaster && !authData.isEmpty
        }
        let changed = try await accounts.editUser(
            changes, of: id, in: call.application,
            by: AccountAuthor(call.caller.actor, of: id, session: call.caller.session, from: call.origin))
        if changed.hasNewEmail {
            await requestEmailVerification.confirm(changed.user, by: call.caller.session?.session, call)
        }
        var token = changed.token
        if linksByMaster { token = try await openSession(of: id, byAdministratorOf: call).token }
        var members: [String: JSONValue] = ["updatedAt": .string(changed.user.updatedAt.text)]
        let echoed = UserObject(changed.user, for: call.caller)
            .fields(change.fields.echoed, isOwn: id == call.caller.session?.user.id)
        members.merge(echoed) { $1 }
        if let token { members["sessionToken"] = .string(token.revealed) }
        return ParseResponse(members)
    }

    /// `DELETE /users/{objectId}`: at once and for good, with all sessions.
    func delete(_ call: ParseCall) async throws -> ParseResponse {
        guard call.caller.isMaster || call.caller.session != nil else {
            throw ParseFault(206, "Insufficient auth to delete user")
        }
        do {
            let id: Identifier<User> = try call.id()
            try await eraseUser(
                id, in: call.application,
                by: AccountAuthor(call.caller.actor, of: id, session: call.caller.session, from: call.origin),
                seesLeaving: false)
        } catch {
            guard error.isMissing else { throw error }
            throw call.caller.isMaster ? ParseFault.objectNotFoundForDelete : .insufficientAuth
        }
        return ParseResponse([:])
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

extension DomainError {
    /// Whether there is no such user, as far as the caller is concerned.
    fileprivate var isMissing: Bool { self == .userUnknown || self == .accessRefused }
}
