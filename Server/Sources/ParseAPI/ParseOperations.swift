import Domain
import HTTPSupport
import HTTPTypes

/// One endpoint.
struct ParseOperation: Sendable {
    /// What is done with a session token before the endpoint is asked.
    enum TokenUse: Sendable {
        /// A dead one is refused, even where none is needed: SDKs then log out.
        case checked
        case ignored
        case readByOperation
    }

    let method: HTTPRequest.Method
    let path: String
    /// The path's segments.
    let segments: [Substring]
    let token: TokenUse
    /// Whether it gives way to the app's own Parse Server.
    let isOfUpstream: Bool
    let answer: @Sendable (ParseCall) async throws -> ParseResponse

    init(
        _ method: HTTPRequest.Method, _ path: String, token: TokenUse = .checked, isOfUpstream: Bool = false,
        _ answer: @escaping @Sendable (ParseCall) async throws -> ParseResponse
    ) {
        self.method = method
        self.path = path
        segments = path.pieces(at: "/")
        self.token = token
        self.isOfUpstream = isOfUpstream
        self.answer = answer
    }
}

/// Every endpoint. A user is also an object of the class `_User`, a session one of `_Session`.
struct ParseOperations: Sendable {
    private let byName: [String: ParseOperation]
    /// What has no operation here, for apps with a Parse Server of their own.
    private let upstream: UpstreamController

    init(_ modules: Modules, _ upstream: UpstreamController) {
        let single = Self.users(modules) + Self.sessions(modules) + Self.roles(modules) + Self.service()
        let batch = BatchController(operations: ParseOperations(single, upstream))
        self.init(single + [ParseOperation(.post, "/batch", batch.run)], upstream)
    }

