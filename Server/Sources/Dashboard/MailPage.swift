import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/mail`: what mails say, as they will look, and one to try.
enum MailPage {
    private static let page = DashboardRoute.Page("/app/{application}/mail", .readSettings)
    private static let preview = DashboardRoute.Page("/app/{application}/mail/preview", .readSettings)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try draw($0, .none, MailChoice($0.page.query, reader: $0.page.language)) },
        DashboardRoute(page, post: "save", .changeMail) { request in
            try await change(request, done: "saved") { form, choice, application, who in
                let (kind, language, template) = (choice.kind, choice.language, choice.template(form))
                try await request.modules.messaging.changeMailSettings(
                    of: application.id, isCurrent: try request.isCurrent(form), by: who
                ) {
                    $0.templates[kind, default: [:]][language] = template
                }
            }
        },
        DashboardRoute(page, post: "remove", .changeMail) { request in
            try await change(request, done: "saved") { form, choice, application, who in
                let (kind, language) = (choice.kind, choice.language)
                try await request.modules.messaging.changeMailSettings(
                    of: application.id, isCurrent: try request.isCurrent(form), by: who
                ) {
                    $0.templates[kind]?[language] = nil
                }
            }
        },
        DashboardRoute(page, post: "test", .sendTestMail) { request in
            try await change(request, done: "sent") { form, choice, application, who in
                try await request.modules.messaging.sendTestMail(
                    choice.kind, in: choice.language, of: application, to: form.text("to"), by: who)
            }
        },
        DashboardRoute(preview) { try show($0, $0.page.query) },
        DashboardRoute(preview, post: "", .readSettings) { try show($0, try await $0.form()) },
    ]

    /// Shows the page again with what is wrong in the form, or with a notice.
    private static func change(
        _ request: DashboardRequest, done: String,
        _ work: (FormValues, MailChoice, Domain.Application, Operator) async throws -> Void
    ) async throws -> Response {
        let form = try await request.form()
        let choice = MailChoice(form, reader: request.page.language)
        do {
            try await work(form, choice, try request.targetApplication(), try request.auditActor())
            return request.redirect(to: "\(request.path("mail"))?\(choice.query)&done=\(done)")
        } catch {
            let refusal = error as? DomainError
            switch refusal?.code {
            case .fieldsRefused?: return try draw(request, form, choice, faults: refusal?.validationErrors ?? [])
            case .mailUnavailable?: return try draw(request, form, choice, fault: request.text("fault.noMail"))
            case .rateLimited?: return try draw(request, form, choice, fault: request.text("fault.tooMany"))
            case .changedMeanwhile?:
                return try draw(
                    request, form.forPresent, choice, fault: request.text("fault.changedKept"), status: .conflict)
            default: throw error
            }
        }
    }

    /// The mail itself, for the frame beside the form, in the words that are stored or that the form sends.
    private static func show(_ request: DashboardRequest, _ form: FormValues) throws -> Response {
        let choice = MailChoice(form, reader: request.page.language)
        do {
            let mail = try request.modules.messaging.previewMail(
                choice.kind, in: choice.language, template: request.isPost ? choice.template(form) : nil,
                of: try request.targetApplication())
            return request.framed(mail.html)
        } catch {
            guard let faults = error.validationErrors else { throw error }
            let lines = faults.map { request.words(forMail: $0.rule) }.reduce(into: [String]()) { lines, line in
                if !lines.contains(line) { lines.append(line) }
            }
            return request.framed("<!DOCTYPE html>" + lines.map { "<p>\(HTMLText.escaped($0))</p>" }.joined())
        }
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues, _ choice: MailChoice, faults: [ValidationError] = [],
        fault: String? = nil, status: HTTPResponse.Status = .unprocessableContent
    ) throws -> Response {
        // Faults of a template name kind and language too; that of all templates together stands at the text.
        let errors = faults.map { fault in
            let name = fault.field.pieces(at: ".").last.map(String.init) ?? fault.field
            return (field: name == "templates" ? "text" : name, text: request.words(forMail: fault.rule))
        }
        let isGood = fault == nil && errors.isEmpty
        let application = try request.targetApplication()
        let own = application.settings.mail.templates[choice.kind]?[choice.language]
        let standard = request.modules.messaging.previewMail.words(choice.kind, in: choice.language, of: application)
        let words = own ?? standard
        func field(_ name: String, _ value: String, _ kind: PageField.Kind, hint: String? = nil) -> PageTemplates.Model
        {
            PageField(
                name, label: request.text("mail.\(name)"), kind: kind, value: form[name] ?? value, hint: hint,
                error: errors.first { $0.field == name }?.text, isRequired: name != "html"
            ).model
        }
        func select(_ name: String, _ value: String, _ choices: [(String, String)]) -> PageTemplates.Model {
            PageField(
                name, label: request.text("mail.\(name)"), kind: .select, value: value, isRequired: false
            ).offering(choices.map { (value: $0, label: $1) }).model
        }
        var model: PageTemplates.Model = [
            "choices": [
                select(
                    "kind", choice.kind.rawValue,
                    MailKind.allCases.map { ($0.rawValue, request.text("mail.kind.\($0.rawValue)")) }),
                select(
                    "language", choice.language.rawValue,
                    MailLanguage.allCases.map { ($0.rawValue, MailChoice.name(of: $0)) }),
            ],
            "kind": choice.kind.rawValue, "mailName": choice.name(request), "isOwn": own != nil,
            "version": form.version(or: application.version),
            "canChange": request.offers(.changeMail), "mailLanguage": choice.language.rawValue,
            "fields": [
                field("subject", words.subject, .text),
                field(
                    "text", words.text, .multiline,
                    hint: request.text(
                        "mail.values",
                        ["values": MailValue.allCases.map { "{{\($0.rawValue)}}" }.joined(separator: " ")])),
                field("html", words.html ?? "", .multiline, hint: request.text("mail.htmlHint")),
            ],
            "preview": "\(request.path("mail/preview"))?\(choice.query)",
            "to": field("to", "", .email),
        ]
        switch request.page.query.text("done") {
        case "saved" where isGood: model["notice"] = request.text("settings.saved")
        case "sent" where isGood: model["notice"] = request.text("mail.sent")
        default: break
        }
        model["summary"] = request.summary(
            errors.map { ($0.field, "\(request.text("mail.\($0.field)")): \($0.text)") })
        if let fault { model["summary"] = PageSummary(title: fault, errors: []).model }
        return try request.html(
            "mail", title: request.text("nav.mail"), model, status: isGood ? .ok : status
        )
        .withFrames()
    }
}

/// Which mail a page is about.
private struct MailChoice {
    let kind: MailKind
    let language: MailLanguage

    /// - Parameters:
    ///   - values: What a form or an address says.
    ///   - reader: The language of who looks, whose mails come first.
    init(_ values: FormValues, reader: PageLanguage) {
        kind = MailKind(rawValue: values.text("kind")) ?? .logInCode
        language =
            MailLanguage(rawValue: values.text("language")) ?? MailLanguage(rawValue: reader.rawValue) ?? .english
    }

    var query: String { FormValues.query([("kind", kind.rawValue), ("language", language.rawValue)]) }

    /// Kind and language, as people call them.
    func name(_ request: DashboardRequest) -> String {
        "\(request.text("mail.kind.\(kind.rawValue)")) · \(Self.name(of: language))"
    }

    static func name(of language: MailLanguage) -> String {
        PageLanguage(rawValue: language.rawValue)?.ownName ?? language.rawValue
    }

    func template(_ form: FormValues) -> MailTemplate {
        func text(_ name: String) -> String { form.text(name).replacing("\r\n", with: "\n") }
        return MailTemplate(
            subject: text("subject"), text: text("text"), html: form.text("html").isEmpty ? nil : text("html"))
    }
}

extension DashboardRequest {
    fileprivate func words(forMail rule: ValidationError.Rule) -> String {
        switch rule {
        case .secretMissing: text("mail.secretMissing")
        case .secretInAddress: text("mail.secretInAddress")
        case .secretInSubject: text("mail.secretInSubject")
        case .unknownPlaceholder: text("mail.unknownPlaceholder")
        case .tooManyFields(let maximum): text("mail.tooManyNames", ["maximum": String(maximum)])
        case .tooManyBytes(let maximum): text("mail.tooManyWords", ["maximum": String(maximum)])
        case .notAMailAddress: text("mail.badAddress")
        default: words(of: rule)
        }
    }

    /// A document for a frame of the dashboard: it can run nothing, load nothing and lead nowhere.
    func framed(_ html: String) -> Response {
        var response = PageResponse.html(html, for: page)
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
