import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire

/// Sessions as objects of an app.
final class SessionsController: Sendable {
    private let sessions: Sessions
    private let readUser: ReadUser
    private let recordReading: RecordReading

    init(_ modules: Modules) {
        sessions = modules.sessions
        readUser = modules.directory.readUser
        recordReading = modules.directory.recordReading
    }

    /// `GET /sessions/me`: from the token alone, also when it has expired. While its user is kept out it is refused as on every other
    /// path.
    func readCurrent(_ call: ParseCall) async throws -> ParseResponse {
        guard let token = call.caller.token, !token.isEmpty else { throw ParseFault.sessionRequired }
        guard let found = try await sessions.findSession(token[...], in: call.application, of: .parse) else {
            throw ParseFault(209, "Session token not found.")
        }
        guard call.caller.isMaster || !found.user.isDisabled else { throw DomainError.userDisabled }
        return ParseResponse(SessionObject(session: found.session, token: token).members)
    }

    /// `GET /sessions`: the caller's, oldest first; for an administrator those of everybody, or of the user whom `where`
    /// names.
    func list(_ call: ParseCall) async throws -> ParseResponse {
        let options = try QueryOptions(call)
        let filter = try SessionFilter(options.condition)
        let page = try await page(options, filter, call)
        let results = try await shown(page.sessions, options, tokenAsked: filter.token, call)
        var members: [String: JSONValue] = ["results": .array(results.map { .object($0) })]
        if options.counts { members["count"] = .integer(Int64(clamping: page.count)) }
        // They say who is where, and have their users in them where `include` asks for these.
        if call.caller.isMaster {
            try await recordReading(of: nil, in: call.application.id, by: call.administrator)
        }
        return ParseResponse(members)
    }

    /// Sessions as the caller sees them, with their users where `include` asks for these.
    private func shown(
        _ found: [Session], _ options: QueryOptions, tokenAsked: String? = nil, _ call: ParseCall
    ) async throws -> [[String: JSONValue]] {
        var users: [Identifier<User>: JSONValue] = [:]
        if options.includes.contains("user") || options.includes.contains("*") {
            for user in Set(found.map(\.user)) { users[user] = try await view(user, call) }
        }
        return found.map { session in
            var members = SessionObject(session: session, token: tokenAsked ?? token(of: session, call)).members
            if let user = users[session.user] { members["user"] = user }
            return options.columns.cut(members)
        }
    }

    private func page(
        _ options: QueryOptions, _ filter: SessionFilter, _ call: ParseCall
    ) async throws -> (sessions: [Session], count: Int) {
        if let token = filter.token {
            let found = try await sessions.findSession(token[...], in: call.application, of: .parse)?.session
            guard call.caller.isMaster || call.caller.session != nil else { throw ParseFault.sessionInvalid }
            guard let found, filter.fits(found), call.caller.isMaster || found.user == call.caller.session?.user.id
            else { return ([], 0) }
            return (Array([found].dropFirst(options.skip).prefix(options.limit)), 1)
        }
        let newestFirst = options.order?.hasPrefix("-createdAt") == true
        let owner: Identifier<User>
        if !call.caller.isMaster {
            guard let session = call.caller.session else { throw ParseFault.sessionInvalid }
            owner = session.user.id
        } else if let user = filter.user {
            owner = user
        } else if let id = filter.id {
            let found = try await sessions.findSession(Identifier(rawValue: id), in: call.application, of: .parse)
            owner = found?.user ?? Identifier(rawValue: "")
        } else {
            guard filter.isEmpty else {
                throw ParseFault(119, "Sessions of all users are found by user and objectId alone.")
            }
            return try await sessions.listSessions.all(
                of: .parse, in: call.application, newestFirst: newestFirst, skip: options.skip, limit: options.limit)
        }
        let found = try await list(of: owner, call).filter(filter.fits)
        let ordered = newestFirst ? found : found.reversed()
        return (Array(ordered.dropFirst(options.skip).prefix(options.limit)), found.count)
    }

    /// `GET /sessions/{objectId}`
    func read(_ call: ParseCall) async throws -> ParseResponse {
        let options = try QueryOptions(ofOne: call)
        guard let found = try await session(call) else { throw ParseFault.objectNotFound }
        return ParseResponse(try await shown([found], options, call).first ?? [:])
    }

    /// `POST /sessions`: a further session of the caller, with what the app keeps of it.
    func create(_ call: ParseCall) async throws -> ParseResponse {
        guard let session = call.caller.session else { throw ParseFault.sessionRequired }
        let change = try SessionChange(call.body.filter { $0.key != "user" }, of: nil, isMaster: call.caller.isMaster)
        let logIn = try await sessions.openSession(
            from: session, .creation, fields: try change.fields.newFields(), call)
        return ParseResponse(
            Self.opened(logIn), status: .created, headers: call.location("/classes/_Session/\(logIn.session.id)"))
    }

