import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/admins`: who looks after users, and a form that invites another.
enum AdminsPage {
    private static let page = DashboardRoute.Page("/admins", .listAdmins)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) }, DashboardRoute(page, post: "", .createAdmin, invite),
    ]

    @Sendable private static func invite(_ request: DashboardRequest) async throws -> Response {
        let (form, who) = (try await request.form(), try request.auditActor())
        do {
            guard let role = AdminRole(rawValue: form.text("role")) else { throw PageFault.unknown }
            let admin = try await request.rules.admins.create(
                name: form.text("name"), role: role, applications: try ApplicationChoice.read(form), by: who)
            // Drawn at once and not after a redirect: the link is shown this one time.
            let link = try await request.rules.admins.makeLink(for: admin.id, by: who)
            return try await draw(request, once: request.once(link, for: admin))
        } catch {
            guard let faults = AdminForm.faults(error, request) else { throw error }
            return try await draw(request, form, faults: faults)
        }
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [String: String] = [:],
        once: PageTemplates.Model? = nil
    ) async throws -> Response {
        let applications = try await request.modules.applications.listApplications().map(\.application)
        let names = Dictionary(applications.map { ($0.id, $0.name) }) { first, _ in first }
        var list = ListModel()
        list.columns = ["name", "role", "applications", "state", "lastLogIn"].map { request.text("admins.\($0)") }
        list.rows = try await request.rules.admins.list().map { admin in
            [
                .init(text: admin.name, link: "\(Dashboard.root)/admins/\(admin.id)"),
                .init(text: request.text("role.\(admin.role.rawValue)")),
                .init(text: request.words(for: admin.applications, names)), request.state(of: admin),
                .init(text: admin.lastLogInAt == nil ? "–" : "", time: admin.lastLogInAt),
            ]
        }
        var model = list.model(request)
        model["lead"] = request.text("admins.lead")
        if let once { model["once"] = once }
        if request.offers(.createAdmin) {
            let view = AdminForm(request: request, form: form, faults: faults)
            model["form"] =
                [
                    "title": request.text("admins.invite"), "button": request.text("admins.inviteButton"),
                    "fields": [view.name, view.role(.operator)],
                    "groups": ApplicationChoice(
                        request: request, applications: applications, chosen: nil, form: form, faults: faults
                    ).groups,
                ] as PageTemplates.Model
        }
        model["summary"] = AdminForm.summary(faults, request)
        return try request.html(
            "list", title: request.text("nav.admins"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }
}

/// `/dashboard/admins/ADMIN`: one of them: role, applications, a link for new credentials, in or out.
enum AdminPage {
    private static let page = DashboardRoute.Page("/admins/{admin}", .listAdmins)
    private static let notices: Set<String> = ["saved", "disabled", "enabled", "unlocked"]

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) },
        DashboardRoute(page, post: "save", .changeAdmin) { request in
            try await change(request) { form, id, who in
                guard let role = AdminRole(rawValue: form.text("role")) else { throw PageFault.unknown }
                let applications = try ApplicationChoice.read(form)
                _ = try await request.rules.admins.change(
                    id, .init(role: role, applications: applications.map { .set($0) } ?? .removed),
                    version: version(form), by: who)
                return done("saved", request)
            }
        },
        DashboardRoute(page, post: "disable", .changeAdmin) { try await setDisabled(true, $0) },
        DashboardRoute(page, post: "enable", .changeAdmin) { try await setDisabled(false, $0) },
        DashboardRoute(page, post: "unlock", .unlockAdmin) { request in
            try await change(request) { _, id, who in
                try await request.rules.admins.unlock(id, by: who)
                return done("unlocked", request)
            }
        },
        DashboardRoute(page, post: "link", .createAdminLink) { request in
            try await change(request) { _, id, who in
                try await draw(request, link: try await request.rules.admins.makeLink(for: id, by: who))
            }
        },
        DashboardRoute(page, post: "remove", .removeAdmin) { request in
            try await change(request) { form, id, who in
                guard let admin = try await request.rules.admins.list().first(where: { $0.id == id }) else {
                    throw PageFault.unknown
                }
                // Typed, so that no slip of the hand removes anybody.
                guard Admin.folded(form.text("confirm")) == admin.foldedName else {
                    throw DomainError.fieldsRefused([ValidationError(field: "confirm", rule: .required)])
                }
                try await request.rules.admins.remove(id, by: who)
                return request.redirect(to: "\(Dashboard.root)/admins")
            }
        },
    ]

    private static func setDisabled(_ isDisabled: Bool, _ request: DashboardRequest) async throws -> Response {
        try await change(request) { form, id, who in
            _ = try await request.rules.admins.change(
                id, .init(isDisabled: isDisabled), version: version(form), by: who)
            return done(isDisabled ? "disabled" : "enabled", request)
        }
    }

    /// What another admin changed meanwhile is not overwritten.
    private static func version(_ form: FormValues) -> Timestamp {
        Timestamp(milliseconds: Int64(form.version, radix: 10) ?? 0)
    }

    private static func done(_ notice: String, _ request: DashboardRequest) -> Response {
        request.redirect(to: "\(request.pagePath)?done=\(notice)")
    }

    /// Shows the page again with what is wrong in the form.
    private static func change(
        _ request: DashboardRequest, _ work: (FormValues, Identifier<Admin>, Operator) async throws -> Response
    ) async throws -> Response {
        let form = try await request.form()
        do {
            return try await work(form, Identifier(rawValue: request.id("admin")), try request.auditActor())
        } catch {
            guard let faults = AdminForm.faults(error, request) else { throw error }
            return try await draw(request, form, faults: faults)
        }
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [String: String] = [:],
        link: MakeAdminLink.Made? = nil
    ) async throws -> Response {
        let id = Identifier<Admin>(rawValue: request.id("admin"))
        guard let admin = try await request.rules.admins.list().first(where: { $0.id == id }) else {
            throw DomainError.administration(.notFound)
        }
        let applications = try await request.modules.applications.listApplications().map(\.application)
        let names = Dictionary(applications.map { ($0.id, $0.name) }) { first, _ in first }
        var list = ListModel()
        list.columns = [request.text("health.what"), request.text("health.how")]
        func row(_ name: String, _ cell: ListModel.Cell) {
            list.rows.append([.init(text: request.text("admins.\(name)")), cell])
        }
        row("role", .init(text: request.text("role.\(admin.role.rawValue)")))
        row("applications", .init(text: request.words(for: admin.applications, names)))
        row("state", request.state(of: admin))
        let lockedUntil = try await request.rules.admins.listLocks()[id]
        if let lockedUntil { row("lockedUntil", .init(text: "", time: lockedUntil)) }
        row("created", .init(text: "", time: admin.createdAt))
        row("lastLogIn", .init(text: admin.lastLogInAt == nil ? "–" : "", time: admin.lastLogInAt))
        row("codes", .init(text: String(admin.recoveryDigests.count)))
        var model = list.model(request)
        if let link { model["once"] = request.once(link, for: admin) }
        if request.offers(.changeAdmin) {
            let view = AdminForm(request: request, form: form, faults: faults)
            let choice = ApplicationChoice(
                request: request, applications: applications, chosen: admin.applications, form: form,
                faults: faults)
            model["form"] = view.forms(of: admin, choice, isLocked: lockedUntil != nil)
            model["version"] = String(admin.updatedAt.milliseconds)
        }
        model["notice"] = request.notice(of: notices, in: "admins.done")
        model["summary"] = AdminForm.summary(faults, request)
        return try request.html(
            "list", title: admin.name, model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }
}

/// The forms about admins.
struct AdminForm {
    let request: DashboardRequest
    let form: FormValues
    let faults: [String: String]

    var name: PageTemplates.Model {
        PageField(
            "name", label: request.text("admins.name"), value: form.text("name"), hint: request.text("admins.nameHint"),
            error: faults["name"]
        ).model
    }

    func role(_ present: AdminRole) -> PageTemplates.Model {
        PageField(
            "role", label: request.text("admins.role"), kind: .select, value: form["role"] ?? present.rawValue,
            error: faults["role"]
        ).offering(AdminRole.allCases.map { ($0.rawValue, request.text("role.\($0.rawValue)")) }).model
    }

    /// What can be done to an admin.
    func forms(of admin: Admin, _ choice: ApplicationChoice, isLocked: Bool) -> [PageTemplates.Model] {
        func form(
            _ name: String, _ fields: [PageTemplates.Model] = [], groups: [PageTemplates.Model] = [],
            isBad: Bool = false
        ) -> PageTemplates.Model {
            var model: PageTemplates.Model = [
                "title": request.text("admins.\(name)"), "button": request.text("admins.\(name)Button"),
                "link": "\(request.pagePath)/\(name)",
                "note": request.text("admins.\(name)Hint"), "fields": fields, "groups": groups, "isBad": isBad,
            ]
            if isBad { model["sureAbout"] = admin.name }
            return model
        }
        let confirm = PageField(
            "confirm", label: "\(request.text("user.confirm")) \(admin.name)", kind: .code, error: faults["confirm"],
            isRequired: false)
        return (isLocked ? [form("unlock")] : []) + [
            form("save", [role(admin.role)], groups: choice.groups), form("link"),
            admin.isDisabled ? form("enable") : form("disable", isBad: true),
            form("remove", [confirm.model], isBad: true),
        ]
    }

    /// What a form shows by the field, or by the empty name for the whole; `nil` for what is no fault of a field.
    static func faults(_ error: any Error, _ request: DashboardRequest) -> [String: String]? {
        guard let error = error as? DomainError else { return nil }
        return switch error.code {
        case .adminNameTaken: ["name": request.text("fault.nameTaken")]
        case .lastOwner: ["": request.text("fault.lastOwner")]
        case .fieldsRefused:
            Dictionary(
                (error.validationErrors ?? []).map { ($0.field, request.text("access.bad.\(text(of: $0))")) },
                uniquingKeysWith: { first, _ in first })
        default: nil
        }
    }

    private static func text(of fault: ValidationError) -> String {
        switch (fault.field, fault.rule) {
        case ("applications", .empty): "noApplications"
        case ("applications", .required): "bothReaches"
        default: fault.field
        }
    }

    static func summary(_ faults: [String: String], _ request: DashboardRequest) -> PageTemplates.Model? {
        request.summary(
            faults.sorted { $0.key < $1.key }.map { (["", "scopes"].contains($0.key) ? nil : $0.key, $0.value) })
    }
}

/// Which applications an admin or a key may see: all of them, or those whose boxes are ticked.
struct ApplicationChoice {
    /// A form holds no more fields than this and some.
    static let maximum = 150
    private static let field = "applications"
    private static let box = "application."
    private static let kept = "applications.kept"

    let request: DashboardRequest
    let applications: [Domain.Application]
    let chosen: Set<Identifier<Domain.Application>>?
    let form: FormValues
    let faults: [String: String]

    var groups: [PageTemplates.Model] {
        let ways = [("all", request.text("access.reach.all")), ("some", request.text("access.reach.some"))]
        let sent = form[Self.field]
        let way = PageField(
            Self.field, label: request.text("admins.applications"), kind: .radio,
            value: sent ?? (chosen == nil ? "all" : "some"), error: faults[Self.field]
        ).offering(ways.map { (value: $0, label: $1) })
        let ticked = sent == nil ? chosen ?? [] : Self.ticked(form).union(Self.kept(form))
        // Those that were chosen come first. What is chosen beyond the boxes is kept.
        let ordered = applications.filter { ticked.contains($0.id) } + applications.filter { !ticked.contains($0.id) }
        let boxes = ordered.prefix(Self.maximum).map { application in
            PageField(
                "\(Self.box)\(application.id)", label: application.name, kind: .checkbox,
                value: ticked.contains(application.id) ? "yes" : "", isRequired: false
            ).model
        }
        let kept = ordered.dropFirst(Self.maximum).map(\.id).filter(ticked.contains)
        var group: PageTemplates.Model = [
            "title": request.text("admins.applications"), "note": request.text("access.applicationsHint"),
            "fields": [way.model] + boxes,
        ]
        if !kept.isEmpty { group["kept"] = kept.map(\.rawValue).joined(separator: " ") }
        return [group]
    }

    /// - Returns: the ones that were chosen; `nil` for all.
    /// - Throws: `fieldsRefused` when it was not said which, or both.
    static func read(_ form: FormValues) throws(DomainError) -> Set<Identifier<Domain.Application>>? {
        let ticked = Self.ticked(form)
        switch form.text(field) {
        case "all" where ticked.isEmpty: return nil
        case "some":
            let all = ticked.union(kept(form))
            guard !all.isEmpty else { throw .fieldsRefused([ValidationError(field: field, rule: .empty)]) }
            return all
        default: throw .fieldsRefused([ValidationError(field: field, rule: .required)])
        }
    }

    private static func ticked(_ form: FormValues) -> Set<Identifier<Domain.Application>> {
        Set(
            form.all.map(\.name).filter { $0.hasPrefix(box) && $0.utf8.count <= 140 }
                .map { Identifier(rawValue: String($0.dropFirst(box.count))) })
    }

    private static func kept(_ form: FormValues) -> Set<Identifier<Domain.Application>> {
        Set(form.text(kept).pieces(at: " ").map { Identifier(rawValue: String($0.prefix(128))) })
    }
}

extension DashboardRequest {
    /// A link that is shown once.
    fileprivate func once(_ link: MakeAdminLink.Made, for admin: Admin) -> PageTemplates.Model {
        once(
            dashboard.adminLink(link.token), title: text("admins.once", ["name": admin.name]),
            note: text("admins.onceHint"))
    }

    fileprivate func state(of admin: Admin) -> ListModel.Cell {
        switch admin.standing {
        case .disabled: .init(text: "", badge: text("admins.disabled"))
        case .withoutAuthenticator: .init(text: "", badge: text("admins.withoutApp"))
        case .active: .init(text: text("admins.active"))
        case .invited: .init(text: "", badge: text("admins.invited"))
        }
    }

    /// Names of applications; ids of those that are gone.
    func words(
        for applications: Set<Identifier<Domain.Application>>?, _ names: [Identifier<Domain.Application>: String]
    ) -> String {
        applications.map { $0.map { names[$0] ?? $0.rawValue }.sorted().joined(separator: ", ") } ?? text("access.all")
    }
}
