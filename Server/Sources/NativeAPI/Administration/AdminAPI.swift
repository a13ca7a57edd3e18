package import Domain
package import HTTPSupport
package import HTTPTypes
import Hummingbird
import OkaeriWire

/// The admin API: the part of the native protocol that admins, and programs with an admin key, speak. A protocol of its
/// own only in its words for errors: here an error may say that there is no such user.
package struct AdminAPI: ProtocolAdapter {
    let native: NativeRequests
    let modules: Modules

    package init(native: NativeAPI) {
        self.native = native.requests
        modules = native.modules
    }

    package static let root = "/v1/admin/"

    package var surface: String { "admin" }

    package var errors: any ErrorRenderer { AdminErrors() }

    package func owns(path: String) -> Bool { path.hasPrefix(Self.root) }

    package var routes: [Route] {
        Self.table.map {
            Route(
                $0.method, $0.path, $0.action.policy.access == .open ? .nothing : .admin,
                AdminEndpoint(api: self, route: $0).respond
            ).withLongResponse()
        }
    }

    /// Every endpoint, and the action whose policy holds for it.
    package static let table: [AdminRoute] =
        accounts + ownPasskeys + keys + applications + settings + providers + mail + users + views + activity + fields
        + server + events + hooks + oldServices + roles
}

/// One line of the table.
package struct AdminRoute: Sendable {
    package let method: HTTPRequest.Method
    package let path: String
    /// What it does; its policy holds for the route.
    package let action: AdminAction
    /// What it also does, or shows, by what it finds in the request.
    package let also: [AdminAction]
    fileprivate let answer: @Sendable (AdminCall) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, _ action: AdminAction, also: [AdminAction] = [],
        _ answer: @escaping @Sendable (AdminCall) async throws -> Response
    ) {
        self.method = method
        self.path = AdminAPI.root + path
        self.action = action
        self.also = also
        self.answer = answer
    }

    /// Whether it is about one application.
    package var isInApplication: Bool { path.contains("{application}") }
}

/// Finds out who asks, and performs the route's action.
struct AdminEndpoint: Sendable {
    let api: AdminAPI
    let route: AdminRoute

    func respond(_ request: Request, _ context: ServerContext) async throws -> Response {
        var call = AdminCall(api: api, request: request, context: context)
        if route.action.policy.access != .open { try await call.authenticate() }
        if route.isInApplication { call.applicationId = Identifier(rawValue: try call.id("application")) }
        let user = route.path.contains("{user}") ? try call.user() : nil
        return try await call.perform(route.action, on: user) { _ in
            var call = call
            try await call.readApplication()
            return try await route.answer(call)
        }
    }
}
