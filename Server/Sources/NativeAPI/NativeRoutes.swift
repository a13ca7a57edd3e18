import Domain
package import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension NativeAPI {
    /// Every endpoint of the native API: what its caller must bring along, method, path, and the controller's method.
    package var routes: [Route] {
        logInRoutes + accountRoutes + transferRoutes + serviceRoutes
    }

    private var logInRoutes: [Route] {
        let logIn = LogInController(requests, modules, metrics: metrics)
        let codes = LogInCodesController(requests, modules, metrics: metrics)
        let users = UsersController(requests, modules, metrics: metrics)
        let passwords = PasswordController(requests, modules)
        let email = EmailController(requests, modules)
        let identities = IdentitiesController(requests, modules, metrics: metrics)
        return [
            application(.post, APIPath.logInAutomatically, logIn.automatically),
            application(.post, APIPath.signUp, users.create),
            application(.post, APIPath.logInWithPassword, logIn.withPassword),
            application(.post, APIPath.requestLogInCode, codes.send),
            application(.post, APIPath.logInWithCode, codes.logIn),
            application(.post, APIPath.requestPasswordReset, passwords.requestReset),
            application(.post, APIPath.resetPassword, passwords.reset),
            session(.post, APIPath.requestEmailVerification, email.requestVerification),
            application(.post, APIPath.verifyEmail, email.verify),
            application(.post, APIPath.adopt, logIn.adopt),
            application(.post, APIPath.logIn(with: "{provider}"), identities.logIn),
            recentSession(.post, APIPath.identity("{provider}"), identities.link),
            recentSession(.delete, APIPath.identity("{provider}"), identities.unlink),
            Route(.post, APIPath.appleNotifications, .nothing, identities.receiveAppleNotification),
        ]
    }

    private var accountRoutes: [Route] {
        let users = UsersController(requests, modules, metrics: metrics)
        let passwords = PasswordController(requests, modules)
        let sessions = SessionsController(requests, modules)
        let deviceKeys = DeviceKeysController(requests, modules)
        return [
            session(.post, APIPath.logOut, sessions.endCurrent),
            session(.get, APIPath.user, users.read),
            session(.patch, APIPath.user, users.update),
            recentSession(.post, APIPath.upgrade, users.upgrade),
            session(.put, APIPath.password, passwords.change),
            session(.post, APIPath.reauthenticate, sessions.renew),
            session(.get, APIPath.sessions, sessions.list),
            recentSession(.delete, APIPath.sessions, sessions.endOthers),
            session(.delete, APIPath.session("{id}"), sessions.end),
            session(.get, APIPath.deviceKeys, deviceKeys.list),
            recentSession(.delete, APIPath.deviceKeys, deviceKeys.removeOthers),
            recentSession(.delete, APIPath.deviceKey("{thumbprint}"), deviceKeys.remove),
            recentSession(.delete, APIPath.user, users.delete),
            recentSession(.get, APIPath.export, users.export),
        ]
    }

    private var transferRoutes: [Route] {
        let merges = MergesController(requests, modules)
        let transferCodes = TransferCodesController(requests, modules, metrics: metrics)
        let notices = NoticesController(requests, modules)
        return [
            session(.post, APIPath.mergePreview, merges.preview),
            session(.post, APIPath.merge, merges.resolve),
            recentSession(.post, APIPath.undoMerge, merges.undo),
            application(.post, APIPath.logInWithTransferCode, transferCodes.redeem),
            recentSession(.post, APIPath.transferCode, transferCodes.issue),
            session(.delete, APIPath.transferCode, transferCodes.withdraw),
            session(.post, APIPath.undoTransfer, transferCodes.undo),
            session(.get, APIPath.notices, notices.list),
            session(.delete, APIPath.notice("{id}"), notices.acknowledge),
        ]
    }

    private var serviceRoutes: [Route] {
        let applications = ApplicationController(requests, modules)
        let tokens = TokensController(requests, modules)
        let service = ServiceController(modules)
        let routes = [
            application(.get, APIPath.applicationProfile, applications.profile),
            session(.post, APIPath.page, tokens.openPages),
            session(.post, APIPath.token, tokens.mint),
            Route(.get, APIPath.keySet, .nothing, tokens.keys),
            Route(.get, APIPath.description, .nothing, service.description),
            Route(.get, "/health/live", .nothing, service.live),
            Route(.get, "/health/ready", .nothing, service.ready),
        ]
        guard let metricsKey else { return routes }
        return routes + [
            Route(.get, "/metrics", .operatorKey, MetricsController(metrics: metrics, key: metricsKey).read)
        ]
    }

    private typealias SessionHandler = @Sendable (Authenticated, Request, ServerContext) async throws -> Response

    /// A route whose caller names an application.
    private func application(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (Domain.Application, Request, ServerContext) async throws -> Response
    ) -> Route {
        Route(method, path, .application) { [requests] request, context in
            try await handler(try await requests.application(of: request), request, context)
        }
    }

    /// A route whose caller has a session.
    private func session(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping SessionHandler) -> Route {
        Route(method, path, .session) { [requests] request, context in
            try await handler(try await requests.caller(of: request, context), request, context)
        }
    }

    /// A route whose caller logged in, or proved to be there, a short time ago.
    private func recentSession(
        _ method: HTTPRequest.Method, _ path: String, _ handler: @escaping SessionHandler
    ) -> Route {
        Route(method, path, .recentSession) { [requests] request, context in
            try await handler(try await requests.presentCaller(of: request, context), request, context)
        }
    }
}
