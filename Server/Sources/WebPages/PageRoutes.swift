package import HTTPSupport
import HTTPTypes
import PageSupport

extension WebPages {
    /// Every address of the hosted pages.
    package var routes: [Route] {
        [assets.route] + (firstPage.map { [$0.route(of: self)] } ?? [])
            + page("log-in", get: ShowLogIn(), post: SendLogIn())
            + page("sign-up", get: ShowSignUp(), post: SendSignUp())
            + page("forgot", get: ShowForgot(), post: SendForgot())
            + page("reset", get: ShowReset(), post: SendReset())
            + page("register", get: ShowReset(choice: .register), post: SendReset(choice: .register))
            + page("verify", get: ShowVerify(), post: SendVerify())
            + page("recover", get: ShowRecover(), post: SendRecover())
            + page("account", get: ShowAccount())
            + page("authorize", get: ShowAuthorize(), post: SendAuthorize())
            + page("open", get: ShowOpen(), post: SendOpen())
            + page("provider/{provider}", get: ShowProvider(), post: SendProvider())
            + page("provider/{provider}/callback", get: ShowProviderCallback())
            + [
                Route(
                    .post, "/a/{application}/token", .application, errors: OAuthErrors(),
                    TokenRoute(pages: self).respond),
                Route(
                    .post, "/a/{application}/introspect", .admin, isForStandby: true, errors: OAuthErrors(),
                    IntrospectionRoute(pages: self).respond),
                Route(
                    .post, "/a/{application}/revoke", .application, errors: OAuthErrors(),
                    RevocationRoute(pages: self).respond),
                Route(
                    .get, "/a/{application}/userinfo", .session, errors: OAuthErrors(),
                    UserInfoRoute(pages: self).respond),
                Route(
                    .post, "/a/{application}/userinfo", .session, isForStandby: true, errors: OAuthErrors(),
                    UserInfoRoute(pages: self).respond),
                Route(
                    .get, "/a/{application}/.well-known/openid-configuration", .application,
                    DiscoveryRoute(pages: self).respond),
                Route(
                    .get, "/.well-known/oauth-authorization-server/a/{application}", .application,
                    DiscoveryRoute(pages: self).respond),
            ]
            + [Route(.get, "/a/{application}/theme/{picture}", .application, ThemePictureRoute(pages: self).respond)]
            + Array(forms.joined())
    }

    /// Forms without pages of their own.
    private var forms: [[Route]] {
        [
            form("code", SendCodeRequest()), form("code/enter", SendCode()), form("log-out", SendLogOut()),
            form("sign-up/work", SendWorkRequest()),
            form("passkey/options", SendPasskeyOptions()), form("log-in/passkey", SendPasskeyLogIn()),
            form("log-in/second-factor", SendSecondFactor()),
            form("log-in/recovery-codes", SendAccount(action: KeepRecoveryCodes(done: nil))),
            form("account/passkey/options", SendAccount(action: OwnPasskeyOptions())),
            form("account/passkey", SendAccount(action: AddOwnPasskey())),
            form("account/passkey/name", SendAccount(action: RenameOwnPasskey())),
            form("account/passkey/remove", SendAccount(action: RemoveOwnPasskey())),
            form("account/passkey/other", SendAccount(action: ShowOtherPasskey())),
            form("account/factors/offer", SendAccount(action: OfferFactor())),
            form("account/factors/add", SendAccount(action: AddFactor())),
            form("account/factors/remove", SendAccount(action: RemoveFactor())),
            form("account/factors/codes", SendAccount(action: ReplaceRecoveryCodes())),
            form("account/factors/added", SendAccount(action: KeepRecoveryCodes(done: "factorAdded"))),
            form("account/factors/replaced", SendAccount(action: KeepRecoveryCodes(done: "codesReplaced"))),
            form("account/confirm", SendAccount(action: ConfirmPresence())),
            form("account/profile", SendAccount(action: ChangeProfile())),
            form("account/email", SendAccount(action: ChangeEmail())),
            form("account/password", SendAccount(action: ChangeOwnPassword())),
            form("account/upgrade", SendAccount(action: Upgrade())),
            form("account/link", SendAccount(action: LinkIdentity())),
            form("account/identity", SendAccount(action: RemoveIdentity())),
            form("account/sessions", SendAccount(action: EndSessions())),
            form("account/transfer", SendAccount(action: ShowTransferCode())),
            form("account/withdraw", SendAccount(action: WithdrawTransfer())),
            form("account/notice", SendAccount(action: AnswerNotice())),
            form("account/export", SendAccount(action: DownloadExport())),
            form("account/delete", SendAccount(action: DeleteAccount())),
            form("account/merge", SendAccount(action: ChooseAccount())),
        ]
    }

    /// A form without a page of its own. Its address leads to the nearest page.
    private func form(_ name: String, _ page: any HostedPage) -> [Route] {
        self.page(name, get: ShowNearestPage(), post: page)
    }

    /// A page and its form.
    private func page(_ name: String, get: any HostedPage, post: (any HostedPage)? = nil) -> [Route] {
        let path = "/a/{application}/\(name)"
        // A form that leads nowhere helps nobody.
        return [
            Route(
                .get, path, .application, isForStandby: false, HostedRoute(pages: self, page: get).respond)
        ]
            + (post.map { [Route(.post, path, .application, HostedRoute(pages: self, page: $0).respond)] } ?? [])
    }
}
