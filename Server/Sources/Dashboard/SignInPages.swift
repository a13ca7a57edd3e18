import Domain
import HTTPTypes
import Hummingbird
import NativeAPI
import OkaeriWire
import PageSupport
import QRCodes

/// Log-in and set-up of admins, and where a log-in leads.
enum SignInPages {
    /// As long as a session lives.
    static let cookieSeconds = Int(clamping: AdminSession.lifetime.components.seconds)

    private static let home = DashboardRoute.Page("", .listApplications)
    private static let logIn = DashboardRoute.Page("/log-in", .logIn)
    private static let setUp = DashboardRoute.Page("/set-up", .openSetUpLink)

    static let routes: [DashboardRoute] = [
        DashboardRoute(home, showHome),
        DashboardRoute(logIn) { try await LogInPage().draw($0, name: "", fault: nil, status: .ok) },
        DashboardRoute(logIn, post: "", .logIn) { try await LogInPage().logIn($0) },
        DashboardRoute(logIn, post: "passkey", .logIn) { try await LogInPage().logInWithPasskey($0) },
        DashboardRoute(logIn, post: "passkey/options", .logIn) { request in
            _ = try await request.form()
            return try PageResponse.json(
                PasskeyRequestResponse(
                    publicKey: OkaeriWire.PasskeyRequestOptions(try request.rules.logIns.passkeys.options())),
                for: request.page)
        },
        DashboardRoute(home, post: "/log-out", .logOut, logOut),
        DashboardRoute(setUp) { try await SetUpPage().open($0) },
        DashboardRoute(setUp, post: "", .setUpAdmin) { try await SetUpPage().setUp($0) },
    ]

    /// The only application, or the list of them.
    @Sendable private static func showHome(_ request: DashboardRequest) async throws -> Response {
        let access = try request.caller()
        let seen = try await request.modules.applications.listApplications(seenBy: access)
        guard seen.count == 1, access.may(.readOverview, in: seen[0].application.id) else {
            return request.redirect(to: "\(Dashboard.root)/applications")
        }
        return request.redirect(to: "\(Dashboard.root)/app/\(seen[0].application.id)")
    }

    @Sendable private static func logOut(_ request: DashboardRequest) async throws -> Response {
        _ = try await request.form()
        if let cookie = request.page.cookie {
            try await request.rules.logIns.logOut(Secret(cookie), by: try request.caller(), from: request.page.origin)
        }
        var response = request.redirect(to: "\(Dashboard.root)/log-in")
        response.keepCookie("", for: request.page, maximumSeconds: 0)
        return response
    }
}

/// `/dashboard/log-in`
struct LogInPage {
    func logIn(_ request: DashboardRequest) async throws -> Response {
        let form = try await request.form()
        do {
            let done = try await request.rules.logIns.logIn(
                .init(name: form.text("name"), password: Secret(form.text("password")), code: form.text("code")),
                from: request.page.client, origin: request.page.origin)
            // Another value than before the log-in, so that a planted cookie is worth nothing (requirement 16).
            var response = request.redirect(to: Dashboard.root)
            response.keepCookie(
                done.token.revealed, for: request.page, maximumSeconds: SignInPages.cookieSeconds)
            return response
        } catch {
            guard let words = PageWords(error) else { throw error }
            return try await draw(
                request, name: form.text("name"), fault: words.text,
                status: words.text == "forged" ? .forbidden : words.status)
        }
    }

    func logInWithPasskey(_ request: DashboardRequest) async throws -> Response {
        let form = try await request.form()
        guard let credential = try DashboardPasskey.credential(PasskeyAuthentication.self, in: form) else {
            return try await draw(request, name: "", fault: "passkeyUnknown", status: .unprocessableContent)
        }
        do {
            let done = try await request.rules.logIns.passkeys.logIn(
                try PasskeyAssertion(credential), from: request.page.origin)
            var response = request.redirect(to: Dashboard.root)
            response.keepCookie(done.token.revealed, for: request.page, maximumSeconds: SignInPages.cookieSeconds)
            return response
        } catch {
            guard let words = PageWords(error) else { throw error }
            return try await draw(request, name: "", fault: words.text, status: words.status)
        }
    }

    /// After the way to the provider of admins came to nothing.
    func draw(_ request: DashboardRequest, name: String, refused error: DomainError) async throws -> Response {
        guard let words = SignOnPages.fault(error) else { throw error }
        return try await draw(request, name: name, fault: words.text, status: words.status)
    }

    func draw(
        _ request: DashboardRequest, name: String, fault: String?, status: HTTPResponse.Status
    ) async throws -> Response {
        var model: PageTemplates.Model = [
            "fields": [
                PageField(
                    "name", label: request.text("enter.name"), value: name, autocomplete: "username webauthn"
                ).focused(fault == nil).model,
                PageField(
                    "password", label: request.text("enter.password"), kind: .password,
                    autocomplete: "current-password"
                ).model,
                request.codeField(
                    "code", isRequired: request.rules.logIns.secondFactor == .demanded),
            ], "button": request.text("enter.button"), "lead": request.text("enter.lead"),
            "action": "\(Dashboard.root)/log-in",
            "hasPassword": try await !request.rules.logIns.signOn.refusesPasswords(),
        ]
        if try await request.rules.logIns.needsFirstAdmin() { model["lead"] = request.text("enter.noAdmin") }
        if request.rules.logIns.signOn.isOffered { model["signOn"] = SignOnPages.logIn }
        let passkey = request.passkeyForm(
            .get, action: "\(Dashboard.root)/log-in/passkey", label: "enter.passkey", isConditional: true)
        if let passkey { model.merge(passkey) { $1 } }
        if let address = request.passkeysElsewhere { model["elsewhere"] = address }
        if let fault { model["summary"] = request.summary([("name", request.text("fault.\(fault)"))]) }
        return try request.html("enter", title: request.text("enter.title"), model, status: status)
    }
}

