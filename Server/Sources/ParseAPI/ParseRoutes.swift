import Domain
package import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

extension ParseAPI {
    /// Every endpoint. A user is also an object of the class `_User`, a session one of `_Session`.
    static let operations = [userOperations, sessionOperations, roleOperations, otherOperations].flatMap { $0 }

    private static let userOperations = both("/users", "/classes/_User") { path in
        [
            ParseOperation(.post, path) { try await $0.signUp($1) },
            ParseOperation(.get, path) { try await $0.searchUsers($1) },
            ParseOperation(.get, "\(path)/me") { try await $0.readMe($1) },
            ParseOperation(.get, "\(path)/{objectId}") { try await $0.readUser($1) },
            ParseOperation(.put, "\(path)/{objectId}") { try await $0.updateUser($1) },
            ParseOperation(.delete, "\(path)/{objectId}") { try await $0.deleteUser($1) },
        ]
    }

    private static let sessionOperations = both("/sessions", "/classes/_Session") { path in
        [
            ParseOperation(.get, "\(path)/me", token: .readByOperation) { try await $0.readMySession($1) },
            ParseOperation(.get, path) { try await $0.listSessions($1) },
            ParseOperation(.post, path) { try await $0.createSession($1) },
            ParseOperation(.get, "\(path)/{objectId}") { try await $0.readSession($1) },
            ParseOperation(.put, "\(path)/{objectId}") { try await $0.updateSession($1) },
            ParseOperation(.delete, "\(path)/{objectId}") { try await $0.deleteSession($1) },
        ]
    }

    private static let roleOperations = both("/roles", "/classes/_Role") { path in
        [
            ParseOperation(.get, path) { try await $0.listRoles($1) },
            ParseOperation(.get, "\(path)/{objectId}") { _, _ in throw ParseFault.objectNotFound },
        ]
    }

    private static let otherOperations = [
        ParseOperation(.get, "/login", token: .ignored) { try await $0.logIn($1) },
        ParseOperation(.post, "/login", token: .ignored) { try await $0.logIn($1) },
        ParseOperation(.post, "/logout") { try await $0.logOut($1) },
        ParseOperation(.post, "/loginAs") { try await $0.logInAs($1) },
        ParseOperation(.get, "/verifyPassword") { try await $0.verifyPassword($1) },
        ParseOperation(.post, "/verifyPassword") { try await $0.verifyPassword($1) },
        ParseOperation(.post, "/requestPasswordReset") { try await $0.requestPasswordReset($1) },
        ParseOperation(.post, "/verificationEmailRequest") { try await $0.requestVerification($1) },
        ParseOperation(.post, "/upgradeToRevocableSession", token: .readByOperation) {
            try await $0.upgradeSession($1)
        },
        ParseOperation(.post, "/challenge") { try await $0.challenge($1) },
        ParseOperation(.post, "/batch") { try await $0.batch($1) },
        ParseOperation(.get, "/serverInfo") { try await $0.serverInfo($1) },
        ParseOperation(.get, "/config") { try await $0.config($1) },
    ]

    private static func both(
        _ first: String, _ second: String, _ operations: (String) -> [ParseOperation]
    ) -> [ParseOperation] { operations(first) + operations(second) }

    /// All paths under all prefixes lead to one place, because the method is often told in the body, and a batch names
    /// further paths.
    package var routes: [Route] {
        let paths = Set(Self.operations.map(\.path)).sorted() + ["/health", "/apps/**", "/**"]
        let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .patch, .options]
        return prefixes.flatMap { prefix in
            paths.flatMap { path in
                methods.map { method in
                    Route(
                        method, prefix + path, method == .options || path == "/health" ? .nothing : .application,
                        ParseEndpoint(
                            api: self, prefix: prefix,
                            // What a POST means may be told in its body.
                            operation: method == .post || path.contains("{")
                                ? nil : Self.byName["\(method.rawValue) \(path)"]
                        ).respond)
                }
            }
        }
    }

    private static let byName = Dictionary(
        operations.map { ("\($0.method.rawValue) \($0.path)", $0) }, uniquingKeysWith: { first, _ in first })

    /// The operation that a method and the segments behind the prefix name, and what stands for `{objectId}`.
    static func operation(
        _ method: HTTPRequest.Method, _ segments: [Substring]
    ) -> (operation: ParseOperation, objectId: String?)? {
        let path = "/" + segments.joined(separator: "/")
        if let found = byName["\(method.rawValue) \(path)"] { return (found, nil) }
        guard let last = segments.last, segments.count > 1 else { return nil }
        let pattern = "/" + segments.dropLast().joined(separator: "/") + "/{objectId}"
        guard let found = byName["\(method.rawValue) \(pattern)"] else { return nil }
        return (found, String(last))
    }
}

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
    let answer: @Sendable (ParseAPI, ParseCall) async throws -> ParseResponse

    init(
        _ method: HTTPRequest.Method, _ path: String, token: TokenUse = .checked,
        _ answer: @escaping @Sendable (ParseAPI, ParseCall) async throws -> ParseResponse
    ) {
        self.method = method
        self.path = path
        segments = path.split(separator: "/")
        self.token = token
        self.answer = answer
    }
}

/// Where all requests of a prefix go.
struct ParseEndpoint: Sendable {
    let api: ParseAPI
    let prefix: String
    /// The operation that method and path name by themselves; `nil` when they leave it open.
    let operation: ParseOperation?

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        if let operation {
            return try await api.answer(
                try await api.call(request, context, prefix, operation.segments), by: operation
            ).response()
        }
        if request.method == .options { return Response(status: .ok) }
        let segments = request.uri.path.dropFirst(prefix.utf8.count).split(separator: "/")
        switch segments.first {
        case "health" where segments.count == 1: return try ParseResponse(["status": "ok"]).response()
        case "apps": return try await api.page(Array(segments.dropFirst()), prefix, request, context)
        default: break
        }
        return try await api.answer(try await api.call(request, context, prefix, segments)).response()
    }
}

extension ParseAPI {
    /// Checks the token, and asks the endpoint.
    func answer(_ call: ParseCall) async throws -> ParseResponse {
        guard let (operation, objectId) = Self.operation(call.method, call.segments) else {
            var call = call
            try await authenticate(&call)
            throw ParseFault.unrouted(call)
        }
        var named = call
        named.objectId = objectId ?? ""
        return try await answer(named, by: operation)
    }

    fileprivate func answer(_ call: ParseCall, by operation: ParseOperation) async throws -> ParseResponse {
        guard operation.token == .checked else { return try await operation.answer(self, call) }
        var known = call
        try await authenticate(&known)
        return try await operation.answer(self, known)
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
