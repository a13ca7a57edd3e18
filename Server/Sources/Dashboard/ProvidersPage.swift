import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/doors`: by which providers people come in.
struct ProvidersPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    private static let providers = ["apple", "google", "facebook", "twitter"]
    /// What is said about one door after a button was pressed.
    fileprivate typealias Word = (door: String, text: String, isGood: Bool)

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else { return try await draw(visit, .none, open: visit.visit.query.text("open"), word: nil) }
        let form = try await visit.form()
        let who = try visit.auditActor(.changeSettings)
        let door = form.text("door")
        do {
            if form.text("act") == "check" {
                let finding = try await visit.useCases.checkProvider(
                    .init(rawValue: door), of: try visit.place().id)
                let words = visit.words(for: finding)
                return try await draw(visit, .none, open: door, word: (door, words.text, words.isGood))
            }
            try visit.requireRecentLogIn()
            let opened = try await act(form, on: door, visit, who)
            return visit.redirect(to: "\(visit.path("doors"))?done=saved&open=\(FormValues.escaped(opened))")
        } catch {
            let text: String
            switch (error as? DomainError)?.code {
            case .fieldsRefused?:
                let faults = (error as? DomainError)?.validationErrors ?? []
                let fields = faults.map { $0.field.split(separator: ".").last.map(String.init) ?? $0.field }
                text = "\(visit.text("fault.fields")) (\(Set(fields).sorted().joined(separator: ", ")))"
            case .providerNotEnabled?: text = visit.text("doors.unknown")
            case .busy?: text = visit.text("fault.busy")
            default: throw error
            }
            return try await draw(visit, form, open: door, word: (door, text, false), status: .unprocessableContent)
        }
    }

    /// - Returns: the door that shall be open afterwards.
    private func act(
        _ form: FormValues, on door: String, _ visit: DashboardRequest, _ who: Operator
    ) async throws -> String {
        let application = try visit.place().id
        switch form.text("act") {
        case "set":
            let name = door == "new" ? "oidc:\(form.text("new.name"))" : door
            func value(_ field: String) -> String { form.text("\(door).\(field)") }
            func optional(_ field: String) -> String? { value(field).isEmpty ? nil : value(field) }
            let settings = ProviderSettings(
                provider: .init(rawValue: name), audiences: Self.lines(value("audiences")),
                teamId: optional("teamId"), keyId: optional("keyId"), issuer: optional("issuer"),
                redirectURIs: Self.lines(value("redirectURIs")))
            try await visit.useCases.setProvider(
                settings, secret: optional("secret").map { Secret($0.replacing("\r\n", with: "\n")) },
                of: application, by: who)
            return name
        case "remove":
            try await visit.useCases.removeProvider(.init(rawValue: door), of: application, by: who)
            return door
        default: throw PageFault.unknown
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private func draw(
        _ visit: DashboardRequest, _ form: FormValues, open: String, word: Word?,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let application = try visit.place()
        let mayChange = visit.access?.may(.changeSettings) == true
        let set = try await visit.useCases.listProviders(of: application.id)
        let names = Self.providers + set.map(\.settings.provider.rawValue).filter { !Self.providers.contains($0) }
        let view = DoorView(visit: visit, form: form, open: open, word: word)
        var providers = names.map { name in
            view.provider(name, set.first { $0.settings.provider.rawValue == name })
        }
        if mayChange { providers.append(view.provider("new", nil)) }
        var model: PageTemplates.Model = [
            "providers": providers, "canChange": mayChange, "lead": visit.text("doors.lead"),
        ]
        if visit.visit.query.text("done") == "saved", word == nil { model["notice"] = visit.text("settings.saved") }
        if let word, !word.isGood { model["summary"] = PageSummary(title: word.text, errors: []).model }
        return try visit.html("doors", title: visit.text("nav.doors"), model, status: status)
    }
}

/// What the page shows of one door.
private struct DoorView {
    let visit: DashboardRequest
    let form: FormValues
    let open: String
    let word: ProvidersPage.Word?

    func provider(_ name: String, _ entry: ListProviders.Entry?) -> PageTemplates.Model {
        let settings = entry?.settings
        func field(_ member: String, _ value: String, _ kind: PageField.Kind, _ hint: String? = nil) -> PageField {
            PageField(
                "\(name).\(member)", label: visit.text("doors.\(member)"), kind: kind,
                value: form["\(name).\(member)"] ?? value, hint: hint, isRequired: false)
        }
        var fields: [PageField] = []
        if name == "new" { fields.append(field("name", "", .text, visit.text("doors.nameHint"))) }
        fields.append(
            field(
                "audiences", settings?.audiences.joined(separator: "\n") ?? "", .multiline,
                visit.text(name == "apple" ? "doors.audiencesApple" : "doors.audiencesHint")))
        if name == "apple" {
            fields += [field("teamId", settings?.teamId ?? "", .code), field("keyId", settings?.keyId ?? "", .code)]
        }
        if name == "new" || name.hasPrefix("oidc:") { fields.append(field("issuer", settings?.issuer ?? "", .url)) }
        fields.append(field("redirectURIs", settings?.redirectURIs.joined(separator: "\n") ?? "", .multiline))
        let hint = visit.text(entry?.hasSecret == true ? "doors.secretKept" : "doors.secretNone")
        // The value is never sent back.
        var secret = field("secret", "", name == "apple" ? .multiline : .password, hint)
        secret.value = ""
        fields.append(secret)
        var model: PageTemplates.Model = [
            "door": name, "name": Self.names[name] ?? (name == "new" ? visit.text("doors.new") : name),
            "isOn": entry != nil, "isOpen": open == name || word?.door == name, "fields": fields.map(\.model),
            "isNew": name == "new",
        ]
        if name == "apple" { model["notices"] = "\(visit.dashboard.publicURL)/v1/providers/apple/notifications" }
        if let word, word.door == name, word.isGood { model["word"] = word.text }
        return model
    }

    private static let names = [
        "apple": "Sign in with Apple", "google": "Google", "facebook": "Facebook", "twitter": "X (Twitter)",
    ]
}

extension DashboardRequest {
    /// How a check at a provider ended.
    func words(for finding: ProviderFinding) -> (text: String, isGood: Bool) {
        switch finding {
        case .accepted: (text("doors.accepted"), true)
        case .refused(let answer): (text("doors.refused", ["answer": answer]), false)
        case .unexpected(let answer): (text("doors.unexpected", ["answer": answer]), false)
        case .unreachable: (text("doors.unreachable"), false)
        case .secretUnusable: (text("doors.unusable"), false)
        }
    }
}
