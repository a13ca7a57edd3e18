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
            Route(.post, APIPath.token, AccessTokenRoute(api: self)),
            Route(.get, APIPath.keySet, KeySetRoute(api: self)),
            Route(.get, APIPath.description, DescriptionRoute()),
            Route(.get, "/health/live", LivenessRoute()),
            Route(.get, "/health/ready", ReadinessRoute(api: self)),
            Route(.get, "/metrics", MetricsRoute(api: self)),
        ]
    }
}
