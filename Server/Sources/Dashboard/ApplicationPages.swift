import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/applications`: all that may be seen, and a form for a new one.
enum ApplicationsPage {
    private static let page = DashboardRoute.Page("/applications", .listApplications)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) }, DashboardRoute(page, post: "", .createApplication, create),
    ]

    @Sendable private static func create(_ request: DashboardRequest) async throws -> Response {
        let form = try await request.form()
        let name = form.text("name")
        do {
            let made = try await request.modules.applications.createApplication(
                name: name, attempt: form.attempt, by: try request.auditActor())
            return request.redirect(to: "\(Dashboard.root)/app/\(made.application.id)/start")
        } catch {
            guard error.code == .fieldsRefused else { throw error }
            return try await draw(
                request, name: name, fault: request.text("applications.badName"), status: .unprocessableContent)
        }
    }

    private static func draw(
        _ request: DashboardRequest, name: String = "", fault: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let access = try request.caller()
        var list = ListModel()
        list.columns = ["name", "users", "created", "id"].map { request.text("applications.\($0)") }
        list.empty = request.text("applications.empty")
        list.rows = try await request.modules.applications.listApplications(seenBy: access).map { entry in
            let link = "\(Dashboard.root)/app/\(entry.application.id)"
            return [
                .init(text: entry.application.name, link: link), .init(text: String(entry.userCount)),
                .init(text: "", time: entry.application.createdAt),
                .init(text: entry.application.id.rawValue, isCode: true),
            ]
        }
        var model = list.model(request)
        if request.offers(.createApplication) {
            model["form"] =
                [
                    "title": request.text("applications.new"), "button": request.text("applications.make"),
                    "attempt": request.newAttempt(),
                    "fields": [
                        PageField(
                            "name", label: request.text("applications.name"), value: name, error: fault
                        ).focused(list.rows.isEmpty).model
                    ],
                ] as PageTemplates.Model
        }
        if let fault { model["summary"] = request.summary([("name", fault)]) }
        return try request.html("list", title: request.text("nav.applications"), model, status: status)
    }
}

/// `/dashboard/app/ID/start`: what goes into the app, and whether its first call has come.
enum StartPage {
    static let routes = [DashboardRoute(.init("/app/{application}/start", .readOverview), show)]

    @Sendable private static func show(_ request: DashboardRequest) async throws -> Response {
        let application = try request.targetApplication()
        let overview = try await request.rules.statistics.readOverview(of: application.id, days: 1)
        let address = request.dashboard.publicURL
        let model: PageTemplates.Model = [
            "lead": request.text("start.lead"), "id": application.id.rawValue,
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
            "live": request.text(
                overview.userCount > 0 ? "start.came" : "start.waiting", ["count": String(overview.userCount)]),
            "users": request.path("users"), "again": request.path("start"),
        ]
        return try request.html("start", title: request.text("start.title"), model)
    }
}

/// `/dashboard/app/ID/settings`
enum SettingsPage {
    private static let page = DashboardRoute.Page("/app/{application}/settings", .readSettings)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { request in
            try await draw(
                request, .none, errors: [:],
                notice: request.page.query.text("done") == "saved" ? "settings.saved" : nil)
        },
        DashboardRoute(page, post: "", .changeSettings, also: [.changeLogInAddresses, .eraseSooner], save),
    ]

    /// Numbers of days, and what they are in the settings.
    private static var spans: [(String, WritableKeyPath<ApplicationSettings, Duration>, String)] {
        [
            ("sessionIdleDays", \.sessionIdleLifetime, "sessionIdleSeconds"),
            ("sessionDays", \.sessionLifetime, "sessionSeconds"),
            ("deletionGraceDays", \.deletionGrace, "deletionGraceSeconds"),
        ]
    }

    @Sendable private static func save(_ request: DashboardRequest) async throws -> Response {
        let (form, who) = (try await request.form(), try request.auditActor())
        do {
            let spans = Self.spans.map { field, _, _ in Self.days(form, field) }
            let idle = form.text("anonymousIdleDays").isEmpty ? nil : Self.days(form, "anonymousIdleDays")
            let minimum = Int(form.text("passwordMinimumCharacters"), radix: 10) ?? 0
            let secondFactors = try SecondFactorForm.rules(
                form, try request.targetApplication().settings.secondFactors)
            let playKeys = try AttestationForm.playKeys(
                form, in: try request.targetApplication().id, sealed: request.modules.applications.sealPlayKeys)
            _ = try await request.modules.applications.changeApplication(
                try request.targetApplication().id, isCurrent: try request.isCurrent(form), by: who
            ) { application in
                application.name = form.text("name")
                for (span, value) in zip(Self.spans, spans) { application.settings[keyPath: span.1] = value }
                application.settings.anonymousIdleLimit = idle
                application.settings.passwordMinimumCharacters = minimum
                if let only = form["passwordOnlyMinimumCharacters"] {
                    application.settings.passwordOnlyMinimumCharacters = Int(only, radix: 10) ?? 0
                }
                application.settings.signUp = Self.signUp(form, application.settings.signUp)
                application.settings.passkeys = PasskeyForm.rules(form, application.settings.passkeys)
                application.settings.secondFactors = secondFactors
                application.settings.attestation = AttestationForm.rules(
                    form, application.settings.attestation, playKeys)
                application.settings.proofRequired = !form.text("proofRequired").isEmpty
                application.settings.audiences = form.text("audiences").words
                application.settings.transferLink = form.typed("transferLink")
                application.settings.mail.senderName = form.typed("senderName")
                application.settings.mail.verificationURL = form.typed("verificationURL")
                application.settings.mail.resetURL = form.typed("resetURL")
            }
            return request.redirect(to: "\(request.path("settings"))?done=saved")
        } catch {
            guard let faults = error.validationErrors else { throw error }
            let errors = faults.map { fault in (Self.field(fault.field), Self.words(of: fault, request)) }
            return try await draw(
                request, form, errors: Dictionary(errors, uniquingKeysWith: { first, _ in first }), notice: nil)
        }
    }

    /// What stands at a value that is refused: its rule, where no hint of the field says it.
    private static func words(of fault: ValidationError, _ request: DashboardRequest) -> String {
        switch (fault.field, fault.rule) {
        case (_, .notOwnDomain): request.text("settings.notOwnDomain")
        case (_, .notOwnAudience): request.text("settings.notOwnAudience")
        case ("name", _): request.text("applications.badName")
        case ("transferLink", .noneOf): request.text("settings.transferLinkHint")
        case (_, .outOfRange) where fault.field.hasSuffix("Seconds"):
            request.text(
                "settings.badDays",
                [
                    "lowest": String(ApplicationSettings.spanDays.lowerBound),
                    "highest": String(ApplicationSettings.spanDays.upperBound),
                ])
        // The number is typed itself, and is no text of that length.
        case ("signUp.usernameMinimumCharacters", _): Self.words(of: SignUpRules.lengths, request)
        case (let field, _) where field.hasSuffix("MinimumCharacters"):
            Self.words(of: PasswordRules.lowestMinimum...PasswordRules.highestMinimum, request)
        default: request.words(of: fault.rule)
        }
    }

    private static func words(of lengths: ClosedRange<Int>, _ request: DashboardRequest) -> String {
        request.text("rules.range", ["least": String(lengths.lowerBound), "most": String(lengths.upperBound)])
    }

    /// Whole days. What is none is no span that the settings can have: they refuse it with everything else.
    private static func days(_ form: FormValues, _ field: String) -> Duration {
        guard let days = Int64(form.text(field), radix: 10), ApplicationSettings.spanDays.contains(days) else {
            return .zero
        }
        return .days(days)
    }

    private static func signUp(_ form: FormValues, _ before: SignUpRules) -> SignUpRules {
        var rules = before
        if let minimum = form["usernameMinimumCharacters"] {
            rules.usernameMinimumCharacters = Int(minimum, radix: 10) ?? 0
        }
        rules.isEmailRequired = !form.text("emailRequired").isEmpty
        rules.asksPhone = !form.text("asksPhone").isEmpty
        rules.asksDisplayName = !form.text("asksDisplayName").isEmpty
        rules.holdsOldProtocols = !form.text("oldProtocols").isEmpty
        return rules
    }

    /// The form's name for a member of the settings.
    private static func field(_ member: String) -> String {
        spans.first { $0.2 == member }?.0
            ?? (member == "anonymousIdleSeconds" ? "anonymousIdleDays" : member)
            .replacing("mail.", with: "").replacing("signUp.", with: "")
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues, errors: [String: String], notice: String?
    ) async throws -> Response {
        let application = try request.targetApplication()
        // Beside what was typed, what is stored and counts no more.
        let refused = application.settings.refusedLinks.map { fault in
            (field(fault.field), request.text("settings.refusedLink", ["rule": request.words(of: fault.rule)]))
        }
        let shown = errors.merging(refused) { typed, _ in typed }
        let groups = Fields(request: request, form: form, errors: shown).groups(of: application)
        var model: PageTemplates.Model = [
            "groups": groups.map { ["title": request.text("settings.\($0)"), "fields": $1] as PageTemplates.Model },
            "version": form.version(or: application.version), "button": request.text("settings.save"),
            "canChange": request.offers(.changeSettings),
        ]
        if let notice { model["notice"] = request.text(notice) }
        model["summary"] = request.summary(
            shown.sorted { $0.key < $1.key }.map {
                ($0.key, "\(request.text("settings.\($0.key)")): \($0.value)")
            })
        return try request.html(
            "settings", title: request.text("nav.settings"), model,
            status: errors.isEmpty ? .ok : .unprocessableContent)
    }

    /// The fields of the form, with what was typed into them and what was wrong with it.
    private struct Fields {
        let request: DashboardRequest
        let form: FormValues
        let errors: [String: String]

        /// All fields, by the names of their groups.
        func groups(of application: Domain.Application) -> [(String, [PageTemplates.Model])] {
            let settings = application.settings
            return [
                ("general", [field("name", application.name, isRequired: true)]),
                ("sessions", sessions(settings)), ("accounts", accounts(settings)),
                ("signUp", signUp(settings.signUp)),
                ("passkeys", PasskeyForm.fields(settings.passkeys).map { field($0.name, $0.value, $0.kind) }),
                ("attestation", AttestationForm.fields(settings.attestation, form, errors: errors, request)),
                (
                    "secondFactors",
                    SecondFactorForm.fields(settings.secondFactors).map {
                        field($0.name, $0.value, $0.kind, choices: $0.choices)
                    }
                ),
                ("mail", mail(settings.mail)),
            ]
        }

        private func sessions(_ settings: ApplicationSettings) -> [PageTemplates.Model] {
            SettingsPage.spans.prefix(2).map {
                field($0.0, Self.days(settings[keyPath: $0.1]), .number, isRequired: true)
            } + [
                field("proofRequired", settings.proofRequired ? "yes" : "", .checkbox),
                field("audiences", settings.audiences.joined(separator: "\n"), .multiline),
            ]
        }

        private func accounts(_ settings: ApplicationSettings) -> [PageTemplates.Model] {
            [
                field(
                    "passwordMinimumCharacters", String(settings.passwordMinimumCharacters), .number, isRequired: true),
                field(
                    "passwordOnlyMinimumCharacters", String(settings.passwordOnlyMinimumCharacters), .number,
                    isRequired: true),
                field("deletionGraceDays", Self.days(settings.deletionGrace), .number, isRequired: true),
                field("anonymousIdleDays", Self.days(settings.anonymousIdleLimit), .number),
                field("transferLink", settings.transferLink ?? ""),
            ]
        }

        private func signUp(_ rules: SignUpRules) -> [PageTemplates.Model] {
            [
                field(
                    "usernameMinimumCharacters", String(rules.usernameMinimumCharacters), .number, isRequired: true),
                field("emailRequired", rules.isEmailRequired ? "yes" : "", .checkbox),
                field("asksPhone", rules.asksPhone ? "yes" : "", .checkbox),
                field("asksDisplayName", rules.asksDisplayName ? "yes" : "", .checkbox),
                field("oldProtocols", rules.holdsOldProtocols ? "yes" : "", .checkbox),
            ]
        }

        private func mail(_ mail: MailSettings) -> [PageTemplates.Model] {
            [
                field("senderName", mail.senderName ?? ""),
                field("verificationURL", mail.verificationURL ?? "", .url),
                field("resetURL", mail.resetURL ?? "", .url),
            ]
        }

        private func field(
            _ name: String, _ value: String, _ kind: PageField.Kind = .text, isRequired: Bool = false,
            choices: [String] = []
        ) -> PageTemplates.Model {
            PageField(
                name, label: request.text("settings.\(name)"), kind: kind, value: form[name] ?? value,
                hint: request.knownText("settings.\(name)Hint")?
                    .replacing("{changes}", with: SecondFactorForm.demandable),
                error: errors[name], isRequired: isRequired
            ).offering(choices.map { ($0, request.text("settings.\(name).\($0)")) }).model
        }

        private static func days(_ span: Duration?) -> String {
            span.map { String($0.components.seconds / 86_400) } ?? ""
        }
    }
}
