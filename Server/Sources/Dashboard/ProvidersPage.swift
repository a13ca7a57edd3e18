import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/providers`: the identity providers by which people log in.
enum ProvidersPage {
    private static let page = DashboardRoute.Page("/app/{application}/providers", .readSettings)
    private static let providers = ProviderBrand.all.map(\.rawValue)
    /// What is said about one provider after a button was pressed.
    fileprivate typealias Word = (provider: String, text: String, isGood: Bool)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0, .none, open: $0.page.query.text("open"), word: nil) },
        DashboardRoute(page, post: "{provider}/set", .setProvider) { request in
            try await change(request) { form, provider, who in
                let name = provider == "new" ? "oidc:\(form.text("new.name"))" : provider
                try await set(name, form, provider, request, who)
                return saved(name, request)
            }
        },
        DashboardRoute(page, post: "{provider}/remove", .removeProvider) { request in
            try await change(request) { form, provider, who in
                try await request.modules.providers.removeProvider(
                    .init(rawValue: provider), of: try request.targetApplication().id,
                    isCurrent: { $0.version == form.version }, by: who)
                return saved(provider, request)
            }
        },
        DashboardRoute(page, post: "{provider}/check", .checkProvider) { request in
            try await change(request) { _, provider, _ in
                let words = request.words(
                    for: try await request.modules.providers.checkProvider(
                        .init(rawValue: provider), of: try request.targetApplication().id))
                return try await draw(request, .none, open: provider, word: (provider, words.text, words.isGood))
            }
        },
    ]

    private static func saved(_ provider: String, _ request: DashboardRequest) -> Response {
        request.redirect(to: "\(request.pagePath)?done=saved&open=\(provider.percentEncoded)")
    }

    /// Shows the page again with what is wrong in the form.
    private static func change(
        _ request: DashboardRequest, _ work: (FormValues, String, Operator) async throws -> Response
    ) async throws -> Response {
        let (form, provider) = (try await request.form(), request.id("provider"))
        do {
            return try await work(form, provider, try request.auditActor())
        } catch {
            if let faults = (error as? DomainError)?.validationErrors {
                let texts = faults.map { (field($0.field), words(of: $0.rule, request)) }
                return try await draw(
                    request, form, open: provider, word: nil,
                    faults: Dictionary(texts, uniquingKeysWith: { first, _ in first }), status: .unprocessableContent)
            }
            let text: String
            switch (error as? DomainError)?.code {
            case .providerNotEnabled?: text = request.text("providers.unknown")
            case .busy?: text = request.text("fault.busy")
            default: throw error
            }
            return try await draw(
                request, form, open: provider, word: (provider, text, false), status: .unprocessableContent)
        }
    }

    /// The form's name for a member of the settings.
    private static func field(_ member: String) -> String {
        let name = member.pieces(at: ".").last.map(String.init) ?? member
        return ["privateKey": "secret", "provider": "name"][name] ?? name
    }

    private static func words(of rule: ValidationError.Rule, _ request: DashboardRequest) -> String {
        switch rule {
        case .notAnAppleId: request.text("providers.bad.appleId")
        case .notAPrivateKey: request.text("providers.bad.privateKey")
        default: request.words(of: rule)
        }
    }

    /// Stores what the form of a provider says; a new one has its name in the form.
    private static func set(
        _ name: String, _ form: FormValues, _ prefix: String, _ request: DashboardRequest, _ who: Operator
    ) async throws {
        func value(_ field: String) -> String { form.text("\(prefix).\(field)") }
        func optional(_ field: String) -> String? { form.typed("\(prefix).\(field)") }
        let settings = ProviderSettings(
            provider: .init(rawValue: name), audiences: value("audiences").words, teamId: optional("teamId"),
            keyId: optional("keyId"), issuer: optional("issuer"), redirectURIs: value("redirectURIs").words)
        try await request.modules.providers.setProvider(
            settings, secret: optional("secret").map { Secret($0.replacing("\r\n", with: "\n")) },
            of: try request.targetApplication().id, isCurrent: { $0.version == form.version }, by: who)
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues, open: String, word: Word?, faults: [String: String] = [:],
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let application = try request.targetApplication()
        let mayChange = request.offers(.setProvider)
        let set = try await request.modules.providers.listProviders(of: application.id)
        let names = providers + set.map(\.settings.provider.rawValue).filter { !providers.contains($0) }
        let view = ProviderView(request: request, form: form, open: open, word: word, faults: faults)
        var views = names.map { name in
            view.provider(name, set.first { $0.settings.provider.rawValue == name })
        }
        if mayChange { views.append(view.provider("new", nil)) }
        var model: PageTemplates.Model = [
            "providers": views, "canChange": mayChange, "lead": request.text("providers.lead"),
            "version": form.version(or: set.version),
        ]
        if request.page.query.text("done") == "saved", word == nil { model["notice"] = request.text("settings.saved") }
        model["summary"] = request.summary(
            faults.sorted { $0.key < $1.key }.map { name, text in
                ("\(open).\(name)", "\(request.text("providers.\(name)")): \(text)")
            })
        if let word, !word.isGood { model["summary"] = PageSummary(title: word.text, errors: []).model }
        return try request.html("providers", title: request.text("nav.providers"), model, status: status)
    }
}

/// What the page shows of one provider.
private struct ProviderView {
    let request: DashboardRequest
    let form: FormValues
    let open: String
    let word: ProvidersPage.Word?
    /// What is wrong with the open provider's settings, by field.
    let faults: [String: String]

    func provider(_ name: String, _ entry: ListProviders.Entry?) -> PageTemplates.Model {
        let settings = entry?.settings
        func field(_ member: String, _ value: String, _ kind: PageField.Kind, _ hint: String? = nil) -> PageField {
            PageField(
                "\(name).\(member)", label: request.text("providers.\(member)"), kind: kind,
                value: form["\(name).\(member)"] ?? value, hint: hint, error: name == open ? faults[member] : nil,
                isRequired: false)
        }
        var fields: [PageField] = []
        if name == "new" { fields.append(field("name", "", .text, request.text("providers.nameHint"))) }
        fields.append(
            field(
                "audiences", settings?.audiences.joined(separator: "\n") ?? "", .multiline,
                audiencesHint(name)))
        if name == "apple" {
            fields += [field("teamId", settings?.teamId ?? "", .code), field("keyId", settings?.keyId ?? "", .code)]
        }
        if name == "new" || name.hasPrefix("oidc:") { fields.append(field("issuer", settings?.issuer ?? "", .url)) }
        // Game Center has neither browsers nor secrets.
        guard name != "gamecenter" else { return model(name, entry, fields) }
        fields.append(field("redirectURIs", settings?.redirectURIs.joined(separator: "\n") ?? "", .multiline))
        let hint = request.text(entry?.hasSecret == true ? "providers.secretKept" : "providers.secretNone")
        // The value is never sent back.
        var secret = field("secret", "", name == "apple" ? .multiline : .password, hint)
        secret.value = ""
        fields.append(secret)
        return model(name, entry, fields)
    }

    private func model(_ name: String, _ entry: ListProviders.Entry?, _ fields: [PageField]) -> PageTemplates.Model {
        var model: PageTemplates.Model = [
            "provider": name, "link": "\(request.pagePath)/\(name)",
            "name": shownName(name),
            "isOn": entry != nil, "isOpen": open == name || word?.provider == name, "fields": fields.map(\.model),
            "isNew": name == "new",
        ]
        if name == "apple" { model["notices"] = "\(request.dashboard.publicURL)/v1/providers/apple/notifications" }
        if let word, word.provider == name, word.isGood { model["word"] = word.text }
        return model
    }

    private func shownName(_ name: String) -> String {
        switch name {
        case "new": request.text("providers.new")
        case "apple": "Sign in with Apple"
        case "twitter": "X (Twitter)"
        default: name.hasPrefix("oidc:") ? name : ProviderBrand.of(.init(rawValue: name)).name
        }
    }

    /// What the ids of a provider are.
    private func audiencesHint(_ name: String) -> String {
        switch name {
        case "apple": request.text("providers.audiencesApple")
        case "line": request.text("providers.audiencesLINE")
        case "kakao": request.text("providers.audiencesKakao")
        case "gamecenter": request.text("providers.audiencesGameCenter")
        default: request.text("providers.audiencesHint")
        }
    }
}

extension DashboardRequest {
    /// How a check at a provider ended.
    func words(for finding: ProviderFinding) -> (text: String, isGood: Bool) {
        switch finding {
        case .accepted: (text("providers.accepted"), true)
        case .refused(let answer): (text("providers.refused", ["answer": answer]), false)
        case .unexpected(let answer): (text("providers.unexpected", ["answer": answer]), false)
        case .unreachable: (text("providers.unreachable"), false)
        case .secretUnusable: (text("providers.unusable"), false)
        }
    }
}
