import Domain
import Foundation
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue
import PageSupport

/// `/dashboard/app/ID/users/USER`: one user, and what can be done about them.
enum UserPage {
    private static let page = DashboardRoute.Page("/app/{application}/users/{user}", .readUser)
    private static let notices: Set<String> = [
        "disabled", "enabled", "loggedOut", "reset", "deleted", "restored", "merged", "saved", "ended",
        "keyRemoved", "passkeyRemoved", "factorsRemoved", "rolesChanged", "created",
    ]

    static let routes: [DashboardRoute] = [
        DashboardRoute(page, also: [.readPersonalData, .readAudit, .readEvents, .readSettings]) { request in
            let notice = request.page.query.text("done")
            return try await draw(request, notice: notices.contains(notice) ? "user.done.\(notice)" : nil)
        },
        DashboardRoute(page, post: "disable", .disableUser) { try await setDisabled(true, $0) },
        DashboardRoute(page, post: "enable", .enableUser) { try await setDisabled(false, $0) },
        DashboardRoute(page, post: "log-out", .endAllSessions) { request in
            try await change(request) { _, id, application, who in
                _ = try await request.rules.users.endAllSessions(of: id, in: application, by: who)
                return done("loggedOut", request)
            }
        },
        DashboardRoute(page, post: "device-keys/{thumbprint}/remove", .removeDeviceKey) { request in
            try await change(request) { _, id, application, who in
                try await request.modules.accounts.removeDeviceKeys(
                    request.id("thumbprint"), of: id, in: application, by: .operator(who))
                return done("keyRemoved", request)
            }
        },
        DashboardRoute(page, post: "passkeys/{passkey}/remove", .removePasskey) { request in
            try await change(request) { _, id, application, who in
                try await request.modules.passkeys.managePasskeys.remove(
                    request.id("passkey", maximumCharacters: Passkey.maximumIdCharacters), of: id, in: application,
                    by: .operator(who))
                return done("passkeyRemoved", request)
            }
        },
        DashboardRoute(page, post: "second-factors/remove", .resetSecondFactors) { request in
            try await change(request) { _, id, application, who in
                try await request.modules.secondFactors.manageSecondFactors.removeAll(of: id, in: application, by: who)
                return done("factorsRemoved", request)
            }
        },
        UserRolesForm.route(page, "roles/give") { .init(adding: [$0]) },
        UserRolesForm.route(page, "roles/take") { .init(removing: [$0]) },
        DashboardRoute(page, post: "sessions/{session}/end", .endSession) { request in
            try await change(request) { _, id, application, who in
                try await request.modules.sessions.endSession(
                    .init(rawValue: request.id("session")), of: id, in: application.id, by: who)
                return done("ended", request)
            }
        },
        DashboardRoute(page, post: "password-reset", .orderPasswordReset) { request in
            try await change(request) { _, id, application, who in
                try await request.rules.users.orderPasswordReset(
                    for: id, in: application, from: request.page.client, by: who)
                return done("reset", request)
            }
        },
        DashboardRoute(page, post: "transfer-code", .issueTransferCode) { request in
            try await change(request) { _, id, application, who in
                let code = try await request.modules.transfers.issueTransferCode(to: id, in: application, by: who)
                return try await drawAgain(request, code: code)
            }
        },
        DashboardRoute(page, post: "delete", .deleteUser) { request in
            try await change(request) { form, id, application, who in
                // Typed, so that no slip of the hand deletes anybody; and there is the grace.
                guard form.text("confirm") == id.rawValue else {
                    throw DomainError.fieldsRefused([ValidationError(field: "confirm", rule: .required)])
                }
                _ = try await request.modules.deletion.deleteUser(id, in: application, by: who)
                return done("deleted", request)
            }
        },
        DashboardRoute(page, post: "restore", .restoreUser) { request in
            try await change(request) { _, id, application, who in
                try await request.modules.deletion.restoreUser(id, in: application.id, by: who)
                return done("restored", request)
            }
        },
        DashboardRoute(page, post: "merge", .mergeUsers) { request in
            try await change(request) { form, id, application, who in
                let other = Identifier<User>(rawValue: form.text("into"))
                do throws(DomainError) {
                    _ = try await request.rules.users.merge(id, into: other, in: application, by: who)
                } catch {
                    guard case .userUnknown = error else { throw error }
                    throw DomainError.fieldsRefused([ValidationError(field: "into", rule: .notListed)])
                }
                return request.redirect(to: "\(request.path(of: other))?done=merged")
            }
        },
        DashboardRoute(page, post: "save", .editUser, also: [.changeIdentifiers, .readPersonalData]) { request in
            try await change(request) { form, id, application, _ in
                let known = try await request.modules.directory.readUser(id, in: application.id)
                // The form says all that shall be: who does not see what is there cannot fill it in.
                try request.caller().require(.readPersonalData, in: application.id)
                var edit = try edit(form, of: known)
                edit.version = Timestamp(milliseconds: Int64(form.version, radix: 10) ?? 0)
                let asked = edit
                return try await request.perform(.editing(asked)) { who in
                    try await request.modules.accounts.editUser(asked, of: id, in: application, by: .operator(who))
                    return done("saved", request)
                }
            }
        },
    ]

