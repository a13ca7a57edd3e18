import Domain
import Foundation
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue
import PageSupport

/// `/dashboard/app/ID/users/USER`: one user, and what can be done about them.
struct UserPage: DashboardPage {
    let permission: AdminPermission? = .readUsers

    func respond(to visit: DashboardRequest) async throws -> Response {
        let id = Identifier<User>(rawValue: visit.visit.context.parameters.get("user").map { String($0) } ?? "")
        guard visit.isPost else {
            let notice = visit.visit.query.text("done")
            return try await draw(visit, id, notice: Self.notices.contains(notice) ? "user.done.\(notice)" : nil)
        }
        let form = try await visit.form()
        let who = try visit.auditActor(.changeUsers)
        do {
            let done = try await act(form, on: id, visit, who)
            if let code = done.code { return try await draw(visit, id, code: code) }
            return visit.redirect(to: "\(visit.path("users/\(done.user ?? id)"))?done=\(done.notice)")
        } catch {
            guard let words = PageWords(error), words.status != .forbidden, words.status != .notFound else {
                throw error
            }
            return try await draw(visit, id, fault: "fault.\(words.text)", form: form, status: words.status)
        }
    }

    private static let notices: Set<String> = [
        "disabled", "enabled", "loggedOut", "reset", "deleted", "restored", "merged", "saved", "ended",
        "keyRemoved",
    ]

    private func act(
        _ form: FormValues, on id: Identifier<User>, _ visit: DashboardRequest, _ who: Operator
    ) async throws -> (notice: String, code: IssueTransferCode.Issued?, user: Identifier<User>?) {
        let application = try visit.place()
        if try await needsPresence(form, on: id, visit) { try visit.requireRecentLogIn() }
        switch form.text("act") {
        case "disable", "enable":
            let isDisabled = form.text("act") == "disable"
            try await visit.useCases.setUserDisabled(id, in: application, isDisabled: isDisabled, by: who)
            return (isDisabled ? "disabled" : "enabled", nil, nil)
        case "log-out":
            _ = try await visit.rules.endAllSessions(of: id, in: application, by: who)
            return ("loggedOut", nil, nil)
        case "remove-key":
            try await visit.useCases.removeDeviceKeys(form.text("key"), of: id, in: application, by: who)
            return ("keyRemoved", nil, nil)
        case "end":
            try await visit.rules.endSession(
                .init(rawValue: form.text("session")), of: id, in: application.id, by: who)
            return ("ended", nil, nil)
        case "reset":
            try await visit.rules.orderPasswordReset(
                for: id, in: application, from: visit.visit.client, by: who)
            return ("reset", nil, nil)
        case "transfer":
            return ("", try await visit.useCases.issueTransferCode(to: id, in: application, by: who), nil)
        case "delete":
            // Typed, so that no slip of the hand deletes anybody; and there is the grace.
            guard form.text("confirm") == id.rawValue else {
                throw DomainError.fieldsRefused([ValidationError(field: "confirm", rule: .required)])
            }
            _ = try await visit.useCases.deleteUser(id, in: application, by: who)
            return ("deleted", nil, nil)
        case "restore":
            try await visit.useCases.restoreUser(id, in: application.id, by: who)
            return ("restored", nil, nil)
        case "merge":
            let other = Identifier<User>(rawValue: form.text("into"))
            _ = try await visit.rules.mergeUsers(id, into: other, in: application, by: who)
            return ("merged", nil, other)
        case "save":
            var edit = try edit(form)
            edit.version = Timestamp(milliseconds: Int64(form.text("version"), radix: 10) ?? 0)
            try await visit.useCases.editUser(edit, of: id, in: application, by: .operator(who))
            return ("saved", nil, nil)
        default:
            throw PageFault.unknown
        }
    }

    /// Whether it gives the account to somebody, or takes it away: by another address somebody else gets a new password.
    private func needsPresence(
        _ form: FormValues, on id: Identifier<User>, _ visit: DashboardRequest
    ) async throws -> Bool {
        guard form.text("act") == "save" else { return ["transfer", "delete", "merge"].contains(form.text("act")) }
        let user = try await visit.useCases.readUser(id, in: try visit.place().id)
        return [("username", user.username), ("email", user.email), ("phone", user.phone)].contains { name, present in
            form[name].map { $0 != present ?? "" } ?? false
        }
    }