/// `/dashboard/set-up`: an admin's first log-in, by a one-time link.
private struct SetUpPage {
    func open(_ request: DashboardRequest) async throws -> Response {
        let token = request.page.query.text("token")
        let opened = try await request.rules.logIns.openLink(Secret(token), from: request.page.client)
        return try draw(request, token, opened, name: "", errors: [:], status: .ok)
    }

    func setUp(_ request: DashboardRequest) async throws -> Response {
        let form = try await request.form()
        let token = form.text("token")
        do {
            let done = try await request.rules.logIns.setUp(
                .init(
                    token: Secret(token), name: form["name"], password: Secret(form.text("password")),
                    code: form.text("code")),
                from: request.page.client, origin: request.page.origin)
            // Without an authenticator app there are no codes to keep.
            var response =
                done.recoveryCodes.isEmpty
                ? request.redirect(to: Dashboard.root)
                : try request.html(
                    "codes", title: request.text("codes.title"),
                    [
                        "lead": request.text("codes.lead"), "next": Dashboard.root,
                        "button": request.text("codes.button"),
                        "codes": done.recoveryCodes.map(\.revealed).joined(separator: "\n"),
                    ])
            response.keepCookie(
                done.logIn.token.revealed, for: request.page, maximumSeconds: SignInPages.cookieSeconds)
            return response
        } catch {
            guard let errors = errors(error, request) else { throw error }
            let opened = try await request.rules.logIns.openLink(Secret(token), from: request.page.client)
            return try draw(
                request, token, opened, name: form.text("name"), errors: errors, status: .unprocessableContent)
        }
    }

    private func errors(_ error: any Error, _ request: DashboardRequest) -> [String: String]? {
        guard let error = error as? DomainError else { return nil }
        return switch error.code {
        case .codeRefused: ["code": request.text("setUp.wrongCode")]
        case .adminNameTaken: ["name": request.text("fault.nameTaken")]
        case .fieldsRefused:
            Dictionary(
                (error.validationErrors ?? []).map {
                    ($0.field, request.text($0.field == "name" ? "setUp.badName" : "setUp.badPassword"))
                },
                uniquingKeysWith: { first, _ in first })
        default: nil
        }
    }

    private func draw(
        _ request: DashboardRequest, _ token: String, _ opened: OpenAdminLink.Opened, name: String,
        errors: [String: String], status: HTTPResponse.Status
    ) throws -> Response {
        let shown = opened.admin?.name ?? "owner"
        var fields: [PageTemplates.Model] = []
        if opened.admin == nil {
            fields.append(
                PageField(
                    "name", label: request.text("setUp.name"), value: name, hint: request.text("setUp.nameHint"),
                    error: errors["name"], autocomplete: "username"
                ).focused(errors.isEmpty).model)
        }
        fields.append(
            PageField(
                "password", label: request.text("setUp.password"), kind: .password,
                hint: request.text("setUp.passwordHint"),
                error: errors["password"], autocomplete: "new-password"
            ).model)
        var model: PageTemplates.Model = [
            "token": token, "fields": fields, "key": opened.totp.keyText,
            "button": request.text("setUp.button"),
            "lead": opened.admin.map { request.text("setUp.leadNamed", ["name": $0.name]) }
                ?? request.text("setUp.lead"),
            "action": "\(Dashboard.root)/set-up",
            "isOptional": opened.isAuthenticatorOptional,
            "code": PageField(
                "code", label: request.text("setUp.code"), kind: .code, error: errors["code"],
                autocomplete: "one-time-code", isRequired: !opened.isAuthenticatorOptional
            ).model,
        ]
        // The link's token is in the form alone once it was sent.
        model["languages"] = request.page.languageLinks(to: request.pagePath, with: [("token", token)])
        if let admin = opened.admin { model["accountName"] = admin.name }
        if request.rules.logIns.signOn.isOffered, opened.admin != nil {
            model["signOn"] = "\(Dashboard.root)/set-up/sign-on"
        }
        if let picture = QRPicture(opened.totp.link(name: shown, issuer: "Okaeri"))?.svg {
            model["qr"] = PageMarkup(picture)
        }
        model["summary"] = request.summary(errors.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        return try request.html("set-up", title: request.text("setUp.title"), model, status: status)
    }
}

extension DashboardRequest {
    /// The field for a one-time code.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - isRequired: Whether nobody gets on without one.
    /// - Returns: what the partial `field` asks for.
    func codeField(_ name: String, isRequired: Bool) -> PageTemplates.Model {
        PageField(
            name, label: text("enter.code"), kind: .code,
            hint: text(isRequired ? "enter.codeHint" : "enter.codeHintOptional"), autocomplete: "one-time-code",
            isRequired: isRequired
        ).model
    }
}