    private static func setDisabled(_ isDisabled: Bool, _ request: DashboardRequest) async throws -> Response {
        try await change(request) { _, id, application, who in
            try await request.modules.accounts.setUserDisabled(id, in: application, isDisabled: isDisabled, by: who)
            return done(isDisabled ? "disabled" : "enabled", request)
        }
    }

    private static func done(_ notice: String, _ request: DashboardRequest) -> Response {
        request.redirect(to: "\(request.pagePath)?done=\(notice)")
    }

    /// Shows the page again with what is wrong in the form.
    private static func change(
        _ request: DashboardRequest,
        _ work: (FormValues, Identifier<User>, Domain.Application, Operator) async throws -> Response
    ) async throws -> Response {
        let form = try await request.form()
        do {
            return try await work(
                form, Identifier(rawValue: request.id("user")), try request.targetApplication(),
                try request.auditActor())
        } catch {
            if let errors = UserFormErrors(error, request) {
                return try await drawAgain(request, errors: errors, form: form, status: .unprocessableContent)
            }
            guard let words = PageWords(error), words.status != .forbidden, words.status != .notFound else {
                throw error
            }
            return try await drawAgain(request, fault: "fault.\(words.text)", form: form, status: words.status)
        }
    }

    /// Draws the page in the response to a form, which is a reading of its own.
    private static func drawAgain(
        _ request: DashboardRequest, fault: String? = nil, errors: UserFormErrors? = nil,
        code: IssueTransferCode.Issued? = nil, form: FormValues = .none, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        try await request.perform(page.action, on: request.user) { _ in
            try await draw(request, fault: fault, errors: errors, code: code, form: form, status: status)
        }
    }

    /// The whole form says what shall be: an empty value is none. Fields are JSON, so that they keep their types.
    /// Identifiers that are as they were are no change.
    private static func edit(_ form: FormValues, of known: User) throws(DomainError) -> UserEdit {
        func change(_ name: String) -> ValueChange<String> {
            form[name].map { $0.isEmpty ? .removed : .set($0) } ?? .unchanged
        }
        func identifier(_ name: String, _ present: String?) -> ValueChange<String> {
            form[name] == present ?? "" ? .unchanged : change(name)
        }
        let typed = form.text("fields")
        let fields: [String: JSONValue]
        if typed.allSatisfy(\.isWhitespace) {
            fields = [:]
        } else {
            guard case .object(let members)? = try? JSONValue(parsing: Array(typed.utf8)) else {
                throw .fieldsRefused([ValidationError(field: "fields", rule: .otherType)])
            }
            fields = members
        }
        // A merge keeps what is not named; what the form does not name any more goes.
        var patch: [String: JSONValue] = fields
        // Browsers end the lines of a form with CR LF, which is one character.
        for name in form.text("known").replacing("\r\n", with: "\n").pieces(at: "\n").map(String.init)
        where patch[name] == nil {
            patch[name] = .null
        }
        return UserEdit(
            displayName: change("displayName"), locale: change("locale"), fields: .set(patch),
            identifiers: NewIdentifiers(
                username: identifier("username", known.username), email: identifier("email", known.email),
                phone: identifier("phone", known.phone), rules: .native))
    }

