import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NativeAPI
import NIOCore
import struct OkaeriWire.PasskeyAuthentication
import PageSupport

/// Proves again that the owner is there; the session gets another token (requirement 16).
struct ConfirmPresence: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        // The choice of another way to show it.
        if let way = form["with"] { return try request.confirm(who, by: .init(rawValue: way), form) }
        let shown = try PasskeyForm.credential(PasskeyAuthentication.self, in: form)
        let assertion = try shown.map { try PasskeyAssertion($0) }
        let factor = SecondFactorForm.Way(sentIn: form)
        let credential: Reauthenticate.Credential
        if let assertion {
            credential = .passkey(assertion)
        } else if let factor {
            let typed = form.text(factor.field)
            guard !typed.isEmpty else { return try request.confirm(who, by: factor, form, request.missing(factor)) }
            credential = factor == .totp ? .totp(typed) : .recoveryCode(typed)
        } else if form["password"] != nil {
            credential = .password(Secret(form.text("password")))
        } else {
            return try request.confirm(who, by: nil, form, request.passkeyMissing)
        }
        do {
            let answer = try await request.modules.sessions.reauthenticate(
                by: credential, from: request.browser.client, who, origin: request.browser.origin)
            // What was asked for before is not done: the person would take it for done.
            var response = request.done("confirmed")
            response.keepCookie(answer.token.revealed, for: request.browser)
            return response
        } catch {
            if let factor { return try request.confirm(who, by: factor, form, request.errors(of: error, at: factor)) }
            var errors = request.errors(of: error)
            // The text for a password says nothing of a passkey of another account.
            if assertion != nil, case .credentialRefused = error {
                errors.others = [request.text("fault.passkeyRefused")]
            }
            return try request.confirm(who, by: form["password"] == nil ? nil : .password, form, errors)
        }
    }
}

/// Changes the shown name and the own fields.
struct ChangeProfile: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let name = form.text("displayName").trimmingSpaces
        let fields = request.profileFields(of: who.user, form)
        let changes = fields.changes
        do {
            try await request.modules.accounts.editUser(
                UserEdit(
                    displayName: name.isEmpty ? .removed : .set(name),
                    fields: changes.isEmpty ? .unchanged : .set(changes)),
                of: who.user.id, in: who.application, by: request.author(who))
            return request.done("saved")
        } catch {
            return try await request.refused(who, error) {
                AccountState(errors: request.errors(of: $0, fields), profile: form)
            }
        }
    }
}

/// Sends what confirms a mail address: the present one or a new one.
struct ChangeEmail: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let email = form.text("email").trimmingSpaces
        _ = try await request.modules.messaging.requestEmailVerification(
            email: email == who.user.email ? nil : email, by: who, isProven: false, languages: request.languageTags,
            from: request.browser.client, toPages: true)
        return request.done("emailSent")
    }
}

/// Another password; the other sessions end, and so does each copy of this one's cookie.
struct ChangeOwnPassword: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        do {
            var asked = ChangePassword.Request(
                current: who.user.hasPassword ? Secret(form.text("currentPassword")) : nil,
                new: Secret(form.text("newPassword")), address: request.browser.client, rules: .native,
                origin: request.browser.origin)
            asked.renewsToken = true
            let changed = try await request.modules.accounts.changePassword(asked, by: who, isProven: false)
            var response = request.done("passwordChanged")
            if let token = changed.token { response.keepCookie(token.revealed, for: request.browser) }
            return response
        } catch {
            var errors = request.errors(of: error)
            if case .credentialRefused = error {
                errors.others = []
                errors.fields = [("currentPassword", request.text("fault.credentialRefused"))]
            }
            return try await request.refused(who, error) { _ in AccountState(errors: errors) }
        }
    }
}

/// Makes a guest's account permanent, or shows that there is such an account already.
struct Upgrade: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let sent = SignUpForm(form, of: request, fields: request.upgradeFields(of: who.user, form))
        let changes = sent.fields.changes
        let user: User
        do {
            user = try await request.modules.accounts.upgradeOrOfferMerge(
                UpgradeUser.Request(
                    identifiers: sent.identifiers, password: Secret(form.text("password")),
                    changes: UserEdit(
                        displayName: sent.displayName.isEmpty ? .unchanged : .set(sent.displayName),
                        fields: changes.isEmpty ? .unchanged : .set(changes)),
                    // The form's token names it: sent again, because its answer got lost, it leads on as the first one did.
                    isNamedAttempt: true),
                by: who, isProven: false, address: request.browser.client, from: request.browser.origin)
        } catch {
            if let offer = error.mergeOffer { return try await request.conflict(who, offer) }
            var again = sent
            again.errors = request.errors(of: error, sent.fields)
            return try await request.refused(who, error) { _ in AccountState(errors: again.errors, upgrade: again) }
        }
        return try request.goOn(upgraded: user, of: who, doing: "upgraded")
    }
}

