package import Domain
import HTTPSupport
package import HTTPTypes
import Hummingbird
import PageSupport

/// One endpoint of the dashboard: a page, or the one action that a form asks for.
package struct DashboardRoute: Sendable {
    /// A page by its path, and the action that looking at it is.
    struct Page: Sendable {
        let path: String
        let action: AdminAction

        init(_ path: String, _ action: AdminAction) {
            self.path = path
            self.action = action
        }
    }

    typealias Answer = @Sendable (DashboardRequest) async throws -> Response

    package let method: HTTPRequest.Method
    /// Behind `/dashboard`.
    package let path: String
    /// What it does; its policy holds for the route.
    package let action: AdminAction
    /// What it also does, or shows, by what it finds in the request.
    package let also: [AdminAction]
    /// The page itself, or the one that holds the form, which must be allowed too.
    let page: Page
    let answer: Answer

    /// A page.
    init(_ page: Page, also: [AdminAction] = [], _ answer: @escaping Answer) {
        method = .get
        path = page.path
        action = page.action
        self.also = also
        self.page = page
        self.answer = answer
    }

    /// What is looked at below a page, which is drawn when it comes to nothing.
    init(
        _ page: Page, get name: String, _ action: AdminAction, also: [AdminAction] = [], _ answer: @escaping Answer
    ) {
        method = .get
        path = "\(page.path)/\(name)"
        self.action = action
        self.also = also
        self.page = page
        self.answer = answer
    }

    /// What a form of a page asks for, at a path of its own below the page or, with a slash in front, elsewhere.
    init(
        _ page: Page, post name: String, _ action: AdminAction, also: [AdminAction] = [], _ answer: @escaping Answer
    ) {
        method = .post
        path = name.isEmpty || name.hasPrefix("/") ? (name.isEmpty ? page.path : name) : "\(page.path)/\(name)"
        self.action = action
        self.also = also
        self.page = page
        self.answer = answer
    }

    /// Whether it can be asked without being an admin: log-in and set-up.
    package var isOpen: Bool { action.policy.access == .open }

    /// The path of the page that belongs to a request of this route.
    func pagePath(of requested: String) -> String {
        let names = zip((Dashboard.root + path).pieces(at: "/"), requested.pieces(at: "/"))
        let values = Dictionary(names.filter { $0.0.hasPrefix("{") }) { first, _ in first }
        let segments = page.path.pieces(at: "/").map { values[$0] ?? $0 }
        return ([Dashboard.root] + segments.map(String.init)).joined(separator: "/")
    }
}

/// Finds out who asks, reads the form, and performs the route's action; errors become pages.
struct DashboardEndpoint: Sendable {
    let dashboard: Dashboard
    let route: DashboardRoute

    func respond(_ request: Request, _ context: ServerContext) async throws -> Response {
        let page = dashboard.gate.request(request, context, cookie: "admin")
        if request.method == .get, let address = page.addressOnServer {
            return try DashboardRequest(dashboard: dashboard, route: route, page: page.withoutCookies)
                .withoutSession(address)
        }
        var asked = DashboardRequest(dashboard: dashboard, route: route, page: page)
        var response: Response
        do {
            if !route.isOpen {
                try await asked.authenticate()
                if route.method == .post { try await asked.readForm() }
            }
            let request = asked
            if let question = try request.askWhetherSure() {
                response = question
            } else {
                response = try await request.perform(route.action, on: request.user) { _ in
                    try await route.answer(request)
                }
            }
        } catch {
            response = try await asked.answer(to: error)
        }
        if let token = asked.renewed {
            response.keepCookie(token.revealed, for: asked.page, maximumSeconds: SignInPages.cookieSeconds)
        }
        return response
    }
}
