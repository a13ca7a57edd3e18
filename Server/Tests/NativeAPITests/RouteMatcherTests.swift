import HTTPTypes
import Hummingbird
import Testing

@testable import HTTPSupport

@Suite("The matcher of routes")
struct RouteMatcherTests {
    private static let paths = [
        "/plain", "/plain/of/it", "/user/{id}", "/user/me", "/user/{id}/keys/{key}", "/{base}/user/sign-in", "/w/**",
        "/w/apps/**", "/w/list/{id}",
    ]

    /// What a path leads to, and what stands for the names in it.
    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let route: String?
        var values: [String] = []
        var method = HTTPRequest.Method.get

        var testDescription: String { "\(method) \(path)" }
    }

    private var matcher: RouteMatcher {
        var matcher = RouteMatcher()
        let shared = RoutePipeline.Shared(
            naming: RequestNaming(requestIds: RequestIds(seed: 1), proxies: TrustedProxies([])),
            drainBody: BodyDrain(readBody: BodyReader()))
        for path in Self.paths {
            let route = Route(.get, path, .nothing) { _, _ in Response(status: .ok) }
            matcher.add(
                RoutePipeline(Adapter(), shared, RouteMetrics(method: "GET", path: path), route.handler), for: route,
                of: 0)
        }
        let post = Route(.post, "/user/{id}", .nothing) { _, _ in Response(status: .ok) }
        matcher.add(
            RoutePipeline(Adapter(), shared, RouteMetrics(method: "POST", path: post.path), post.handler), for: post,
            of: 1)
        return matcher
    }

    @Test(
        "finds the route whose segments are spelled out first, then names, then any",
        arguments: [
            Case(path: "/plain", route: "/plain"), Case(path: "/plain/", route: "/plain"),
            Case(path: "/plain/of", route: nil), Case(path: "/plain/of/it", route: "/plain/of/it"),
            Case(path: "/plain/of/it/all", route: nil), Case(path: "/", route: nil), Case(path: "", route: nil),
            Case(path: "/user/me", route: "/user/me"),
            Case(path: "/user/me", route: nil, method: .delete),
            // A path without names has its own methods alone.
            Case(path: "/user/me", route: nil, method: .post),
            Case(path: "/user/a", route: "/user/{id}", values: ["a"]),
            Case(path: "/user/a", route: "/user/{id}", values: ["a"], method: .post),
            Case(path: "/user/a%20b", route: "/user/{id}", values: ["a%20b"]),
            Case(path: "/user/me/keys/k", route: "/user/{id}/keys/{key}", values: ["me", "k"]),
            Case(path: "/user/a/keys", route: nil),
            Case(path: "/user/user/sign-in", route: "/{base}/user/sign-in", values: ["user"]),
            Case(path: "/x/user/sign-in", route: "/{base}/user/sign-in", values: ["x"]),
            Case(path: "/w", route: nil), Case(path: "/w/a", route: "/w/**"), Case(path: "/w/a/b/c", route: "/w/**"),
            Case(path: "/w/apps", route: nil), Case(path: "/w/apps/1", route: "/w/apps/**"),
            Case(path: "/w/list", route: nil), Case(path: "/w/list/1", route: "/w/list/{id}", values: ["1"]),
            Case(path: "/w/list/1/2", route: "/w/**"), Case(path: "/w/a", route: nil, method: .post),
        ])
    func find(_ expected: Case) {
        let found = matcher.match(expected.method, expected.path)
        #expect(found?.pipeline.path == expected.route)
        #expect(found?.parameters.map { String($0.value) } ?? [] == expected.values)
    }

    @Test(
        "names the methods of every route that ends at a path, and none for what any path behind a segment is taken by",
        arguments: [
            ("/plain", [.get]), ("/plain/", [.get]), ("/plain/of", []), ("/plain/of/it", [.get]), ("/", []), ("", []),
            // The route that is spelled out and the one with a name.
            ("/user/me", [.get, .post]), ("/user/a", [.get, .post]), ("/user/a/keys", []), ("/user/me/keys/k", [.get]),
            ("/user/user/sign-in", [.get]), ("/w", []), ("/w/a", []), ("/w/apps/1", []), ("/w/list/1", [.get]),
            ("/w/list/1/2", []), ("/user/" + String(repeating: "\u{301}", count: 31), [.get, .post]),
            ("/" + String(repeating: "\u{301}", count: 31), []),
        ] as [(String, Set<HTTPRequest.Method>)])
    func methods(path: String, methods: Set<HTTPRequest.Method>) {
        #expect(matcher.methods(at: path) { _ in true } == methods)
    }

    @Test("names no method of a protocol that is hidden from who asks")
    func hidden() {
        #expect(matcher.methods(at: "/user/a") { part in part == 0 } == [.get])
        #expect(matcher.methods(at: "/user/a") { _ in false }.isEmpty)
    }

    private struct Adapter: ProtocolAdapter {
        let surface = "test"
        let routes: [Route] = []
        var errors: any ErrorRenderer { Silence() }
        func owns(path: String) -> Bool { true }
    }

    private struct Silence: ErrorRenderer {
        func response(to error: any Error, requestId: String) -> Response { Response(status: .internalServerError) }
    }
}
