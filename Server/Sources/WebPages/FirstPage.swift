import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NativeAPI
import PageSupport

/// `GET /`: what this server is and how it does, for people who open its address. It has no form and sets no cookie.
package struct FirstPage: Sendable {
    static let path = "/"

    /// What is shown in development alone: strangers learn no version.
    private let version: String?

    /// - Parameter version: The program's version on a server for development; `nil` in production.
    package init(version: String?) {
        self.version = version
    }

    func route(of pages: WebPages) -> Route {
        Route(.get, Self.path, .nothing, isForStandby: false) { request, context in
            try await respond(request, context, pages)
        }
    }

    private func respond(_ request: Request, _ context: ServerContext, _ pages: WebPages) async throws -> Response {
        let browser = pages.gate.request(request, context, cookie: "first").withoutCookies
        func text(_ name: String, _ values: [String: String] = [:]) -> String {
            pages.texts.text("first.\(name)", in: browser.language, values)
        }
        var model: PageTemplates.Model = [
            "language": browser.language.rawValue, "title": text("title"), "brand": "Okaeri", "nonce": browser.nonce,
            "assets": ["style": pages.assets.path(of: "okaeri.css") ?? ""] as PageTemplates.Model,
            "t": pages.texts.tree(in: browser.language), "languages": browser.languageLinks(to: Self.path),
        ]
        if let version { model["development"] = text("development", ["version": version]) }
        var status = HTTPResponse.Status.ok
        do {
            try await pages.modules.applications.requireStorage()
        } catch {
            (model["fault"], status) = (text("notReady"), .serviceUnavailable)
        }
        return PageResponse.html(try pages.templates.render("first", model), for: browser, status: status)
    }
}
