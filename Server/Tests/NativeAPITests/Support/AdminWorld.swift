import Domain
import Foundation
import HTTPTypes
import NativeAPI
import OkaeriWire
import TestWorld
import Testing

/// A server with an admin of each role, and a second application.
struct AdminWorld: Sendable {
    static let password = "eleven quiet rivers run"

    let server: TestServer
    /// An application that the restricted admins may not see.
    let foreign: Domain.Application
    private(set) var tokens: [String: String] = [:]
    /// What the owner's authenticator app read.
    private(set) var ownerKey = ""

    init(_ server: TestServer? = nil, roles: [AdminRole] = AdminRole.allCases, restricted: Bool = false) async throws {
        let server = if let server { server } else { try await TestServer() }
        self.server = server
        foreign = try await server.modules.applications.createApplication(name: "Foreign", by: .local).application
        let admins = server.modules.administration.admins
        let owner = try await Self.setUpWithKey(
            try await admins.makeLink(for: nil, by: .local).token, name: "root", on: server)
        (tokens["owner"], ownerKey) = owner
        for role in roles where role != .owner {
            let admin = try await admins.create(
                name: role.rawValue, role: role, applications: restricted ? [server.application.id] : nil,
                by: .local)
            tokens[role.rawValue] = try await Self.setUp(
                try await admins.makeLink(for: admin.id, by: .local).token, name: nil, on: server)
        }
    }

    /// Sets an admin up by the API.
    static func setUp(_ token: Secret, name: String?, on server: TestServer) async throws -> String {
        try await setUpWithKey(token, name: name, on: server).token
    }

    private static func setUpWithKey(
        _ token: Secret, name: String?, on server: TestServer
    ) async throws -> (token: String, key: String) {
        let opened = try await server.send(
            .post, "/v1/admin/set-up/open", body: #"{"token": "\#(token.revealed)"}"#, isNamed: false)
        let key = try #require(try opened.read([String: JSONValue].self)["totpKey"]?.text)
        let code = try TestAuthenticator.code(for: key, at: server.clock.now)
        let named = name.map { #""name": "\#($0)", "# } ?? ""
        let answer = try await server.send(
            .post, "/v1/admin/set-up",
            body: #"{"token": "\#(token.revealed)", \#(named)"password": "\#(password)", "code": "\#(code)"}"#,
            isNamed: false)
        try #require(answer.status == 201, "\(answer.text)")
        return (try #require(try answer.read([String: JSONValue].self)["token"]?.text), key)
    }

    /// A new key of the owner's, for programs.
    func key(_ scopes: Set<AdminPermission>) async throws -> String {
        let rules = server.modules.administration
        let owner = try await rules.logIns.findAdmin(tokens["owner"].map { Secret($0) }, at: nil, from: .local)
        return try await rules.keys.create(
            .init(name: "key", scopes: scopes, applications: nil, networks: [], life: .days(1)), of: owner,
            by: owner.auditActor(from: .local)
        ).secret.revealed
    }

    /// What the owner's authenticator app shows now.
    var ownerCode: String { get throws { try TestAuthenticator.code(for: ownerKey, at: server.clock.now) } }

    /// What an edit has to send with it: the version that the owner reads at a path.
    func version(of path: String) async throws -> [(String, String)] {
        [("If-Match", try #require(try await send("owner", .get, path).headers[.eTag]))]
    }

    /// What an authenticator app shows for a key in Base32.
    static func code(_ key: JSONValue, at now: Timestamp) throws -> String {
        try TestAuthenticator.code(for: try #require(key.text), at: now)
    }

    /// Sends a request as somebody: a role's name, or a token. What it does must be in the audit log afterwards,
    /// unless it changes nothing: a patch without a member, mails that are sent again where none waits, or what the test
    /// says of it.
    func send(
        _ who: String?, _ method: HTTPRequest.Method, _ path: String, _ headers: [(String, String)] = [],
        body: String? = nil, changes: Bool = true
    ) async throws -> Answer {
        let token = who.map { tokens[$0] ?? $0 }
        let isIdle = method == .patch && body == "{}" || path.hasSuffix("/mail/queue/retry")
        let actions =
            changes && !isIdle ? Self.actions(of: method, "\(AdminAPI.root)\(path)") : []
        let before = actions.isEmpty ? [] : try await entries(of: actions)
        let answer = try await server.send(
            method, "/v1/admin/\(path)", (token.map { [("Authorization", "Bearer \($0)")] } ?? []) + headers,
            body: body,
            isNamed: false)
        if !actions.isEmpty, (200..<300).contains(answer.status) {
            let added = try await entries(of: actions).subtracting(before)
            #expect(!added.isEmpty, "\(method) \(path) left no entry of \(actions.map(\.rawValue))")
        }
        return answer
    }

    /// What a request that is no look leaves in the audit log, by the table of actions: one of these.
    private static func actions(of method: HTTPRequest.Method, _ path: String) -> [AuditEntry.Action] {
        let segments = path.prefix { $0 != "?" }.split(separator: "/")
        let route = AdminAPI.table.first { route in
            let names = route.path.split(separator: "/")
            return route.method == method && names.count == segments.count
                && zip(names, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        // Those that end so give a challenge out.
        guard let route, method != .get, !route.path.hasSuffix("/request") else { return [] }
        return ([route.action] + route.also).compactMap(\.policy.audit)
    }

    private func entries(of actions: [AuditEntry.Action]) async throws -> Set<Identifier<AuditEntry>> {
        var found: Set<Identifier<AuditEntry>> = []
        for log in [server.application.id, foreign.id, AuditEntry.server] {
            let entries = try await server.modules.administration.audit.list(in: log, limit: ListAudit.maximumPageSize)
            found.formUnion(entries.filter { actions.contains($0.action) }.map(\.id))
        }
        return found
    }

    /// A browser with the cookie of the admin of a role.
    func browser(_ role: String = "owner") -> Browser {
        let browser = Browser(server)
        if let token = tokens[role] { browser.plant(token, name: "admin") }
        return browser
    }

    /// The path of the application's page of the dashboard; of one of the server's own with a slash in front.
    func page(_ name: String = "") -> String {
        guard !name.hasPrefix("/") else { return "/dashboard\(name)" }
        return "/dashboard/app/\(server.application.id)\(name.isEmpty ? "" : "/\(name)")"
    }

    /// Sends the dashboard's form of settings, as it is but for some fields.
    func postSettings(_ changed: [String: String], as role: String) async throws -> Page {
        let (browser, address) = (browser(role), page("settings"))
        let form = try await browser.get(address)
        let fields = [
            "version": form.value(of: "version") ?? "", "name": "Star", "sessionIdleDays": "30", "sessionDays": "90",
            "deletionGraceDays": "14", "passwordMinimumCharacters": "8",
        ]
        return try await browser.post(address, fields.merging(changed) { _, new in new }, token: form.token)
    }

    /// The path of something in the application.
    func path(_ rest: String = "") -> String { "applications/\(server.application.id)\(rest)" }
}

extension JSONValue {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var list: [JSONValue] {
        guard case .array(let values) = self else { return [] }
        return values
    }
}

extension Answer {
    /// The body as any JSON.
    var json: JSONValue {
        get throws { try read(JSONValue.self) }
    }

    /// When an admin's session ends, as the response says.
    var sessionEnd: Timestamp {
        get throws {
            let text = try #require(try json["expiresAt"]?.text)
            return Timestamp(milliseconds: try #require(WireTime(text)).millisecondsSince1970)
        }
    }
}
