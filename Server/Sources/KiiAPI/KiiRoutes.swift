package import HTTPSupport
import HTTPTypes
import Hummingbird

extension KiiAPI {
    private static let app = "/api/apps/{appID}"
    private static let user = "/api/apps/{appID}/users/{user}"

    /// Every endpoint: what its caller must bring along, method, path, and the controller's method.
    package var routes: [Route] {
        tokenRoutes + userRoutes + passwordRoutes + AddressKind.allCases.flatMap(addressRoutes)
            + KiiProvider.allCases.flatMap(providerRoutes)
    }

    private var tokenRoutes: [Route] {
        let tokens = TokensController(modules)
        return [
            application(.post, "/api/oauth2/token", tokens.issue),
            application(.post, Self.app + "/oauth2/token", tokens.issue),
            application(.get, Self.app + "/integration/webauth/connect", ProvidersController.refuseWebLogIn),
        ]
    }

    private var userRoutes: [Route] {
        let users = UsersController(modules)
        let queries = UserQueryController(modules)
        return [
            anybody(.post, Self.app + "/users", users.register),
            administrator(.post, Self.app + "/users/query", queries.find).withLongResponse(),
            caller(.get, Self.user, users.read),
            caller(.post, Self.user, users.update),
            caller(.put, Self.user, users.update),
            caller(.delete, Self.user, users.delete),
            administrator(.get, Self.user + "/status", users.readStatus),
            administrator(.put, Self.user + "/status", users.changeStatus),
        ]
    }

    private var passwordRoutes: [Route] {
        let passwords = PasswordsController(modules)
        return [
            caller(.put, Self.user + "/password", passwords.change),
            application(.post, Self.user + "/password/request-reset", passwords.requestReset),
            application(.post, Self.user + "/password/reset", passwords.requestReset),
            application(.post, Self.user + "/password/complete-reset", passwords.completeReset),
        ]
    }

    private func addressRoutes(_ kind: AddressKind) -> [Route] {
        let address = "\(Self.user)/\(kind.pathName)"
        let addresses = AddressesController(modules, kind: kind)
        return [
            caller(.get, address, addresses.read),
            caller(.put, address, addresses.change),
            caller(.post, address + "/verify", addresses.verify),
            caller(.post, address + "/resend-verification", addresses.resend),
            administrator(.get, address + "/verification-code", addresses.readCode),
            administrator(.post, address + "/reset-verification-code", addresses.resetCode),
        ]
    }

    private func providerRoutes(_ provider: KiiProvider) -> [Route] {
        let providers = ProvidersController(modules, provider: provider)
        return [
            application(.post, "\(Self.app)/integration/\(provider.rawValue)", providers.logIn),
            caller(.post, "\(Self.user)/\(provider.rawValue)/link", providers.link),
            caller(.post, "\(Self.user)/\(provider.rawValue)/unlink", providers.unlink),
        ]
    }

    private typealias Handler = @Sendable (KiiRequest) async throws -> Response

    /// A route that needs an application; a token is not looked at.
    private func application(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) -> Route {
        Route(method, path, .application) { [requests] request, context in
            try await handler(try await requests.anonymous(request, context))
        }
    }

    /// A route for everybody; a token that is sent must be a good one.
    private func anybody(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) -> Route {
        Route(method, path, .application) { [requests] request, context in
            try await handler(try await requests.authenticated(request, context))
        }
    }

    /// A route for users and administrators.
    private func caller(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) -> Route {
        Route(method, path, .session) { [requests] request, context in
            let request = try await requests.authenticated(request, context)
            if case .anonymous = request.caller { throw request.unauthorized }
            return try await handler(request)
        }
    }

    /// A route for administrators.
    private func administrator(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) -> Route {
        Route(method, path, .session) { [requests] request, context in
            let request = try await requests.authenticated(request, context)
            guard request.caller.isAdministrator else { throw request.unauthorized }
            return try await handler(request)
        }
    }
}
