import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/export`: the users of a list as a file.
struct ExportPage: DashboardPage {
    let permission: AdminPermission? = .readPersonalData

    func respond(to visit: DashboardVisit) async throws -> Response {
        let pages = try await visit.rules.exportUsers(
            of: try visit.place().id, UserQuery.filter(visit.visit.query), by: try visit.acting(.readUsers))
        return UserFile(UserFile.Form(rawValue: visit.visit.query.text("form")) ?? .csv, pages: pages).response()
    }
}
