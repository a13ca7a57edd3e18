import Domain
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/roles`: what roles permit, which roles groups give, and what becomes claims. Who has them is on the page of each user.
enum RolesPage {
    private static let page = DashboardRoute.Page("/app/{application}/roles", .listRoles)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) },
        ClaimsForm.route(page, change),
        DashboardRoute(page, post: "role", .changeRoles) { try await save($0, .role) },
        DashboardRoute(page, post: "group", .changeRoles) { try await save($0, .group) },
        DashboardRoute(page, post: "remove", .changeRoles) { request in
            try await change(request) { form, id, who throws(DomainError) in
                let rules = try await request.modules.applications.findApplication(id).settings.access
                guard let grant = rules[Identifier(rawValue: form.text("removed"))] else {
                    throw .fieldsRefused([ValidationError(field: "removed", rule: .notListed)])
                }
                try await request.modules.applications.changeAccessRules.remove(
                    grant.id, grant.kind, in: id, isCurrent: try request.isCurrent(form), by: who)
                return "removed"
            }
        },
    ]

    /// Makes the role or group that the form names, or replaces what it gives.
    private static func save(_ request: DashboardRequest, _ kind: Grant.Kind) async throws -> Response {
        try await change(request) { form, id, who throws(DomainError) in
            let rules = try await request.modules.applications.findApplication(id).settings.access
            let names = form.text("\(kind.rawValue)-gives").split { $0.isWhitespace || $0 == "," }.map(String.init)
            let content: Grant.Content
            switch kind {
            case .role: content = .role(permissions: Set(names))
            case .group:
                var roles: Set<Identifier<Grant>> = []
                for name in names {
                    guard let role = rules.named(name, .role) else {
                        throw .fieldsRefused([ValidationError(field: "roles", rule: .notListed)])
                    }
                    roles.insert(role.id)
                }
                content = .group(roles: roles)
            }
            let name = form.text("\(kind.rawValue)-name")
            let (changeRules, isCurrent) = (
                request.modules.applications.changeAccessRules, try request.isCurrent(form)
            )
            if let present = rules.named(name, kind) {
                _ = try await changeRules.change(
                    present.id, name: nil, content, kind, in: id, isCurrent: isCurrent, by: who)
            } else {
                _ = try await changeRules.create(name, content, in: id, isCurrent: isCurrent, by: who)
            }
            return "saved"
        }
    }

    /// Shows the page again with what is wrong in the form, or with a notice.
    @Sendable private static func change(
        _ request: DashboardRequest,
        _ work: (FormValues, Identifier<Domain.Application>, Operator) async throws(DomainError) -> String
    ) async throws -> Response {
        try await request.submit(
            work, then: { request.redirect(to: "\(request.pagePath)?done=\($0)") },
            orDraw: { try await draw(request, $0, faults: $1) })
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [ValidationError] = []
    ) async throws -> Response {
        let application = try request.targetApplication()
        let (rules, version) = (application.settings.access, form.version(or: application.version))
        var list = ListModel()
        list.columns = ["kind", "name", "gives"].map { request.text("roles.\($0)") }
        list.empty = request.text("roles.empty")
        list.rows = Grant.Kind.allCases.flatMap { kind in
            rules.sorted(kind).map { grant in
                [
                    .init(text: request.text("roles.kind.\(kind.rawValue)")),
                    .init(
                        text: grant.name,
                        link: "\(request.pagePath)?\(FormValues.query([(kind.rawValue, grant.name)]))", isCode: true),
                    .init(text: names(of: grant, in: rules).joined(separator: " "), isCode: true),
                ]
            }
        }
        var model = list.model(request)
        var forms: [PageTemplates.Model] = []
        if request.offers(.changeRoles) {
            forms = Grant.Kind.allCases.map { saving(request, form, $0, rules, faults) }
            let chosen =
                rules[Identifier(rawValue: form.text("removed"))]
                ?? Grant.Kind.allCases.lazy.compactMap { rules.named(request.page.query.text($0.rawValue), $0) }.first
            if let chosen {
                forms.append(try await removal(request, of: chosen, rules, in: application.id))
            } else if !rules.grants.isEmpty {
                model["lead"] = request.text("roles.choose")
            }
        }
        for index in forms.indices { forms[index]["version"] = version }
        if request.offers(.changeClaims) {
            forms.append(ClaimsForm.model(request, form, rules, version: version, faults))
        }
        model["form"] = forms
        switch request.page.query.text("done") {
        case "saved": model["notice"] = request.text("settings.saved")
        case "removed": model["notice"] = request.text("roles.removed")
        default: break
        }
        model["summary"] = request.summary(errors(request, faults, in: form))
        return try request.html(
            "list", title: request.text("nav.roles"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    /// What is wrong with each field, by its label: one word of a list breaks a rule like another.
    private static func errors(
        _ request: DashboardRequest, _ faults: [ValidationError], in form: FormValues
    ) -> [(field: String?, text: String)] {
        var errors: [(field: String?, text: String)] = []
        for fault in faults {
            let name = field(of: fault, in: form)
            guard !errors.contains(where: { $0.field == name }) else { continue }
            let label = name.hasSuffix("-name") ? "name" : name.replacing("-gives", with: "Gives")
            errors.append((name, request.labelled("roles.\(label)", request.words(of: fault.rule))))
        }
        return errors
    }

    /// The name that what breaks a rule has in the form that was sent.
    private static func field(of fault: ValidationError, in form: FormValues) -> String {
        if fault.field.hasPrefix("claims") { return "claims" }
        guard let kind = Grant.Kind.allCases.first(where: { form["\($0.rawValue)-name"] != nil }) else {
            return fault.field
        }
        return "\(kind.rawValue)-\(fault.field == "name" ? "name" : "gives")"
    }

    private static func saving(
        _ request: DashboardRequest, _ form: FormValues, _ kind: Grant.Kind, _ rules: AccessRules,
        _ faults: [ValidationError]
    ) -> PageTemplates.Model {
        let word = kind.rawValue
        let chosen = rules.named(request.page.query.text(word), kind)
        func wrong(_ name: String) -> String? {
            faults.first { field(of: $0, in: form) == name }.map { request.words(of: $0.rule) }
        }
        let name = PageField(
            "\(word)-name", label: request.text("roles.name"), value: form["\(word)-name"] ?? chosen?.name ?? "",
            hint: request.text("roles.nameHint"),
            error: wrong("\(word)-name"))
        let gives = PageField(
            "\(word)-gives", label: request.text("roles.\(word)Gives"),
            value: form["\(word)-gives"]
                ?? chosen.map { names(of: $0, in: rules).joined(separator: " ") } ?? "",
            hint: request.text("roles.givesHint"),
            error: wrong("\(word)-gives"), isRequired: false)
        return [
            "title": request.text("roles.\(word)"), "button": request.text("settings.save"),
            "link": "\(request.pagePath)/\(word)", "fields": [name.model, gives.model],
        ]
    }

    /// Asks first, and says who is concerned: what goes was given user by user, and cannot be given back at once.
    private static func removal(
        _ request: DashboardRequest, of grant: Grant, _ rules: AccessRules,
        in application: Identifier<Domain.Application>
    ) async throws(DomainError) -> PageTemplates.Model {
        let name = "\(request.text("roles.kind.\(grant.kind.rawValue)")) \(grant.name)"
        let count = try await request.modules.directory.listMembers.count(of: grant.id, in: application)
        let groups = rules.sorted(.group).filter { $0.roles.contains(grant.id) }.map(\.name)
        var notes = [request.text("roles.removeHint"), request.text("roles.holders", ["count": String(count)])]
        if !groups.isEmpty {
            notes.append(request.text("roles.givenByGroups", ["groups": groups.joined(separator: ", ")]))
        }
        let removed = PageField("removed", label: request.text("roles.name"), kind: .select)
            .offering([(grant.id.rawValue, name)])
        return [
            "title": request.text("roles.remove"), "button": request.text("roles.remove"),
            "link": "\(request.pagePath)/remove", "fields": [removed.model], "isBad": true, "sureAbout": name,
            "note": notes.joined(separator: " "),
        ]
    }

    /// Permissions of a role, or the names of a group's roles.
    private static func names(of grant: Grant, in rules: AccessRules) -> [String] {
        grant.permissions + grant.roles.compactMap { rules[$0]?.name }.sorted()
    }
}

/// The roles of one user, on its page.
enum UserRolesForm {
    /// - Parameters:
    ///   - page: The page of a user.
    ///   - name: `roles/give` or `roles/take`.
    ///   - change: What the chosen role or group means.
    /// - Returns: the route.
    static func route(
        _ page: DashboardRoute.Page, _ name: String,
        _ change: @escaping @Sendable (Identifier<Grant>) -> ChangeUserRoles.Change
    ) -> DashboardRoute {
        DashboardRoute(page, post: name, .assignRoles) { request in
            let grant = Identifier<Grant>(rawValue: try await request.form().text("grant"))
            let application = try request.targetApplication()
            // Somebody else may have removed the role since the page was drawn: then there is nothing to give.
            guard application.settings.access[grant] != nil else { throw DomainError.administration(.notFound) }
            _ = try await request.modules.accounts.changeUserRoles(
                change(grant), of: Identifier(rawValue: request.id("user")), in: application,
                by: try request.auditActor())
            return request.redirect(to: "\(request.pagePath)?done=rolesChanged")
        }
    }

    /// What the page shows: what the user was given, and what else there is.
    static func model(_ request: DashboardRequest, of user: User) -> PageTemplates.Model {
        guard let application = request.application else { return [:] }
        let rules = application.settings.access
        let all = Grant.Kind.allCases.flatMap { rules.sorted($0) }
        func label(_ grant: Grant) -> String { "\(request.text("roles.kind.\(grant.kind.rawValue)")) \(grant.name)" }
        let offered = all.filter { !user.grants.contains($0.id) }
        let access = user.access(in: application)
        var model: PageTemplates.Model = [
            "grants": all.filter { user.grants.contains($0.id) }.map { grant -> PageTemplates.Model in
                ["grant": grant.id.rawValue, "label": label(grant)]
            },
            "permissions": access.permissions.joined(separator: " "), "hasPermissions": !access.permissions.isEmpty,
        ]
        if request.offers(.assignRoles), !offered.isEmpty {
            model["giving"] =
                PageField("grant", label: request.text("user.giveRole"), kind: .select)
                .offering(offered.map { ($0.id.rawValue, label($0)) }).model
        }
        return model
    }
}
