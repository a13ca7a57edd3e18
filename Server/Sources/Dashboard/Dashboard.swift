package import Domain
import EmbeddedFiles
package import HTTPSupport
import HTTPTypes
import Hummingbird
package import PageSupport

/// The dashboard: pages for those who look after users. They draw and translate; the rules, and who may do what, are the
/// domain's, as for the admin API.
package struct Dashboard: ProtocolAdapter {
    let modules: Modules
    let gate: PageGate
    let clock: any WallClock
    let templates: PageTemplates
    let texts: PageTexts
    let assets: PageAssets
    /// The server's own address for people and programs.
    let publicURL: String
    /// Where a one-time link for admins leads.
    let adminLink: @Sendable (Secret) -> String

    /// - Parameters:
    ///   - modules: The rules.
    ///   - gate: Finds out what browsers bring along.
    ///   - clock: The time.
    ///   - assets: Files that pages load; `files` must be among them.
    ///   - publicURL: The server's own address, without a slash at the end.
    ///   - adminLink: Where a one-time link for admins leads, with its token.
    /// - Throws: when a template or a text of the program is broken, which a test would have found.
    package init(
        modules: Modules, gate: PageGate, clock: any WallClock, assets: PageAssets, publicURL: String,
        adminLink: @escaping @Sendable (Secret) -> String
    ) throws {
        self.modules = modules
        self.gate = gate
        self.clock = clock
        self.publicURL = publicURL
        self.adminLink = adminLink
        templates = try Self.ownTemplates.get()
        texts = try Self.ownTexts.get()
        self.assets = assets
    }

    static let root = "/dashboard"

    /// Whether the server's own address is one of numbers.
    var isAtIPAddress: Bool { ProofTarget(publicURL).flatMap { IPAddress($0.authority) } != nil }

    /// The string tables of all languages.
    package static var tables: [PageLanguage: [[UInt8]]] {
        PageTexts.tables(in: "Dashboard/Texts")
    }

    /// Files that the pages load, beside the shared ones.
    package static var files: [String: [UInt8]] {
        EmbeddedFiles.folder("Dashboard/Assets")
    }

    /// Read once in a process.
    private static let ownTexts = Result { try PageTexts(tables) }

    /// Compiled once in a process.
    private static let ownTemplates = Result {
        try PageTemplates(EmbeddedFiles.folder("Dashboard/Templates", ending: ".mustache"))
    }

    package func owns(path: String) -> Bool { path == Self.root || path.hasPrefix("\(Self.root)/") }

    package var surface: String { "dashboard" }

    package var errors: any ErrorRenderer { DashboardErrors(templates: templates, texts: texts, assets: assets) }

    package var routes: [Route] {
        Self.table.map {
            Route(
                $0.method, Self.root + $0.path, $0.isOpen ? .nothing : .admin, isForStandby: false,
                DashboardEndpoint(dashboard: self, route: $0).respond
            ).withLongResponse()
        }
    }

    /// Every endpoint, and the action whose policy holds for it.
    package static let table: [DashboardRoute] =
        SignInPages.routes + ApplicationsPage.routes + AdminsPage.routes + AdminPage.routes + KeysPage.routes
        + HealthPage.routes + OverviewPage.routes + StartPage.routes + UsersPage.routes + BulkForm.routes
        + NewUserForm.routes
        + ExportPage.routes + UserPage.routes + SessionsPage.routes + ConflictsPage.routes + SettingsPage.routes
        + ProvidersPage.routes + ProtocolsPage.routes + MailPage.routes + MailQueuePage.routes + ThemePage.routes
        + AuditPage.routes + FieldsPage.routes + RolesPage.routes + EventsPage.routes + HooksPage.routes
        + OldServicesPage.routes + OwnPasskeysPage.routes + SignOnPages.routes + OwnSignOnPage.routes
}
