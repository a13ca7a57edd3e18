import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// What one hosted page does with a request.
protocol HostedPage: Sendable {
    /// - Throws: anything; the request turns it into a page in the person's language.
    func respond(to request: HostedPageRequest) async throws -> Response
}

/// `GET` of a form's address: leads to the page nearest to it, with the app that waits. A browser opens it that was ended
/// while its person looked for a code.
struct ShowNearestPage: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        PageResponse.redirect(to: request.path(request.nearestPage), request.browser)
    }
}

/// Finds the application of a hosted page, and answers errors as pages.
struct HostedRoute: Sendable {
    let pages: WebPages
    let page: any HostedPage

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        var hosted = try await pages.request(request, context)
        do {
            // A form that is filled in for nothing helps nobody.
            if request.method == .get, let address = hosted.browser.addressOnServer {
                hosted.browser = hosted.browser.withoutCookies
                return try hosted.message(
                    "insecure", status: .forbidden, ["lead": hosted.text("insecure.lead", ["address": address])])
            }
            return try await page.respond(to: hosted)
        } catch {
            return try hosted.answer(to: error)
        }
    }
}

extension WebPages {
    /// The longest id that is looked up.
    private static let maximumIdBytes = 128

    /// - Throws: `PageFault.unknown` when there is no such application; `storageUnavailable`.
    func request(_ request: Request, _ context: ServerContext) async throws -> HostedPageRequest {
        guard let sent = context.parameters.get("application"), sent.utf8.count <= Self.maximumIdBytes,
            sent.utf8.allSatisfy({ (0x30...0x7a).contains($0) })
        else { throw PageFault.unknown }
        let id = Identifier<Domain.Application>(rawValue: sent)
        let application: Domain.Application
        if let known = modules.applications.findApplication.atOnce(id) {
            application = known
        } else {
            do {
                application = try await modules.applications.findApplication(id)
            } catch {
                guard case .applicationUnknown = error else { throw error }
                throw PageFault.unknown
            }
        }
        try context.note(application)
        return HostedPageRequest(
            pages: self, browser: gate.request(request, context, cookie: id.rawValue), application: application,
            theme: themes.theme(of: application, texts: texts), arrivedAt: modules.now)
    }
}
