package import Domain
package import HTTPSupport
package import HTTPTypes
import Hummingbird
import OkaeriWire

/// The admin API: the part of the native protocol that admins, and programs with an admin key, speak. A protocol of its
/// own only in its words for errors: here it may be told that there is no such user.
package struct AdminAPI: ProtocolAdapter {
    let native: NativeRequests
    let useCases: UseCases

    package init(native: NativeAPI) {
        self.native = native.requests
        useCases = native.useCases
    }

    package static let root = "/v1/admin/"

    package var surface: String { "admin" }

    package var errors: any ErrorRenderer { AdminErrors() }

    package func owns(path: String) -> Bool { path.hasPrefix(Self.root) }

    package var routes: [Route] {
        Self.table.map {
            Route($0.method, $0.path, $0.isOpen ? .nothing : .admin, AdminEndpoint(api: self, route: $0).respond)
        }
    }

    /// Every endpoint. What a caller must be allowed stands beside each.
    package static let table: [AdminRoute] =
        accounts + keys + applications + settings + doors + mail + users + views + activity + fields + server
}

/// One line of the table.
package struct AdminRoute: Sendable {
    package let method: HTTPRequest.Method
    package let path: String
    /// What the caller must be allowed; `nil` for what anybody may ask, or every admin: see `isOpen`.
    package let permission: AdminPermission?
    /// Whether it can be asked without being an admin: log-in and set-up.
    package let isOpen: Bool
    /// Whether an admin must have given password and code within ten minutes: for what gives somebody a way in, takes data
    /// out, or destroys (requirement 18). A key is its own proof.
    package let needsPresence: Bool
    fileprivate let answer: @Sendable (AdminCall) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, _ permission: AdminPermission?, isOpen: Bool = false,
        needsPresence: Bool = false,
        _ answer: @escaping @Sendable (AdminCall) async throws -> Response
    ) {
        self.method = method
        self.path = AdminAPI.root + path
        self.permission = permission
        self.isOpen = isOpen
        self.needsPresence = needsPresence
        self.answer = answer
    }

    /// Whether it is about one application.
    package var isInApplication: Bool { path.contains("{application}") }
}

/// Finds out who asks and whether they may, then answers.
struct AdminEndpoint: Sendable {
    let api: AdminAPI
    let route: AdminRoute

    func respond(_ request: Request, _ context: ServerContext) async throws -> Response {
        var call = AdminCall(api: api, request: request, context: context)
        guard !route.isOpen else { return try await route.answer(call) }
        let token = request.bearerToken.map { Secret(String($0)) }
        let access = try await api.useCases.administration.findAdmin(token)
        let application =
            route.isInApplication ? Identifier<Domain.Application>(rawValue: try call.id("application")) : nil
        if let permission = route.permission { try access.require(permission, in: application) }
        if route.needsPresence { try api.useCases.administration.requireRecentLogIn(access) }
        call.access = access
        call.token = token
        if let application {
            do {
                call.application = try await api.useCases.findApplication(application)
            } catch {
                guard case .applicationUnknown = error else { throw error }
                throw DomainError.administration(.notFound)
            }
        }
        return try await route.answer(call)
    }
}
