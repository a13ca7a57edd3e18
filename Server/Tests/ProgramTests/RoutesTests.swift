import Foundation
import Testing

@Suite("okaeri routes")
struct RoutesTests {
    private struct List: Decodable {
        let routes: [Route]
    }

    private struct Route: Decodable, Hashable {
        let surface: String
        let method: String
        let path: String
    }

    @Test("lists what every protocol, the pages and the dashboard answer, and opens no data for it")
    func lists() async throws {
        let folder = TestFolder()
        let finished = try await Program.run("routes", "--json", "--data", "\(folder.path)/none")
        let list: List = try finished.json()
        let surfaces = Set(list.routes.map(\.surface))
        #expect(
            surfaces == ["admin", "dashboard", "envelope", "kii", "native", "ncmb", "pages", "parse"])
        for (surface, method, path) in [
            ("native", "POST", "/v1/log-in/automatic"), ("admin", "GET", "/v1/admin/me"),
            ("ncmb", "PUT", "/2013-09-01/users/{objectId}"), ("parse", "POST", "/parse/batch"),
            ("kii", "POST", "/api/oauth2/token"), ("envelope", "POST", "/user/signin"),
            ("pages", "POST", "/a/{application}/account/delete"), ("pages", "GET", "/"),
            ("dashboard", "POST", "/dashboard/admins/{admin}/remove"),
        ] {
            #expect(list.routes.contains(Route(surface: surface, method: method, path: path)), "\(method) \(path)")
        }
        #expect(Set(list.routes).count == list.routes.count)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/none"))
    }

    /// Paths of the pages that are no pages: backends and apps ask them, by the standards of OAuth.
    private static let ofPrograms = ["/a/{application}/introspect", "/a/{application}/revoke"]

    @Test("are described by openapi.yaml where apps and backends ask them, and what it describes is among them")
    func described() async throws {
        let list: List = try await Program.run("routes", "--json").json()
        let known = Set(list.routes.map { "\($0.method) \($0.path)" })
        let description = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../openapi.yaml").standardizedFileURL
        var (path, described) = ("", Set<String>())
        for line in try String(contentsOf: description, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("components:") { break }
            if line.hasPrefix("  /") { path = line.dropFirst(2).dropLast().trimmingCharacters(in: ["'"]) }
            for method in ["get", "post", "put", "patch", "delete"] where line == "    \(method):" {
                described.insert("\(method.uppercased()) \(path)")
                #expect(known.contains("\(method.uppercased()) \(path)"))
            }
        }
        let asked = list.routes.filter {
            ["admin", "native"].contains($0.surface) || Self.ofPrograms.contains($0.path)
        }
        #expect(asked.filter { Self.ofPrograms.contains($0.path) }.count == Self.ofPrograms.count)
        for route in asked {
            #expect(described.contains("\(route.method) \(route.path)"), "\(route.method) \(route.path)")
        }
    }

    @Test(
        "has the metrics where a server answers them: by a key, also that of okaeri status, and not at another address",
        arguments: [
            ([:], 1), (["OKAERI_METRICS_KEY": "sixteen-letters!"], 1), (["OKAERI_METRICS_LISTEN": "127.0.0.1:9090"], 0),
        ] as [([String: String], Int)])
    func metrics(environment: [String: String], count: Int) async throws {
        let list: List = try await Program.run("routes", "--json", environment: environment).json()
        #expect(list.routes.filter { $0.path == "/metrics" }.count == count)
    }

    @Test("shows one protocol's alone, and refuses a name that none has")
    func surface() async throws {
        let one = try await Program.run("routes", "--surface", "kii")
        #expect(one.status == 0 && one.output.contains("/api/oauth2/token") && !one.output.contains("/parse"))
        let none = try await Program.run("routes", "--surface", "ftp")
        #expect(none.status == 2 && none.errors.contains("kii"))
    }
}
