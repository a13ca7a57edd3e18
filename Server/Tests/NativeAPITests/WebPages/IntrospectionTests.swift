import Crypto
import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Introspection and revocation of tokens (RFC 7662, RFC 7009)")
struct IntrospectionTests {
    private static let form = ("Content-Type", "application/x-www-form-urlencoded")

    private let world: AdminWorld
    private var server: TestServer { world.server }

    init() async throws {
        let server = try await TestServer(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(audiences: ["https://game.test"]))
        world = try await AdminWorld(server, restricted: true)
    }

    /// An admin key with scopes, for all applications or one.
    private func key(
        _ scopes: Set<AdminPermission>, for application: Identifier<Domain.Application>? = nil
    ) async throws -> String {
        let rules = server.modules.administration
        let owner = try await rules.logIns.findAdmin(world.tokens["owner"].map { Secret($0) }, at: nil, from: .local)
        return try await rules.keys.create(
            .init(name: "key", scopes: scopes, applications: application.map { [$0] }, networks: [], life: .days(1)),
            of: owner, by: owner.auditActor(from: .local)
        ).secret.revealed
    }

    private func ask(
        _ token: String?, authorization: String?, in application: Identifier<Domain.Application>? = nil,
        more: String = ""
    ) async throws -> Answer {
        let body = (token.map { "token=\(Browser.escaped($0))" } ?? "") + more
        return try await server.send(
            .post, "/a/\(application ?? server.application.id)/introspect",
            [Self.form] + (authorization.map { [("Authorization", $0)] } ?? []), body: body, isNamed: false)
    }

    private func revoke(
        _ token: String, client: String? = nil, in application: Identifier<Domain.Application>? = nil
    ) async throws -> Answer {
        let application = application ?? server.application.id
        return try await server.send(
            .post, "/a/\(application)/revoke", [Self.form],
            body: "token=\(Browser.escaped(token))&client_id=\(client ?? application.rawValue)", isNamed: false)
    }

