import Domain
package import HTTPSupport
import HTTPTypes
package import Hummingbird
import NativeAPI
import PageSupport

/// `GET /`: what this server is and how it does, for people who open its address. It has no form and sets no cookie. Its
/// links begin with no slash: where a proxy cuts a path off, they lead to what is below that.
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
            "t": pages.texts.tree(in: browser.language), "languages": browser.languageLinks(to: ""),
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

extension WebPages {
    /// The page for a path that there is not, for people who open it in a browser; it has no form and sets no cookie.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What travels with it.
    /// - Returns: the page; `nil` for programs, and where the operator wants no page at `/`.
    package func unknownPage(for request: Request, _ context: ServerContext) -> Response? {
        guard firstPage != nil, [.get, .head].contains(request.method), request.readsPages else { return nil }
        let browser = gate.request(request, context, cookie: "first").withoutCookies
        let language = browser.language.rawValue
        let model: PageTemplates.Model = [
            "language": language, "title": "404", "brand": "Okaeri", "nonce": browser.nonce,
            "lines": [["language": language, "text": texts.text("fault.unknown", in: browser.language)]]
                as [PageTemplates.Model],
            "requestId": context.requestId,
            "assets": ["style": assets.path(of: "okaeri.css") ?? ""] as PageTemplates.Model,
        ]
        // Without a template the words for programs say the same.
        guard let html = try? templates.render("fault", model) else { return nil }
        return PageResponse.html(html, for: browser, status: .notFound)
    }
}

extension Request {
    /// Whether who asks names pages among what it reads (RFC 9110 §12.5.1), as browsers do and programs do not.
    fileprivate var readsPages: Bool {
        (headers.value(of: .accept) ?? "").pieces(at: ",").contains { range in
            range.before(";").filter { $0 != " " && $0 != "\t" }.lowercased() == "text/html"
        }
    }
}
