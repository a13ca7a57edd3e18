import Domain
import HTTPTypes
import Hummingbird
import PageSupport
import QRCodes

/// `/dashboard`: where a visitor belongs.
struct HomePage: DashboardPage {
    let permission: AdminPermission? = nil

    func respond(to visit: DashboardRequest) async throws -> Response {
        let access = try visit.caller()
        let seen = try await visit.useCases.listApplications().filter { access.sees($0.application.id) }
        guard seen.count == 1, access.may(.readFigures) else {
            return visit.redirect(to: "\(Dashboard.root)/applications")
        }
        return visit.redirect(to: "\(Dashboard.root)/app/\(seen[0].application.id)")
    }
}

/// `/dashboard/log-in`
struct LogInPage: DashboardPage {
    /// As long as a session lives.
    static let cookieSeconds = Int(clamping: AdminSession.lifetime.components.seconds)

    let isOpen = true
    let permission: AdminPermission? = nil

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else { return try draw(visit, name: "", fault: nil, status: .ok) }
        let form = try await visit.form()
        do {
            let done = try await visit.rules.logIn(
                .init(name: form.text("name"), password: Secret(form.text("password")), code: form.text("code")),
                from: visit.visit.client, origin: visit.visit.origin)
            // Another value than before the log-in, so that a planted cookie is worth nothing (requirement 16).
            var response = visit.redirect(to: Dashboard.root)
            response.keepCookie(done.token.revealed, for: visit.visit, maximumSeconds: Self.cookieSeconds)
            return response
        } catch {
            guard let words = PageWords(error) else { throw error }
            return try draw(
                visit, name: form.text("name"), fault: words.text,
                status: words.text == "forged" ? .forbidden : words.status)
        }
    }

    private func draw(
        _ visit: DashboardRequest, name: String, fault: String?, status: HTTPResponse.Status
    ) throws -> Response {
        var model: PageTemplates.Model = [
            "fields": [
                PageField(
                    "name", label: visit.text("enter.name"), value: name, autocomplete: "username",
                    isFocused: fault == nil
                ).model,
                PageField(
                    "password", label: visit.text("enter.password"), kind: .password,
                    autocomplete: "current-password"
                ).model,
                PageField(
                    "code", label: visit.text("enter.code"), kind: .code, hint: visit.text("enter.codeHint"),
                    autocomplete: "one-time-code"
                ).model,
            ], "button": visit.text("enter.button"), "lead": visit.text("enter.lead"),
        ]
        if let fault {
            model["summary"] =
                PageSummary(
                    title: visit.text("fault.title"), errors: [("name", visit.text("fault.\(fault)"))]
                ).model
        }
        return try visit.html("enter", title: visit.text("enter.title"), model, status: status)
    }
}

/// `/dashboard/log-out`
struct LogOutPage: DashboardPage {
    let permission: AdminPermission? = nil

    func respond(to visit: DashboardRequest) async throws -> Response {
        _ = try await visit.form()
        if let cookie = visit.visit.cookie {
            try await visit.rules.logOut(Secret(cookie), by: try visit.caller(), from: visit.visit.origin)
        }
        var response = visit.redirect(to: "\(Dashboard.root)/log-in")
        response.keepCookie("", for: visit.visit, maximumSeconds: 0)
        return response
    }
}

/// `/dashboard/set-up`: an admin's first visit, by a one-time link.
struct SetUpPage: DashboardPage {
    let isOpen = true
    let permission: AdminPermission? = nil

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else {
            let token = visit.visit.query.text("token")
            let opened = try await visit.rules.openLink(Secret(token), from: visit.visit.client)
            return try draw(visit, token, opened, name: "", errors: [:], status: .ok)
        }
        let form = try await visit.form()
        let token = form.text("token")
        do {
            let done = try await visit.rules.setUp(
                .init(
                    token: Secret(token), name: form["name"], password: Secret(form.text("password")),
                    code: form.text("code")),
                from: visit.visit.client, origin: visit.visit.origin)
            var response = try visit.html(
                "codes", title: visit.text("codes.title"),
                [
                    "lead": visit.text("codes.lead"), "next": Dashboard.root, "button": visit.text("codes.button"),
                    "codes": done.recoveryCodes.map(\.revealed).joined(separator: "\n"),
                ])
            response.keepCookie(done.logIn.token.revealed, for: visit.visit, maximumSeconds: LogInPage.cookieSeconds)
            return response
        } catch {
            guard let errors = errors(error, visit) else { throw error }
            let opened = try await visit.rules.openLink(Secret(token), from: visit.visit.client)
            return try draw(
                visit, token, opened, name: form.text("name"), errors: errors, status: .unprocessableContent)
        }
    }

    private func errors(_ error: any Error, _ visit: DashboardRequest) -> [String: String]? {
        guard let error = error as? DomainError else { return nil }
        return switch error.code {
        case .codeRefused: ["code": visit.text("setUp.wrongCode")]
        case .adminNameTaken: ["name": visit.text("fault.nameTaken")]
        case .fieldsRefused:
            Dictionary(
                (error.validationErrors ?? []).map {
                    ($0.field, visit.text($0.field == "name" ? "setUp.badName" : "setUp.badPassword"))
                },
                uniquingKeysWith: { first, _ in first })
        default: nil
        }
    }

    private func draw(
        _ visit: DashboardRequest, _ token: String, _ opened: OpenAdminLink.Opened, name: String,
        errors: [String: String], status: HTTPResponse.Status
    ) throws -> Response {
        let shown = opened.admin?.name ?? "owner"
        var fields: [PageTemplates.Model] = []
        if opened.admin == nil {
            fields.append(
                PageField(
                    "name", label: visit.text("setUp.name"), value: name, hint: visit.text("setUp.nameHint"),
                    error: errors["name"], autocomplete: "username", isFocused: errors.isEmpty
                ).model)
        }
        fields.append(
            PageField(
                "password", label: visit.text("setUp.password"), kind: .password,
                hint: visit.text("setUp.passwordHint"),
                error: errors["password"], autocomplete: "new-password"
            ).model)
        var model: PageTemplates.Model = [
            "token": token, "fields": fields, "key": opened.totp.keyText,
            "button": visit.text("setUp.button"),
            "lead": opened.admin.map { visit.text("setUp.leadNamed", ["name": $0.name]) } ?? visit.text("setUp.lead"),
            "action": "\(Dashboard.root)/set-up",
            "code": PageField(
                "code", label: visit.text("setUp.code"), kind: .code, error: errors["code"],
                autocomplete: "one-time-code"
            ).model,
        ]
        if let picture = QRPicture(opened.totp.link(name: shown, issuer: "Okaeri"))?.svg { model["qr"] = picture }
        if !errors.isEmpty {
            model["summary"] =
                PageSummary(
                    title: visit.text("fault.title"),
                    errors: errors.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                ).model
        }
        return try visit.html("set-up", title: visit.text("setUp.title"), model, status: status)
    }
}
