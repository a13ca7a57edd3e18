import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/mail-queue`: the mails that wait or were given up, and why.
enum MailQueuePage {
    static let routes = [DashboardRoute(.init("/app/{application}/mail-queue", .readMailQueue), show)]

    @Sendable private static func show(_ request: DashboardRequest) async throws -> Response {
        let mails = try await request.modules.messaging.listQueuedMail(in: try request.targetApplication().id)
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
                .init(text: mail.lastFault ?? "–"), .init(text: mail.id.rawValue, isCode: true),
            ]
        }
        var model = list.model(request)
        model["lead"] = request.text("mailQueue.lead")
        return try request.html("list", title: request.text("tabs.mail-queue"), model)
    }
}
