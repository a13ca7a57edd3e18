import Domain
import HTTPSupport
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

@Suite("The first page")
struct FirstPageTests {
    private func browser(_ settings: [String: String] = [:], language: String = "en") async throws -> Browser {
        Browser(try await TestServer(settings: settings), language: language)
    }

    @Test(
        "is shown in the reader's language",
        arguments: [
            ("en", "Identity server"), ("ja", "認証サーバー"), ("ko-KR", "인증 서버"), ("fr", "Identity server"),
        ])
    func languages(language: String, title: String) async throws {
        let page = try await browser(language: language).get("/")
        #expect(page.status == 200)
        #expect(page.html.contains("<h1>\(title)</h1>"))
        #expect(page.html.contains("lang=\"\(language == "fr" ? "en" : String(language.prefix(2)))\""))
        // Without a slash in front they lead below a path that a proxy cuts off.
        for link in ["dashboard", "v1/openapi.yaml", "health/ready", "?lang=ja"] {
            #expect(page.html.contains("href=\"\(link)\""), "\(link)")
        }
    }

    @Test("follows a choice of language, and sets no cookie for it")
    func choice() async throws {
        let page = try await browser().get("/?lang=ja")
        #expect(page.html.contains("認証サーバー") && page.answer.headers[.setCookie] == nil)
    }

    @Test("links only to what there is")
    func links() async throws {
        let browser = try await browser()
        let html = try await browser.get("/").html
        let links = html.matches(of: /href="\/?([^":]*)"/).map { "/\($0.output.1)" }
        #expect(links.count >= 7)
        for link in links {
            let answer = try await browser.server.send(.get, link, isNamed: false)
            #expect(answer.status == 200 || link == "/dashboard" && answer.status == 303, "\(link): \(answer.status)")
        }
    }

    @Test("tells strangers neither a version nor an application, and has the headers of all pages")
    func silence() async throws {
        let browser = try await browser()
        let page = try await browser.get("/")
        #expect(!page.html.contains(ProgramVersion.current))
        #expect(!page.html.contains(browser.server.application.name))
        #expect(!page.html.contains(browser.server.application.id.rawValue))
        #expect(!page.html.contains("<form") && !page.html.contains("<script"))
        #expect(page.policy.contains("default-src 'none'") && page.policy.contains("frame-ancestors 'none'"))
        #expect(page.answer.headers[.setCookie] == nil)
        #expect(page.answer.headers[.cacheControl] == "no-store")
        #expect(page.answer.headers[.vary] == "Accept-Language, Cookie")
        #expect(try await self.browser(["dev": "on"]).get("/").html.contains(ProgramVersion.current))
    }

    @Test("answers HEAD with the headers alone, and refuses other methods")
    func methods() async throws {
        let server = try await TestServer()
        let head = try await server.send(.head, "/", isNamed: false)
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.headers[.contentType] == "text/html; charset=utf-8" && head.headers[.setCookie] == nil)
        let post = try await server.send(.post, "/", isNamed: false)
        #expect(post.status == 405 && post.headers[.allow] == "GET, HEAD, OPTIONS")
    }

    @Test("says so when the storage is gone")
    func storageGone() async throws {
        let browser = try await browser()
        await browser.server.composition.close()
        let page = try await browser.get("/")
        #expect(page.status == 503 && page.html.contains("cannot reach its storage"))
    }

    @Test("is switched off by a setting", arguments: [HTTPRequest.Method.get, .head, .post])
    func off(method: HTTPRequest.Method) async throws {
        let answer = try await TestServer(settings: ["first-page": "off"]).send(method, "/", isNamed: false)
        #expect(answer.status == 404)
        if method == .get { expect(answer, 404, .pathUnknown) }
    }

    @Test("is at no other path", arguments: ["//", "/index.html", "/?"])
    func otherPaths(path: String) async throws {
        let answer = try await TestServer().send(.get, path, isNamed: false)
        #expect(answer.status == (path == "/?" ? 200 : 404))
    }
}

@Suite("A path that there is not")
struct UnknownPathTests {
    /// What browsers send when a person opens an address.
    private static let opening = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]

    @Test(
        "is a page in the reader's language where a browser opens it, without a version or a cookie",
        arguments: [
            ("en", "There is no such page."), ("ja", "ページが見つかりません。"), ("ko-KR", "페이지를 찾을 수 없습니다."),
        ])
    func page(language: String, words: String) async throws {
        let browser = Browser(try await TestServer(), language: language)
        for path in ["/log-in", "/index.html", "/.well-known/nothing"] {
            let page = try await browser.get(path, Self.opening)
            #expect(page.status == 404 && page.html.contains(words), "\(path)")
            #expect(page.html.contains("<html lang=\"\(language.prefix(2))\">"), "\(path)")
            #expect(!page.html.contains(ProgramVersion.current) && page.answer.headers[.setCookie] == nil, "\(path)")
            #expect(page.policy.contains("default-src 'none'"), "\(path)")
        }
    }

    @Test(
        "is JSON for programs, and wherever the path is one of an API",
        arguments: [
            (HTTPRequest.Method.get, "/nothing", nil), (.get, "/nothing", "*/*"), (.get, "/nothing", "text/html-x"),
            (.get, "/nothing", "application/json"), (.post, "/nothing", "text/html"),
            (.get, "/v1/nothing", "text/html"),
        ] as [(HTTPRequest.Method, String, String?)])
    func programs(method: HTTPRequest.Method, path: String, accept: String?) async throws {
        let answer = try await TestServer().send(
            method, path, accept.map { [("Accept", $0)] } ?? [], isNamed: false)
        #expect(answer.status == 404 && answer.headers[.contentType] == Problem.mediaType)
    }

    @Test("is JSON where the operator wants no page for people at the server's own address")
    func off() async throws {
        let server = try await TestServer(settings: ["first-page": "off"])
        expect(try await server.send(.get, "/", Self.opening, isNamed: false), 404, .pathUnknown)
    }

    @Test("answers HEAD with the headers of the page alone")
    func head() async throws {
        let answer = try await TestServer().send(.head, "/nothing", Self.opening, isNamed: false)
        #expect(answer.status == 404 && answer.body.isEmpty)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
    }
}
