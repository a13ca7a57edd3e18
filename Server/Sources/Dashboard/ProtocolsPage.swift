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
        DashboardRoute(page, post: "{protocol}/enable", .enableProtocol, also: [.issueAdministratorKeys]) { request in
            try await change(request) { profile, form, application, who in
                var given: [ProtocolKey: Secret] = [:]
                for key in profile.keys.map(\.name) {
                    let text = form.text("\(profile.name.rawValue).\(key.rawValue)")
                    if !text.isEmpty { given[key] = Secret(text) }
                }
                return try await request.modules.applications.enableProtocol(
                    profile.name, given: given, of: application, isCurrent: { $0.isStill(form.version) }, by: who)
            }
        },
        DashboardRoute(page, post: "{protocol}/disable", .disableProtocol) { request in
            try await change(request) { profile, form, application, who in
                let name = profile.name
                // Its keys are forgotten: typed, so that no slip of the hand locks all old apps out.
                guard form.text("\(name.rawValue).confirm") == name.rawValue else {
                    throw DomainError.fieldsRefused([ValidationError(field: "confirm", rule: .required)])
                }
                _ = try await request.modules.applications.disableProtocol(
                    name, of: application, isCurrent: { $0.isStill(form.version) }, by: who)
                return nil
            }
        },
        DashboardRoute(
            page, post: "{protocol}/rules", .changeProtocolRules,
            also: [.loosenProtocolRules, .openAdministration, .showUsersToEverybody]
        ) { request in
            try await change(request) { profile, form, application, who in
                let changes = ProtocolRule.heeded(by: profile).map { rule in
                    (rule.name, ProtocolView.value(of: rule, in: form, for: profile.name))
                }
                _ = try await request.modules.applications.changeProtocolRules(
                    profile.name, of: application, to: Dictionary(changes, uniquingKeysWith: { $1 }),
                    mayLoosen: request.allows(.loosenProtocolRules), isCurrent: try request.isCurrent(form), by: who)
                return nil
            }
        },
    ]

    /// Shows the page again with what is wrong in the form, or with new keys.
    private static func change(
        _ request: DashboardRequest,
        _ work: (ProtocolProfile, FormValues, Identifier<Domain.Application>, Operator) async throws -> IssuedKeys?
    ) async throws -> Response {
        var view = ProtocolView(request: request, open: request.id("protocol"), form: try await request.form())
        let protocols = request.modules.applications.protocols.foreign
        guard let profile = protocols.first(where: { $0.name.rawValue == view.open }) else { throw PageFault.unknown }
        do {
            let issued = try await work(
                profile, view.form, try request.targetApplication().id, try request.auditActor())
            guard let issued else {
                return request.redirect(to: "\(request.pagePath)?done=saved&open=\(profile.name.rawValue)")
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
        let found = try await request.modules.applications.listProtocolKeys.withVersion(
            of: try request.targetApplication().id)
        let application = found.application
        var keys = found.keys
        if let issued = view.issued { keys = keys.map { $0.protocolName == issued.protocolName ? issued : $0 } }
        var model: PageTemplates.Model = [
            "lead": request.text("providers.protocolsHint"), "canChange": request.offers(.enableProtocol),
            "version": view.form.version(or: found.version),
            "protocols": request.modules.applications.protocols.foreign.map { profile in
                view.model(of: profile, keys.first { $0.protocolName == profile.name }, in: application)
            },
        ]
        if request.page.query.text("done") == "saved", !request.isPost {
            model["notice"] = request.text("settings.saved")
        }
        model["summary"] = request.summary(
            view.faults.map { (view.fieldName($0.field), "\(view.label($0.field)): \(view.words($0))") })
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

    func model(
        of profile: ProtocolProfile, _ keys: IssuedKeys?, in application: Domain.Application
    ) -> PageTemplates.Model {
        let name = profile.name
        let showsAll = request.offers(.readProtocolKeys)
        let shown = profile.keys.compactMap { key -> PageTemplates.Model? in
            guard let value = keys?.keys[key.name], showsAll || key.keeping == .open else { return nil }
            return ["label": key.name.rawValue, "value": value.revealed]
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
            "name": profile.title, "isOn": keys != nil,
            "isOpen": open == name.rawValue, "keys": shown,
            "fields": profile.keys.map { field($0.name.rawValue, $0.name.rawValue) },
            "rules": ProtocolRule.heeded(by: profile).map { rule(for: $0, of: profile, in: application.settings) },
            "confirm": field("confirm", "\(request.text("user.confirm")) \(name.rawValue)"),
        ]
        if issued?.protocolName == name { model["word"] = request.text("providers.once") }
        return model
    }

    private func rule(
        for rule: ProtocolRule, of profile: ProtocolProfile, in settings: ApplicationSettings
    ) -> PageTemplates.Model {
        let name = profile.name
        let (kind, text): (PageField.Kind, String) =
            switch rule.value(for: profile, in: settings) {
            case .truth(let truth): (.checkbox, truth ? "yes" : "")
            case .number(let number): (.number, number.map(String.init) ?? "")
            case .texts(let texts): (.multiline, texts.joined(separator: "\n"))
            }
        let wasSent = open == name.rawValue && request.route.action == .changeProtocolRules
        let sent = form["\(name.rawValue).\(rule.name)"] ?? ""
        return PageField(
            "\(name.rawValue).\(rule.name)", label: request.text("rules.\(rule.name)"), kind: kind,
            value: wasSent ? sent : text,
            hint: request.knownText("rules.\(rule.name)Hint"), error: error(at: rule.name, of: name), isRequired: false
        ).model
    }

    private func error(at member: String, of name: Session.ProtocolName) -> String? {
        guard open == name.rawValue else { return nil }
        return faults.first { Self.member($0.field) == member }.map(words)
    }

    /// The field of the form that a fault is about.
    func fieldName(_ field: String) -> String { "\(open).\(Self.member(field))" }

    func label(_ field: String) -> String {
        let member = Self.member(field)
        if member == "confirm" { return request.text("providers.disable") }
        return ProtocolRule[field] == nil ? member : request.text("rules.\(field)")
    }

    /// Faults of keys name their protocol too.
    private static func member(_ field: String) -> String {
        field.pieces(at: ".").last.map(String.init) ?? field
    }

    func words(_ fault: ValidationError) -> String {
        request.words(of: fault.rule)
    }

    /// What was typed. What is no number is one that no rule takes.
    static func value(of rule: ProtocolRule, in form: FormValues, for name: Session.ProtocolName) -> ProtocolRule.Value
    {
        let text = form.text("\(name.rawValue).\(rule.name)")
        return switch rule.kind {
        case .truth: .truth(!text.isEmpty)
        case .seconds, .count: text.isEmpty ? .number(nil) : .number(Int64(text, radix: 10) ?? -1)
        case .hosts, .networks, .server: .texts(text.words)
        }
    }
}
