import Domain
import HTTPTypes
import Testing

/// What a browser on another machine is shown without https: it would drop the cookie of every form.
@Suite("Pages over plain http")
struct PlainHTTPTests {
    private static let host = "192.168.1.20:8080"

    private func answer(
        _ path: String, host: String = host, settings: [String: String] = [:], _ headers: [(String, String)] = []
    ) async throws -> Answer {
        let server = try await TestServer(settings: settings)
        let path = path.replacing("APP", with: server.application.id.rawValue)
        return try await server.send(.get, path, headers, host: host, isNamed: false)
    }

    @Test(
        "say at once where they can be opened, and set no cookie, in the language of the browser",
        arguments: ["/a/APP/log-in", "/a/APP/sign-up?lang=en", "/dashboard/log-in", "/dashboard/set-up?token=okl_1"],
        ["en", "ja", "ko"])
    func explanation(path: String, language: String) async throws {
        let shown = try await answer(path, [("Accept-Language", language)])
        #expect(shown.status == 403)
        #expect(shown.headers[.setCookie] == nil)
        #expect(shown.text.contains("http://127.0.0.1:8080/"))
        #expect(shown.text.contains("okl_1") == path.contains("okl_1"))
        #expect(shown.text.contains("https") && !shown.text.contains("type=\"password\""))
        #expect(!shown.text.contains("/dashboard/log-out"), "nobody is logged in")
        let words = ["en": "Browsers keep no session", "ja": "ブラウザ", "ko": "브라우저"]
        #expect(shown.text.contains(path.contains("lang=") ? "Browsers keep no session" : words[language] ?? "none"))
    }

    @Test(
        "are there by https, on this machine by each of its names, and behind a proxy that nobody listed",
        arguments: [
            (host, "https://id.example.test", ""), ("127.0.0.1:8080", "", ""), ("localhost:8080", "", ""),
            ("[::1]:8080", "", ""), (host, "", "none"), ("id.example.test", "", ""),
        ])
    func shown(host: String, publicURL: String, site: String) async throws {
        let settings = publicURL.isEmpty ? [:] : ["public-url": publicURL]
        for path in ["/a/APP/log-in", "/dashboard/log-in"] {
            let shown = try await answer(
                path, host: host, settings: settings, site.isEmpty ? [] : [("Sec-Fetch-Site", site)])
            #expect(shown.status == 200 && shown.text.contains("<form"), "\(host) \(path)")
        }
    }

    @Test("name the port of the address by which they were asked", arguments: ["[fe80::1]:9000", "okaeri:9000"])
    func port(host: String) async throws {
        #expect(
            try await answer("/dashboard/log-in", host: host).text.contains("http://127.0.0.1:9000/dashboard/log-in"))
        let plain = try await answer("/dashboard/log-in", host: "okaeri.local")
        #expect(plain.text.contains("http://127.0.0.1/dashboard/log-in"))
    }
}
