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
    func respond(to visit: DashboardRequest) async throws -> Response
}

extension DashboardPage {
    var isOpen: Bool { false }
}

/// Finds out who looks and whether they may, then answers; errors become pages.
struct DashboardRoute: Sendable {
    let dashboard: Dashboard
    let page: any DashboardPage

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        var visit = DashboardRequest(
            dashboard: dashboard, visit: dashboard.gate.request(request, context, cookie: "admin"), access: nil,
            application: nil)
        var response: Response
        do {
            try await visit.find(page)
            if !page.isOpen { try await visit.read() }
            response = try await page.respond(to: visit)
        } catch {
            response = try visit.answer(to: error)
        }
        if let token = visit.renewed {
            response.keepCookie(token.revealed, for: visit.visit, maximumSeconds: LogInPage.cookieSeconds)
        }
        return response
    }
}

/// A visit of the dashboard: everything that a page needs to draw itself.
struct DashboardRequest: Sendable {
    let dashboard: Dashboard
    private(set) var visit: PageRequest
    private(set) var access: AdminAccess?
    private(set) var application: Domain.Application?
    /// The form that was sent, without password and code.
    private(set) var sent: FormValues?
    /// The session's new token, after the admin has shown again to be there.
    fileprivate var renewed: Secret?

    init(dashboard: Dashboard, visit: PageRequest, access: AdminAccess?, application: Domain.Application?) {
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

    /// Reads the form, and takes the password and code that stand in it. They count for the form that they came with.
    fileprivate mutating func read() async throws {
        guard isPost, visit.request.hasMediaType([FormValues.mediaType]) else { return }
        let form = try await visit.form()
        let sent = form.without(ReauthenticationForm.fields)
        self.sent = sent
        guard let password = form[ReauthenticationForm.password], let token = visit.cookie else { return }
        do {
            let done = try await rules.reauthenticate(
                password: Secret(password), code: form.text(ReauthenticationForm.code), token: Secret(token),
                by: try caller(),
                from: visit.client, origin: visit.origin)
            // Another value than before, as at a log-in (requirement 16), and forms that are tied to it.
            visit = visit.holding(done.token.revealed)
            (renewed, access) = (done.token, done.access)
        } catch {
            switch error {
            case .credentialRefused, .rateLimited, .busy:
                guard let words = PageWords(error) else { throw error }
                throw ReauthenticationForm.Refused(words: words)
            default: throw error
            }
        }
    }

    /// The form that was sent.
    ///
    /// - Throws: `PageFault.forged`, `RequestError`.
    func form() async throws -> FormValues {
        if let sent { return sent }
        return try await visit.form()
    }

    /// The same of a form that may hold files.
    ///
    /// - Throws: `PageFault.forged`, `RequestError`.
    func formWithFiles() async throws -> MultipartForm {
        if let sent { return MultipartForm(fields: sent) }
        return try await visit.formWithFiles()
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
    func auditActor(_ permission: AdminPermission? = nil) throws(DomainError) -> Operator {
        let access = try caller()
        if let permission { try access.require(permission, in: application?.id) }
        return access.auditActor(from: visit.origin)
    }

    func text(_ name: String, _ values: [String: String] = [:]) -> String {
        dashboard.texts.text(name, in: visit.language, values)
    }

    /// The path of a page of the application.
    func path(_ page: String = "") -> String {
        "\(Dashboard.root)/app/\(application?.id.rawValue ?? "")\(page.isEmpty ? "" : "/\(page)")"
    }

    func redirect(to path: String) -> Response { PageResponse.redirect(to: path, visit) }

    /// Draws a page.
    func html(
        _ template: String, title: String, _ own: PageTemplates.Model, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var model: PageTemplates.Model = [
            "language": visit.language.rawValue, "title": title, "brand": "Okaeri", "nonce": visit.nonce,
            "bodyClass": "dashboard", "assets": dashboard.assetModel,
            "formToken": visit.formToken, "tokenField": PageRequest.tokenField,
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
        return PageResponse.html(try dashboard.templates.render(template, model), for: visit, status: status)
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
                visit.query.all.filter { $0.name != PageRequest.languageParameter }.map { ($0.name, $0.value) }
                + [(PageRequest.languageParameter, language.rawValue)]
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
