package import Domain
import EmbeddedFiles
package import HTTPSupport
package import HTTPTypes
package import PageSupport

/// The hosted pages: log-in, sign-up and everything about the own account, for any app and any browser. They only draw and
/// translate: the rules are the domain's.
package struct WebPages: ProtocolAdapter {
    let modules: Modules
    let gate: PageGate
    let metrics: ServerMetrics
    let templates: PageTemplates
    let texts: PageTexts
    let assets: PageAssets
    let themes: PageThemes
    /// The server's own address for people; `nil` while it is not set.
    let publicURL: String?
    /// Whether this server can send mail.
    let sendsMail: Bool
    /// The page at `/`; `nil` when the operator wants none.
    let firstPage: FirstPage?

    /// - Parameters:
    ///   - modules: The rules.
    ///   - gate: Finds out what browsers bring along.
    ///   - metrics: Where log-ins are counted.
    ///   - publicURL: The server's own address, without a slash at the end.
    ///   - sendsMail: Whether this server can send mail.
    ///   - firstPage: The page at `/`; `nil` for none.
    ///   - assets: Files that pages load; those of other surfaces may be among them.
    /// - Throws: when a template or a text of the program is broken, which tests find.
    package init(
        modules: Modules, gate: PageGate, metrics: ServerMetrics, publicURL: String?, sendsMail: Bool,
        firstPage: FirstPage?, assets: PageAssets = PageAssets(PageAssets.shared)
    ) throws {
        self.modules = modules
        self.gate = gate
        self.metrics = metrics
        self.publicURL = publicURL
        self.sendsMail = sendsMail
        self.firstPage = firstPage
        templates = try Self.compiledTemplates.get()
        texts = try Self.ownTexts.get()
        self.assets = assets
        themes = PageThemes()
    }

    /// The string tables of all languages.
    static var tables: [PageLanguage: [[UInt8]]] {
        PageTexts.tables(in: "WebPages/Texts")
    }

    package func owns(path: String) -> Bool {
        path.hasPrefix("/a/") || path.hasPrefix("\(PageAssets.path)/") || firstPage != nil && path == FirstPage.path
    }

    /// Scripts of any origin may ask for tokens; no cookie has a part in it.
    package var preflightHeaders: [HTTPField] {
        [
            HTTPField(name: .accessControlAllowOrigin, value: "*"),
            HTTPField(name: .accessControlAllowMethods, value: "GET, POST"),
            HTTPField(name: .accessControlAllowHeaders, value: "Authorization, Content-Type, DPoP"),
            HTTPField(name: .accessControlMaxAge, value: "86400"),
        ]
    }

    package var surface: String { "pages" }

    package var errors: any ErrorRenderer { PageErrors(templates: templates, assets: assets) }
}

extension WebPages {
    /// The hosted pages' own templates, by name.
    static var ownTemplates: [String: [UInt8]] {
        EmbeddedFiles.folder("WebPages/Templates", ending: ".mustache")
    }

    /// Compiled once in a process.
    private static let compiledTemplates = Result { try PageTemplates(ownTemplates) }

    /// Read once in a process.
    private static let ownTexts = Result { try PageTexts(tables) }
}