    /// `PUT /sessions/{objectId}`: what the app keeps of a session; its end too, for an administrator.
    func update(_ call: ParseCall) async throws -> ParseResponse {
        guard let found = try await session(call) else {
            throw call.objectId == "me"
                ? ParseFault(105, "A session is changed by its objectId.") : ParseFault.objectNotFound
        }
        let shown = SessionObject(session: found, token: token(of: found, call))
        let change = try SessionChange(call.body, of: shown, isMaster: call.caller.isMaster)
        let author: EditSession.Author
        if call.caller.isMaster {
            author = .operator(call.administrator)
        } else {
            guard let session = call.caller.session else { throw ParseFault.sessionRequired }
            author = .owner(session)
        }
        var asked = EditSession.Request(found.id, in: call.application, of: .parse, by: author)
        asked.operations = change.fields.operations
        asked.expiresAt = change.expiresAt
        let changed = try await sessions.editSession(asked)
        var members = changed.fields.filter { change.fields.echoed.contains($0.key) }
        members["updatedAt"] = .string((changed.updatedAt ?? changed.createdAt).text)
        return ParseResponse(members)
    }

    /// `DELETE /sessions/{objectId}`: the token is dead at once.
    func delete(_ call: ParseCall) async throws -> ParseResponse {
        do {
            if call.caller.isMaster {
                // One of this protocol: of others none is shown, and all of the application would be looked through for it.
                guard let found = try await session(call) else { throw DomainError.sessionUnknown }
                try await sessions.endSession(
                    found.id, of: found.user, in: call.application.id, by: call.administrator)
            } else {
                guard let session = call.caller.session else { throw ParseFault.sessionInvalid }
                let id: Identifier<Session> = try call.id()
                guard try await list(of: session.user.id, call).contains(where: { $0.id == id }) else {
                    throw DomainError.sessionUnknown
                }
                try await sessions.endSession(id, by: session, from: call.origin)
            }
        } catch let error as DomainError {
            guard error == .sessionUnknown || error == .userUnknown else { throw error }
            throw ParseFault.objectNotFoundForDelete
        }
        return ParseResponse([:])
    }

    /// `POST /upgradeToRevocableSession`: a revocable session in the place of a token of the old kind.
    func upgrade(_ call: ParseCall) async throws -> ParseResponse {
        guard let token = call.caller.token, !token.isEmpty else { throw ParseFault(101, "invalid session") }
        var call = call
        let isLegacy = !token.hasPrefix("r:")
        do {
            try await call.requests.authenticate(&call)
        } catch let fault as ParseFault {
            throw isLegacy && fault.code == 209 ? ParseFault(209, "invalid legacy session token") : fault
        }
        guard let session = call.caller.session else { throw ParseFault.sessionInvalid }
        let logIn = try await sessions.openSession(
            from: session, .upgrade, replacing: isLegacy ? session.session.id : nil, call)
        return ParseResponse(Self.opened(logIn))
    }

    private static func opened(_ logIn: LogIn) -> [String: JSONValue] {
        SessionObject(session: logIn.session, token: logIn.token.revealed).members
            .filter { $0.key != "createdAt" && $0.key != "updatedAt" }
    }

    /// The session that the path names: one of the caller's, or anybody's for an administrator.
    ///
    /// - Throws: 209 without a session.
    private func session(_ call: ParseCall) async throws -> Session? {
        let id: Identifier<Session> = try call.id()
        if call.caller.isMaster {
            return try await sessions.findSession(id, in: call.application, of: .parse)
        }
        guard let session = call.caller.session else { throw ParseFault.sessionRequired }
        return try await list(of: session.user.id, call).first { $0.id == id }
    }

    /// Those of this protocol.
    private func list(of user: Identifier<User>, _ call: ParseCall) async throws(DomainError) -> [Session] {
        try await sessions.listSessions(of: user, in: call.application).filter { $0.protocolName == .parse }
    }

    /// The token that the request itself has shown.
    private func token(of session: Session, _ call: ParseCall) -> String? {
        session.id == call.caller.session?.session.id ? call.caller.token : nil
    }

    private func view(_ id: Identifier<User>, _ call: ParseCall) async throws(DomainError) -> JSONValue? {
        guard var members = call.caller.view(try await readUser(id, in: call.application.id)) else {
            return nil
        }
        members["__type"] = "Object"
        members["className"] = "_User"
        return .object(members)
    }
}
