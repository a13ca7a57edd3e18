import Domain
package import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension NativeAPI {
    /// Every endpoint of the native API: what its caller must bring along, method, path, and the controller's method.
    package var routes: [Route] {
        logInRoutes + accountRoutes + passkeyRoutes + secondFactorRoutes + transferRoutes + serviceRoutes
    }

    private var logInRoutes: [Route] {
        let logIn = LogInController(
            requests: requests, metrics: metrics, logIns: modules.logIns, sessions: modules.sessions)
        let codes = LogInCodesController(
            requests: requests, metrics: metrics, messaging: modules.messaging, logIns: modules.logIns)
        let users = UsersController(
            requests: requests, metrics: metrics, logIns: modules.logIns, accounts: modules.accounts,
            deletion: modules.deletion)
        let passwords = PasswordController(requests: requests, accounts: modules.accounts, messaging: modules.messaging)
        let email = EmailController(requests: requests, messaging: modules.messaging, accounts: modules.accounts)
        let identities = IdentitiesController(
            requests: requests, metrics: metrics, logIns: modules.logIns, accounts: modules.accounts,
            providers: modules.providers)
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
            change(.identityLinked, .post, APIPath.identity("{provider}"), identities.link),
            change(.identityUnlinked, .delete, APIPath.identity("{provider}"), identities.unlink),
            Route(.post, APIPath.appleNotifications, .nothing, identities.receiveAppleNotification),
        ]
    }

    private var accountRoutes: [Route] {
        let users = UsersController(
            requests: requests, metrics: metrics, logIns: modules.logIns, accounts: modules.accounts,
            deletion: modules.deletion)
        let passwords = PasswordController(requests: requests, accounts: modules.accounts, messaging: modules.messaging)
        let sessions = SessionsController(requests: requests, sessions: modules.sessions)
        let deviceKeys = DeviceKeysController(requests: requests, accounts: modules.accounts)
        return [
            Route(.post, APIPath.logOut, .session, sessions.endCurrent),
            session(.get, APIPath.user, users.read),
            session(.patch, APIPath.user, users.update),
            change(.upgraded, .post, APIPath.upgrade, users.upgrade),
            session(.put, APIPath.password, passwords.change),
            Route(.post, APIPath.reauthenticate, .session, sessions.renew),
            session(.get, APIPath.sessions, sessions.list),
            change(.otherSessionsEnded, .delete, APIPath.sessions, sessions.endOthers),
            session(.delete, APIPath.session("{id}"), sessions.end),
            session(.get, APIPath.deviceKeys, deviceKeys.list),
            change(.otherDeviceKeysRemoved, .delete, APIPath.deviceKeys, deviceKeys.removeOthers),
            change(.deviceKeyRemoved, .delete, APIPath.deviceKey("{thumbprint}"), deviceKeys.remove),
            change(.deletionRequested, .delete, APIPath.user, users.delete),
            session(.get, APIPath.export, users.export, as: .recentSession).withLongResponse(),
        ]
    }

    private var passkeyRoutes: [Route] {
        let passkeys = PasskeysController(requests: requests, metrics: metrics, passkeys: modules.passkeys)
        let files = PasskeyFilesController(requests: requests, passkeys: modules.passkeys)
        return [
            Route(.get, APIPath.appleAppSiteAssociation, .nothing, files.appleApps),
            Route(.get, APIPath.assetLinks, .nothing, files.androidApps),
            Route(.get, APIPath.relatedOrigins, .nothing, files.origins),
            application(.post, APIPath.requestPasskeyLogIn, passkeys.requestLogIn),
            application(.post, APIPath.logInWithPasskey, passkeys.logIn),
            change(.passkeyAdded, .post, APIPath.requestPasskey, passkeys.requestRegistration),
            change(.passkeyAdded, .post, APIPath.passkeys, passkeys.add),
            session(.get, APIPath.passkeys, passkeys.list),
            change(.passkeyRenamed, .patch, APIPath.passkey("{id}"), passkeys.rename),
            change(.passkeyRemoved, .delete, APIPath.passkey("{id}"), passkeys.remove),
            change(.identityLinked, .post, APIPath.mergeByPasskey, passkeys.offerMerge),
        ]
    }

    private var secondFactorRoutes: [Route] {
        let factors = SecondFactorsController(
            requests: requests, metrics: metrics, secondFactors: modules.secondFactors)
        return [
            application(.post, APIPath.logInWithSecondFactor, factors.logIn),
            application(.post, APIPath.requestEnrolment, factors.requestEnrolment),
            change(.secondFactorAdded, .post, APIPath.requestTOTP, factors.requestTOTP),
            change(.secondFactorAdded, .post, APIPath.totp, factors.addTOTP),
            session(.get, APIPath.secondFactors, factors.list),
            change(.secondFactorRemoved, .delete, APIPath.secondFactor("{id}"), factors.remove),
            change(.recoveryCodesReplaced, .post, APIPath.recoveryCodes, factors.replaceRecoveryCodes),
        ]
    }

    private var transferRoutes: [Route] {
        let merges = MergesController(requests: requests, transfers: modules.transfers, accounts: modules.accounts)
        let transferCodes = TransferCodesController(requests: requests, metrics: metrics, transfers: modules.transfers)
        let notices = NoticesController(requests: requests, transfers: modules.transfers)
        return [
            session(.post, APIPath.mergePreview, merges.preview),
            session(.post, APIPath.merge, merges.resolve),
            change(.mergeUndone, .post, APIPath.undoMerge, merges.undo),
            application(.post, APIPath.logInWithTransferCode, transferCodes.redeem),
            change(.transferCodeIssued, .post, APIPath.transferCode, transferCodes.issue),
            change(.transferCodeWithdrawn, .delete, APIPath.transferCode, transferCodes.withdraw),
            change(.transferUndone, .post, APIPath.undoTransfer, transferCodes.undo),
            session(.get, APIPath.notices, notices.list),
            change(.transferConfirmed, .delete, APIPath.notice("{id}"), notices.acknowledge),
        ]
    }

    private var serviceRoutes: [Route] {
        let applications = ApplicationController(
            requests: requests, pagesURL: modules.pagesURL, providers: modules.providers)
        let tokens = TokensController(requests: requests, sessions: modules.sessions)
        let service = ServiceController(applications: modules.applications)
        return [
            application(.get, APIPath.applicationProfile, applications.profile),
            session(.post, APIPath.page, tokens.openPages),
            session(.post, APIPath.token, tokens.mint),
            Route(.get, APIPath.keySet, .nothing, tokens.keys),
            Route(.get, APIPath.description, .nothing, service.description),
            Route(.get, "/health/live", .nothing, service.live),
            Route(.get, "/health/ready", .nothing, service.ready),
        ]
    }

    private typealias SessionHandler = @Sendable (Authenticated, Request, ServerContext) async throws -> Response

    /// A route whose caller names an application.
    private func application(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (Domain.Application, Request, ServerContext) async throws -> Response
    ) -> Route {
        Route(method, path, .application) { [requests] request, context in
            try await handler(try await requests.application(of: request, context), request, context)
        }
    }

    /// A route whose caller has a session. The rule that it leads to refuses one that is not recent.
    private func session(
        _ method: HTTPRequest.Method, _ path: String, _ handler: @escaping SessionHandler,
        as caller: RouteCaller = .session
    ) -> Route {
        Route(method, path, caller) { [requests] request, context in
            try await handler(try await requests.caller(of: request, context), request, context)
        }
    }

    /// A route that makes one change of the caller's account. Its row of the table says what must be fresh.
    private func change(
        _ row: AccountChange, _ method: HTTPRequest.Method, _ path: String, _ handler: @escaping SessionHandler
    ) -> Route {
        session(method, path, handler, as: row.policy.fresh.contains(.recentLogIn) ? .recentSession : .session)
    }
}
