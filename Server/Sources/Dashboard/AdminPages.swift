import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/admins`: who looks after users, and a form that invites another.
struct AdminsPage: DashboardPage {
    let permission: AdminPermission? = .readAdmins

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else { return try await draw(visit) }
        let form = try await visit.form()
        let who = try visit.requireStepUp(.manageAdmins)
        do {
            guard let role = AdminRole(rawValue: form.text("role")) else { throw PageFault.unknown }
            let admin = try await visit.rules.createAdmin(
                name: form.text("name"), role: role, applications: ApplicationChoice.read(form), by: who)
            // Drawn at once and not after a redirect: the link is told this one time.
            let link = try await visit.rules.makeLink(for: admin.id, by: who)
            return try await draw(visit, once: visit.once(link, for: admin))
        } catch {
            guard let faults = AdminForm.faults(error, visit) else { throw error }
            return try await draw(visit, form, faults: faults)
        }
    }

    private func draw(
        _ visit: DashboardRequest, _ form: FormValues = .none, faults: [String: String] = [:],
        once: PageTemplates.Model? = nil
    ) async throws -> Response {
        let applications = try await visit.useCases.listApplications().map(\.application)
        let names = Dictionary(applications.map { ($0.id, $0.name) }) { first, _ in first }
        var list = ListModel()
        list.columns = ["name", "role", "applications", "state", "lastLogIn"].map { visit.text("admins.\($0)") }
        list.rows = try await visit.rules.listAdmins().map { admin in
            [
                .init(text: admin.name, link: "\(Dashboard.root)/admins/\(admin.id)"),
                .init(text: visit.text("role.\(admin.role.rawValue)")),
                .init(text: visit.words(for: admin.applications, names)), visit.state(of: admin),
                .init(text: admin.lastLogInAt == nil ? "–" : "", time: admin.lastLogInAt),
            ]
        }
        var model = list.model(visit)
        model["lead"] = visit.text("admins.lead")
        if let once { model["once"] = once }
        if visit.access?.may(.manageAdmins) == true {
            let view = AdminForm(visit: visit, form: form, faults: faults)
            model["form"] =
                [
                    "title": visit.text("admins.invite"), "button": visit.text("admins.inviteButton"),
                    "fields": [view.name, view.role(.operator)],
                    "groups": ApplicationChoice(visit: visit, applications: applications, chosen: nil, form: form)
                        .groups,
                ] as PageTemplates.Model
        }
        model["summary"] = AdminForm.summary(faults, visit)
        return try visit.html(
            "list", title: visit.text("nav.admins"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }
}

/// `/dashboard/admins/ADMIN`: one of them: role, applications, a link for new credentials, in or out.
struct AdminPage: DashboardPage {
    let permission: AdminPermission? = .readAdmins

    private static let notices: Set<String> = ["saved", "disabled", "enabled", "unlocked"]

    func respond(to visit: DashboardRequest) async throws -> Response {
        let sent = visit.visit.context.parameters.get("admin").map { String($0.prefix(128)) } ?? ""
        let id = Identifier<Admin>(rawValue: sent)
        guard visit.isPost else { return try await draw(visit, id) }
        let form = try await visit.form()
        let who = try visit.requireStepUp(.manageAdmins)
        do {
            return try await act(form, on: id, visit, who)
        } catch {
            guard let faults = AdminForm.faults(error, visit) else { throw error }
            return try await draw(visit, id, form, faults: faults)
        }
    }

    private func act(
        _ form: FormValues, on id: Identifier<Admin>, _ visit: DashboardRequest, _ who: Operator
    ) async throws -> Response {
        let rules = visit.rules
        // What somebody else changed meanwhile is not overwritten.
        let version = Timestamp(milliseconds: Int64(form.text("version"), radix: 10) ?? 0)
        func done(_ notice: String) -> Response { visit.redirect(to: "\(visit.visit.path)?done=\(notice)") }
        switch form.text("act") {
        case "save":
            guard let role = AdminRole(rawValue: form.text("role")) else { throw PageFault.unknown }
            let applications = ApplicationChoice.read(form)
            _ = try await rules.changeAdmin(
                id, .init(role: role, applications: applications.map { .set($0) } ?? .removed), version: version,
                by: who)
            return done("saved")
        case "disable", "enable":
            let isDisabled = form.text("act") == "disable"
            _ = try await rules.changeAdmin(id, .init(isDisabled: isDisabled), version: version, by: who)
            return done(isDisabled ? "disabled" : "enabled")
        case "unlock":
            try await rules.unlockAdmin(id, by: who)
            return done("unlocked")
        case "link":
            let link = try await rules.makeLink(for: id, by: who)
            return try await draw(visit, id, link: link)
        case "remove":
            guard let admin = try await rules.listAdmins().first(where: { $0.id == id }) else {
                throw PageFault.unknown
            }
            // Typed, so that no slip of the hand removes anybody.
            guard Admin.folded(form.text("confirm")) == admin.foldedName else {
                throw DomainError.fieldsRefused([ValidationError(field: "confirm", rule: .required)])
            }
            try await rules.removeAdmin(id, by: who)
            return visit.redirect(to: "\(Dashboard.root)/admins")
        default: throw PageFault.unknown
        }
    }

    private func draw(
        _ visit: DashboardRequest, _ id: Identifier<Admin>, _ form: FormValues = .none, faults: [String: String] = [:],
        link: MakeAdminLink.Made? = nil
    ) async throws -> Response {
        guard let admin = try await visit.rules.listAdmins().first(where: { $0.id == id }) else {
            throw DomainError.administration(.notFound)
        }
        let applications = try await visit.useCases.listApplications().map(\.application)
        let names = Dictionary(applications.map { ($0.id, $0.name) }) { first, _ in first }
        var list = ListModel()
        list.columns = [visit.text("health.what"), visit.text("health.how")]
        func row(_ name: String, _ cell: ListModel.Cell) {
            list.rows.append([.init(text: visit.text("admins.\(name)")), cell])
        }
        row("role", .init(text: visit.text("role.\(admin.role.rawValue)")))
        row("applications", .init(text: visit.words(for: admin.applications, names)))
        row("state", visit.state(of: admin))
        let lockedUntil = try await visit.rules.listLocks()[id]
        if let lockedUntil { row("lockedUntil", .init(text: "", time: lockedUntil)) }
        row("created", .init(text: "", time: admin.createdAt))
        row("lastLogIn", .init(text: admin.lastLogInAt == nil ? "–" : "", time: admin.lastLogInAt))
        row("codes", .init(text: String(admin.recoveryDigests.count)))
        var model = list.model(visit)
        if let link { model["once"] = visit.once(link, for: admin) }
        if visit.access?.may(.manageAdmins) == true {
            let view = AdminForm(visit: visit, form: form, faults: faults)
            let choice = ApplicationChoice(
                visit: visit, applications: applications, chosen: admin.applications, form: form)
            model["form"] = view.forms(of: admin, choice, isLocked: lockedUntil != nil)
            model["version"] = String(admin.updatedAt.milliseconds)
        }
        let done = visit.visit.query.text("done")
        if !visit.isPost, Self.notices.contains(done) { model["notice"] = visit.text("admins.done.\(done)") }
        model["summary"] = AdminForm.summary(faults, visit)
        return try visit.html(
            "list", title: admin.name, model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }
}

/// The forms about admins.
struct AdminForm {
    let visit: DashboardRequest
    let form: FormValues
    let faults: [String: String]

    var name: PageTemplates.Model {
        PageField(
            "name", label: visit.text("admins.name"), value: form.text("name"), hint: visit.text("admins.nameHint"),
            error: faults["name"]
        ).model
    }

    func role(_ present: AdminRole) -> PageTemplates.Model {
        PageField(
            "role", label: visit.text("admins.role"), kind: .select, value: form["role"] ?? present.rawValue,
            error: faults["role"],
            choices: AdminRole.allCases.map { ($0.rawValue, visit.text("role.\($0.rawValue)")) }
        ).model
    }

    /// What can be done to an admin.
    func forms(of admin: Admin, _ choice: ApplicationChoice, isLocked: Bool) -> [PageTemplates.Model] {
        func form(
            _ act: String, _ fields: [PageTemplates.Model] = [], groups: [PageTemplates.Model] = [], isBad: Bool = false
        ) -> PageTemplates.Model {
            [
                "title": visit.text("admins.\(act)"), "button": visit.text("admins.\(act)Button"), "act": act,
                "note": visit.text("admins.\(act)Hint"), "fields": fields, "groups": groups, "isBad": isBad,
            ]
        }
        let confirm = PageField(
            "confirm", label: "\(visit.text("user.confirm")) \(admin.name)", kind: .code, error: faults["confirm"],
            isRequired: false)
        return (isLocked ? [form("unlock")] : []) + [
            form("save", [role(admin.role)], groups: choice.groups), form("link"),
            admin.isDisabled ? form("enable") : form("disable", isBad: true),
            form("remove", [confirm.model], isBad: true),
        ]
    }

    /// What a form is told by the field, or by the empty name for the whole; `nil` for what is no fault of a field.
    static func faults(_ error: any Error, _ visit: DashboardRequest) -> [String: String]? {
        guard let error = error as? DomainError else { return nil }
        return switch error.code {
        case .adminNameTaken: ["name": visit.text("fault.nameTaken")]
        case .lastOwner: ["": visit.text("fault.lastOwner")]
        case .fieldsRefused:
            Dictionary(
                (error.validationErrors ?? []).map { ($0.field, visit.text("access.bad.\($0.field)")) },
                uniquingKeysWith: { first, _ in first })
        default: nil
        }
    }

    static func summary(_ faults: [String: String], _ visit: DashboardRequest) -> PageTemplates.Model? {
        guard !faults.isEmpty else { return nil }
        return PageSummary(
            title: visit.text("fault.title"),
            errors: faults.sorted { $0.key < $1.key }.map {
                (["", "scopes", "applications"].contains($0.key) ? nil : $0.key, $0.value)
            }
        ).model
    }
}

/// Boxes for the applications that an admin or a key may see. None of them stands for all.
struct ApplicationChoice {
    /// A form holds no more fields than this and some.
    static let maximum = 150

    let visit: DashboardRequest
    let applications: [Domain.Application]
    let chosen: Set<Identifier<Domain.Application>>?
    let form: FormValues

    var groups: [PageTemplates.Model] {
        guard !applications.isEmpty else { return [] }
        let wasSent = !form.all.isEmpty
        let sent = Self.read(form) ?? []
        let boxes = applications.prefix(Self.maximum).map { application in
            PageField(
                "application.\(application.id)", label: application.name, kind: .checkbox,
                value: (wasSent ? sent : chosen ?? []).contains(application.id) ? "yes" : "", isRequired: false
            ).model
        }
        return [
            [
                "title": visit.text("admins.applications"), "note": visit.text("access.applicationsHint"),
                "fields": boxes,
            ]
        ]
    }

    /// - Returns: the ones that were chosen; `nil` for all.
    static func read(_ form: FormValues) -> Set<Identifier<Domain.Application>>? {
        let prefix = "application."
        let ids = form.all.map(\.name).filter { $0.hasPrefix(prefix) && $0.utf8.count <= 140 }
            .map { Identifier<Domain.Application>(rawValue: String($0.dropFirst(prefix.count))) }
        return ids.isEmpty ? nil : Set(ids)
    }
}

extension DashboardRequest {
    /// A link that is told once.
    fileprivate func once(_ link: MakeAdminLink.Made, for admin: Admin) -> PageTemplates.Model {
        [
            "title": text("admins.once", ["name": admin.name]), "note": text("admins.onceHint"),
            "value": "\(dashboard.publicURL)\(Dashboard.root)/set-up?token=\(link.token.revealed)",
        ]
    }

    fileprivate func state(of admin: Admin) -> ListModel.Cell {
        if admin.isDisabled { return .init(text: "", badge: text("admins.disabled")) }
        return admin.isSetUp
            ? .init(text: text("admins.active")) : .init(text: "", badge: text("admins.invited"))
    }

    /// Names of applications; ids of those that are gone.
    func words(
        for applications: Set<Identifier<Domain.Application>>?, _ names: [Identifier<Domain.Application>: String]
    ) -> String {
        applications.map { $0.map { names[$0] ?? $0.rawValue }.sorted().joined(separator: ", ") } ?? text("access.all")
    }
}
