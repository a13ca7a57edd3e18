import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// A request to one application's pages: everything that a page needs to draw itself.
struct HostedPageRequest: Sendable {
    let pages: WebPages
    var browser: PageRequest
    let application: Domain.Application
    let theme: PageTheme
    let arrivedAt: Timestamp
    /// What an app waits for, as it came back from a provider.
    var restored: String?

    /// The longest request of an app that waits while a person logs in.
    static let maximumContinuationBytes = 4096
    static let continuationParameter = "continue"

    var modules: Modules { pages.modules }

    /// The request of an app (OAuth) that goes on after the log-in: a query for `/authorize`, which checks it again.
    var continuation: String? {
        guard let text = restored ?? browser.query[Self.continuationParameter], Self.isContinuation(text) else {
            return nil
        }
        return text
    }

    /// Whether pages hand a query on.
    static func isContinuation(_ text: String) -> Bool {
        (1...maximumContinuationBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// What the person can be expected to type (OpenID Connect Core 1.0 §3.1.2.1): an app's word, no more.
    var hint: String {
        let hint = asked("login_hint").trimmingSpaces
        return hint.utf8.count <= 254 ? hint : ""
    }

    /// A parameter of the app that waits, or of this page.
    private func asked(_ name: String) -> String {
        (continuation.map { FormValues(query: $0) } ?? browser.query).text(name)
    }

    /// A text of the application's tables.
    func text(_ name: String, _ values: [String: String] = [:]) -> String {
        theme.texts.text(name, in: browser.language, values)
    }

    /// The path of another page of the application; what an app waits for comes along.
    func path(_ page: String) -> String {
        let path = "/a/\(application.id.rawValue)/\(page)"
        return continuation.map { "\(path)?\(FormValues.query([(Self.continuationParameter, $0)]))" } ?? path
    }

    /// Names a form as this browser sent it. Sent again, because its answer got lost, it is answered as the first one was; for
    /// everybody else a code counts once.
    func attemptName(_ form: String, _ sent: String...) -> String {
        "\(form) page \(browser.formToken) \(sent.joined(separator: " "))"
    }

    /// Links to the page in each language. What a form leads to has no address that can be opened, and what comes back from a
    /// provider counts once: there the links lead to where the person came from.
    private var languageLinks: [PageTemplates.Model] {
        let page = nearestPage
        guard page != ownParts.joined(separator: "/") else { return browser.languageLinks(to: browser.path) }
        return languageAddresses(of: page)
    }

    /// The page that can be opened by its address and is nearest to this path.
    var nearestPage: String { openablePage(ownParts) }

    /// The path below the application's.
    private var ownParts: [String] { browser.path.pieces(at: "/").dropFirst(2).map(String.init) }

    /// Links to another page of the application in each language, with what an app waits for and what else its address needs.
    func languageAddresses(of page: String, with own: [(String, String)] = []) -> [PageTemplates.Model] {
        browser.languageLinks(
            to: "/a/\(application.id.rawValue)/\(page)",
            with: (continuation.map { [(Self.continuationParameter, $0)] } ?? []) + own)
    }

    private static let openablePages: Set<String> = [
        "log-in", "sign-up", "forgot", "reset", "register", "verify", "recover", "account", "authorize", "open",
    ]

    /// Whether the cookie is one of after a log-in; its session may have ended.
    var hasSessionCookie: Bool { browser.cookie?.hasPrefix("v.") == false }

    /// The page that can be opened by its address and is nearest to a path below the application's.
    private func openablePage(_ parts: [String]) -> String {
        guard let first = parts.first else { return "log-in" }
        if first == "provider", parts.count > 1 {
            // Who is logged in may have come to link the provider, and not to log in by it.
            let isOfAccount = parts.count > 2 && hasSessionCookie
            return isOfAccount ? "account" : "provider/\(parts[1])"
        }
        return Self.openablePages.contains(first) ? first : "log-in"
    }

    /// What all templates of hosted pages ask for.
    func model(_ page: String, _ own: PageTemplates.Model = [:]) -> PageTemplates.Model {
        var model: PageTemplates.Model = [
            "language": browser.language.rawValue, "title": text("\(Self.textName(page)).title"), "brand": theme.brand,
            "mark": theme.mark, "themeStyle": PageMarkup(theme.styles[asked("appearance")] ?? theme.style),
            "assets": pages.assets.model,
            "nonce": browser.nonce, "formToken": browser.formToken, "tokenField": PageRequest.tokenField,
            "t": theme.texts.tree(in: browser.language), "bodyClass": theme.hasPicture ? "with-picture" : "",
            "languages": languageLinks, "action": path(page),
            "links": [
                "logIn": path("log-in"), "signUp": path("sign-up"), "forgot": path("forgot"),
                "account": path("account"),
            ] as PageTemplates.Model,
        ]
        if hasPasskeys, let script = pages.assets.path(of: PageAssets.passkeyScript) { model["passkeyScript"] = script }
        if let logo = theme.logoPath { model["logo"] = logo }
        if let lead = theme.texts.tables[browser.language]?["\(Self.textName(page)).lead"] { model["lead"] = lead }
        model.merge(own) { $1 }
        return model
    }

    /// The name of a page's texts: `logIn` for `log-in`.
    static func textName(_ page: String) -> String {
        let words = page.pieces(at: "-")
        return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    /// Draws a page.
    func html(
        _ template: String, _ model: PageTemplates.Model, status: HTTPResponse.Status = .ok,
        formTargets: [String] = []
    ) throws -> Response {
        PageResponse.html(
            try pages.templates.render(template, model), for: browser, status: status, formTargets: formTargets)
    }

    /// Draws a page that is the same for everybody but for what ties it to a browser; it is kept.
    ///
    /// - Parameters:
    ///   - template: The page.
    ///   - variant: What tells pages of one template apart.
    ///   - model: Fills it.
    /// - Returns: the page.
    /// - Throws: when the template is broken.
    func common(
        _ template: String, variant: String = "", _ model: (HostedPageRequest) throws -> PageTemplates.Model
    ) throws -> Response {
        guard continuation == nil, browser.query.all.isEmpty else {
            return try html(template, try model(self), formTargets: formTargets())
        }
        // Whether passkeys are offered depends on the address that the browser has open.
        let key = "\(browser.language.rawValue) \(template) \(browser.isAtIPAddress) \(variant)"
        let kept = try theme.kept(key) {
            var open = try model(self)
            open["nonce"] = KeptPage.nonceMark
            open["formToken"] = KeptPage.tokenMark
            return KeptPage(try pages.templates.render(template, open))
        }
        return PageResponse.html(kept.html(nonce: browser.nonce, formToken: browser.formToken), for: browser)
    }

    /// A page that says one thing.
    func message(
        _ page: String, status: HTTPResponse.Status = .ok, _ own: PageTemplates.Model = [:]
    ) throws -> Response {
        try html("message", model(page, own), status: status)
    }
}

/// A page that was drawn before, with gaps for what differs.
struct KeptPage: Sendable {
    /// Characters of the private use area, which no text of an application holds by chance.
    static let nonceMark = "\u{F8F0}nonce\u{F8F0}"
    static let tokenMark = "\u{F8F0}token\u{F8F0}"

    private enum Piece: Sendable {
        case text(String)
        case nonce
        case token
    }

    private let pieces: [Piece]

    init(_ html: String) {
        pieces = html.split(separator: "\u{F8F0}", omittingEmptySubsequences: false).enumerated().map { index, text in
            if index % 2 == 0 { .text(String(text)) } else { text == "nonce" ? .nonce : .token }
        }
    }

    func html(nonce: String, formToken: String) -> String {
        var html = ""
        html.reserveCapacity(8192)
        for piece in pieces {
            switch piece {
            case .text(let text): html += text
            case .nonce: html += nonce
            case .token: html += formToken
            }
        }
        return html
    }
}
