import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard
@testable import NativeAPI

/// Walks every row of `AdminAction` over the admin API and the dashboard.
@Suite("The policy of every admin action")
struct AdminPolicyTests {
    /// One endpoint of either surface.
    struct Endpoint: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        let action: AdminAction
        let also: [AdminAction]
        /// What else must be allowed: the page that holds the form.
        let page: AdminAction
        let isPage: Bool

        var testDescription: String { "\(method) \(path)" }
        var permissions: Set<AdminPermission> { action.permissions.union(page.permissions) }

        /// With `nothing` for each parameter but the application's and the user's.
        func path(in world: AdminWorld, user: String = "nothing", grant: String = "nothing") -> String {
            path.replacing("{application}", with: world.server.application.id.rawValue)
                .replacing("{user}", with: user).replacing("{grant}", with: grant).replacing(
                    #/\{[a-z]+\}/#, with: "nothing")
        }
    }

    private enum Outcome: Equatable {
        case notAllowed, stepUp, other(Int)
    }

    static let endpoints =
        AdminAPI.table.map {
            Endpoint(
                method: $0.method, path: $0.path, action: $0.action, also: $0.also, page: $0.action, isPage: false)
        }
        + Dashboard.table.map {
            Endpoint(
                method: $0.method, path: "/dashboard\($0.path)", action: $0.action, also: $0.also,
                page: $0.page.action, isPage: true)
        }

    /// Those that need a log-in and leave it standing.
    static let guarded = endpoints.filter { $0.action.policy.access != .open && $0.action != .logOut }

    /// Asks as the holder of a token: in a header of the API, in a cookie of the dashboard.
    private func ask(
        _ endpoint: Endpoint, _ token: String, in world: AdminWorld, user: String = "nothing", grant: String = "nothing"
    ) async throws -> Outcome {
        let path = endpoint.path(in: world, user: user, grant: grant)
        guard endpoint.isPage else {
            let hasBody = endpoint.method != .get && endpoint.method != .delete
            let answer = try await world.send(
                token, endpoint.method, String(path.dropFirst(AdminAPI.root.count)), [("If-Match", "\"1\"")],
                body: hasBody ? "{}" : nil)
            switch answer.code {
            case .notAllowed: return .notAllowed
            case .reauthenticationRequired: return .stepUp
            default: return .other(answer.status)
            }
        }
        let browser = Browser(world.server)
        browser.plant(token, name: "admin")
        let shown: Page
        if endpoint.method == .get {
            shown = try await browser.get(path)
        } else {
            let form = try await browser.get("/dashboard/applications")
            shown = try await browser.post(path, [:], token: form.token)
        }
        if shown.html.contains("Your role does not allow this.") { return .notAllowed }
        return shown.html.contains("Is it still you?") ? .stepUp : .other(shown.status)
    }

    @Test("is reachable from a route, or from commands alone", arguments: AdminAction.allCases)
    func reachable(action: AdminAction) {
        let isRouted = Self.endpoints.contains { $0.action == action || $0.also.contains(action) }
        // Asked for by the protocol of RFC 7662 alone, whose tests walk its row: `IntrospectionTests`.
        let isOfOAuth = action == .introspectToken
        #expect((isRouted || isOfOAuth) == (action.policy.access != .commandLine))
    }

    /// What leaves no entry although a form, a call or a command asks for it, and why.
    private static let unrecorded: [AdminAction: String] = [
        .openSetUpLink: "Shows a form, which its link opens again.",
        .confirmDeletion: "Shows a form.",
        .checkProvider: "Shows what a provider says of the application's own settings.",
        .readSettings: "Shows a mail as it would look.",
        .introspectToken: "Shows a resource server what is in the token that it holds, with each request that it gets.",
        .verifyAudit: "Reads the log itself.",
        .readSealingKeys: "Shows names of keys.",
        .readMailOutbox: "Shows mails of development, which nobody got.",
    ]

    @Test(
        "leaves an entry in the audit log, unless it shows something and does nothing", arguments: AdminAction.allCases)
    func recorded(action: AdminAction) {
        let routes = Self.endpoints.filter { $0.action == action }
        let isLookedAt = action.policy.access != .commandLine && routes.allSatisfy { $0.method == .get }
        #expect(action.policy.audit != nil || isLookedAt || Self.unrecorded[action] != nil)
        #expect(action.policy.audit == nil || Self.unrecorded[action] == nil)
    }

    @Test("is about an application exactly where the path names one", arguments: endpoints)
    func scope(endpoint: Endpoint) {
        let isInApplication = endpoint.path.contains("{application}")
        for action in [endpoint.action, endpoint.page] + endpoint.also {
            #expect((action.policy.scope == .application) == isInApplication, "\(action)")
        }
    }

    @Test("holds at a path of its own: no method and path stands for two", arguments: [true, false])
    func paths(isPage: Bool) {
        let names = Self.endpoints.filter { $0.isPage == isPage }.map { "\($0.method) \($0.path)" }
        #expect(Set(names).count == names.count)
    }