    private init(_ operations: [ParseOperation], _ upstream: UpstreamController) {
        self.upstream = upstream
        byName = Dictionary(
            operations.map { ("\($0.method.rawValue) \($0.path)", $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func users(_ modules: Modules) -> [ParseOperation] {
        let (users, signUp, mails) = (UsersController(modules), SignUpController(modules), MailController(modules))
        return both("/users", "/classes/_User") { path in
            [
                ParseOperation(.post, path, signUp.create),
                ParseOperation(.get, path, users.search),
                ParseOperation(.get, "\(path)/me", users.readMe),
                ParseOperation(.get, "\(path)/{objectId}", users.read),
                ParseOperation(.put, "\(path)/{objectId}", users.update),
                ParseOperation(.delete, "\(path)/{objectId}", users.delete),
            ]
        } + [
            ParseOperation(.get, "/aggregate/{objectId}", users.distinct),
            ParseOperation(.post, "/requestPasswordReset", mails.sendPasswordReset),
            ParseOperation(.post, "/verificationEmailRequest", mails.sendVerification),
        ]
    }

    private static func sessions(_ modules: Modules) -> [ParseOperation] {
        let (sessions, logIn) = (SessionsController(modules), LogInController(modules))
        return both("/sessions", "/classes/_Session") { path in
            [
                ParseOperation(.get, "\(path)/me", token: .readByOperation, sessions.readCurrent),
                ParseOperation(.get, path, sessions.list),
                ParseOperation(.post, path, sessions.create),
                ParseOperation(.get, "\(path)/{objectId}", sessions.read),
                ParseOperation(.put, "\(path)/{objectId}", sessions.update),
                ParseOperation(.delete, "\(path)/{objectId}", sessions.delete),
            ]
        } + [
            ParseOperation(.post, "/upgradeToRevocableSession", token: .readByOperation, sessions.upgrade),
            ParseOperation(.get, "/login", token: .ignored, logIn.create),
            ParseOperation(.post, "/login", token: .ignored, logIn.create),
            ParseOperation(.post, "/logout", token: .readByOperation, logIn.end),
            ParseOperation(.post, "/loginAs", logIn.createAs),
            ParseOperation(.get, "/verifyPassword", logIn.verifyPassword),
            ParseOperation(.post, "/verifyPassword", logIn.verifyPassword),
        ]
    }

    private static func roles(_ modules: Modules) -> [ParseOperation] {
        let roles = RolesController(modules)
        return both("/roles", "/classes/_Role") { path in
            [
                ParseOperation(.get, path, isOfUpstream: true, roles.list),
                ParseOperation(.post, path, isOfUpstream: true, roles.create),
                ParseOperation(.get, "\(path)/{objectId}", isOfUpstream: true, roles.read),
                ParseOperation(.put, "\(path)/{objectId}", isOfUpstream: true, roles.update),
                ParseOperation(.delete, "\(path)/{objectId}", isOfUpstream: true, roles.delete),
            ]
        }
    }

    private static func service() -> [ParseOperation] {
        let service = ServiceController()
        return [
            ParseOperation(.post, "/challenge", service.challenge),
            ParseOperation(.get, "/serverInfo", isOfUpstream: true, service.serverInfo),
            ParseOperation(.get, "/config", isOfUpstream: true, service.config),
        ]
    }

    private static func both(
        _ first: String, _ second: String, _ operations: (String) -> [ParseOperation]
    ) -> [ParseOperation] { operations(first) + operations(second) }

    /// The paths of all of them.
    var paths: Set<String> { Set(byName.values.map(\.path)) }

    subscript(method: HTTPRequest.Method, path: String) -> ParseOperation? { byName["\(method.rawValue) \(path)"] }

    /// The operation that a method and the segments behind the prefix name, and what stands for `{objectId}`.
    func find(
        _ method: HTTPRequest.Method, _ segments: [Substring]
    ) -> (operation: ParseOperation, objectId: String?)? {
        let path = "/" + segments.joined(separator: "/")
        if let found = byName["\(method.rawValue) \(path)"] { return (found, nil) }
        guard let last = segments.last, segments.count > 1 else { return nil }
        let pattern = "/" + segments.dropLast().joined(separator: "/") + "/{objectId}"
        guard let found = byName["\(method.rawValue) \(pattern)"] else { return nil }
        return (found, String(last))
    }

    /// Whether a call leads anywhere.
    func routes(_ call: ParseCall) -> Bool {
        find(call.method, call.segments) != nil || UpstreamController.takes(call)
    }

    /// Checks the token, and asks the endpoint.
    func answer(_ call: ParseCall) async throws -> ParseResponse {
        guard let (operation, objectId) = find(call.method, call.segments) else { return try await pass(call) }
        var named = call
        // An id that an import brought may have signs that SDKs write in percents.
        named.objectId = objectId.map { PercentEncoding.text(ofSegment: $0) ?? $0 } ?? ""
        return try await answer(named, by: operation)
    }

    func answer(_ call: ParseCall, by operation: ParseOperation) async throws -> ParseResponse {
        if operation.gives(call) { return try await pass(call) }
        guard operation.token == .checked else { return try await operation.answer(call) }
        var known = call
        try await call.requests.authenticate(&known)
        return try await operation.answer(known)
    }

    private func pass(_ call: ParseCall) async throws -> ParseResponse {
        var known = call
        try await call.requests.authenticate(&known)
        guard UpstreamController.takes(known) else { throw ParseFault.unrouted(known) }
        return try await upstream.respond(to: known)
    }
}

extension ParseOperation {
    /// Whether a call is left to the app's own Parse Server: what is only empty here, and questions about other classes.
    fileprivate func gives(_ call: ParseCall) -> Bool {
        guard isOfUpstream || segments.first == "aggregate" && call.objectId != "_User" else { return false }
        return UpstreamController.takes(call)
    }
}

extension ParseFault {
    /// What the original has and this server has not.
    private static let absent: Set<Substring> = [
        "classes", "roles", "sessions", "installations", "files", "functions", "jobs", "push", "push_audiences",
        "schemas",
        "hooks", "aggregate", "purge", "events", "products", "validate_purchase", "cloud_code", "scriptlog", "config",
        "cloud", "apps", "export_progress",
    ]

    fileprivate static func unrouted(_ call: ParseCall) -> ParseFault {
        guard let first = call.segments.first, absent.contains(first) else {
            return .cannotRoute(call.method, call.path)
        }
        return .notOffered
    }
}