    /// The whole form says what shall be: an empty value is none. Fields are JSON, so that they keep their types.
    private func edit(_ form: FormValues) throws(DomainError) -> UserEdit {
        func change(_ name: String) -> ValueChange<String> {
            form[name].map { $0.isEmpty ? .removed : .set($0) } ?? .unchanged
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
        for name in form.text("known").split(separator: "\n").map(String.init) where patch[name] == nil {
            patch[name] = .null
        }
        return UserEdit(
            displayName: change("displayName"), locale: change("locale"), fields: .set(patch),
            identifiers: NewIdentifiers(
                username: form["username"] == nil ? .unchanged : change("username"),
                email: form["email"] == nil ? .unchanged : change("email"),
                phone: form["phone"] == nil ? .unchanged : change("phone")))
    }

    private func draw(
        _ visit: DashboardRequest, _ id: Identifier<User>, notice: String? = nil, fault: String? = nil,
        code: IssueTransferCode.Issued? = nil, form: FormValues = .none, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let (access, application) = (try visit.caller(), try visit.place())
        let found = try await visit.rules.inspectUser(id, in: application.id)
        try await visit.useCases.recordReading(of: id, in: application.id, by: try visit.auditActor())
        let isMasked = !access.may(.readPersonalData)
        let user = isMasked ? Redaction.user(found.user) : found.user
        let view = UserPageModel(visit: visit, found: found, user: user, isMasked: isMasked)
        var model = view.model
        if access.may(.changeUsers) {
            model["canChange"] = true
            model["edit"] = view.editFields(form).map(\.model)
            model["version"] = String(found.user.updatedAt.milliseconds)
            model["known"] = found.user.fields.keys.sorted().joined(separator: "\n")
        }
        if let notice { model["notice"] = visit.text(notice) }
        if let code {
            model["transfer"] = code.code.revealed
            model["transferEnd"] = code.expiresAt.text
        }
        if let fault {
            model["summary"] = PageSummary(title: visit.text("fault.title"), errors: [(nil, visit.text(fault))]).model
        }
        let title = user.displayName ?? user.username ?? visit.text("users.nameless")
        return try visit.html("user", title: title, model, status: status)
    }
}

/// What the page of a user shows.
struct UserPageModel {
    let visit: DashboardRequest
    let found: InspectUser.Findings
    /// Masked for those who may not see who it is.
    let user: User
    let isMasked: Bool

    var model: PageTemplates.Model {
        let application = visit.application
        var model: PageTemplates.Model = [
            "id": user.id.rawValue, "initial": String((user.displayName ?? user.username ?? "?").prefix(1)),
            "kind": visit.text(user.isAnonymous ? "users.anonymous" : "users.registered"),
            "isDisabled": user.isDisabled, "isWeak": found.hasWeakCredential, "isAnonymous": user.isAnonymous,
            "isMasked": isMasked, "hasEmail": user.email != nil, "json": json, "facts": facts,
            "identities": user.identities.map { identity -> PageTemplates.Model in
                ["provider": identity.provider.rawValue, "subject": identity.subject, "time": identity.linkedAt.text]
            },
            "deviceKeys": found.deviceKeys.map { key -> PageTemplates.Model in
                let name = isMasked ? Redaction.text(key.device.name) : key.device.name
                let device = [name, key.device.model, key.device.system, key.device.appVersion].compactMap { $0 }
                var model: PageTemplates.Model = [
                    "thumbprint": key.thumbprint, "device": device.isEmpty ? "–" : device.joined(separator: " · "),
                    "added": key.addedAt.text,
                ]
                if let used = key.lastUsedAt { model["used"] = used.text }
                return model
            },
            "sessions": found.sessions.map { session -> PageTemplates.Model in
                let name = isMasked ? Redaction.text(session.device.name) : session.device.name
                let device = [name, session.device.model, session.device.system, session.device.appVersion]
                return [
                    "id": session.id.rawValue,
                    "device": device.allSatisfy { $0 == nil } ? "–" : device.compactMap { $0 }.joined(separator: " · "),
                    "way": "\(session.protocolName.rawValue) · \(session.method.rawValue)",
                    "address": (isMasked ? Redaction.address(session.address) : session.address) ?? "–",
                    "time": session.lastUsedAt.text,
                ]
            },
            "audit": (visit.access?.may(.readAudit) == true ? found.audit : []).map { entry -> PageTemplates.Model in
                [
                    "action": entry.action.rawValue, "actor": entry.actor.rawValue,
                    "isRefused": entry.result == .refused, "address": entry.origin.address ?? "",
                    "time": entry.at.text,
                ]
            },
        ]
        if let requested = user.deletionRequestedAt, let grace = application?.settings.deletionGrace {
            model["erasedAt"] = (requested + grace).text
        }
        return model
    }

    private var facts: [PageTemplates.Model] {
        let texts: [(String, String?)] = [
            ("username", user.username), ("email", user.email), ("phone", user.phone), ("locale", user.locale),
        ]
        let times: [(String, Timestamp?)] = [
            ("created", user.createdAt), ("lastLogIn", user.lastLogInAt), ("previousLogIn", user.previousLogInAt),
            ("passwordSet", user.passwordSetAt),
        ]
        return texts.compactMap { name, value in
            value.map { ["label": visit.text("user.\(name)"), "value": $0] }
        }
            + times.compactMap { name, time in
                time.map { ["label": visit.text("user.\(name)"), "value": "", "time": $0.text] }
            }
    }

    private var json: String { Self.text(of: .object(user.fields)) }

    static func text(of value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // What was read from JSON can be written as JSON.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    func editFields(_ form: FormValues) -> [PageField] {
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
                name, label: visit.text("user.\(name)"), kind: kind, value: form[name] ?? value ?? "",
                isRequired: false)
        }
            + [
                PageField(
                    "fields", label: visit.text("user.fields"), kind: .multiline, value: form["fields"] ?? json,
                    hint: visit.text("user.fieldsHint"), isRequired: false)
            ]
    }
}
