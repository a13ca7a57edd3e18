import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/export`: the users of a list as a file. A form is sent here only with the answer to the question for
/// the password; then the page stays, and the file comes.
struct ExportPage: DashboardPage {
    let permission: AdminPermission? = .readPersonalData

    func respond(to visit: DashboardRequest) async throws -> Response {
        try visit.requireRecentLogIn()
        guard !visit.isPost else {
            let link = "\(visit.visit.path)?\(FormValues.query(visit.visit.query.all.map { ($0.name, $0.value) }))"
            return try visit.html(
                "message", title: visit.text("export.title"),
                ["lead": visit.text("export.lead"), "file": link, "back": visit.path("users")])
        }
        let pages = try await visit.rules.exportUsers(
            of: try visit.place().id, UserQuery.filter(visit.visit.query), by: try visit.auditActor(.readUsers))
        return UserFile(UserFile.Form(rawValue: visit.visit.query.text("form")) ?? .csv, pages: pages).response()
    }
}
