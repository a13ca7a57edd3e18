import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NativeAPI
import OkaeriWire
import PageSupport

extension FormValues {
    /// The version of what a form was drawn for, which its hidden field names. Without the field it is that of nothing.
    var version: String { text("version") }

    /// The version that a form is drawn with: after a fault, the one that it came with.
    ///
    /// - Parameter present: The version of what is there now.
    /// - Returns: the version.
    func version(or present: String) -> String { self["version"] ?? present }

    /// The form for the version that is there now, after somebody else was faster: what was typed stays.
    var forPresent: FormValues { without(["version"]) }

    /// What the form makes once, however often it is sent; `nil` for a form that has no name.
    var attempt: Attempt? {
        self["attempt"].flatMap { $0.isEmpty ? nil : Attempt(name: $0, request: [UInt8]()) }
    }
}

/// A request of the dashboard: everything that a page needs to draw itself.
struct DashboardRequest: Sendable {
    let dashboard: Dashboard
    let route: DashboardRoute
    private(set) var page: PageRequest
    private(set) var access: AdminAccess?
    private(set) var application: Domain.Application?
    /// The form that was sent, without password and code.
    private(set) var sent: FormValues?
    /// The session's new token, after the admin gave password and code again.
    private(set) var renewed: Secret?

    init(dashboard: Dashboard, route: DashboardRoute, page: PageRequest) {
        self.dashboard = dashboard
        self.route = route
        self.page = page
    }

    var modules: Modules { dashboard.modules }
    var rules: Administration { dashboard.modules.administration }
    var isPost: Bool { page.request.method == .post }
    /// The path of the page that is drawn, which is not the path of a form's action.
    var pagePath: String { route.pagePath(of: page.path) }

    /// A segment of the path by its name.
    func id(_ name: String, maximumCharacters: Int = 128) -> String {
        let text = page.context.parameters.get(name).flatMap(PercentEncoding.text(ofSegment:)) ?? ""
        return String(text.unicodeScalars.prefix(maximumCharacters))
    }

    /// The user that the path names.
    var user: Identifier<User>? {
        route.path.contains("{user}") ? Identifier(rawValue: id("user")) : nil
    }

    /// Finds out who asks, whether page and action are theirs, and about which application.
    mutating func authenticate() async throws(DomainError) {
        let access = try await foundAdmin()
        self.access = access
        let id =
            route.path.contains("{application}") ? Identifier<Domain.Application>(rawValue: id("application")) : nil
        if let id, !access.sees(id) { throw .administration(.notFound) }
        for action in [route.page.action, route.action] { try access.require(action, in: id) }
        guard let id else { return }
        do throws(DomainError) {
            application = try await modules.applications.findApplication(id)
        } catch {
            guard case .applicationUnknown = error else { throw error }
            throw .administration(.notFound)
        }
    }

    private var actor: AdminActor { access.map { .admin($0, page.origin) } ?? .anonymous(page.origin) }

    /// Does something under the policy of its action.
    func perform<Output>(
        _ action: AdminAction, on user: Identifier<User>? = nil, _ work: (Operator) async throws -> Output
    ) async throws -> Output {
        try await rules.perform(action, by: actor, in: application?.id, on: user, refusal: { $0 }, work)
    }

    /// The same for work that throws one kind of error.
    func perform<Output, Failure: Error>(
        _ action: AdminAction, refusal: (DomainError) -> Failure, _ work: (Operator) async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        try await rules.perform(action, by: actor, in: application?.id, on: nil, refusal: refusal, work)
    }

    /// Refuses an action that shows within another one.
    func require(_ action: AdminAction) throws(DomainError) {
        try rules.perform.require(action, by: actor, in: application?.id)
    }

    /// Whether an action would be allowed, for one that depends on what is found meanwhile.
    func allows(_ action: AdminAction) -> Bool { rules.perform.allows(action, by: actor, in: application?.id) }

    /// Who has the session of the cookie. A key is for programs alone.
    ///
    /// - Throws: `administration(adminRequired)`, `storageUnavailable`.
    private func foundAdmin() async throws(DomainError) -> AdminAccess {
        try await rules.logIns.findAdmin(token, at: nil, from: page.origin)
    }

    private var token: Secret? { page.cookie.flatMap { $0.hasPrefix(AdminSession.tokenPrefix) ? Secret($0) : nil } }

    /// Whether the admin, looked up anew, may do something, for a response that goes on for long. A step-up counts for its
    /// beginning.
    ///
    /// - Throws: `storageUnavailable`.
    func stillAllows(_ action: AdminAction) async throws(DomainError) -> Bool {
        guard let access else { return false }
        do throws(DomainError) {
            return try await rules.logIns.findAdmin.again(access, by: token, at: nil, from: page.origin)
                .may(action, in: application?.id)
        } catch {
            guard case .adminRequired = error else { throw error }
            return false
        }
    }

    /// Whether an action is offered at all; step-up is asked for when it is done.
    func offers(_ action: AdminAction) -> Bool { access?.may(action, in: application?.id) == true }