    private static func draw(
        _ request: DashboardRequest, notice: String? = nil, fault: String? = nil, errors: UserFormErrors? = nil,
        code: IssueTransferCode.Issued? = nil, form: FormValues = .none, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let reader = try request.reader()
        let found = try await request.rules.users.inspect(
            Identifier(rawValue: request.id("user")), in: try request.targetApplication().id, for: reader)
        let user = found.user
        let view = UserPageModel(
            request: request, found: found, isMasked: !reader.seesPersonalData,
            adminNames: request.offers(.readAudit) ? try await request.adminNames() : [:])
        var model = view.model
        model.merge(UserRolesForm.model(request, of: user)) { $1 }
        model.merge(AccessListModel(request: request, found: found).model) { $1 }
        if request.offers(.editUser) { model["canChange"] = true }
        if request.offers(.editUser), reader.seesPersonalData {
            model["canEdit"] = true
            model["edit"] = view.editFields(form, errors).map(\.model)
            model["version"] = String(user.updatedAt.milliseconds)
            model["known"] = user.fields.keys.sorted().joined(separator: "\n")
        }
        model.merge(view.confirmations(form, errors)) { $1 }
        if let notice { model["notice"] = request.text(notice) }
        if let code {
            model["transfer"] = code.code.revealed
            model["transferEnd"] = code.expiresAt.text
        }
        if let fault { model["summary"] = request.summary([(nil, request.text(fault))]) }
        if let errors { model["summary"] = request.summary(errors.summary(request)) }
        let name = request.name(of: user)
        model["userName"] = name.withoutBidiControls
        model["shownName"] = name.bidiIsolated
        // Titles go into the history of browsers, and from there to other machines: no list of names gathers there.
        let title = "\(request.text("sessions.user")) \(user.id)"
        return try request.html("user", title: title, model, status: status)
    }
}

/// What the page of a user shows.
struct UserPageModel {
    private static let maximumDetailCharacters = 300

    let request: DashboardRequest
    /// Masked for those who may not see who it is.
    let found: InspectUser.Findings
    let isMasked: Bool
    /// By their ids, for who may list admins.
    let adminNames: [String: String]

    private var user: User { found.user }

    var model: PageTemplates.Model {
        let application = request.application
        let initial = [user.displayName, user.username].compactMap { $0?.initial }.first { !$0.isEmpty }
        var model: PageTemplates.Model = [
            "id": user.id.rawValue, "initial": initial ?? "?",
            "kind": request.text(user.isAnonymous ? "users.anonymous" : "users.registered"),
            "isDisabled": user.isDisabled, "isWeak": found.hasWeakCredential, "isAnonymous": user.isAnonymous,
            "isMasked": isMasked, "hasEmail": user.email != nil, "json": json, "facts": facts,
            "identities": user.identities.map { identity -> PageTemplates.Model in
                [
                    "provider": request.word(identity.provider), "identifier": identity.provider.rawValue,
                    "subject": identity.subject, "time": identity.linkedAt.text,
                ]
            },
            "deviceKeys": found.deviceKeys.map { key -> PageTemplates.Model in
                let device = [key.device.name, key.device.model, key.device.system, key.device.appVersion]
                    .joinedBidiIsolated
                var model: PageTemplates.Model = [
                    "thumbprint": key.thumbprint, "device": device.isEmpty ? "–" : device,
                    "added": key.addedAt.text,
                ]
                if let used = key.lastUsedAt { model["used"] = used.text }
                return model
            },
            "passkeys": found.passkeys.map { passkey -> PageTemplates.Model in
                var model: PageTemplates.Model = [
                    "id": passkey.id, "name": passkey.name, "aaguid": passkey.aaguid,
                    "count": String(passkey.signCount), "added": passkey.createdAt.text,
                    "kept": request.text(
                        passkey.isBackedUp
                            ? "user.backedUp" : passkey.isBackupEligible ? "user.notBackedUp" : "user.oneDevice"),
                ]
                if let used = passkey.lastUsedAt { model["used"] = used.text }
                return model
            },
            "hasSecondFactors": !found.secondFactors.factors.isEmpty,
            "recoveryCodesLeft": String(found.secondFactors.recoveryCodesLeft),
            "secondFactors": found.secondFactors.factors.map { factor -> PageTemplates.Model in
                var model: PageTemplates.Model = ["name": factor.name, "added": factor.createdAt.text]
                if let used = factor.lastUsedAt { model["used"] = used.text }
                return model
            },
            "sessions": found.sessions.map { session -> PageTemplates.Model in
                let device = [
                    session.device.name, session.device.model, session.device.system, session.device.appVersion,
                ].joinedBidiIsolated
                return [
                    "id": session.id.rawValue,
                    "device": device.isEmpty ? "–" : device,
                    "way": request.words(ofLogInTo: session),
                    "identifier": "\(session.protocolName.rawValue) · \(session.method.rawValue)",
                    "address": session.address ?? "–",
                    "time": session.lastUsedAt.text,
                ]
            },
            "timeline": timeline,
        ]
        if let requested = user.deletionRequestedAt, let grace = application?.settings.deletionGrace {
            model["erasedAt"] = (requested + grace).text
        }
        return model
    }

