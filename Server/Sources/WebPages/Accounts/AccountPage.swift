import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire
import PageSupport
import QRCodes

/// `GET /a/{application}/account`: everything about the own account.
struct ShowAccount: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        guard let who = try await request.session() else {
            return PageResponse.redirect(to: request.path("log-in"), request.browser)
        }
        return try await request.account(who, AccountState(done: request.browser.query["done"]))
    }
}

/// What the account page shows beside what is stored.
struct AccountState {
    var errors: FormErrors?
    var upgrade: SignUpForm?
    /// What was sent to change the profile.
    var profile: FormValues?
    /// What was sent to rename a passkey.
    var renaming: FormValues?
    /// What was typed as the name of a passkey that was to be added.
    var passkeyName: String?
    var transfer: IssueTransferCode.Issued?
    /// What was done just now: the name of a text.
    var done: String?
    /// What the script lets authenticators know, when not what the page lists.
    var signals: PageTemplates.Model?

    /// Texts that a link may ask for, and no others.
    static let doneNames: Set<String> = [
        "saved", "upgraded", "identityLinked", "emailSent", "passwordChanged", "identityRemoved", "sessionEnded",
        "transferWithdrawn", "passkeyAdded", "passkeyRemoved", "factorAdded", "factorRemoved", "codesReplaced",
        "noticeConfirmed", "noticeKept", "noticeUndone", "confirmed",
    ]
}

extension HostedPageRequest {
    func account(_ who: Authenticated, _ state: AccountState) async throws -> Response {
        // What was changed just now may not be in the session that the request came with.
        let user = try await modules.directory.readUser(who.user.id, in: application.id)
        let sessions = try await modules.sessions.listSessions(of: user.id, in: application)
        let keys = try await modules.accounts.listDeviceKeys(of: user.id, in: application.id)
        let passkeys = try await modules.passkeys.managePasskeys.list(of: user.id, in: application.id)
        let joined = try await modules.transfers.listNotices(for: who)
        let state = state.naming(passkeys)
        let linkable = try await providers().filter { name in !user.identities.contains { $0.provider == name } }
        let fields = profileFields(of: user, state.profile, canLink: !linkable.isEmpty)
        let facts = facts(of: user)
        let name = shownName(of: user)
        var own: PageTemplates.Model = [
            "cardClass": "card-wide", "who": name, "initial": name.initial,
            "isAnonymous": user.isAnonymous, "isRegistered": !user.isAnonymous,
            "profile": [
                PageField(
                    "displayName", label: text("field.displayName"),
                    value: state.profile?.text("displayName") ?? user.displayName ?? "",
                    error: state.errors?["displayName"], autocomplete: "nickname", isRequired: false
                ).model
            ] + fields.models(self, state.errors),
            "boxes": fields.boxes, "facts": facts, "hasFacts": !facts.isEmpty,
            "sessions": sessions.map { model(of: $0, isCurrent: $0.id == who.session.id) },
            "hasOthers": sessions.count > 1, "identities": identities(of: user, keys),
            "joined": joined.map { model(of: $0) },
            "linkable": linkable.map { name -> PageTemplates.Model in
                ["name": name.rawValue, "label": text("account.identityLink", ["name": ProviderBrand.of(name).name])]
            },
            "deleteLead": deleteLead,
            "sure": PageField(
                "sure", label: text("account.deleteSure"), kind: .checkbox, error: state.errors?["sure"]
            ).model,
        ]
        own.merge(passkeyModels(user, passkeys, state)) { $1 }
        own.merge(try await secondFactorModels(user)) { $1 }
        own.merge(try state.signals ?? signals(of: user, passkeys)) { $1 }
        for path in AccountState.paths { own["to_\(path.key)"] = self.path("account/\(path.value)") }
        own["to_logOut"] = path("log-out")
        if user.isAnonymous {
            var upgrade = state.upgrade ?? SignUpForm()
            if state.upgrade == nil { upgrade.fields = upgradeFields(of: user) }
            own["upgrade"] = upgrade.model(self, isFocused: false)
        } else {
            own.merge(registered(user, state)) { $1 }
        }
        if let errors = state.errors { own["summary"] = errors.summary(self) }
        if let done = state.done, AccountState.doneNames.contains(done) { own["notice"] = text("account.\(done)") }
        if let transfer = state.transfer { own["transfer"] = model(of: transfer) }
        return try html(
            "account", model("account", own), status: state.errors?.status ?? .ok,
            formTargets: formTargets())
    }