    private func accessToken(_ person: Person) async throws -> String {
        try await person.send(.post, APIPath.token, body: #"{"audience": "https://game.test"}"#)
            .read(TokenResponse.self).accessToken
    }

    @Test(
        "tell a key that may see users what a session and its access token are worth, by either way of showing the key")
    func active() async throws {
        let key = try await key([.readUsers])
        let basic = Data("\(server.application.id):\(key)".utf8).base64EncodedString()
        let person = try await server.person()
        let access = try await accessToken(person)
        for authorization in ["Bearer \(key)", "Basic \(basic)", "bearer \(key)"] {
            let session = try await ask(person.token, authorization: authorization, more: "&token_type_hint=nonsense")
            #expect(session.status == 200 && session.headers[.cacheControl] == "no-store", "\(session.text)")
            let members = try session.read([String: JSONValue].self)
            #expect(members["active"] == true && members["sub"] == .string(person.logIn.user.id))
            #expect(members["sid"] == .string(person.logIn.session.id) && members["token_type"] == "Bearer")
            #expect(members["client_id"] == .string(server.application.id.rawValue) && members["cnf"] == nil)
            let claims = try await ask(access, authorization: authorization).read([String: JSONValue].self)
            #expect(claims["active"] == true && claims["aud"] == "https://game.test")
            #expect(claims["sub"] == .string(person.logIn.user.id) && claims["iss"] == .string(TestServer.url))
        }
    }

    @Test(
        "call everything else inactive and say no more",
        arguments: [
            "", "oks_", "nonsense", "..", "a.b.c", "e30.e30.e30", "日本語",
        ])
    func inactive(text: String) async throws {
        let authorization = "Bearer \(try await key([.readUsers]))"
        for token in [text, String(repeating: text, count: 500)] {
            let answer = try await ask(token, authorization: authorization)
            #expect(answer.status == 200 && answer.text == #"{"active":false}"#, "\(answer.text)")
        }
    }

    @Test("call tokens of another application, of ended sessions, and of disabled users inactive")
    func ended() async throws {
        let authorization = "Bearer \(try await key([.readUsers]))"
        func isActive(_ token: String, in application: Identifier<Domain.Application>? = nil) async throws -> Bool {
            let answer = try await ask(token, authorization: authorization, in: application)
            let isActive = try answer.read([String: JSONValue].self)["active"] == true
            #expect(isActive || answer.text == #"{"active":false}"#)
            return isActive
        }
        let person = try await server.person()
        let access = try await accessToken(person)
        for token in [person.token, access] { #expect(try await isActive(token)) }
        for token in [person.token, access] { #expect(try await !isActive(token, in: world.foreign.id)) }
        // A changed claim, and the signature of another token.
        let other = try await accessToken(try await server.person())
        let (first, second) = (access.split(separator: "."), other.split(separator: "."))
        #expect(try await !isActive("\(first[0]).\(first[1]).\(second[2])"))
        #expect(try await person.send(.post, APIPath.logOut).status == 204)
        for token in [person.token, access] { #expect(try await !isActive(token)) }

        let disabled = try await server.person()
        let token = try await accessToken(disabled)
        let path = world.path("/users/\(disabled.logIn.user.id)/disable")
        #expect(try await (200..<300).contains(world.send("owner", .post, path, body: "{}").status))
        for token in [disabled.token, token] { #expect(try await !isActive(token)) }

        let late = try await accessToken(try await server.person())
        server.clock.advance(by: MintAccessToken.lifetime)
        #expect(try await !isActive(late))
    }

    @Test("say what the server says of a token, whatever the application's claims are called")
    func shadowed() async throws {
        let rules = ["active", "token_type", "nbf_"].map { ClaimRule($0, .constant("mine")) }
        _ = try await server.modules.applications.changeAccessRules.setClaims(
            rules, in: server.application.id, by: .local)
        let authorization = "Bearer \(try await key([.readUsers]))"
        let person = try await server.person()
        let access = try await accessToken(person)
        for token in [person.token, access] {
            let members = try await ask(token, authorization: authorization).read([String: JSONValue].self)
            #expect(members["active"] == true && members["token_type"] == "Bearer" && members["nbf_"] == "mine")
            #expect(members["sub"] == .string(person.logIn.user.id))
        }
        #expect(try await person.send(.post, APIPath.logOut).status == 204)
        for token in [person.token, access] {
            #expect(try await ask(token, authorization: authorization).text == #"{"active":false}"#)
        }
    }

    @Test("answer nobody without a key, and no key without the permission or for another application")
    func callers() async throws {
        let person = try await server.person()
        let wrong = Data("another:\(try await key([.readUsers]))".utf8).base64EncodedString()
        let foreign = try await key([.readUsers], for: world.foreign.id)
        for authorization in [
            nil, "", "Bearer", "Bearer nonsense", "Bearer \(person.token)", "Basic AAAA", "Basic \(wrong)",
            "Bearer \(foreign)", "Digest x",
        ] {
            let answer = try await ask(person.token, authorization: authorization)
            #expect(answer.status == 401 && answer.text.contains("invalid_client"), "\(authorization ?? "nobody")")
            #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
        }
        let others = Set(AdminPermission.allCases).subtracting([.readUsers, .manageAdmins])
        let refused = try await ask(person.token, authorization: "Bearer \(try await key(others))")
        #expect(refused.status == 403 && refused.text.contains("access_denied"))
        let nothing = try await ask(nil, authorization: "Bearer \(try await key([.readUsers]))")
        #expect(nothing.status == 400 && nothing.text.contains("invalid_request"))
    }

    @Test("end a session by its token, and give the same response for any other text")
    func revocation() async throws {
        let (person, bystander) = (try await server.person(), try await server.person())
        for text in ["", "nonsense", person.token + "x", "oks_"] {
            #expect(try await revoke(text).status == 200)
        }
        // Neither by another application nor in another's name.
        #expect(try await revoke(person.token, in: world.foreign.id).status == 200)
        let refused = try await revoke(person.token, client: world.foreign.id.rawValue)
        #expect(refused.status == 401 && refused.text.contains("invalid_client"))
        #expect(try await person.send(.get, APIPath.user).status == 200)

        #expect(try await revoke(person.token).status == 200)
        #expect(try await person.send(.get, APIPath.user).status == 401)
        #expect(try await revoke(person.token).status == 200)
        #expect(try await bystander.send(.get, APIPath.user).status == 200)
        // A backend that has an access token logs nobody out with it.
        let access = try await revoke(try await accessToken(bystander))
        #expect(access.status == 400 && access.text.contains("unsupported_token_type"))
        #expect(try await bystander.send(.get, APIPath.user).status == 200)
    }

    @Test("tell an access token of the server from one that another server has signed for the same user and session")
    func otherServer() async throws {
        let authorization = "Bearer \(try await key([.readUsers]))"
        let person = try await server.person()
        let claims = try Self.part(1, of: try await accessToken(person))
        let header = try Self.part(0, of: try await accessToken(person))
        let stranger = P256.Signing.PrivateKey()
        let text = Base64URL.text(of: header) + "." + Base64URL.text(of: claims)
        let signature = try stranger.signature(for: Array(text.utf8)).rawRepresentation
        let forged = try await ask(text + "." + Base64URL.text(of: signature), authorization: authorization)
        #expect(forged.text == #"{"active":false}"#)
    }

    private static func part(_ number: Int, of token: String) throws -> [UInt8] {
        try #require(Base64URL.bytes(of: token.split(separator: ".")[number].utf8))
    }

    @Test("stand in the description of the server")
    func discovery() async throws {
        let browser = Browser(server)
        let description = try await browser.get(browser.path(".well-known/openid-configuration")).answer
            .read([String: JSONValue].self)
        let issuer = "\(TestServer.url)/a/\(server.application.id)"
        #expect(description["introspection_endpoint"] == .string("\(issuer)/introspect"))
        #expect(description["revocation_endpoint"] == .string("\(issuer)/revoke"))
    }
}