    /// The audit log's entries and the events of the user, newest first, for those who may see them.
    private var timeline: [PageTemplates.Model] {
        let audit = (request.offers(.readAudit) ? found.audit : []).map { entry -> (Timestamp, PageTemplates.Model) in
            let details = details(of: entry)
            return (
                entry.at,
                [
                    "action": request.word(entry.action), "identifier": entry.action.rawValue,
                    "actor": request.words(entry.actor, adminNames), "actorIdentifier": entry.actor.rawValue,
                    "isRefused": entry.result == .refused, "address": entry.origin.address ?? "",
                    "time": entry.at.text, "hasDetails": !details.isEmpty, "details": details,
                ]
            )
        }
        let events = (request.offers(.readEvents) ? found.events : []).map {
            event -> (Timestamp, PageTemplates.Model) in
            (
                event.at,
                [
                    "action": request.word(event.type), "identifier": event.type.rawValue, "isEvent": true,
                    "actor": event.position.map { request.text("user.eventNumber", ["number": String($0)]) } ?? "",
                    "address": event.leftUser?.rawValue ?? "", "time": event.at.text,
                    "deliveries": deliveries(of: event),
                ]
            )
        }
        return (audit + events).sorted { $0.0 > $1.0 }.prefix(InspectUser.maximumAuditEntries).map(\.1)
    }

    /// Which roles and groups were given and taken, and which hook refused: names of operators alone.
    private func details(of entry: AuditEntry) -> String {
        let words = ["added", "removed", "hook"].compactMap { name in
            entry.details[name].map { "\(request.text("detail.\(name)")): \($0)" }
        }
        let text = words.joined(separator: " · ")
        return text.count > Self.maximumDetailCharacters ? text.prefix(Self.maximumDetailCharacters) + "…" : text
    }

    /// How far an event has come at each endpoint, whose address is shown to who may see settings.
    private func deliveries(of event: Event) -> [PageTemplates.Model] {
        let showsURL = request.offers(.readSettings)
        return found.endpoints.compactMap { endpoint -> PageTemplates.Model? in
            guard let state = endpoint.state(of: event, among: found.deliveries) else { return nil }
            let name = showsURL ? endpoint.url : endpoint.id.rawValue
            let text = request.text("user.delivery.\(state.rawValue)", ["endpoint": name])
            return ["text": text, "isGivenUp": state == .givenUp]
        }
    }

    private var facts: [PageTemplates.Model] {
        let texts: [(String, String?)] = [
            ("username", user.username), ("email", user.email), ("phone", user.phone), ("locale", user.locale),
        ]
        let times: [(String, Timestamp?)] = [
            ("created", user.createdAt), ("lastLogIn", user.lastLogInAt), ("previousLogIn", user.previousLogInAt),
            ("passwordSet", user.passwordSetAt), ("emailVerified", user.emailVerifiedAt),
            ("phoneVerified", user.phoneVerifiedAt),
        ]
        return texts.compactMap { name, value in
            value.map { ["label": request.text("user.\(name)"), "value": $0] }
        }
            + times.compactMap { name, time in
                time.map { ["label": request.text("user.\(name)"), "value": "", "time": $0.text] }
            }
    }

    private var json: String { Self.text(of: .object(user.fields)) }

    static func text(of value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // What was read from JSON can be written as JSON.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    func editFields(_ form: FormValues, _ errors: UserFormErrors?) -> [PageField] {
        var names: [(String, PageField.Kind, String?)] = [
            ("displayName", .text, user.displayName), ("locale", .text, user.locale),
        ]
        if !user.isAnonymous {
            names += [
                ("username", .text, user.username), ("email", .email, user.email), ("phone", .tel, user.phone),
            ]
        }
        return names.map { name, kind, value in
            PageField(
                name, label: request.text("user.\(name)"), kind: kind, value: form[name] ?? value ?? "",
                error: errors?[name], isRequired: false)
        }
            + [
                PageField(
                    "fields", label: request.text("user.fields"), kind: .multiline, value: form["fields"] ?? json,
                    hint: request.text("user.fieldsHint"), error: errors?["fields"], isRequired: false)
            ]
    }
}