    /// Reads the form, and takes the password and code that stand in it. They count for the form that they came with.
    mutating func readForm() async throws {
        guard page.request.hasMediaType([FormValues.mediaType]) else { return }
        // An admin has logged in here. A user's fields and the words of a mail are longer than what strangers send, and each
        // byte of a Japanese or Korean text has three in a form.
        let form = try await page.form(maximumBytes: BodyReader.maximumBytes)
        let isPasskey = form[ReauthenticationForm.passkey] != nil
        sent = form.without(ReauthenticationForm.fields)
        guard isPasskey || form[ReauthenticationForm.password] != nil, let token = page.cookie else { return }
        do {
            let done =
                isPasskey
                ? try await prove(by: form, token: Secret(token))
                : try await rules.logIns.reauthenticate(
                    password: Secret(form.text(ReauthenticationForm.password)),
                    code: form.text(ReauthenticationForm.code), token: Secret(token), by: try caller(),
                    from: page.client, origin: page.origin)
            // Another value than before, as at a log-in (requirement 16), and forms that are tied to it.
            page = page.holding(done.token.revealed)
            (renewed, access) = (done.token, done.access)
        } catch let error as DomainError {
            switch error.code {
            case .credentialRefused, .rateLimited, .busy, .passkeyUnknown, .passkeyRefused:
                guard let words = PageWords(error) else { throw error }
                throw ReauthenticationForm.Refused(words: words)
            default: throw error
            }
        }
    }

    /// The same with a passkey in the place of password and code.
    private func prove(by form: FormValues, token: Secret) async throws -> ReauthenticateAdmin.Done {
        guard
            let credential = try DashboardPasskey.credential(
                PasskeyAuthentication.self, in: form, at: ReauthenticationForm.passkey)
        else {
            throw DomainError.passkeyUnknown
        }
        return try await rules.logIns.passkeys.reauthenticate(
            try PasskeyAssertion(credential), token: token, by: try caller(), from: page.origin)
    }

    /// The form that was sent.
    ///
    /// - Throws: `PageFault.forged`, `RequestError`.
    func form() async throws -> FormValues {
        if let sent { return sent }
        return try await page.form()
    }

    /// The same of a form that may hold files.
    ///
    /// - Throws: `PageFault.forged`, `RequestError`.
    func formWithFiles() async throws -> MultipartForm {
        if let sent { return MultipartForm(fields: sent) }
        return try await page.formWithFiles()
    }

    /// Performs what the page's form asks for. What is wrong in the form stands in the page, which is drawn again.
    ///
    /// - Parameters:
    ///   - work: The action.
    ///   - respond: Shows what came of it.
    ///   - redraw: Draws the page with the form as it was sent, and what is wrong in it.
    /// - Returns: the page, or a redirect to it.
    /// - Throws: `PageFault.forged`, `RequestError`, and what `work` throws of everything but the form.
    func submit<Outcome>(
        _ work: (FormValues, Identifier<Domain.Application>, Operator) async throws(DomainError) -> Outcome,
        then respond: (Outcome) async throws -> Response,
        orDraw redraw: (FormValues, [ValidationError]) async throws -> Response
    ) async throws -> Response {
        let form = try await self.form()
        let outcome: Outcome
        do throws(DomainError) {
            outcome = try await work(form, try targetApplication().id, try auditActor())
        } catch {
            guard let faults = error.validationErrors else { throw error }
            return try await redraw(form, faults)
        }
        return try await respond(outcome)
    }

    /// - Throws: `administration(adminRequired)` on an open page.
    func caller() throws(DomainError) -> AdminAccess {
        guard let access else { throw .administration(.adminRequired) }
        return access
    }

    /// - Throws: `administration(notFound)` on a page without one.
    func targetApplication() throws(DomainError) -> Domain.Application {
        guard let application else { throw .administration(.notFound) }
        return application
    }

    /// Whether the application is still the one that a form was drawn for; for a transaction.
    func isCurrent(_ form: FormValues) throws(DomainError) -> @Sendable (Domain.Application) -> Bool {
        try targetApplication().isStill(form.version)
    }

    /// What the caller sees of the application's users.
    func reader() throws(DomainError) -> AdminReader {
        AdminReader(try caller(), in: try targetApplication().id)
    }

    /// Who does it, for the audit log.
    func auditActor() throws(DomainError) -> Operator { try caller().auditActor(from: page.origin) }

    func text(_ name: String, _ values: [String: String] = [:]) -> String {
        dashboard.texts.text(name, in: page.language, values)
    }

    /// A text that not every name has, such as a hint; `nil` when there is none.
    func knownText(_ name: String) -> String? { dashboard.texts.known(name, in: page.language) }

    /// Words about a field, behind its label where it has one.
    func labelled(_ label: String, _ words: String) -> String { knownText(label).map { "\($0): \(words)" } ?? words }

    /// The path of a page of the application.
    func path(_ page: String = "") -> String {
        "\(Dashboard.root)/app/\(application?.id.rawValue ?? "")\(page.isEmpty ? "" : "/\(page)")"
    }

    /// The page of a user, whose id an import may have brought.
    func path(of user: Identifier<User>) -> String { path("users/\(user.rawValue.percentEncoded)") }

