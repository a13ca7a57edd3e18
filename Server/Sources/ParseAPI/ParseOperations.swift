import Domain
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
    let answer: @Sendable (ParseCall) async throws -> ParseResponse

    init(
        _ method: HTTPRequest.Method, _ path: String, token: TokenUse = .checked,
        _ answer: @escaping @Sendable (ParseCall) async throws -> ParseResponse
    ) {
        self.method = method
        self.path = path
        segments = path.split(separator: "/")
        self.token = token
        self.answer = answer
    }
}

/// Every endpoint. A user is also an object of the class `_User`, a session one of `_Session`.
struct ParseOperations: Sendable {
    private let byName: [String: ParseOperation]

    init(_ modules: Modules) {
        let single = Self.users(modules) + Self.sessions(modules) + Self.service(modules)
        let batch = BatchController(operations: ParseOperations(single))
        self.init(single + [ParseOperation(.post, "/batch", batch.run)])
    }

    private init(_ operations: [ParseOperation]) {
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
            ParseOperation(.post, "/logout", logIn.end),
            ParseOperation(.post, "/loginAs", logIn.createAs),
            ParseOperation(.get, "/verifyPassword", logIn.verifyPassword),
            ParseOperation(.post, "/verifyPassword", logIn.verifyPassword),
        ]
    }

    private static func service(_ modules: Modules) -> [ParseOperation] {
        let service = ServiceController()
        return both("/roles", "/classes/_Role") { path in
            [
                ParseOperation(.get, path, service.listRoles),
                ParseOperation(.get, "\(path)/{objectId}") { _ in throw ParseFault.objectNotFound },
            ]
        } + [
            ParseOperation(.post, "/challenge", service.challenge),
            ParseOperation(.get, "/serverInfo", service.serverInfo),
            ParseOperation(.get, "/config", service.config),
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

    /// Checks the token, and asks the endpoint.
    func answer(_ call: ParseCall) async throws -> ParseResponse {
        guard let (operation, objectId) = find(call.method, call.segments) else {
            var call = call
            try await call.requests.authenticate(&call)
            throw ParseFault.unrouted(call)
        }
        var named = call
        named.objectId = objectId ?? ""
        return try await answer(named, by: operation)
    }

    func answer(_ call: ParseCall, by operation: ParseOperation) async throws -> ParseResponse {
        guard operation.token == .checked else { return try await operation.answer(call) }
        var known = call
        try await call.requests.authenticate(&known)
        return try await operation.answer(known)
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