    /// By what a person knows an account again: a name, or what leads to it.
    func shownName(of user: User) -> String {
        if let name = user.ownName { return name.bidiIsolated }
        if user.isAnonymous { return text("account.anonymous") }
        guard let identity = user.identities.first(where: { $0.provider.registers && $0.provider != .passkey }) else {
            return text("account.withPasskey")
        }
        return text("account.withProvider", ["name": ProviderBrand.of(identity.provider).name])
    }

    private func passkeyModels(_ user: User, _ passkeys: [Passkey], _ state: AccountState) -> PageTemplates.Model {
        let isOn = hasPasskeys
        var own: PageTemplates.Model = [
            "passkeys": passkeyRows(passkeys, state),
            "listsPasskeys": !passkeys.isEmpty || isOn && !user.isAnonymous,
            "isWithoutPasskeys": passkeys.isEmpty,
        ]
        guard isOn else { return own }
        if user.isAnonymous {
            own["keepWithPasskey"] =
                PasskeyForm(
                    ceremony: .create, action: "account/passkey", label: "passkey.keep", isPrimary: true
                ).model(self)
            own["otherPasskey"] =
                PasskeyForm(ceremony: .get, action: "account/passkey/other", label: "passkey.other").model(self)
        } else {
            own["addPasskey"] =
                PasskeyForm(
                    ceremony: .create, action: "account/passkey", label: "passkey.add",
                    named: (state.passkeyName ?? "", state.errors?[PasskeyForm.nameField])
                ).model(self)
        }
        return own
    }

    private func registered(_ user: User, _ state: AccountState) -> PageTemplates.Model {
        var own: PageTemplates.Model = [
            "email": PageField(
                "email", label: text("field.email"), kind: .email, value: user.email ?? "",
                hint: user.email == nil ? text("account.emailMissing") : nil, error: state.errors?["email"],
                autocomplete: "email"
            ).model,
            "isVerified": user.emailVerifiedAt != nil, "sendsMail": pages.sendsMail,
            "newPassword": PageField(
                "newPassword", label: text("field.newPassword"), kind: .password,
                hint: text(
                    "signUp.passwordHint", ["minimum": String(application.settings.passwordMinimum(of: user))]),
                error: state.errors?["newPassword"], autocomplete: "new-password"
            ).model,
            // Nobody could log in by a password alone.
            "offersPassword": user.hasPassword || !user.typedIdentifiers.isEmpty,
            "passwordLabel": text(user.hasPassword ? "account.passwordChange" : "account.passwordSet"),
            "passwordOpen": state.errors?["newPassword"] != nil || state.errors?["currentPassword"] != nil,
        ]
        if let name = user.logInName { own["accountName"] = name }
        if user.hasPassword {
            own["currentPassword"] =
                PageField(
                    "currentPassword", label: text("field.currentPassword"), kind: .password,
                    error: state.errors?["currentPassword"], autocomplete: "current-password"
                ).model
        }
        return own
    }

