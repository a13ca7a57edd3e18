import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/mail-queue`: the mails that wait or were given up, and why; there they are sent again, or taken out.
enum MailQueuePage {
    private static let page = DashboardRoute.Page("/app/{application}/mail-queue", .readMailQueue)
    private static let pageSize = 50

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) },
        DashboardRoute(page, post: "retry", .retryMail) { request in
            try await change(request, done: "sent") { application, who throws(DomainError) in
                _ = try await request.modules.messaging.manageQueuedMail.retryAll(in: application, by: who)
            }
        },
        DashboardRoute(page, post: "{mail}/retry", .retryMail) { request in
            try await change(request, done: "sent") { application, who throws(DomainError) in
                _ = try await request.modules.messaging.manageQueuedMail.retry(
                    Identifier(rawValue: request.id("mail")), in: application, by: who)
            }
        },
        DashboardRoute(page, post: "{mail}/drop", .dropMail) { request in
            try await change(request, done: "dropped") { application, who throws(DomainError) in
                try await request.modules.messaging.manageQueuedMail.drop(
                    Identifier(rawValue: request.id("mail")), in: application, by: who)
            }
        },
    ]

    private static func change(
        _ request: DashboardRequest, done: String,
        _ work: (Identifier<Domain.Application>, Operator) async throws(DomainError) -> Void
    ) async throws -> Response {
        // Read for the token that says that the form is the dashboard's own.
        _ = try await request.form()
        try await work(try request.targetApplication().id, try request.auditActor())
        return request.redirect(to: "\(request.pagePath)?done=\(done)")
    }

    private static func draw(_ request: DashboardRequest) async throws -> Response {
        let (query, application) = (request.page.query, try request.targetApplication().id)
        let (asked, last) = (query.text("mail"), query.text("from"))
        let isOne = !asked.isEmpty
        let queue = request.modules.messaging.listQueuedMail
        let mails =
            if isOne {
                [try await queue.find(Identifier(rawValue: asked), in: application)]
            } else {
                try await queue(
                    in: application, after: last.isEmpty ? nil : Identifier(rawValue: last), limit: pageSize)
            }
        var list = table(request, mails)
        list.links = isOne ? [(request.text("mailQueue.all"), request.pagePath)] : []
        if mails.count == pageSize { list.next = mails.last?.id.rawValue }
        var model = list.model(request)
        model["lead"] = request.text("mailQueue.lead")
        let now = request.dashboard.clock.now
        model["form"] = isOne ? mails.flatMap { forms(request, $0, at: now) } : formOfAll(request, mails, at: now)
        model["notice"] = request.notice(of: ["sent", "dropped"], in: "mailQueue.done")
        return try request.html("list", title: request.text("tabs.mail-queue"), model)
    }

    private static func table(_ request: DashboardRequest, _ mails: [QueuedMail]) -> ListModel {
        var list = ListModel()
        list.columns = ["kind", "since", "tries", "next", "fault", "id"].map { request.text("mailQueue.\($0)") }
        list.empty = request.text("mailQueue.empty")
        list.rows = mails.map { mail -> [ListModel.Cell] in
            [
                .init(text: request.text("mail.kind.\(mail.kind.rawValue)"), identifier: mail.kind.rawValue),
                .init(text: "", time: mail.createdAt), .init(text: String(mail.attempts)),
                .init(
                    text: "", time: mail.nextTryAt,
                    badge: mail.nextTryAt == nil ? request.text("mailQueue.givenUp") : nil),
                .init(text: mail.lastFault.map(request.words(ofFault:)) ?? "–"),
                .init(
                    text: mail.id.rawValue,
                    link: "\(request.pagePath)?\(FormValues.query([("mail", mail.id.rawValue)]))", isCode: true),
            ]
        }
        return list
    }

    /// The forms of one mail.
    private static func forms(
        _ request: DashboardRequest, _ mail: QueuedMail, at now: Timestamp
    ) -> [PageTemplates.Model] {
        var shown: [PageTemplates.Model] = []
        if request.offers(.retryMail), mail.isOfUse(at: now) {
            shown.append(form(request, "retry", link: "\(mail.id.rawValue)/retry"))
        }
        if request.offers(.dropMail) {
            var removal = form(request, "drop", link: "\(mail.id.rawValue)/drop")
            removal["isBad"] = true
            removal["sureAbout"] = "\(request.text("mail.kind.\(mail.kind.rawValue)")) · \(mail.id)"
            // There is no other form that could say why this mail is not sent again.
            if !mail.isOfUse(at: now) { removal["note"] = request.text("mailQueue.expired") }
            shown.append(removal)
        }
        return shown
    }

    /// The form of all of them, when there is one on the page that can be sent.
    private static func formOfAll(
        _ request: DashboardRequest, _ mails: [QueuedMail], at now: Timestamp
    ) -> [PageTemplates.Model] {
        guard request.offers(.retryMail), mails.contains(where: { $0.isOfUse(at: now) }) else { return [] }
        return [form(request, "retryAll", link: "retry")]
    }

    private static func form(_ request: DashboardRequest, _ name: String, link: String) -> PageTemplates.Model {
        [
            "title": request.text("mailQueue.\(name)"), "note": request.text("mailQueue.\(name)Hint"),
            "button": request.text("mailQueue.\(name)Button"), "link": "\(request.pagePath)/\(link)",
            "fields": [] as [PageTemplates.Model],
        ]
    }
}