    @Test("refuses a key that lacks one of its permissions, and lets one pass that has them all")
    func permissions() async throws {
        let world = try await AdminWorld(roles: [])
        let offered = Set(AdminPermission.allCases).subtracting([.manageAdmins])
        var keys: [Set<AdminPermission>: String] = [:]
        func secret(_ scopes: Set<AdminPermission>) async throws -> String {
            if let known = keys[scopes] { return known }
            let made = try await world.key(scopes)
            keys[scopes] = made
            return made
        }
        for endpoint in Self.guarded where !endpoint.isPage && !endpoint.permissions.contains(.manageAdmins) {
            for missing in endpoint.permissions {
                let outcome = try await ask(endpoint, try await secret(offered.subtracting([missing])), in: world)
                #expect(outcome == .notAllowed, "\(endpoint.testDescription) without \(missing)")
            }
            // A key needs a scope; for what every admin may do, any.
            let needed = endpoint.permissions.isEmpty ? [.readStatistics] : endpoint.permissions
            let outcome = try await ask(endpoint, try await secret(needed), in: world)
            #expect(outcome != .notAllowed && outcome != .stepUp, "\(endpoint.testDescription)")
        }
    }

    @Test("is none of the dashboard's for a key, whatever it may do: a cookie holds a session")
    func keysInCookies() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = Browser(world.server)
        for key in [
            try await world.key(Set(AdminPermission.allCases).subtracting([.manageAdmins])),
            try await world.server.modules.applications.createApplication(name: "Own", by: .local).adminKey.revealed,
        ] {
            browser.plant(key, name: "admin")
            for endpoint in Self.guarded where endpoint.isPage && endpoint.method == .get {
                let shown = try await browser.get(endpoint.path(in: world))
                #expect(shown.location?.hasPrefix("/dashboard/log-in") == true, "\(endpoint.path): \(shown.status)")
            }
        }
    }

    @Test("about admins and keys refuses an operator, and lets an owner pass")
    func owners() async throws {
        let world = try await AdminWorld(roles: [.operator])
        let tokens = try (#require(world.tokens["operator"]), #require(world.tokens["owner"]))
        for endpoint in Self.guarded where endpoint.permissions.contains(.manageAdmins) {
            #expect(try await ask(endpoint, tokens.0, in: world) == .notAllowed, "\(endpoint.testDescription)")
            #expect(try await ask(endpoint, tokens.1, in: world) != .notAllowed, "\(endpoint.testDescription)")
        }
    }

    @Test("asks for password and code again where its row says so, and nowhere else")
    func stepUp() async throws {
        let world = try await AdminWorld(roles: [])
        let token = try #require(world.tokens["owner"])
        for endpoint in Self.guarded {
            #expect(try await ask(endpoint, token, in: world) != .stepUp, "\(endpoint.testDescription)")
        }
        world.server.clock.advance(by: AdminSession.freshness)
        for endpoint in Self.guarded {
            let isAsked = try await ask(endpoint, token, in: world) == .stepUp
            #expect(isAsked == endpoint.action.policy.stepUp, "\(endpoint.testDescription)")
        }
    }

    @Test("records a reading where its row says so, and nowhere else")
    func readings() async throws {
        let world = try await AdminWorld(roles: [])
        let token = try #require(world.tokens["owner"])
        let user = try await world.server.person().logIn.user.id
        var grants: [String: String] = [:]
        for kind in ["roles", "groups"] {
            let made = try await world.send("owner", .post, world.path("/\(kind)"), body: #"{"name": "\#(kind)"}"#)
            grants[kind] = try made.json["id"]?.text
        }
        func count() async throws -> Int {
            try await world.server.modules.administration.audit.list(in: world.server.application.id, limit: 1000)
                .count { $0.action == .usersRead }
        }
        for endpoint in Self.guarded where endpoint.method == .get {
            let before = try await count()
            let grant = grants[endpoint.path.contains("/groups/") ? "groups" : "roles"] ?? ""
            _ = try await ask(endpoint, token, in: world, user: user, grant: grant)
            let recorded = try await count() - before
            #expect(recorded == (endpoint.action.policy.recordsReading ? 1 : 0), "\(endpoint.testDescription)")
        }
    }

    @Test("is allowed to commands, and refused to who has not logged in unless it leads to a log-in")
    func actors() async throws {
        let world = try await AdminWorld(roles: [])
        let perform = world.server.modules.administration.perform
        for action in AdminAction.allCases {
            #expect(perform.allows(action, by: .commandLine, in: nil))
            #expect(perform.allows(action, by: .anonymous(.local), in: nil) == (action.policy.access == .open))
        }
    }

    @Test("stands in the threat model")
    func document() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/threat-model.md").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        let parts = text.components(separatedBy: "<!-- policy: AdminAction -->\n")
        try #require(parts.count == 2)
        let table = try #require(parts[1].components(separatedBy: "<!-- end of policy -->\n").first)
        #expect(table == "\n\(AdminAction.policyTable)\n\n")
    }
}

extension AdminAction {
    var permissions: Set<AdminPermission> {
        guard case .permissions(let needed) = policy.access else { return [] }
        return Set(needed)
    }
}

extension AdminRole {
    /// Whether the role has what the action needs.
    func may(_ action: AdminAction) -> Bool {
        action.policy.access != .commandLine && action.permissions.isSubset(of: permissions)
    }
}
