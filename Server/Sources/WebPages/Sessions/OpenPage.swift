import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/open?ticket=…`: an app opens the own account. Nobody is logged in by a link alone: a link of
/// somebody else's would bring the person into a stranger's account.
struct ShowOpen: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        try FormPage(page: "open", hidden: [("ticket", request.browser.query.text("ticket"))]).response(request)
    }
}

/// `POST /a/{application}/open`: takes the ticket.
struct SendOpen: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let ticket = try await request.browser.form().text("ticket")
        let logIn = try await request.modules.sessions.openPages(
            ticket, in: request.application, device: request.device, address: request.browser.client,
            origin: request.browser.origin)
        guard let logIn else {
            return try request.message(
                "fault", status: .gone, ["lead": request.text("fault.expired"), "back": request.path("log-in")])
        }
        return try await request.enter(logIn)
    }
}
