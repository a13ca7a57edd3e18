import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/keys`: keys for programs: what they may do, and until when; a new one is told once.
struct KeysPage: DashboardPage {
    let permission: AdminPermission? = .readAdmins

    private static let standardDays = "90"

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else { return try await draw(visit) }
        let form = try await visit.form()
        let who = try visit.requireStepUp(.manageAdmins)
        if form.text("act") == "remove" {
            try await visit.rules.removeKey(.init(rawValue: form.text("key")), by: who)
            return visit.redirect(to: "\(visit.visit.path)?done=removed")
        }
        do {
            let scopes = AdminPermission.allCases.filter { !form.text("scope.\($0.rawValue)").isEmpty }
            guard let days = Int64(form.text("days"), radix: 10), (1...400).contains(days) else {
                throw DomainError.fieldsRefused([ValidationError(field: "days", rule: .outOfRange(1...400))])
            }
            let made = try await visit.rules.createKey(
                .init(
                    name: form.text("name"), scopes: Set(scopes), applications: ApplicationChoice.read(form),
                    life: .days(days)),
                by: try visit.caller(), from: visit.visit.origin)
            return try await draw(visit, once: made)
        } catch {
            guard let faults = AdminForm.faults(error, visit) else { throw error }
            return try await draw(visit, form, faults: faults)
        }
    }

    private func draw(
        _ visit: DashboardRequest, _ form: FormValues = .none, faults: [String: String] = [:],
        once: (key: AdminKey, secret: Secret)? = nil
    ) async throws -> Response {
        let applications = try await visit.useCases.listApplications().map(\.application)
        let names = Dictionary(applications.map { ($0.id, $0.name) }) { first, _ in first }
        let keys = try await visit.rules.listKeys()
        let now = visit.dashboard.clock.now
        var list = ListModel()
        list.columns = ["name", "scopes", "applications", "maker", "created", "expires"].map {
            visit.text("keys.\($0)")
        }
        list.empty = visit.text("keys.empty")
        list.rows = keys.map { key in
            [
                .init(text: key.name),
                .init(text: key.scopes.map(\.rawValue).sorted().joined(separator: " ")),
                .init(text: visit.words(for: key.applications, names)), .init(text: key.createdBy),
                .init(text: "", time: key.createdAt),
                .init(text: "", time: key.expiresAt, badge: key.expiresAt <= now ? visit.text("keys.over") : nil),
            ]
        }
        var model = list.model(visit)
        model["lead"] = visit.text("keys.lead")
        if let once {
            model["once"] =
                [
                    "title": visit.text("keys.once", ["name": once.key.name]), "note": visit.text("keys.onceHint"),
                    "value": once.secret.revealed,
                ] as PageTemplates.Model
        }
        if let access = visit.access, access.may(.manageAdmins) {
            model["removals"] = keys.map { ["id": $0.id.rawValue, "label": $0.name] as PageTemplates.Model }
            model["hasRemovals"] = !keys.isEmpty
            let choice = ApplicationChoice(visit: visit, applications: applications, chosen: nil, form: form)
            model["form"] =
                [
                    "title": visit.text("keys.new"), "button": visit.text("keys.make"),
                    "fields": fields(visit, form, faults),
                    "groups": [scopes(visit, access, form, faults)] + choice.groups,
                ] as PageTemplates.Model
        }
        if visit.visit.query.text("done") == "removed", !visit.isPost { model["notice"] = visit.text("keys.removed") }
        model["summary"] = AdminForm.summary(faults, visit)
        return try visit.html(
            "list", title: visit.text("nav.keys"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    private func fields(
        _ visit: DashboardRequest, _ form: FormValues, _ faults: [String: String]
    ) -> [PageTemplates.Model] {
        [
            PageField(
                "name", label: visit.text("keys.name"), value: form.text("name"), hint: visit.text("keys.nameHint"),
                error: faults["name"]
            ).model,
            PageField(
                "days", label: visit.text("keys.days"), kind: .number, value: form["days"] ?? Self.standardDays,
                hint: visit.text("keys.daysHint"), error: faults["days"]
            ).model,
        ]
    }

    /// A key may do no more than who makes it, and makes no admins.
    private func scopes(
        _ visit: DashboardRequest, _ access: AdminAccess, _ form: FormValues, _ faults: [String: String]
    ) -> PageTemplates.Model {
        let offered = AdminPermission.allCases.filter { $0 != .manageAdmins && access.may($0) }
        return [
            "title": visit.text("keys.scopes"), "note": faults["scopes"] ?? visit.text("keys.scopesHint"),
            "fields": offered.map { scope in
                PageField(
                    "scope.\(scope.rawValue)", label: visit.text("scope.\(scope.rawValue)"), kind: .checkbox,
                    value: form.text("scope.\(scope.rawValue)"), isRequired: false
                ).model
            },
        ]
    }
}
