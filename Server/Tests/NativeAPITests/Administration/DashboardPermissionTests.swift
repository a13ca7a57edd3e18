import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard

@Suite("Every page of the dashboard")
struct DashboardPermissionTests {
    /// What needs no more than to be an admin, or reads alone though it is sent as a form.
    private static let harmless: Set<String> = [
        "/log-in", "/log-out", "/set-up", "/app/{application}/mail/preview", "/app/{application}/theme/preview",
        "/log-in/passkey", "/log-in/passkey/options", "/passkeys", "/passkeys/options", "/passkeys/{passkey}/rename",
        "/passkeys/{passkey}/remove", "/passkeys/password", "/sign-on", "/sign-on/unlink", "/set-up/sign-on",
    ]

    private func path(_ path: String, _ application: Identifier<Domain.Application>) -> String {
        "/dashboard"
            + path.replacing("{application}", with: application.rawValue).replacing("{user}", with: "nobody")
            .replacing(#/\{[a-z]+\}/#, with: "nobody")
    }

    @Test("is seen by exactly the roles that have its permission", arguments: AdminRole.allCases)
    func reading(role: AdminRole) async throws {
        let world = try await AdminWorld(roles: [role])
        let browser = world.browser(role.rawValue)
        for entry in Dashboard.table where entry.method == .get && !entry.isOpen {
            let shown = try await browser.get(path(entry.path, world.server.application.id))
            let isAllowed = role.may(entry.action)
            #expect((shown.status == 403) != isAllowed, "\(role) \(entry.path): \(shown.status)")
            #expect(shown.status < 500 && shown.location != "/dashboard/log-in", "\(entry.path): \(shown.status)")
        }
    }

    @Test(
        "of an application that an admin may not see answers as if there were none, and so do forms",
        arguments: AdminRole.allCases.filter { $0 != .owner })
    func foreign(role: AdminRole) async throws {
        let world = try await AdminWorld(roles: [role], restricted: true)
        let browser = world.browser(role.rawValue)
        let token = try await browser.get("/dashboard/applications").token
        for entry in Dashboard.table where !entry.isOpen && entry.path != "/log-out" && entry.path != "" {
            for application in [world.foreign.id, Identifier(rawValue: "none")] {
                let path = path(entry.path, application)
                let shown =
                    entry.method == .get
                    ? try await browser.get(path) : try await browser.post(path, ["name": "x"], token: token)
                if entry.path.contains("{application}") {
                    #expect(shown.status == 404, "\(role) \(entry.path): \(shown.status)")
                } else if entry.action.policy.access != .everyAdmin
                    || entry.method == .post && !Self.harmless.contains(entry.path)
                {
                    #expect(shown.status == 403, "\(role) \(entry.path): \(shown.status)")
                }
            }
        }
    }

    @Test("of a user hides addresses from who sees no personal data, and a form that would store what is masked")
    func masked() async throws {
        let world = try await AdminWorld(roles: [.support])
        let user = try await world.server.signUp("hanako", #", "displayName": "Hana""#, peer: "203.0.113.77")
            .read(LogInResponse.self).user.id
        let path = world.page("users/\(user)")
        let open = try await world.browser().get(path)
        #expect(open.html.contains("203.0.113.77") && open.html.contains("\(path)/save"))
        let browser = world.browser(AdminRole.support.rawValue)
        let masked = try await browser.get(path)
        #expect(masked.html.contains("203.0.•••") && !masked.html.contains("203.0.113.77"))
        #expect(!masked.html.contains("\(path)/save"))
        // Nor is it taken when it was drawn before, or is made up.
        let form = ["displayName": "H•••", "known": "", "fields": "{}"]
        #expect(try await browser.post("\(path)/save", form, token: masked.token).status == 403)
        let known = try await world.server.modules.directory.readUser(
            Identifier(rawValue: user), in: world.server.application.id)
        #expect(known.displayName == "Hana")
    }

    @Test("takes no form from who may only look", arguments: [AdminRole.support, .auditor])
    func writing(role: AdminRole) async throws {
        let world = try await AdminWorld(roles: [role])
        let browser = world.browser(role.rawValue)
        let token = try await browser.get("/dashboard/applications").token
        let before = try await world.server.modules.administration.audit.list(in: AuditEntry.server).count
        for entry in Dashboard.table where entry.method == .post && !Self.harmless.contains(entry.path) {
            let fields = [
                "name": "x", "role": "owner", "scope.users:read": "yes", "days": "1",
                "field": "x", "type": "any", "read": "public", "write": "owner",
            ]
            let sent = try await browser.post(path(entry.path, world.server.application.id), fields, token: token)
            #expect(sent.status == 403, "\(role) \(entry.path): \(sent.status) \(sent.location ?? "")")
        }
        #expect(try await world.server.modules.administration.audit.list(in: AuditEntry.server).count == before)
    }
}
