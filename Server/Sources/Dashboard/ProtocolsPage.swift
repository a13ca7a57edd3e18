import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/protocols`: the protocols of old services: their keys, and what the application decides for each.
enum ProtocolsPage {
    private static let page = DashboardRoute.Page("/app/{application}/protocols", .readSettings)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page, also: [.readProtocolKeys]) { request in
            try await draw(ProtocolView(request: request, open: request.page.query.text("open")))
        },
        DashboardRoute(page, post: "{protocol}/enable", .enableProtocol) { request in
            try await change(request) { name, form, application, who in
                var given: [ProtocolKey: Secret] = [:]
                for key in name.keys {
                    let text = form.text("\(name.rawValue).\(key.rawValue)")
                    if !text.isEmpty { given[key] = Secret(text) }
                }
                return try await request.modules.applications.enableProtocol(
                    name, given: given, of: application, by: who)
            }
        },
        DashboardRoute(page, post: "{protocol}/disable", .disableProtocol) { request in
            try await change(request) { name, form, application, who in
                // Its keys are forgotten: typed, so that no slip of the hand locks all old apps out.
                guard form.text("\(name.rawValue).confirm") == name.rawValue else {
                    throw DomainError.fieldsRefused([ValidationError(field: "confirm", rule: .required)])
                }
                _ = try await request.modules.applications.disableProtocol(name, of: application, by: who)
                return nil
            }
        },
        DashboardRoute(page, post: "{protocol}/rules", .changeProtocolRules, also: [.loosenProtocolRules]) { request in
            try await change(request) { name, form, application, who in
                let version = form.text("version")
                let changes = ProtocolRule.heeded(by: name).map { rule in
                    (rule.name, ProtocolView.value(of: rule, in: form, for: name))
                }
                _ = try await request.modules.applications.changeProtocolRules(
                    name, of: application, to: Dictionary(changes, uniquingKeysWith: { $1 }),
                    mayLoosen: request.allows(.loosenProtocolRules), isCurrent: { $0.version == version }, by: who)
                return nil
            }
        },
    ]

    /// Shows the page again with what is wrong in the form, or with new keys.
    private static func change(
        _ request: DashboardRequest,
        _ work: (Session.ProtocolName, FormValues, Identifier<Domain.Application>, Operator) async throws -> IssuedKeys?
    ) async throws -> Response {
        var view = ProtocolView(request: request, open: request.id("protocol"), form: try await request.form())
        let name = Session.ProtocolName(rawValue: view.open)
        guard Session.ProtocolName.foreign.contains(name) else { throw PageFault.unknown }
        do {
            let issued = try await work(
                name, view.form, try request.targetApplication().id, try request.auditActor())
            guard let issued else {
                return request.redirect(to: "\(request.pagePath)?done=saved&open=\(name.rawValue)")
            }
            // Drawn at once and not after a redirect: some keys are shown this one time.
            view.form = .none
            view.issued = issued
            return try await draw(view)
        } catch {
            guard let faults = (error as? DomainError)?.validationErrors else { throw error }
            view.faults = faults
            return try await draw(view)
        }
    }

    private static func draw(_ view: ProtocolView) async throws -> Response {
        let request = view.request
        let application = try request.targetApplication()
        var keys = try await request.modules.applications.listProtocolKeys(of: application.id)
        if let issued = view.issued { keys = keys.map { $0.protocolName == issued.protocolName ? issued : $0 } }
        var model: PageTemplates.Model = [
            "lead": request.text("providers.protocolsHint"), "canChange": request.offers(.enableProtocol),
            "version": application.version,
            "protocols": Session.ProtocolName.foreign.map { name in
                view.model(of: name, keys.first { $0.protocolName == name }, in: application)
            },
        ]
        if request.page.query.text("done") == "saved", !request.isPost {
            model["notice"] = request.text("settings.saved")
        }
        if !view.faults.isEmpty {
            model["summary"] =
                PageSummary(
                    title: request.text("fault.title"),
                    errors: view.faults.map { (view.fieldName($0.field), "\(view.label($0.field)): \(view.words($0))") }
                ).model
        }
        return try request.html(
            "protocols", title: request.text("tabs.protocols"), model,
            status: view.faults.isEmpty ? .ok : .unprocessableContent)
    }
}

/// What the page shows of the protocols.
private struct ProtocolView {
    let request: DashboardRequest
    /// The protocol that is unfolded.
    var open: String
    var form = FormValues.none
    var faults: [ValidationError] = []
    /// Keys that were just made or changed.
    var issued: IssuedKeys?

    private static let names = [
        "ncmb": "NCMB", "parse": "Parse", "kii": "Kii Cloud", "envelope": "{status, success, message, data}",
    ]

    func model(
        of name: Session.ProtocolName, _ keys: IssuedKeys?, in application: Domain.Application
    ) -> PageTemplates.Model {
        let showsAll = request.offers(.readProtocolKeys)
        let shown = name.keys.compactMap { key -> PageTemplates.Model? in
            guard let value = keys?.keys[key], showsAll || key.keeping == .open else { return nil }
            return ["label": key.rawValue, "value": value.revealed]
        }
        func field(_ member: String, _ label: String) -> PageTemplates.Model {
            PageField(
                "\(name.rawValue).\(member)", label: label, kind: .code,
                value: form["\(name.rawValue).\(member)"] ?? "",
                error: error(at: member, of: name), isRequired: false
            ).model
        }
        var model: PageTemplates.Model = [
            "protocol": name.rawValue, "link": "\(request.pagePath)/\(name.rawValue)",
            "name": Self.names[name.rawValue] ?? name.rawValue, "isOn": keys != nil,
            "isOpen": open == name.rawValue, "keys": shown,
            "fields": name.keys.map { field($0.rawValue, $0.rawValue) },
            "rules": ProtocolRule.heeded(by: name).map { rule(for: $0, of: name, in: application.settings) },
            "confirm": field("confirm", "\(request.text("user.confirm")) \(name.rawValue)"),
        ]
        if issued?.protocolName == name { model["word"] = request.text("providers.once") }
        return model
    }

    private func rule(
        for rule: ProtocolRule, of name: Session.ProtocolName, in settings: ApplicationSettings
    ) -> PageTemplates.Model {
        let (kind, text): (PageField.Kind, String) =
            switch rule.value(for: name, in: settings) {
            case .truth(let truth): (.checkbox, truth ? "yes" : "")
            case .number(let number): (.number, number.map(String.init) ?? "")
            case .texts(let texts): (.multiline, texts.joined(separator: "\n"))
            }
        let wasSent = open == name.rawValue && request.route.action == .changeProtocolRules
        let sent = form["\(name.rawValue).\(rule.name)"] ?? ""
        return PageField(
            "\(name.rawValue).\(rule.name)", label: request.text("rules.\(rule.name)"), kind: kind,
            value: wasSent ? sent : text,
            hint: request.dashboard.texts.tables[request.page.language]?["rules.\(rule.name)Hint"],
            error: error(at: rule.name, of: name), isRequired: false
        ).model
    }

    private func error(at member: String, of name: Session.ProtocolName) -> String? {
        guard open == name.rawValue else { return nil }
        return faults.first { Self.member($0.field) == member }.map(words)
    }

    /// The field of the form that a fault is about.
    func fieldName(_ field: String) -> String { "\(open).\(Self.member(field))" }

    func label(_ field: String) -> String {
        ProtocolRule[field] == nil ? Self.member(field) : request.text("rules.\(field)")
    }

    /// Faults of keys name their protocol too.
    private static func member(_ field: String) -> String {
        field.split(separator: ".").last.map(String.init) ?? field
    }

    func words(_ fault: ValidationError) -> String {
        guard case .outOfRange(let range) = fault.rule else { return request.text("settings.bad") }
        return request.text("rules.range", ["least": String(range.lowerBound), "most": String(range.upperBound)])
    }

    /// What was typed. What is no number is one that no rule takes.
    static func value(of rule: ProtocolRule, in form: FormValues, for name: Session.ProtocolName) -> ProtocolRule.Value
    {
        let text = form.text("\(name.rawValue).\(rule.name)")
        return switch rule.kind {
        case .truth: .truth(!text.isEmpty)
        case .seconds, .count: text.isEmpty ? .number(nil) : .number(Int64(text, radix: 10) ?? -1)
        case .hosts, .networks: .texts(text.split(whereSeparator: \.isWhitespace).map(String.init))
        }
    }
}
