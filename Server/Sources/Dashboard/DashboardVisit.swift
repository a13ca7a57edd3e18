import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// What one page of the dashboard does with a visit.
protocol DashboardPage: Sendable {
    /// Whether it can be seen without being an admin: log-in and set-up.
    var isOpen: Bool { get }
    /// What the admin must be allowed; `nil` for nothing more than to be one.
    var permission: AdminPermission? { get }
    /// - Throws: anything; the visit turns it into a page in the person's language.
    func respond(to visit: DashboardVisit) async throws -> Response
}

extension DashboardPage {
    var isOpen: Bool { false }
}

/// Finds out who looks and whether they may, then answers; errors become pages.
struct DashboardRoute: RouteHandler {
    let dashboard: Dashboard
    let page: any DashboardPage

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        var visit = DashboardVisit(
            dashboard: dashboard, visit: dashboard.gate.visit(request, context, cookie: "admin"), access: nil,
            application: nil)
        do {
            try await visit.find(page)
            return try await page.respond(to: visit)
        } catch {
            return try visit.answer(to: error)
        }
    }
}

/// A visit of the dashboard: everything that a page needs to draw itself.
struct DashboardVisit: Sendable {
    let dashboard: Dashboard
    let visit: PageVisit
    private(set) var access: AdminAccess?
    private(set) var application: Domain.Application?

    init(dashboard: Dashboard, visit: PageVisit, access: AdminAccess?, application: Domain.Application?) {
        self.dashboard = dashboard
        self.visit = visit
        self.access = access
        self.application = application
    }

    var useCases: UseCases { dashboard.useCases }
    var rules: AdministrationUseCases { dashboard.useCases.administration }
    var isPost: Bool { visit.request.method == .post }

    fileprivate mutating func find(_ page: any DashboardPage) async throws {
        guard !page.isOpen else { return }
        let access = try await rules.findAdmin(visit.cookie.map { Secret($0) })
        self.access = access
        let sent = visit.context.parameters.get("application")
        let id = sent.map { Identifier<Domain.Application>(rawValue: String($0.prefix(128))) }
        if let id, !access.sees(id) { throw DomainError.administration(.notFound) }
        if let permission = page.permission { try access.require(permission, in: id) }
        if let id {
            do {
                application = try await useCases.findApplication(id)
            } catch {
                guard case .applicationUnknown = error else { throw error }
                throw DomainError.administration(.notFound)
            }
        }
    }

    /// - Throws: `administration(adminRequired)` on an open page.
    func caller() throws(DomainError) -> AdminAccess {
        guard let access else { throw .administration(.adminRequired) }
        return access
    }

    /// - Throws: `administration(notFound)` on a page without one.
    func place() throws(DomainError) -> Domain.Application {
        guard let application else { throw .administration(.notFound) }
        return application
    }

    /// Who does it, for the audit log; checked again for what the page's own permission does not cover.
    func acting(_ permission: AdminPermission? = nil) throws(DomainError) -> Operator {
        let access = try caller()
        if let permission { try access.require(permission, in: application?.id) }
        return access.acting(from: visit.origin)
    }

    func text(_ name: String, _ values: [String: String] = [:]) -> String {
        dashboard.texts.text(name, in: visit.language, values)
    }

    /// The path of a page of the application.
    func path(_ page: String = "") -> String {
        "\(Dashboard.root)/app/\(application?.id.rawValue ?? "")\(page.isEmpty ? "" : "/\(page)")"
    }

    func redirect(to path: String) -> Response { PageAnswer.redirect(to: path, visit) }

    /// Draws a page.
    func html(
        _ template: String, title: String, _ own: PageTemplates.Model, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var model: PageTemplates.Model = [
            "language": visit.language.rawValue, "title": title, "brand": "Okaeri", "nonce": visit.nonce,
            "bodyClass": "dashboard", "assets": dashboard.assetModel,
            "formToken": visit.formToken, "tokenField": PageVisit.tokenField,
            "t": dashboard.texts.tree(in: visit.language), "action": visit.path, "languages": languages, "nav": nav,
            "pageLanguage": visit.language.rawValue, "tabs": tabs,
            "hasTabs": !tabs.isEmpty,
        ]
        if let access { model["me"] = access.name }
        if let application {
            model["application"] = application.name
            if access?.may(.readUsers) == true { model["usersLink"] = path("users") }
        }
        model.merge(own) { $1 }
        return PageAnswer.html(try dashboard.templates.render(template, model), for: visit, status: status)
    }

    private var nav: [PageTemplates.Model] {
        guard let access else { return [] }
        var items: [(String, String, AdminPermission?)] = []
        if application != nil {
            items = [
                ("overview", path(), .readFigures), ("users", path("users"), .readUsers),
                ("sessions", path("sessions"), .readUsers), ("conflicts", path("conflicts"), .readUsers),
                ("settings", path("settings"), .readSettings), ("audit", path("audit"), .readAudit),
                ("fields", path("fields"), .readSettings),
                ("start", path("start"), .readFigures),
            ]
        }
        items.append(("applications", "\(Dashboard.root)/applications", nil))
        if access.applications == nil {
            items += [
                ("admins", "\(Dashboard.root)/admins", .readAdmins), ("keys", "\(Dashboard.root)/keys", .readAdmins),
                ("health", "\(Dashboard.root)/health", .readFigures),
            ]
        }
        return items.filter { item in item.2.map { access.may($0) } ?? true }.map { name, link, _ in
            let isHere =
                visit.path == link || (name == "settings" && !tabs.isEmpty)
                || (link != path() && visit.path.hasPrefix("\(link)/"))
            return ["label": text("nav.\(name)"), "link": link, "isCurrent": isHere]
        }
    }

    /// The parts of the settings, on each of them.
    private var tabs: [PageTemplates.Model] {
        let parts = ["settings", "doors", "protocols", "mail", "look"]
        guard application != nil, parts.contains(where: { visit.path == path($0) }) else { return [] }
        return parts.map { part in
            ["label": text("tabs.\(part)"), "link": path(part), "isCurrent": visit.path == path(part)]
        }
    }

    /// Links to the same page in each language.
    private var languages: [PageTemplates.Model] {
        PageLanguage.allCases.map { language in
            let pairs =
                visit.query.all.filter { $0.name != PageVisit.languageParameter }.map { ($0.name, $0.value) }
                + [(PageVisit.languageParameter, language.rawValue)]
            return [
                "code": language.rawValue, "name": language.ownName, "isCurrent": language == visit.language,
                "link": "\(visit.path)?\(FormValues.query(pairs))",
            ]
        }
    }
}

extension Dashboard {
    var assetModel: PageTemplates.Model {
        var model = assets.model
        model["dashboard"] = assets.path(of: "dashboard.css") ?? ""
        model["dashboardScript"] = assets.path(of: "dashboard.js") ?? ""
        return model
    }
}
