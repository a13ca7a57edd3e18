package import HTTPSupport
import HTTPTypes
import OkaeriWire

extension NativeAPI {
    /// Every endpoint of the native API.
    package var routes: [Route] {
        [
            Route(.post, APIPath.logInAutomatically, AutomaticLogInRoute(api: self)),
            Route(.post, APIPath.signUp, SignUpRoute(api: self)),
            Route(.post, APIPath.logInWithPassword, PasswordLogInRoute(api: self)),
            Route(.post, APIPath.requestLogInCode, LogInCodeRequestRoute(api: self)),
            Route(.post, APIPath.logInWithCode, LogInCodeRoute(api: self)),
            Route(.post, APIPath.requestPasswordReset, PasswordResetRequestRoute(api: self)),
            Route(.post, APIPath.resetPassword, PasswordResetRoute(api: self)),
            Route(.post, APIPath.requestEmailVerification, EmailVerificationRequestRoute(api: self)),
            Route(.post, APIPath.verifyEmail, EmailVerificationRoute(api: self)),
            Route(.post, APIPath.adopt, AdoptionRoute(api: self)),
            Route(.post, APIPath.logIn(with: "{provider}"), ProviderLogInRoute(api: self)),
            Route(.post, APIPath.identity("{provider}"), LinkProviderRoute(api: self)),
            Route(.delete, APIPath.identity("{provider}"), UnlinkProviderRoute(api: self)),
            Route(.post, APIPath.appleNotifications, AppleNotificationRoute(api: self)),
            Route(.post, APIPath.logOut, LogOutRoute(api: self)),
            Route(.get, APIPath.user, ReadUserRoute(api: self)),
            Route(.patch, APIPath.user, UpdateUserRoute(api: self)),
            Route(.post, APIPath.upgrade, UpgradeRoute(api: self)),
            Route(.put, APIPath.password, ChangePasswordRoute(api: self)),
            Route(.post, APIPath.reauthenticate, ReauthenticateRoute(api: self)),
            Route(.get, APIPath.sessions, ListSessionsRoute(api: self)),
            Route(.delete, APIPath.sessions, EndOtherSessionsRoute(api: self)),
            Route(.delete, APIPath.session("{id}"), EndSessionRoute(api: self)),
            Route(.get, APIPath.deviceKeys, ListDeviceKeysRoute(api: self)),
            Route(.delete, APIPath.deviceKeys, RemoveOtherDeviceKeysRoute(api: self)),
            Route(.delete, APIPath.deviceKey("{thumbprint}"), RemoveDeviceKeyRoute(api: self)),
            Route(.delete, APIPath.user, RequestDeletionRoute(api: self)),
            Route(.get, APIPath.export, ExportUserRoute(api: self)),
            Route(.post, APIPath.mergePreview, MergePreviewRoute(api: self)),
            Route(.post, APIPath.merge, MergeRoute(api: self)),
            Route(.post, APIPath.undoMerge, UndoMergeRoute(api: self)),
            Route(.post, APIPath.logInWithTransferCode, RedeemTransferCodeRoute(api: self)),
            Route(.post, APIPath.transferCode, IssueTransferCodeRoute(api: self)),
            Route(.delete, APIPath.transferCode, WithdrawTransferCodeRoute(api: self)),
            Route(.post, APIPath.undoTransfer, UndoTransferRoute(api: self)),
            Route(.get, APIPath.notices, ListNoticesRoute(api: self)),
            Route(.delete, APIPath.notice("{id}"), AcknowledgeNoticeRoute(api: self)),
            Route(.get, APIPath.applicationProfile, ApplicationProfileRoute(api: self)),
            Route(.post, APIPath.page, OneTimeLogInTokenRoute(api: self)),
            Route(.post, APIPath.token, AccessTokenRoute(api: self)),
            Route(.get, APIPath.keySet, KeySetRoute(api: self)),
            Route(.get, APIPath.description, DescriptionRoute()),
            Route(.get, "/health/live", LivenessRoute()),
            Route(.get, "/health/ready", ReadinessRoute(api: self)),
        ] + metricsRoutes
    }
}
