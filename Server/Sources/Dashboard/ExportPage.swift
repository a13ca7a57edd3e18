import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/export`: the users of a list as a file. A form is sent here only with the answer to the question for
/// the password; then the page stays, and the file comes.
enum ExportPage {
    private static let page = DashboardRoute.Page("/app/{application}/export", .exportUsers)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page, send), DashboardRoute(page, post: "", .exportUsers, lead),
    ]

    /// A page that fetches the file.
    @Sendable private static func lead(_ request: DashboardRequest) async throws -> Response {
        let link = "\(request.pagePath)?\(FormValues.query(request.page.query.all.map { ($0.name, $0.value) }))"
        return try request.html(
            "message", title: request.text("export.title"),
            ["lead": request.text("export.lead"), "file": link, "back": request.path("users")])
    }

    @Sendable private static func send(_ request: DashboardRequest) async throws -> Response {
        let pages = try await request.rules.users.export(
            of: try request.targetApplication().id, UserQuery.filter(request.page.query),
            by: try request.auditActor())
        let form = UserFile.Form(rawValue: request.page.query.text("form")) ?? .csv
        return UserFile(form, pages: pages) { try await request.stillAllows(.exportUsers) }.response()
    }
}
