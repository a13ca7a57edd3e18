/// Routes that write, and make no row of the table.
extension AccountChangeStep {
    struct OtherRoutes: Sendable {
        let reason: String
        let routes: [String]

        init(_ reason: String, _ routes: String...) {
            self.init(reason, all: routes)
        }

        fileprivate init(_ reason: String, all routes: [String]) {
            self.reason = reason
            self.routes = routes
        }
    }

    /// With what the paths begin that are about accounts.
    static func accountPaths(on surface: Surface) -> [String] {
        switch surface {
        case .native: ["/v1/"]
        case .admin: ["/v1/admin/applications/{application}/users/{user}"]
        case .pages: ["/a/"]
        case .dashboard: ["/dashboard/app/{application}/users/", "/dashboard/app/{application}/bulk/"]
        case .ncmb: ["/2013-09-01/"]
        case .parse: ["/parse/users", "/parse/roles"]
        case .kii: ["/api/"]
        case .envelope: ["/user/"]
        case .command, .time: []
        }
    }

    private static let kiiUser = "/api/apps/{appID}/users/{user}"

    private static let parseRefusals: [String] = [
        ("/parse/users", ["PUT", "DELETE", "PATCH", "OPTIONS"]),
        ("/parse/users/me", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]),
        ("/parse/users/{objectId}", ["POST", "PATCH", "OPTIONS"]),
        ("/parse/roles", ["PUT", "DELETE", "PATCH", "OPTIONS"]),
        ("/parse/roles/{objectId}", ["POST", "PATCH", "OPTIONS"]),
    ].flatMap { path, methods in methods.map { "\($0) \(path)" } }

    private static let kiiProviders: [String] = ["twitter", "google", "qq", "renren"].flatMap { name in
        [
            "POST /api/apps/{appID}/integration/\(name)", "POST \(kiiUser)/\(name)/link",
            "POST \(kiiUser)/\(name)/unlink",
        ]
    }

    static func otherRoutes(on surface: Surface) -> [OtherRoutes] {
        switch surface {
        case .native:
            [
                OtherRoutes(
                    "A device that is new makes a user, whose session is the record.", "POST /v1/log-in/automatic"),
                OtherRoutes(
                    "A log-in, a log-out, or the end of one session.", "POST /v1/log-in/code",
                    "POST /v1/log-in/passkey",
                    "POST /v1/log-out",
                    "POST /v1/user/reauthenticate", "DELETE /v1/user/sessions/{id}"),
                OtherRoutes(
                    "An order of a mail.", "POST /v1/log-in/code/request", "POST /v1/password-reset/request",
                    "POST /v1/email/verify/request"),
                OtherRoutes(
                    "It shows or opens something.", "POST /v1/log-in/passkey/request",
                    "POST /v1/user/passkeys/request", "POST /v1/user/second-factors/totp/request",
                    "POST /v1/log-in/second-factor/enrolment", "POST /v1/user/merge/preview",
                    "POST /v1/user/page", "POST /v1/token"),
            ]
        case .admin:
            [
                OtherRoutes(
                    "The end of one session.",
                    "DELETE /v1/admin/applications/{application}/users/{user}/sessions/{session}"),
                OtherRoutes(
                    "An order of a mail.", "POST /v1/admin/applications/{application}/users/{user}/password-reset"),
            ]
        case .pages:
            [
                OtherRoutes(
                    "A log-in, a log-out, or a step of one.", "POST /a/{application}/authorize",
                    "POST /a/{application}/open", "POST /a/{application}/token", "POST /a/{application}/code/enter",
                    "POST /a/{application}/log-out", "POST /a/{application}/provider/{provider}",
                    "POST /a/{application}/account/confirm", "POST /a/{application}/log-in/passkey",
                    "POST /a/{application}/log-in/recovery-codes", "POST /a/{application}/account/factors/added",
                    "POST /a/{application}/account/factors/replaced"),
                OtherRoutes("The own profile, of which nothing is recorded.", "POST /a/{application}/account/profile"),
                OtherRoutes(
                    "An order of a mail.", "POST /a/{application}/code", "POST /a/{application}/forgot",
                    "POST /a/{application}/account/email"),
                OtherRoutes(
                    "It shows something, or leads to a provider.", "POST /a/{application}/userinfo",
                    "POST /a/{application}/account/export", "POST /a/{application}/account/link",
                    "POST /a/{application}/sign-up/work", "POST /a/{application}/passkey/options",
                    "POST /a/{application}/account/passkey/options",
                    "POST /a/{application}/account/factors/offer", "POST /a/{application}/introspect"),
                OtherRoutes("The end of one session, by its token.", "POST /a/{application}/revoke"),
            ]
        case .dashboard:
            [
                OtherRoutes(
                    "The end of one session.",
                    "POST /dashboard/app/{application}/users/{user}/sessions/{session}/end"),
                OtherRoutes("An order of a mail.", "POST /dashboard/app/{application}/users/{user}/password-reset"),
                OtherRoutes("It asks once more.", "POST /dashboard/app/{application}/bulk/confirm-deletion"),
            ]
        case .ncmb:
            [
                OtherRoutes("A log-in.", "POST /2013-09-01/login"),
                OtherRoutes(
                    "An order of a mail.", "POST /2013-09-01/requestMailAddressUserEntry",
                    "POST /2013-09-01/requestPasswordReset"),
                OtherRoutes("A search.", "POST /2013-09-01/classes/user"),
            ]
        case .parse:
            [
                OtherRoutes("A path has every method there, and refuses these.", all: parseRefusals),
                OtherRoutes(
                    "A role of the application, with an entry of its own.", "POST /parse/roles",
                    "DELETE /parse/roles/{objectId}"),
            ]
        case .kii:
            [
                OtherRoutes("A log-in.", "POST /api/oauth2/token", "POST /api/apps/{appID}/oauth2/token"),
                OtherRoutes("A search.", "POST /api/apps/{appID}/users/query"),
                OtherRoutes("The same as POST.", "PUT \(kiiUser)"),
                OtherRoutes("The same as of mail addresses.", "PUT \(kiiUser)/phone-number"),
                OtherRoutes("The same as of Facebook.", all: kiiProviders),
                OtherRoutes(
                    "An order of a message.", "POST \(kiiUser)/password/request-reset",
                    "POST \(kiiUser)/password/reset", "POST \(kiiUser)/email-address/resend-verification",
                    "POST \(kiiUser)/email-address/reset-verification-code",
                    "POST \(kiiUser)/phone-number/resend-verification",
                    "POST \(kiiUser)/phone-number/reset-verification-code"),
            ]
        case .envelope:
            [
                OtherRoutes("A log-in or a log-out.", "POST /user/signin", "POST /user/signIn", "POST /user/signout"),
                OtherRoutes("The same in another spelling.", "POST /user/signUp"),
            ]
        case .command, .time: []
        }
    }
}
