import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@testable import NativeAPI

/// Lists as long as a body can hold, at every route of the admin API that takes one. What looked at each value did so while
/// all changes waited.
@Suite("A list of a hundred thousand", .timeLimit(.minutes(5)))
struct LongListTests {
    /// A list of a body, and what is said of it.
    private struct List {
        var method = HTTPRequest.Method.patch
        let path: String
        /// Where the version is read that a change has to name.
        var version: String?
        let before: String
        /// An element, with a percent sign where its number stands.
        var element = #""n%""#
        var after = "]}"
        let field: String
        var code = "too_many"

        var body: String { LongBody.list(before, element, after) }
    }

    private static func settings(_ application: String) -> [List] {
        func list(_ before: String, _ field: String, _ element: String = #""n%""#, _ after: String = "]}}") -> List {
            List(path: application, version: application, before: before, element: element, after: after, field: field)
        }
        let app = #"{"package":"a%","certificates":[]}"#
        return [
            list(#"{"audiences":["#, "audiences", #""n%""#, "]}"),
            list(#"{"mergeRules":{"#, "mergeRules", #""n%":"sum""#, "}}"),
            list(#"{"passkeys":{"origins":["#, "passkeys.origins"),
            list(#"{"passkeys":{"allowedAuthenticators":["#, "passkeys.allowedAuthenticators"),
            list(#"{"passkeys":{"refusedAuthenticators":["#, "passkeys.refusedAuthenticators"),
            list(#"{"passkeys":{"appleApps":["#, "passkeys.appleApps"),
            list(#"{"passkeys":{"androidApps":["#, "passkeys.androidApps", app),
            list(#"{"passkeys":{"attestationRoots":["#, "passkeys.attestationRoots", #"{"certificates":""}"#),
            list(#"{"attestation":{"appleApps":["#, "attestation.appleApps"),
            list(#"{"attestation":{"playApps":["#, "attestation.playApps", app),
        ]
    }

    private static func parts(of application: String) -> [List] {
        let (ncmb, protocols) = ("\(application)/protocols/ncmb/rules", "\(application)/protocols")
        let named = #"{"claims":[{"claim":"roles","source":"roles","including":["#
        let endpoint = #"{"url":"https://app.example.com/hooks","types":["#
        return [
            List(
                method: .put, path: "\(application)/redirects", before: #"{"redirects":["#,
                field: "redirectAddresses"),
            List(method: .put, path: "\(application)/views/mine", before: #"{"fields":["#, field: "fields"),
            List(
                method: .put, path: "\(application)/views/mine", before: #"{"columns":["#, element: #""name""#,
                field: "columns", code: "not_unique"),
            List(method: .put, path: "\(application)/providers/google", before: #"{"audiences":["#, field: "audiences"),
            List(
                method: .put, path: "\(application)/providers/google", before: #"{"audiences":["a"],"redirectURIs":["#,
                field: "redirectURIs"),
            List(
                method: .put, path: "\(application)/old-services/firebase", version: application,
                before: #"{"audiences":["#, field: "audiences"),
            List(path: ncmb, version: protocols, before: #"{"hosts":["#, field: "hosts"),
            List(
                path: ncmb, version: protocols, before: #"{"administratorNetworks":["#, field: "administratorNetworks"),
            List(
                method: .put, path: "\(application)/fields/coins", before: #"{"label":{"#, element: #""n%":"a""#,
                after: "}}", field: "label"),
            List(
                method: .put, path: "\(application)/fields/coins", before: #"{"default":["#, field: "default",
                code: "too_many_bytes"),
            List(
                method: .put, path: "\(application)/claims", before: #"{"claims":["#,
                element: #"{"claim":"n%","source":"user"}"#, field: "claims"),
            List(
                method: .put, path: "\(application)/claims", before: named, after: "]}]}", field: "claims.roles"),
            List(method: .post, path: "\(application)/event-endpoints", before: endpoint, field: "types"),
            List(
                method: .post, path: "\(application)/roles", before: #"{"name":"a","permissions":["#,
                field: "permissions"),
            List(method: .post, path: "\(application)/groups", before: #"{"name":"a","roles":["#, field: "roles"),
        ]
    }

    private static func access(_ roles: String) -> [List] {
        let key = #"{"name":"a","days":1,"#
        return [
            List(path: roles, before: #"{"add":["#, field: "add"),
            List(path: roles, before: #"{"remove":["#, field: "remove"),
            List(
                method: .post, path: "admins", before: #"{"name":"a","role":"auditor","applications":["#,
                field: "applications"),
            List(
                method: .post, path: "keys", before: key + #""scopes":["users:read"],"applications":["#,
                field: "applications"),
            List(
                method: .post, path: "keys", before: key + #""scopes":["users:read"],"networks":["#, field: "networks"),
            List(method: .post, path: "keys", before: key + #""scopes":["#, field: "scopes", code: "malformed"),
        ]
    }

    @Test("is refused at once by the name of its field, wherever an admin can send one")
    func lists() async throws {
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person()
        let enabled = try await world.send("owner", .put, world.path("/protocols/ncmb"), body: #"{"keys": {}}"#)
        try #require(enabled.status == 200, "\(enabled.text)")
        let roles = world.path("/users/\(person.logIn.user.id)/roles")
        for list in Self.settings(world.path()) + Self.parts(of: world.path()) + Self.access(roles) {
            var version: [(String, String)] = []
            if let path = list.version { version = try await world.version(of: path) }
            let (headers, body) = (version, list.body)
            let isQuick = try await HostileTextTests.isQuick {
                let answer = try await world.send("owner", list.method, list.path, headers, body: body)
                let said = "\(list.path) \(list.field): \(answer.status) \(answer.text.prefix(300))"
                let faults = try answer.read(Problem.self).errors?.map { "\($0.field) \($0.code)" } ?? []
                #expect(answer.status == 400 && faults.contains("\(list.field) \(list.code)"), "\(said)")
                #expect(faults.count == 1, "\(said)")
            }
            #expect(isQuick, "\(list.path) \(list.field)")
        }
    }
}