    private func identities(of user: User, _ keys: [DeviceKey]) -> [PageTemplates.Model] {
        var listed: [PageTemplates.Model] = []
        if user.hasPassword, !user.typedIdentifiers.isEmpty {
            let detail = (user.username ?? user.email ?? "").bidiIsolated
            listed.append(["label": text("account.identityPassword"), "detail": detail])
        }
        for identity in user.identities where identity.provider != .passkey {
            let label =
                switch identity.provider {
                case .device: text("account.identityDevice")
                case .anonymous: text("account.identityAnonymous")
                default: ProviderBrand.of(identity.provider).name
                }
            var model: PageTemplates.Model = ["label": label, "since": time(identity.linkedAt)]
            if identity.provider == .device {
                model["removableKey"] = identity.subject
                if let key = keys.first(where: { $0.thumbprint == identity.subject }) {
                    model["detail"] = (key.device.name ?? key.device.model ?? "").bidiIsolated
                    if let used = key.lastUsedAt { model["used"] = time(used) }
                }
            } else if identity.provider != .anonymous || !user.isAnonymous {
                // An id that an old app made may have been added by a thief; to a guest it may be all that there is.
                model["removable"] = identity.provider.rawValue
            }
            listed.append(model)
        }
        return listed
    }

    private func model(of session: Session, isCurrent: Bool) -> PageTemplates.Model {
        let parts = [session.device.name ?? session.device.model, session.device.system].joinedBidiIsolated
        var model: PageTemplates.Model = [
            "id": session.id.rawValue, "isCurrent": isCurrent,
            "label": parts.isEmpty ? text("account.sessionUnknown") : parts,
            "used": time(session.lastUsedAt),
        ]
        if let address = session.address, !address.isEmpty { model["address"] = address }
        return model
    }

    /// A device that joined by a transfer code, of which this browser's device was not asked yet.
    private func model(of transfer: Transfer) -> PageTemplates.Model {
        let device = transfer.device.name ?? transfer.device.model ?? text("account.sessionUnknown")
        let name = ["name": device.bidiIsolated]
        var model: PageTemplates.Model = [
            "id": transfer.id.rawValue, "lead": text("account.noticeLead", name), "at": time(transfer.redeemedAt),
            "question": text("account.noticeQuestion", name), "canUndo": modules.now < transfer.undoEnd,
        ]
        if let address = transfer.address, !address.isEmpty { model["address"] = address }
        return model
    }

    private func model(of issued: IssueTransferCode.Issued) -> PageTemplates.Model {
        let link = issued.link?.revealed
        let picture = link.flatMap { QRPicture($0) } ?? QRPicture(issued.code.revealed)
        return [
            "code": issued.code.revealed, "svg": PageMarkup(picture?.svg ?? ""), "until": time(issued.expiresAt),
        ]
    }

    /// An instant for the element `time`, which the script shows as the person's clock does.
    func time(_ instant: Timestamp) -> PageTemplates.Model {
        // To the minute, in UTC: `2026-11-21T14:30`.
        let text = WireTime(millisecondsSince1970: instant.milliseconds).description.prefix(16)
        return ["machine": "\(text)Z", "shown": "\(text.replacing("T", with: " ")) UTC"]
    }

    /// Own texts of an application may have the number of days.
    private var deleteLead: String {
        let grace = application.settings.deletionGrace
        let days = String(grace.components.seconds / 86_400)
        return text("account.deleteLead", ["days": days, "duration": grace.text(in: browser.language)])
    }
}

extension User {
    /// A name that the person or the app has given, and that can be seen; a provider may tell none.
    var ownName: String? {
        [displayName, username, email, phone].compactMap(\.self).first { !$0.initial.isEmpty }
    }
}

extension AccountState {
    /// Where the forms of the account page go.
    static let paths = [
        "profile": "profile", "upgrade": "upgrade", "email": "email", "password": "password",
        "identity": "identity", "link": "link", "sessions": "sessions", "transfer": "transfer", "withdraw": "withdraw",
        "notice": "notice",
        "export": "export", "delete": "delete", "merge": "merge", "renamePasskey": "passkey/name",
        "removePasskey": "passkey/remove", "offerFactor": "factors/offer", "removeFactor": "factors/remove",
        "recoveryCodes": "factors/codes",
    ]
}
