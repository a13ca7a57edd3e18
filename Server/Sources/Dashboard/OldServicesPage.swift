import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/old-services`: which services' tokens lead to the users who were imported from there.
enum OldServicesPage {
    private static let page = DashboardRoute.Page("/app/{application}/old-services", .readSettings)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) },
        DashboardRoute(page, post: "{service}", .changeOldServices) { request in
            try await change(request) { form, name, id, who throws(DomainError) in
                _ = try await request.modules.providers.manageOldServices.set(
                    name, to: draft(form), in: id, isCurrent: try request.isCurrent(form), by: who)
                return "saved"
            }
        },
        DashboardRoute(page, post: "{service}/remove", .changeOldServices) { request in
            try await change(request) { form, name, id, who throws(DomainError) in
                try await request.modules.providers.manageOldServices.remove(
                    name, in: id, isCurrent: try request.isCurrent(form), by: who)
                return "removed"
            }
        },
    ]

    private static func draft(_ form: FormValues) -> ManageOldServices.Draft {
        func words(_ field: String) -> [String] { form.text(field).words }
        let issuer = words("issuer").joined(separator: " ")
        let secret = words("secret").joined(separator: " ")
        return ManageOldServices.Draft(
            issuer: issuer.isEmpty ? nil : issuer, audiences: words("audiences"),
            secret: secret.isEmpty ? nil : Secret(secret))
    }

    /// Does what a form asks for, and says so on the page; what is wrong stands in the form.
    private static func change(
        _ request: DashboardRequest,
        _ work: (FormValues, OldService.Name, Identifier<Domain.Application>, Operator) async throws(DomainError) ->
            String
    ) async throws -> Response {
        guard let name = OldService.Name(rawValue: request.id("service")) else {
            throw DomainError.administration(.notFound)
        }
        return try await request.submit(
            { form, id, who throws(DomainError) in try await work(form, name, id, who) },
            then: { done in
                let query = FormValues.query([("done", done), ("service", name.rawValue)])
                return request.redirect(to: "\(request.pagePath)?\(query)")
            },
            orDraw: { try await draw(request, $0, faults: $1) })
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [ValidationError] = []
    ) async throws -> Response {
        let application = try request.targetApplication()
        let services = application.settings.oldServices
        let chosen = OldService.Name(
            rawValue: request.id("service").isEmpty ? request.page.query.text("service") : request.id("service"))
        var list = table(request, services)
        if chosen != nil { list.links.append((request.text("oldServices.all"), request.pagePath)) }
        // All other services are asked about by a hook.
        list.links.append((request.text("oldServices.others"), "\(request.path("hooks"))?hook=adoption"))
        var model = list.model(request)
        model["lead"] = request.text("oldServices.lead")
        if let chosen, request.offers(.changeOldServices) {
            let forms = OldServiceForms(
                request: request, name: chosen, form: form, faults: faults,
                version: form.version(or: application.version))
            model["form"] = forms.all(services[chosen])
        }
        model["notice"] = request.notice(of: ["saved", "removed"], in: "oldServices.done")
        model["summary"] = request.summary(
            faults.map { ($0.field, request.text("oldServices.bad.\($0.field)")) })
        return try request.html(
            "list", title: request.text("nav.oldServices"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    /// A row for each service that the server can verify, trusted or not.
    private static func table(_ request: DashboardRequest, _ services: [OldService.Name: OldService]) -> ListModel {
        var list = ListModel()
        list.columns = ["service", "state", "issuer", "audiences", "secret"].map { request.text("oldServices.\($0)") }
        list.rows = OldService.Name.allCases.map { name in
            let link = "\(request.pagePath)?\(FormValues.query([("service", name.rawValue)]))"
            guard let service = services[name] else {
                return [
                    .init(text: name.brand, link: link), .init(text: request.text("oldServices.state.off")),
                    .init(text: "–"), .init(text: "–"), .init(text: "–"),
                ]
            }
            return [
                .init(text: name.brand, link: link), .init(text: request.text("oldServices.state.on")),
                .init(text: service.issuer ?? "–", isCode: service.issuer != nil),
                .init(
                    text: service.audiences.isEmpty ? "–" : service.audiences.joined(separator: " "),
                    isCode: !service.audiences.isEmpty),
                .init(text: request.text("oldServices.secret.\(service.sealedSecret == nil ? "none" : "kept")")),
            ]
        }
        return list
    }
}

extension OldService.Name {
    /// What people call it, in every language.
    fileprivate var brand: String {
        switch self {
        case .firebase: "Firebase Authentication"
        case .supabase: "Supabase Auth"
        case .cognito: "Amazon Cognito"
        case .nakama: "Nakama"
        }
    }
}

/// The forms about one service.
private struct OldServiceForms {
    let request: DashboardRequest
    let name: OldService.Name
    let form: FormValues
    let faults: [ValidationError]
    /// Of the application that is shown: what somebody else changed meanwhile is not overwritten.
    let version: String

    /// - Parameter service: The one that is trusted; `nil` for a form that begins it.
    /// - Returns: the form that sets it, and the one that ends it.
    func all(_ service: OldService?) -> [PageTemplates.Model] {
        var set = form("", button: service == nil ? "oldServices.make" : "settings.save")
        set["title"] = request.text("oldServices.\(service == nil ? "new" : "change")", ["service": name.brand])
        set["note"] = request.text("oldServices.about.\(name.rawValue)")
        set["fields"] = fields(service)
        guard service != nil else { return [set] }
        var removal = form("/remove", button: "oldServices.removeButton")
        removal["title"] = request.text("oldServices.remove", ["service": name.brand])
        removal["note"] = request.text("oldServices.removeHint")
        removal["fields"] = [PageTemplates.Model]()
        removal["isBad"] = true
        removal["sureAbout"] = name.brand
        return [set, removal]
    }

    /// What the service is known by, and nothing that it does not have.
    private func fields(_ service: OldService?) -> [PageTemplates.Model] {
        let audiences = service?.audiences.joined(separator: "\n") ?? ""
        switch name {
        case .firebase: return [field("audiences", label: "project", .code, audiences)]
        case .supabase:
            return [
                field("issuer", label: "issuer", .url, service?.issuer ?? ""),
                // Never sent back; an empty field keeps the one that is stored.
                field(
                    "secret", label: "secret", hint: service?.sealedSecret == nil ? "secret" : "secretKept", .password,
                    "", isRequired: false),
            ]
        case .cognito:
            return [
                field("issuer", label: "issuer", .url, service?.issuer ?? ""),
                field("audiences", label: "clients", .multiline, audiences),
            ]
        case .nakama: return []
        }
    }

    /// One field; after a fault it has what was sent.
    private func field(
        _ field: String, label: String, hint: String? = nil, _ kind: PageField.Kind, _ value: String,
        isRequired: Bool = true
    ) -> PageTemplates.Model {
        let hint = label == "issuer" ? "\(label).\(name.rawValue)" : hint ?? label
        return PageField(
            field, label: request.text("oldServices.field.\(label)"), kind: kind, value: form[field] ?? value,
            hint: request.text("oldServices.hint.\(hint)"),
            error: faults.contains { $0.field == field } ? request.text("oldServices.bad.\(field)") : nil,
            isRequired: isRequired
        ).model
    }

    private func form(_ rest: String, button: String) -> PageTemplates.Model {
        [
            "button": request.text(button), "link": "\(request.pagePath)/\(name.rawValue)\(rest)",
            "version": version,
        ]
    }
}