    /// A name for a form: sent twice under it, the form makes one thing.
    func newAttempt() -> String { dashboard.gate.newAttempt() }

    func redirect(to path: String) -> Response { PageResponse.redirect(to: path, page) }

    /// What is wrong with a form, to be shown above it; `nil` when nothing is.
    func summary(_ errors: [(field: String?, text: String)]) -> PageTemplates.Model? {
        errors.isEmpty ? nil : PageSummary(title: text("fault.title"), errors: errors).model
    }

    /// What was done before the page was opened, as its address says; `nil` where a form is shown again.
    ///
    /// - Parameters:
    ///   - known: What can have been done.
    ///   - texts: Where the words of it stand.
    /// - Returns: the words.
    func notice(of known: Set<String>, in texts: String) -> String? {
        let done = page.query.text("done")
        return !isPost && known.contains(done) ? text("\(texts).\(done)") : nil
    }

    /// What is shown once and never again.
    func once(_ value: String, title: String, note: String) -> PageTemplates.Model {
        ["title": title, "note": note, "value": value]
    }

    /// Draws a page.
    func html(
        _ template: String, title: String, _ own: PageTemplates.Model, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var model: PageTemplates.Model = [
            "language": page.language.rawValue, "title": title, "brand": brand, "nonce": page.nonce,
            "bodyClass": "dashboard", "assets": dashboard.assetModel,
            "formToken": page.formToken, "tokenField": PageRequest.tokenField,
            "t": dashboard.texts.tree(in: page.language), "action": pagePath,
            "languages": page.languageLinks(
                to: pagePath, with: page.query.without(ListModel.notice).all.map { ($0.name, $0.value) }),
            "nav": nav,
            "pageLanguage": page.language.rawValue, "tabs": tabs,
            "hasTabs": !tabs.isEmpty,
        ]
        if let access { model["me"] = access.name }
        if let admin = access?.admin, admin.lacksAuthenticator {
            model["ownPage"] = "\(Dashboard.root)/admins/\(admin.id)"
        }
        if let application {
            model["application"] = application.name
            if offers(.listUsers) { model["usersLink"] = path("users") }
        }
        model.merge(own) { $1 }
        return PageResponse.html(try dashboard.templates.render(template, model), for: page, status: status)
    }

    /// What tells the tabs of two applications apart.
    private var brand: String { application.map { "\($0.name) · Okaeri" } ?? "Okaeri" }

    /// The menu: the application's pages, and those of the whole server, as far as they are offered.
    private var nav: [PageTemplates.Model] {
        guard let access else { return [] }
        let ofApplication: [(String, String, AdminAction)] = [
            ("overview", path(), .readOverview), ("users", path("users"), .listUsers),
            ("sessions", path("sessions"), .listSessions), ("conflicts", path("conflicts"), .listMerges),
            ("settings", path("settings"), .readSettings), ("audit", path("audit"), .readAudit),
            ("fields", path("fields"), .readSettings), ("roles", path("roles"), .listRoles),
            ("events", path("events"), .readSettings), ("hooks", path("hooks"), .readSettings),
            ("oldServices", path("old-services"), .readSettings), ("start", path("start"), .readOverview),
        ]
        let ofServer: [(String, String, AdminAction)] = [
            ("applications", "\(Dashboard.root)/applications", .listApplications),
            ("admins", "\(Dashboard.root)/admins", .listAdmins), ("keys", "\(Dashboard.root)/keys", .listAdminKeys),
            ("passkeys", "\(Dashboard.root)/passkeys", .listOwnPasskeys),
            ("signOn", OwnSignOnPage.path, .readOwnSignOn),
            ("health", "\(Dashboard.root)/health", .readHealth),
        ].filter { $0.0 != "signOn" || rules.logIns.signOn.isOffered }
        return [
            group("application", application == nil ? [] : ofApplication.filter { offers($0.2) }),
            // The list of applications is for everybody: it shows those that they see.
            group("server", ofServer.filter { $0.0 == "applications" ? offers($0.2) : access.may($0.2, in: nil) }),
        ].compactMap(\.self)
    }

    /// A named part of the menu; `nil` without entries.
    private func group(_ name: String, _ entries: [(String, String, AdminAction)]) -> PageTemplates.Model? {
        guard !entries.isEmpty else { return nil }
        return [
            "id": "nav-\(name)", "label": text("nav.group.\(name)"),
            "entries": entries.map { name, link, _ -> PageTemplates.Model in
                let isHere =
                    pagePath == link || (name == "settings" && !tabs.isEmpty)
                    || (link != path() && pagePath.hasPrefix("\(link)/"))
                return ["label": text("nav.\(name)"), "link": link, "isCurrent": isHere]
            },
        ]
    }

    /// The parts of the settings, on each of them.
    private var tabs: [PageTemplates.Model] {
        let parts = ["settings", "providers", "protocols", "mail", "mail-queue", "theme"]
        guard application != nil, parts.contains(where: { pagePath == path($0) }) else { return [] }
        return parts.map { part in
            ["label": text("tabs.\(part)"), "link": path(part), "isCurrent": pagePath == path(part)]
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
