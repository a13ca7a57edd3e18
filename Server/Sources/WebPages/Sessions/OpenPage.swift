import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/open?ticket=…`: an app opens the own account. Nobody is logged in by a link alone: a link of
/// somebody else's would bring the person into a stranger's account.
struct ShowOpen: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        try FormPage(page: "open", hidden: [("ticket", visit.visit.query.text("ticket"))]).response(visit)
    }
}

/// `POST /a/{application}/open`: takes the ticket.
struct SendOpen: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let ticket = try await visit.visit.form().text("ticket")
        let logIn = try await visit.useCases.openPages(
            ticket, in: visit.application, device: visit.device, address: visit.visit.client,
            origin: visit.visit.origin)
        guard let logIn else {
            return try visit.message(
                "fault", status: .gone, ["lead": visit.text("fault.expired"), "back": visit.path("log-in")])
        }
        return try await visit.enter(logIn)
    }
}
