import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/mail`: what mails say, as they will look, and one to try.
struct MailPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else { return try draw(visit, .none, MailChoice(visit.visit.query)) }
        let form = try await visit.form()
        let (choice, who) = (MailChoice(form), try visit.auditActor(.changeSettings))
        let (kind, language) = (choice.kind, choice.language)
        do {
            switch form.text("act") {
            case "save":
                let template = choice.template(form)
                try await visit.useCases.changeMailSettings(of: try visit.place().id, by: who) {
                    $0.templates[kind, default: [:]][language] = template
                }
            case "remove":
                try await visit.useCases.changeMailSettings(of: try visit.place().id, by: who) {
                    $0.templates[kind]?[language] = nil
                }
            case "test":
                try await visit.rules.sendTestMail(
                    kind, in: language, of: try visit.place(), to: form.text("to"), by: who)
            default: throw PageFault.unknown
            }
            let done = form.text("act") == "test" ? "sent" : "saved"
            return visit.redirect(to: "\(visit.path("mail"))?\(choice.query)&done=\(done)")
        } catch {
            let text: String
            switch (error as? DomainError)?.code {
            case .fieldsRefused?: text = visit.words(forMail: (error as? DomainError)?.validationErrors ?? [])
            case .mailUnavailable?: text = visit.text("fault.noMail")
            case .rateLimited?: text = visit.text("fault.tooMany")
            default: throw error
            }
            return try draw(visit, form, choice, fault: text)
        }
    }

    private func draw(
        _ visit: DashboardRequest, _ form: FormValues, _ choice: MailChoice, fault: String? = nil
    ) throws -> Response {
        let application = try visit.place()
        let own = application.settings.mail.templates[choice.kind]?[choice.language]
        let standard = visit.rules.previewMail.words(choice.kind, in: choice.language, of: application)
        let words = own ?? standard
        func field(_ name: String, _ value: String, _ kind: PageField.Kind, hint: String? = nil) -> PageTemplates.Model
        {
            PageField(
                name, label: visit.text("mail.\(name)"), kind: kind, value: form[name] ?? value, hint: hint,
                isRequired: name != "html"
            ).model
        }
        func select(_ name: String, _ value: String, _ choices: [(String, String)]) -> PageTemplates.Model {
            PageField(
                name, label: visit.text("mail.\(name)"), kind: .select, value: value, isRequired: false,
                choices: choices.map { (value: $0, label: $1) }
            ).model
        }
        var model: PageTemplates.Model = [
            "choices": [
                select(
                    "kind", choice.kind.rawValue,
                    MailKind.allCases.map { ($0.rawValue, visit.text("mail.kind.\($0.rawValue)")) }),
                select(
                    "language", choice.language.rawValue,
                    MailLanguage.allCases.map {
                        ($0.rawValue, PageLanguage(rawValue: $0.rawValue)?.ownName ?? $0.rawValue)
                    }),
            ],
            "kind": choice.kind.rawValue, "isOwn": own != nil,
            "canChange": visit.access?.may(.changeSettings) == true, "mailLanguage": choice.language.rawValue,
            "fields": [
                field("subject", words.subject, .text),
                field(
                    "text", words.text, .multiline,
                    hint: visit.text(
                        "mail.values",
                        ["values": MailValue.allCases.map { "{{\($0.rawValue)}}" }.joined(separator: " ")])),
                field("html", words.html ?? "", .multiline, hint: visit.text("mail.htmlHint")),
            ],
            "preview": "\(visit.path("mail/preview"))?\(choice.query)",
            "to": PageField("to", label: visit.text("mail.to"), kind: .email, value: form.text("to")).model,
        ]
        switch visit.visit.query.text("done") {
        case "saved" where fault == nil: model["notice"] = visit.text("settings.saved")
        case "sent" where fault == nil: model["notice"] = visit.text("mail.sent")
        default: break
        }
        if let fault { model["summary"] = PageSummary(title: fault, errors: []).model }
        return try visit.html(
            "mail", title: visit.text("nav.mail"), model, status: fault == nil ? .ok : .unprocessableContent
        )
        .withFrames()
    }
}

/// `/dashboard/app/ID/mail/preview`: the mail itself, for the frame beside the form; the form sends it what is typed.
struct MailPreviewPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    func respond(to visit: DashboardRequest) async throws -> Response {
        let form = visit.isPost ? try await visit.form() : visit.visit.query
        let choice = MailChoice(form)
        do {
            let mail = try visit.rules.previewMail(
                choice.kind, in: choice.language, template: visit.isPost ? choice.template(form) : nil,
                of: try visit.place())
            return visit.framed(mail.html)
        } catch {
            guard let faults = error.validationErrors else { throw error }
            return visit.framed("<!DOCTYPE html><p>\(visit.words(forMail: faults).markedUp)</p>")
        }
    }
}

/// Which mail a page is about.
private struct MailChoice {
    let kind: MailKind
    let language: MailLanguage

    init(_ values: FormValues) {
        kind = MailKind(rawValue: values.text("kind")) ?? .logInCode
        language = MailLanguage(rawValue: values.text("language")) ?? .english
    }

    var query: String { FormValues.query([("kind", kind.rawValue), ("language", language.rawValue)]) }

    func template(_ form: FormValues) -> MailTemplate {
        func text(_ name: String) -> String { form.text(name).replacing("\r\n", with: "\n") }
        return MailTemplate(
            subject: text("subject"), text: text("text"), html: form.text("html").isEmpty ? nil : text("html"))
    }
}

extension DashboardRequest {
    fileprivate func words(forMail faults: [ValidationError]) -> String {
        for fault in faults {
            switch fault.rule {
            case .secretMissing: return text("mail.secretMissing")
            case .secretInSubject: return text("mail.secretInSubject")
            case .unknownPlaceholder: return text("mail.unknownPlaceholder")
            case .notAMailAddress: return text("mail.badAddress")
            default: continue
            }
        }
        return text("fault.fields")
    }

    /// A document for a frame of the dashboard: it can run nothing, load nothing and lead nowhere.
    func framed(_ html: String) -> Response {
        var response = PageResponse.html(html, for: visit)
        response.headers[.contentSecurityPolicy] =
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
        if let name = HTTPField.Name("X-Frame-Options") { response.headers[name] = "SAMEORIGIN" }
        return response
    }
}

extension Response {
    /// Allows the page to show frames from this server.
    func withFrames() -> Response {
        var response = self
        response.headers[.contentSecurityPolicy]? += "; frame-src 'self'"
        return response
    }
}

extension String {
    /// As text within HTML.
    var markedUp: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
