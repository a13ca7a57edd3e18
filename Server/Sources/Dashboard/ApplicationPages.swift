import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/applications`: all that may be seen, and a form for a new one.
struct ApplicationsPage: DashboardPage {
    let permission: AdminPermission? = nil

    func respond(to visit: DashboardRequest) async throws -> Response {
        let access = try visit.caller()
        var (fault, name, status): (String?, String, HTTPResponse.Status) = (nil, "", .ok)
        if visit.isPost {
            let form = try await visit.form()
            name = form.text("name")
            do {
                let made = try await visit.useCases.createApplication(
                    name: name, by: try visit.auditActor(.makeApplications))
                return visit.redirect(to: "\(Dashboard.root)/app/\(made.application.id)/start")
            } catch {
                guard case .fieldsRefused = error else { throw error }
                (fault, status) = (visit.text("applications.badName"), .unprocessableContent)
            }
        }
        var list = ListModel()
        list.columns = ["name", "users", "created", "id"].map { visit.text("applications.\($0)") }
        list.empty = visit.text("applications.empty")
        list.rows = try await visit.useCases.listApplications().filter { access.sees($0.application.id) }.map { entry in
            let link = "\(Dashboard.root)/app/\(entry.application.id)"
            return [
                .init(text: entry.application.name, link: link), .init(text: String(entry.userCount)),
                .init(text: "", time: entry.application.createdAt),
                .init(text: entry.application.id.rawValue, isCode: true),
            ]
        }
        var model = list.model(visit)
        if access.applications == nil, access.may(.makeApplications) {
            model["form"] =
                [
                    "title": visit.text("applications.new"), "button": visit.text("applications.make"),
                    "fields": [
                        PageField(
                            "name", label: visit.text("applications.name"), value: name, error: fault,
                            isFocused: list.rows.isEmpty
                        ).model
                    ],
                ] as PageTemplates.Model
        }
        return try visit.html("list", title: visit.text("nav.applications"), model, status: status)
    }
}

/// `/dashboard/app/ID/start`: what goes into the app, and whether its first call has come.
struct StartPage: DashboardPage {
    let permission: AdminPermission? = .readFigures

    func respond(to visit: DashboardRequest) async throws -> Response {
        let application = try visit.place()
        let overview = try await visit.rules.readOverview(of: application.id, days: 1)
        let address = visit.dashboard.publicURL
        let model: PageTemplates.Model = [
            "lead": visit.text("start.lead"), "id": application.id.rawValue,
            "swift": """
            import Foundation
            import Okaeri

            let okaeri = OkaeriClient(
                server: URL(string: "\(address)")!, application: "\(application.id)")

            switch try await okaeri.logInAutomatically() {
            case .firstVisit(let user): print("Hello!", user.id)
            case .returning(let user, let lastLogIn): print("Welcome back!", user.displayName ?? user.id, lastLogIn)
            }
            """,
            "demo": "okaeri demo --server \(address) --application \(application.id)",
            "hasUsers": overview.userCount > 0,
            "live": visit.text(
                overview.userCount > 0 ? "start.came" : "start.waiting", ["count": String(overview.userCount)]),
            "users": visit.path("users"), "again": visit.path("start"),
        ]
        return try visit.html("start", title: visit.text("start.title"), model)
    }
}

/// `/dashboard/app/ID/settings`
struct SettingsPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    /// Numbers of days, and what they are in the settings.
    private static var spans: [(String, WritableKeyPath<ApplicationSettings, Duration>, String)] {
        [
            ("sessionIdleDays", \.sessionIdleLifetime, "sessionIdleSeconds"),
            ("sessionDays", \.sessionLifetime, "sessionSeconds"),
            ("deletionGraceDays", \.deletionGrace, "deletionGraceSeconds"),
        ]
    }

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else {
            return try await draw(
                visit, .none, errors: [:], notice: visit.visit.query.text("done") == "saved" ? "settings.saved" : nil)
        }
        let (form, who) = (try await visit.form(), try visit.requireStepUp(.changeSettings))
        let version = form.text("version")
        do {
            let spans = try Self.spans.map { field, _, _ throws(DomainError) in try Self.days(form, field) }
            let idle = try form.text("anonymousIdleDays").isEmpty ? nil : Self.days(form, "anonymousIdleDays")
            let minimum = Int(form.text("passwordMinimumCharacters"), radix: 10) ?? 0
            _ = try await visit.rules.changeApplication(
                try visit.place().id, isCurrent: { $0.version == version }, by: who
            ) { application in
                application.name = form.text("name")
                for (span, value) in zip(Self.spans, spans) { application.settings[keyPath: span.1] = value }
                application.settings.anonymousIdleLimit = idle
                application.settings.passwordMinimumCharacters = minimum
                application.settings.proofRequired = !form.text("proofRequired").isEmpty
                application.settings.audiences = form.text("audiences").split(whereSeparator: \.isWhitespace)
                    .map(String.init)
                application.settings.transferLink = form["transferLink"].flatMap { $0.isEmpty ? nil : $0 }
                application.settings.mail.senderName = form["senderName"].flatMap { $0.isEmpty ? nil : $0 }
                application.settings.mail.verificationURL = form["verificationURL"].flatMap { $0.isEmpty ? nil : $0 }
                application.settings.mail.resetURL = form["resetURL"].flatMap { $0.isEmpty ? nil : $0 }
            }
            return visit.redirect(to: "\(visit.path("settings"))?done=saved")
        } catch {
            guard let faults = error.validationErrors else { throw error }
            let errors = faults.map { (Self.field($0.field), visit.text("settings.bad")) }
            return try await draw(
                visit, form, errors: Dictionary(errors, uniquingKeysWith: { first, _ in first }), notice: nil)
        }
    }

    private static func days(_ form: FormValues, _ field: String) throws(DomainError) -> Duration {
        guard let days = Int64(form.text(field), radix: 10), (1...3650).contains(days) else {
            throw .fieldsRefused([ValidationError(field: field, rule: .notOffered)])
        }
        return .days(days)
    }

    /// The form's name for a member of the settings.
    private static func field(_ member: String) -> String {
        spans.first { $0.2 == member }?.0
            ?? (member == "anonymousIdleSeconds" ? "anonymousIdleDays" : member)
            .replacing("mail.", with: "")
    }

    private func draw(
        _ visit: DashboardRequest, _ form: FormValues, errors: [String: String], notice: String?
    ) async throws -> Response {
        let application = try visit.place()
        let settings = application.settings
        func field(_ name: String, _ value: String, _ kind: PageField.Kind = .text, isRequired: Bool = false)
            -> PageTemplates.Model
        {
            PageField(
                name, label: visit.text("settings.\(name)"), kind: kind, value: form[name] ?? value,
                hint: visit.dashboard.texts.tables[visit.visit.language]?["settings.\(name)Hint"],
                error: errors[name], isRequired: isRequired
            ).model
        }
        func days(_ span: Duration?) -> String { span.map { String($0.components.seconds / 86_400) } ?? "" }
        let groups: [(String, [PageTemplates.Model])] = [
            ("general", [field("name", application.name, isRequired: true)]),
            (
                "sessions",
                Self.spans.prefix(2).map { field($0.0, days(settings[keyPath: $0.1]), .number, isRequired: true) } + [
                    field("proofRequired", settings.proofRequired ? "yes" : "", .checkbox),
                    field("audiences", settings.audiences.joined(separator: "\n"), .multiline),
                ]
            ),
            (
                "accounts",
                [
                    field(
                        "passwordMinimumCharacters", String(settings.passwordMinimumCharacters), .number,
                        isRequired: true),
                    field("deletionGraceDays", days(settings.deletionGrace), .number, isRequired: true),
                    field("anonymousIdleDays", days(settings.anonymousIdleLimit), .number),
                    field("transferLink", settings.transferLink ?? ""),
                ]
            ),
            (
                "mail",
                [
                    field("senderName", settings.mail.senderName ?? ""),
                    field("verificationURL", settings.mail.verificationURL ?? "", .url),
                    field("resetURL", settings.mail.resetURL ?? "", .url),
                ]
            ),
        ]
        var model: PageTemplates.Model = [
            "groups": groups.map { ["title": visit.text("settings.\($0)"), "fields": $1] as PageTemplates.Model },
            "version": form["version"] ?? application.version, "button": visit.text("settings.save"),
            "canChange": visit.access?.may(.changeSettings) == true,
        ]
        if let notice { model["notice"] = visit.text(notice) }
        if !errors.isEmpty {
            model["summary"] =
                PageSummary(
                    title: visit.text("fault.title"),
                    errors: errors.keys.sorted().map {
                        ($0, "\(visit.text("settings.\($0)")): \(visit.text("settings.bad"))")
                    }
                ).model
        }
        return try visit.html(
            "settings", title: visit.text("nav.settings"), model,
            status: errors.isEmpty ? .ok : .unprocessableContent)
    }
}
