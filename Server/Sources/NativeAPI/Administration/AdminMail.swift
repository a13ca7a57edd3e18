import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let application = "applications/{application}/mail"

    /// What an application's mails say.
    static let mail: [AdminRoute] = [
        AdminRoute(.get, application, .readSettings) { call in
            let application = try call.targetApplication()
            return try call.answer(AdminMailBody(application.settings.mail), versionOf: application)
        },
        AdminRoute(.put, "\(application)/templates/{kind}/{language}", .changeMail) { call in
            let (template, kind, language) = (
                try await call.body(MailTemplateBody.self).template, try call.mailKind(), try call.mailLanguage()
            )
            let isCurrent = try call.isCurrent(try call.versionIfSent())
            let changed = try await call.modules.messaging.changeMailSettings(
                of: try call.targetApplication().id, isCurrent: isCurrent, by: try call.auditActor()
            ) {
                $0.templates[kind, default: [:]][language] = template
            }
            return try call.answer(AdminMailBody(changed.settings.mail), versionOf: changed)
        },
        AdminRoute(.delete, "\(application)/templates/{kind}/{language}", .changeMail) { call in
            let (kind, language) = (try call.mailKind(), try call.mailLanguage())
            let isCurrent = try call.isCurrent(try call.versionIfSent())
            try await call.modules.messaging.changeMailSettings(
                of: try call.targetApplication().id, isCurrent: isCurrent, by: try call.auditActor()
            ) {
                $0.templates[kind]?[language] = nil
            }
            return AdminCall.done
        },
        AdminRoute(.post, "\(application)/preview", .readSettings) { call in
            let body = try await call.body(MailPreviewBody.self)
            let mail = try call.modules.messaging.previewMail(
                try call.mailKind(body.kind), in: try call.mailLanguage(body.language), template: body.template,
                of: try call.targetApplication())
            return try call.answer(PreviewedMailBody(mail))
        },
        AdminRoute(.post, "\(application)/test", .sendTestMail) { call in
            let body = try await call.body(MailTestBody.self)
            try await call.modules.messaging.sendTestMail(
                try call.mailKind(body.kind), in: try call.mailLanguage(body.language),
                of: try call.targetApplication(),
                to: body.to, by: try call.auditActor())
            return Response(status: .accepted)
        },
        AdminRoute(.get, "\(application)/queue", .readMailQueue) { call in
            let query = try AdminQuery(call, "from", "limit")
            let limit = try query.number("limit", in: 1...ListQueuedMail.maximumPageSize) ?? 100
            let mails = try await call.modules.messaging.listQueuedMail(
                in: try call.targetApplication().id, after: query.text("from").map { Identifier(rawValue: $0) },
                limit: limit)
            return try call.answer(
                QueuedMailsBody(
                    mails: mails.map(QueuedMailBody.init(_:)),
                    next: mails.count == limit ? mails.last?.id.rawValue : nil))
        },
        AdminRoute(.post, "\(application)/queue/retry", .retryMail) { call in
            let count = try await call.modules.messaging.manageQueuedMail.retryAll(
                in: try call.targetApplication().id, by: try call.auditActor())
            return try call.answer(RetriedMailsBody(count: count), status: .accepted)
        },
        AdminRoute(.post, "\(application)/queue/{mail}/retry", .retryMail) { call in
            let mail = try await call.modules.messaging.manageQueuedMail.retry(
                try call.queuedMail(), in: try call.targetApplication().id, by: try call.auditActor())
            return try call.answer(QueuedMailBody(mail), status: .accepted)
        },
        AdminRoute(.delete, "\(application)/queue/{mail}", .dropMail) { call in
            try await call.modules.messaging.manageQueuedMail.drop(
                try call.queuedMail(), in: try call.targetApplication().id, by: try call.auditActor())
            return AdminCall.done
        },
    ]
}

extension AdminCall {
    fileprivate func queuedMail() throws(DomainError) -> Identifier<QueuedMail> {
        Identifier(rawValue: try id("mail"))
    }

    /// - Throws: `administration(notFound)` for a kind of mail that there is not.
    fileprivate func mailKind(_ word: String? = nil) throws(DomainError) -> MailKind {
        let word = if let word { word } else { try id("kind") }
        guard let kind = MailKind(rawValue: word) else { throw .administration(.notFound) }
        return kind
    }

    /// - Throws: `administration(notFound)` for a language that mails are not written in.
    fileprivate func mailLanguage(_ word: String? = nil) throws(DomainError) -> MailLanguage {
        let word = if let word { word } else { try id("language") }
        guard let language = MailLanguage(rawValue: word) else { throw .administration(.notFound) }
        return language
    }
}

struct AdminMailBody: Encodable {
    let links: AdminMailLinksBody
    /// Own words; for all other kinds and languages the built-in ones hold.
    let templates: [Own]
    let kinds: [String]
    let languages: [String]
    /// What may stand in double braces.
    let values: [String]

    struct Own: Encodable {
        let kind: String
        let language: String
        let subject: String
        let text: String
        let html: String?
    }

    init(_ mail: MailSettings) {
        links = AdminMailLinksBody(mail)
        templates = mail.templates.flatMap { kind, languages in
            languages.map { language, template in
                Own(
                    kind: kind.rawValue, language: language.rawValue, subject: template.subject, text: template.text,
                    html: template.html)
            }
        }.sorted { ($0.kind, $0.language) < ($1.kind, $1.language) }
        kinds = MailKind.allCases.map(\.rawValue)
        languages = MailLanguage.allCases.map(\.rawValue)
        values = MailValue.allCases.map(\.rawValue)
    }
}

struct MailTemplateBody: Decodable, Sendable {
    let template: MailTemplate

    private enum CodingKeys: String, CodingKey, CaseIterable { case subject, text, html }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        template = MailTemplate(
            subject: try members.decode(String.self, forKey: .subject),
            text: try members.decode(String.self, forKey: .text),
            html: try members.decodeIfPresent(String.self, forKey: .html))
    }
}

struct MailPreviewBody: Decodable, Sendable {
    let kind: String
    let language: String
    /// Words to try; absent for those that hold.
    let template: MailTemplate?

    private enum CodingKeys: String, CodingKey, CaseIterable { case kind, language, template }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        kind = try members.decode(String.self, forKey: .kind)
        language = try members.decode(String.self, forKey: .language)
        template = try members.decodeIfPresent(MailTemplateBody.self, forKey: .template)?.template
    }
}

struct PreviewedMailBody: Encodable {
    let senderName: String
    let subject: String
    let text: String
    let html: String
    let language: String

    init(_ mail: MailMessage) {
        senderName = mail.senderName
        subject = mail.subject
        text = mail.text
        html = mail.html
        language = mail.language
    }
}

struct MailTestBody: Decodable, Sendable {
    let kind: String
    let language: String
    let to: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case kind, language, to }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        kind = try members.decode(String.self, forKey: .kind)
        language = try members.decode(String.self, forKey: .language)
        to = try members.decode(String.self, forKey: .to)
    }
}

struct QueuedMailsBody: Encodable {
    let mails: [QueuedMailBody]
    let next: String?
}

struct RetriedMailsBody: Encodable {
    /// How many mails are sent now.
    let count: Int
}