/// Takes one way in away: a provider, or a device's key.
struct RemoveIdentity: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        if let thumbprint = form["key"] {
            try await request.modules.accounts.removeDeviceKeys(
                thumbprint, of: who.user.id, in: who.application, by: request.author(who))
            return request.done("identityRemoved")
        }
        try await request.modules.accounts.editUser(
            UserEdit(unlinking: .init(rawValue: form.text("provider"))), of: who.user.id, in: who.application,
            by: request.author(who))
        return request.done("identityRemoved")
    }
}

/// Ends one other session; or all of them, with every other way into the account.
struct EndSessions: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        if let id = form["session"] {
            // A browser that was left open ends nothing.
            try request.author(who).requireProof(of: .otherSessionsEnded, at: request.modules.now)
            try await request.modules.sessions.endSession(
                Identifier(rawValue: id), by: who, from: request.browser.origin)
        } else {
            _ = try await request.modules.sessions.endOtherSessions(
                by: who, isProven: false, from: request.browser.origin)
        }
        return request.done("sessionEnded")
    }
}

/// Shows a transfer code. It stands in this answer and nowhere else.
struct ShowTransferCode: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let issued = try await request.modules.transfers.issueTransferCode(
            by: who, isProven: false, from: request.browser.origin)
        return try await request.account(who, AccountState(transfer: issued))
    }
}

/// Makes the transfer code void.
struct WithdrawTransfer: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        try await request.modules.transfers.withdrawTransferCode(by: who, from: request.browser.origin)
        return request.done("transferWithdrawn")
    }
}

/// Says whose a device is that joined by a transfer code: the person's own, or else it is taken out.
struct AnswerNotice: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let (transfers, origin) = (request.modules.transfers, request.browser.origin)
        if let id = form["notMine"] {
            try await transfers.undoTransfer(Identifier(rawValue: id), by: who, from: origin)
            return request.done("noticeUndone")
        }
        // Another device may have been faster, and have taken it out.
        let id = Identifier<Transfer>(rawValue: form.text("mine"))
        guard try await transfers.listNotices(for: who).contains(where: { $0.id == id }) else {
            return PageResponse.redirect(to: request.path("account"), request.browser)
        }
        try await transfers.acknowledgeNotice(id, by: who, from: origin)
        // The device of a registered user has waited for nothing.
        return request.done(who.user.isAnonymous ? "noticeConfirmed" : "noticeKept")
    }
}

/// Everything that is stored, as the file that the API gives too (requirement 45).
struct DownloadExport: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let export = try await request.modules.deletion.exportUser(
            by: who, isProven: false, from: request.browser.origin)
        return try NativeAPI.response(export, current: who.session.id)
    }
}

/// Asks for the end of the account (requirement 33).
struct DeleteAccount: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        guard form["sure"] != nil else {
            let errors = FormErrors(status: .unprocessableContent, fields: [("sure", request.text("rule.unticked"))])
            return try await request.account(who, AccountState(errors: errors))
        }
        let erasedAt = try await request.modules.deletion.requestDeletion(
            by: who, isProven: false, from: request.browser.origin)
        var response = try request.message(
            "deleted", ["until": request.time(erasedAt), "back": request.path("log-in")])
        response.keepCookie("", for: request.browser, maximumSeconds: 0)
        return response
    }
}

/// `POST /a/{application}/log-out`.
struct SendLogOut: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        _ = try await request.browser.form()
        if let who = try await request.session() { try await request.modules.sessions.logOut(who) }
        var response = PageResponse.redirect(to: request.path("log-in"), request.browser)
        response.keepCookie("", for: request.browser, maximumSeconds: 0)
        return response
    }
}

/// Goes on with one of two accounts.
struct ChooseAccount: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let choice = MergeChoice(rawValue: form.text("choice")) ?? .keep
        let resolution = try await request.modules.transfers.resolveMerge(
            form.text("ticket"), choice, by: who, address: request.browser.client, from: request.browser.origin)
        guard let logIn = resolution.logIn else {
            return PageResponse.redirect(to: request.path("account"), request.browser)
        }
        return try await request.enter(logIn)
    }
}
