import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("The files of a domain with passkeys")
struct PasskeyFileTests {
    private static let certificate = (0..<32).map { _ in "AB" }.joined(separator: ":")
    private static let files = [APIPath.appleAppSiteAssociation, APIPath.assetLinks, APIPath.relatedOrigins]

    /// A server with two applications of one domain.
    private func server() async throws -> TestServer {
        let server = try await TestServer()
        let second = try await server.modules.applications.createApplication(name: "Second", by: .local).application
        for (index, id) in [server.application.id, second.id].enumerated() {
            _ = try await server.modules.applications.changeApplication(
                id, isCurrent: { _ in true }, by: .local
            ) {
                $0.settings.passkeys = PasskeyWorld.settings.passkeys
                $0.settings.passkeys.origins = ["https://shop\(index).example", "https://example.com"]
                $0.settings.passkeys.appleApps = ["ABCDE12345.com.example.app\(index)", "ABCDE12345.com.example.both"]
                $0.settings.passkeys.androidApps = [
                    .init(packageName: "com.example.app", certificates: [Self.certificate])
                ]
            }
        }
        return server
    }

    private func get(
        _ path: String, _ server: TestServer, host: String = "example.com", _ headers: [(String, String)] = []
    ) async throws -> Answer {
        try await server.send(.get, path, headers, host: host, isNamed: false)
    }

    @Test("say what all applications of the domain say, each thing once")
    func merged() async throws {
        let server = try await server()
        struct Apple: Decodable {
            struct Credentials: Decodable { let apps: [String] }
            let webcredentials: Credentials
        }
        let apple = try await get(APIPath.appleAppSiteAssociation, server, host: "EXAMPLE.com:443")
        #expect(apple.headers[.contentType] == "application/json")
        #expect(apple.headers[.cacheControl] == "public, max-age=300")
        #expect(
            Set(try apple.read(Apple.self).webcredentials.apps) == [
                "ABCDE12345.com.example.app0", "ABCDE12345.com.example.app1", "ABCDE12345.com.example.both",
            ])
        #expect(try apple.read(Apple.self).webcredentials.apps.count == 3)
        let android = try await get(APIPath.assetLinks, server).text
        #expect(android.contains("\"package_name\":\"com.example.app\"") && android.contains(Self.certificate))
        #expect(android.components(separatedBy: "package_name").count == 2)
        // No app opens the domain's links by it.
        #expect(android.contains("common.get_login_creds") && !android.contains("handle_all_urls"))
        let origins = try await get(APIPath.relatedOrigins, server).read([String: [String]].self)
        #expect(Set(origins["origins"] ?? []) == ["https://shop0.example", "https://shop1.example"])
        let head = try await server.send(.head, APIPath.assetLinks, host: "example.com", isNamed: false)
        #expect(head.status == 200)
    }

    @Test("are not there for hosts of nobody", arguments: files)
    func unknown(_ path: String) async throws {
        let server = try await server()
        let long = String(repeating: "a", count: 5000)
        for host in ["", "evil.example", "example.com.evil.example", "[::1]:80", "例え.jp", "a,example.com", long] {
            #expect(try await get(path, server, host: host).status == 404, "\(host)")
        }
        // Nobody but a proxy says of which host somebody asked.
        let forwarded = try await get(
            path, server, host: "evil.example", [("X-Forwarded-Host", "example.com")])
        #expect(forwarded.status == 404)
    }

    @Test("are printed for operators whose domain is on another server", arguments: files)
    func printed(_ path: String) async throws {
        let server = try await server()
        #expect(try await get("\(path)?domain=example.com", server, host: "id.example.test").status == 200)
        #expect(try await get("\(path)?domain=evil.example", server).status == 404)
        #expect(try await get("\(path)?domain=example.com&domain=example.com", server).status == 404)
    }

    @Test("go when the last application turns passkeys off")
    func off() async throws {
        let server = try await TestServer(application: PasskeyWorld.settings)
        #expect(try await get(APIPath.assetLinks, server).text == "[]")
        _ = try await server.modules.applications.changeApplication(
            server.application.id, isCurrent: { _ in true }, by: .local
        ) { $0.settings.passkeys.isEnabled = false }
        #expect(try await get(APIPath.assetLinks, server).status == 404)
    }

    @Test(
        "take no apps that are none",
        arguments: ["", "com.example", "abcde12345.com.example", "ABCDE12345.", "ABCDE12345.com..x", "ABCDE12345.a b"])
    func noAppleApp(_ app: String) async throws {
        let server = try await TestServer()
        await #expect(throws: DomainError.self) {
            try await server.modules.applications.changeApplication(
                server.application.id, isCurrent: { _ in true }, by: .local
            ) { $0.settings.passkeys.appleApps = [app] }
        }
    }

    @Test(
        "take no apps for Android without a package and certificates",
        arguments: [
            ("com.example", []), ("com.example", ["AB"]), ("com.example", [certificate.lowercased()]),
            ("example", [certificate]), ("com.example", [certificate + ":AB"]),
            ("com.example", [String](repeating: certificate, count: 11)),
        ] as [(String, [String])])
    func noAndroidApp(_ package: String, _ certificates: [String]) async throws {
        let server = try await TestServer()
        await #expect(throws: DomainError.self) {
            try await server.modules.applications.changeApplication(
                server.application.id, isCurrent: { _ in true }, by: .local
            ) { $0.settings.passkeys.androidApps = [.init(packageName: package, certificates: certificates)] }
        }
    }

    @Test("list no more than 500 of a kind")
    func bounded() {
        var rules = PasskeyRules()
        let all = (0..<60).map { index in
            rules.appleApps = (0..<20).map { "ABCDE12345.app\(index).number\($0)" }
            return rules
        }
        #expect(PasskeyDomain("example.com", all).appleApps.count == PasskeyDomain.maximumListed)
    }
}
