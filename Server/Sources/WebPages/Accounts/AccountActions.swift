import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NativeAPI
import NIOCore
import PageSupport

/// Proves again that the owner is there; the session gets another token (requirement 16).
struct ConfirmPresence: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        do {
            let answer = try await visit.useCases.reauthenticate(
                by: .password(Secret(form.text("password"))), from: visit.visit.client, who,
                origin: visit.visit.origin)
            var response = PageResponse.redirect(to: visit.path("account"), visit.visit)
            response.keepCookie(answer.token.revealed, for: visit.visit)
            return response
        } catch {
            return try visit.confirm(who, visit.errors(of: error))
        }
    }
}

/// Changes the shown name and the own fields.
struct ChangeProfile: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let name = form.text("displayName").trimmingSpaces
        let fields = visit.profileFields(of: who.user, form)
        let changes = fields.changes
        do {
            try await visit.useCases.editUser(
                UserEdit(
                    displayName: name.isEmpty ? .removed : .set(name),
                    fields: changes.isEmpty ? .unchanged : .set(changes)),
                of: who.user.id, in: who.application, by: .owner(who, from: visit.visit.origin))
            return visit.done("saved")
        } catch {
            return try await visit.account(
                who, AccountState(errors: visit.errors(of: error, fields), profile: form))
        }
    }
}

/// Sends what confirms a mail address: the present one or a new one.
struct ChangeEmail: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let email = form.text("email").trimmingSpaces
        _ = try await visit.useCases.requestEmailVerification(
            email: email == who.user.email ? nil : email, by: who, isProven: false, languages: visit.languageTags,
            from: visit.visit.client, toPages: true)
        return visit.done("emailSent")
    }
}

/// Another password; the other sessions end.
struct ChangeOwnPassword: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        do {
            _ = try await visit.useCases.changePassword(
                ChangePassword.Request(
                    current: who.user.hasPassword ? Secret(form.text("currentPassword")) : nil,
                    new: Secret(form.text("newPassword")), address: visit.visit.client, origin: visit.visit.origin),
                by: who)
            return visit.done("passwordChanged")
        } catch {
            var errors = visit.errors(of: error)
            if case .credentialRefused = error {
                errors.others = []
                errors.fields = [("currentPassword", visit.text("fault.credentialRefused"))]
            }
            return try await visit.account(who, AccountState(errors: errors))
        }
    }
}

/// Makes a guest's account permanent, or shows that there is such an account already.
struct Upgrade: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let sent = SignUpForm(form, fields: visit.upgradeFields(of: who.user, form))
        let changes = sent.fields.changes
        let user: User
        do {
            user = try await visit.useCases.upgradeOrOfferMerge(
                UpgradeUser.Request(
                    identifiers: sent.identifiers, password: Secret(form.text("password")),
                    changes: UserEdit(fields: changes.isEmpty ? .unchanged : .set(changes))),
                by: who, address: visit.visit.client, from: visit.visit.origin)
        } catch {
            if let offer = error.mergeOffer { return try await visit.conflict(who, offer) }
            var again = sent
            again.errors = visit.errors(of: error, sent.fields)
            return try await visit.account(who, AccountState(errors: again.errors, upgrade: again))
        }
        let upgraded = Authenticated(
            application: who.application, session: who.session, user: user, tokenDigest: who.tokenDigest)
        return try visit.goOn(as: upgraded) ?? visit.done("upgraded")
    }
}

/// Takes one way in away: a provider, or a device's key.
struct RemoveIdentity: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        if let thumbprint = form["key"] {
            try await visit.useCases.removeDeviceKeys(
                thumbprint, of: who.user.id, in: who.application,
                by: Operator(actor: .user(who.user.id), origin: visit.visit.origin))
            return visit.done("identityRemoved")
        }
        try await visit.useCases.editUser(
            UserEdit(unlinking: .init(rawValue: form.text("provider"))), of: who.user.id, in: who.application,
            by: .owner(who, from: visit.visit.origin))
        return visit.done("identityRemoved")
    }
}

/// Ends one other session; or all of them, with every other way into the account.
struct EndSessions: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        if let id = form["session"] {
            try await visit.useCases.endSession(Identifier(rawValue: id), by: who, from: visit.visit.origin)
        } else {
            _ = try await visit.useCases.endOtherSessions(by: who, from: visit.visit.origin)
        }
        return visit.done("sessionEnded")
    }
}

/// Shows a transfer code. It stands in this answer and nowhere else.
struct ShowTransferCode: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let issued = try await visit.useCases.issueTransferCode(by: who, from: visit.visit.origin)
        return try await visit.account(who, AccountState(transfer: issued))
    }
}

/// Makes the transfer code void.
struct WithdrawTransfer: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        try await visit.useCases.withdrawTransferCode(by: who, from: visit.visit.origin)
        return visit.done("transferWithdrawn")
    }
}

/// Everything that is stored, as the file that the API gives too (requirement 45).
struct DownloadExport: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let export = try await visit.useCases.exportUser(by: who, from: visit.visit.origin)
        return try NativeAPI.response(export, current: who.session.id)
    }
}

/// Asks for the end of the account (requirement 33).
struct DeleteAccount: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        guard form["sure"] != nil else {
            let errors = FormErrors(status: .unprocessableContent, fields: [("sure", visit.text("rule.required"))])
            return try await visit.account(who, AccountState(errors: errors))
        }
        let erasedAt = try await visit.useCases.requestDeletion(by: who, from: visit.visit.origin)
        var response = try visit.message(
            "deleted", ["until": visit.time(erasedAt), "back": visit.path("log-in")])
        response.keepCookie("", for: visit.visit, maximumSeconds: 0)
        return response
    }
}

/// `POST /a/{application}/log-out`.
struct SendLogOut: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        _ = try await visit.visit.form()
        if let who = try await visit.session() { try await visit.useCases.logOut(who) }
        var response = PageResponse.redirect(to: visit.path("log-in"), visit.visit)
        response.keepCookie("", for: visit.visit, maximumSeconds: 0)
        return response
    }
}

/// Goes on with one of two accounts.
struct ChooseAccount: AccountAction {
    func run(_ visit: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let choice = MergeChoice(rawValue: form.text("choice")) ?? .keep
        let resolution = try await visit.useCases.resolveMerge(
            form.text("ticket"), choice, by: who, address: visit.visit.client, from: visit.visit.origin)
        guard let logIn = resolution.logIn else {
            return PageResponse.redirect(to: visit.path("account"), visit.visit)
        }
        return try await visit.enter(logIn)
    }
}
