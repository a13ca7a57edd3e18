import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/protocols`: the protocols of old services: their keys, and what the application decides for each.
struct ProtocolsPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    func respond(to visit: DashboardRequest) async throws -> Response {
        var view = ProtocolView(visit: visit, open: visit.visit.query.text("open"))
        guard visit.isPost else { return try await draw(view) }
        view.form = try await visit.form()
        view.open = view.form.text("door")
        let name = Session.ProtocolName(rawValue: view.open)
        guard Session.ProtocolName.foreign.contains(name) else { throw PageFault.unknown }
        do {
            let issued = try await act(on: name, view.form, visit, try visit.auditActor(.changeSettings))
            guard let issued else {
                return visit.redirect(to: "\(visit.path("protocols"))?done=saved&open=\(name.rawValue)")
            }
            // Drawn at once and not after a redirect: some keys are told this one time.
            view.form = .none
            view.issued = issued
            return try await draw(view)
        } catch {
            guard let faults = (error as? DomainError)?.validationErrors else { throw error }
            view.faults = faults
            return try await draw(view)
        }
    }

    /// - Returns: the keys, where there are new ones.
    private func act(
        on name: Session.ProtocolName, _ form: FormValues, _ visit: DashboardRequest, _ who: Operator
    ) async throws -> IssuedKeys? {
        let application = try visit.place().id
        if ["enable", "disable"].contains(form.text("act")) { try visit.requireRecentLogIn() }
        switch form.text("act") {
        case "enable":
            var given: [ProtocolKey: Secret] = [:]
            for key in name.keys {
                let text = form.text("\(name.rawValue).\(key.rawValue)")
                if !text.isEmpty { given[key] = Secret(text) }
            }
            return try await visit.useCases.enableProtocol(name, given: given, of: application, by: who)
        case "disable":
            // Its keys are forgotten: typed, so that no slip of the hand locks all old apps out.
            guard form.text("\(name.rawValue).confirm") == name.rawValue else {
                throw DomainError.fieldsRefused([ValidationError(field: "confirm", rule: .required)])
            }
            _ = try await visit.useCases.disableProtocol(name, of: application, by: who)
        case "rules":
            let version = form.text("version")
            let changes = ProtocolRule.heeded(by: name).map { rule in
                (rule.name, ProtocolView.value(of: rule, in: form, for: name))
            }
            _ = try await visit.useCases.foreign.changeProtocolRules(
                name, of: application, to: Dictionary(changes, uniquingKeysWith: { $1 }),
                mayLoosen: visit.rules.requireRecentLogIn.isMet(by: try visit.caller()),
                isCurrent: { $0.version == version }, by: who)
        default: throw PageFault.unknown
        }
        return nil
    }

    private func draw(_ view: ProtocolView) async throws -> Response {
        let visit = view.visit
        let application = try visit.place()
        var keys = try await visit.useCases.listProtocolKeys(of: application.id)
        if let issued = view.issued { keys = keys.map { $0.protocolName == issued.protocolName ? issued : $0 } }
        var model: PageTemplates.Model = [
            "lead": visit.text("doors.protocolsHint"), "canChange": visit.access?.may(.changeSettings) == true,
            "version": application.version,
            "protocols": Session.ProtocolName.foreign.map { name in
                view.model(of: name, keys.first { $0.protocolName == name }, in: application)
            },
        ]
        if visit.visit.query.text("done") == "saved", !visit.isPost { model["notice"] = visit.text("settings.saved") }
        if !view.faults.isEmpty {
            model["summary"] =
                PageSummary(
                    title: visit.text("fault.title"),
                    errors: view.faults.map { (view.fieldName($0.field), "\(view.label($0.field)): \(view.words($0))") }
                ).model
        }
        return try visit.html(
            "protocols", title: visit.text("tabs.protocols"), model,
            status: view.faults.isEmpty ? .ok : .unprocessableContent)
    }
}

/// What the page shows of the protocols.
private struct ProtocolView {
    let visit: DashboardRequest
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
        let showsAll = visit.access?.may(.changeSettings) == true
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
            "door": name.rawValue, "name": Self.names[name.rawValue] ?? name.rawValue, "isOn": keys != nil,
            "isOpen": open == name.rawValue, "keys": shown,
            "fields": name.keys.map { field($0.rawValue, $0.rawValue) },
            "rules": ProtocolRule.heeded(by: name).map { rule(for: $0, of: name, in: application.settings) },
            "confirm": field("confirm", "\(visit.text("user.confirm")) \(name.rawValue)"),
        ]
        if issued?.protocolName == name { model["word"] = visit.text("doors.once") }
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
        let wasSent = open == name.rawValue && form.text("act") == "rules"
        let sent = form["\(name.rawValue).\(rule.name)"] ?? ""
        return PageField(
            "\(name.rawValue).\(rule.name)", label: visit.text("rules.\(rule.name)"), kind: kind,
            value: wasSent ? sent : text,
            hint: visit.dashboard.texts.tables[visit.visit.language]?["rules.\(rule.name)Hint"],
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
        ProtocolRule[field] == nil ? Self.member(field) : visit.text("rules.\(field)")
    }

    /// Faults of keys name their protocol too.
    private static func member(_ field: String) -> String {
        field.split(separator: ".").last.map(String.init) ?? field
    }

    func words(_ fault: ValidationError) -> String {
        guard case .outOfRange(let range) = fault.rule else { return visit.text("settings.bad") }
        return visit.text("rules.range", ["least": String(range.lowerBound), "most": String(range.upperBound)])
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
