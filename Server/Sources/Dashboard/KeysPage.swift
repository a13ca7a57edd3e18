import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/keys`: keys for programs: what they may do, and until when; a new one is shown once.
enum KeysPage {
    private static let page = DashboardRoute.Page("/keys", .listAdminKeys)
    private static let standardDays = "90"

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) },
        DashboardRoute(page, post: "", .createAdminKey, create),
        DashboardRoute(page, post: "{key}/networks", .changeAdminKey, confine),
        DashboardRoute(page, post: "{key}/remove", .removeAdminKey) { request in
            _ = try await request.form()
            try await request.rules.keys.remove(.init(rawValue: request.id("key")), by: try request.auditActor())
            return request.redirect(to: "\(request.pagePath)?done=removed")
        },
    ]

    @Sendable private static func create(_ request: DashboardRequest) async throws -> Response {
        let form = try await request.form()
        do {
            let scopes = AdminPermission.allCases.filter { !form.text("scope.\($0.rawValue)").isEmpty }
            let life = try AdminKey.life(days: Int64(form.text("days"), radix: 10) ?? 0)
            let made = try await request.rules.keys.create(
                .init(
                    name: form.text("name"), scopes: Set(scopes), applications: try ApplicationChoice.read(form),
                    networks: networks(form), life: life),
                of: try request.caller(), attempt: form.attempt, by: try request.auditActor())
            return try await draw(request, once: made)
        } catch {
            guard let faults = AdminForm.faults(error, request) else { throw error }
            return try await draw(request, form, faults: faults)
        }
    }

    /// From where a key counts.
    @Sendable private static func confine(_ request: DashboardRequest) async throws -> Response {
        let (form, id) = (try await request.form(), Identifier<AdminKey>(rawValue: request.id("key")))
        do {
            _ = try await request.rules.keys.change(
                id, networks: networks(form), isCurrent: { $0.version == form.version }, by: try request.auditActor())
            return request.redirect(to: "\(request.pagePath)?done=changed")
        } catch {
            guard let faults = AdminForm.faults(error, request) else { throw error }
            return try await draw(request, form, faults: faults, of: id)
        }
    }

    /// One in a line, or with spaces or commas between.
    private static func networks(_ form: FormValues) -> [String] {
        form.text("networks").split { $0.isWhitespace || $0 == "," }.map(String.init)
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [String: String] = [:],
        of changed: Identifier<AdminKey>? = nil, once: (key: AdminKey, secret: Secret)? = nil
    ) async throws -> Response {
        let applications = try await request.modules.applications.listApplications().map(\.application)
        let keys = try await request.rules.keys.list()
        var model = table(request, keys, applications).model(request)
        model["lead"] = request.text("keys.lead")
        model["once"] = once.map {
            request.once(
                $0.secret.revealed, title: request.text("keys.once", ["name": $0.key.name]),
                note: request.text("keys.onceHint"))
        }
        if let access = request.access, request.offers(.createAdminKey) {
            model["removals"] = keys.map {
                ["link": "\(request.pagePath)/\($0.id)/remove", "label": $0.name] as PageTemplates.Model
            }
            model["hasRemovals"] = !keys.isEmpty
            model["confined"] = keys.map { key in
                let isChanged = key.id == changed
                return confinement(of: key, request, isChanged ? form : nil, isChanged ? faults["networks"] : nil)
            }
            let (form, faults) = changed == nil ? (form, faults) : (.none, [:])
            let choice = ApplicationChoice(
                request: request, applications: applications, chosen: nil, form: form, faults: faults)
            model["form"] =
                [
                    "title": request.text("keys.new"), "button": request.text("keys.make"),
                    "attempt": request.newAttempt(),
                    "fields": fields(request, form, faults),
                    "groups": [scopes(request, access, form, faults)] + choice.groups,
                ] as PageTemplates.Model
        }
        model["notice"] = request.notice(of: ["removed", "changed"], in: "keys")
        model["summary"] = AdminForm.summary(
            changed.map { id in
                Dictionary(faults.map { ("\($0.key)-\(id)", $0.value) }) { first, _ in first }
            } ?? faults, request)
        return try request.html(
            "list", title: request.text("nav.keys"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    private static func table(
        _ request: DashboardRequest, _ keys: [AdminKey], _ applications: [Domain.Application]
    ) -> ListModel {
        let names = Dictionary(applications.map { ($0.id, $0.name) }) { first, _ in first }
        let now = request.dashboard.clock.now
        var list = ListModel()
        list.columns = ["name", "scopes", "applications", "networks", "maker", "created", "expires"].map {
            request.text("keys.\($0)")
        }
        list.empty = request.text("keys.empty")
        list.rows = keys.map { key in
            [
                .init(text: key.name),
                .init(text: key.scopes.map(\.rawValue).sorted().joined(separator: " ")),
                .init(text: request.words(for: key.reach.applications, names)),
                .init(
                    text: key.reach.networks.isEmpty
                        ? request.text("keys.anywhere") : key.reach.networks.map(\.text).joined(separator: " ")),
                .init(text: key.maker.name),
                .init(text: "", time: key.createdAt),
                .init(text: "", time: key.expiresAt, badge: key.expiresAt <= now ? request.text("keys.over") : nil),
            ]
        }
        return list
    }

    /// The form for where a key counts from; with what was sent, when that form was.
    private static func confinement(
        of key: AdminKey, _ request: DashboardRequest, _ sent: FormValues?, _ fault: String?
    ) -> PageTemplates.Model {
        var field = PageField(
            "networks", label: key.name, kind: .multiline,
            value: sent?.text("networks") ?? key.reach.networks.map(\.text).joined(separator: "\n"),
            error: fault, isRequired: false)
        field.idName = "networks-\(key.id)"
        return [
            "link": "\(request.pagePath)/\(key.id)/networks", "field": field.model,
            "version": sent?.version(or: key.version) ?? key.version,
        ]
    }

    private static func fields(
        _ request: DashboardRequest, _ form: FormValues, _ faults: [String: String]
    ) -> [PageTemplates.Model] {
        [
            PageField(
                "name", label: request.text("keys.name"), value: form.text("name"), hint: request.text("keys.nameHint"),
                error: faults["name"]
            ).model,
            PageField(
                "days", label: request.text("keys.days"), kind: .number, value: form["days"] ?? standardDays,
                hint: request.text("keys.daysHint"), error: faults["days"]
            ).model,
            PageField(
                "networks", label: request.text("keys.networks"), kind: .multiline, value: form.text("networks"),
                hint: request.text("keys.networksHint"), error: faults["networks"], isRequired: false
            ).model,
        ]
    }

    /// A key may do no more than who makes it, and makes no admins.
    private static func scopes(
        _ request: DashboardRequest, _ access: AdminAccess, _ form: FormValues, _ faults: [String: String]
    ) -> PageTemplates.Model {
        let offered = AdminKey.scopes(offeredTo: access)
        return [
            "title": request.text("keys.scopes"), "note": faults["scopes"] ?? request.text("keys.scopesHint"),
            "fields": offered.map { scope in
                PageField(
                    "scope.\(scope.rawValue)", label: request.text("scope.\(scope.rawValue)"), kind: .checkbox,
                    value: form.text("scope.\(scope.rawValue)"), isRequired: false
                ).model
            },
        ]
    }
}
