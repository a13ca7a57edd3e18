import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Synchronization
import Testing

/// A browser without scripts: it keeps cookies, and sends forms as they stand in a page.
final class Browser: Sendable {
    let server: TestServer
    private let cookies = Mutex<[String: String]>([:])
    /// The pages of the dashboard that hold forms with a version, by where these are sent.
    private let pages = Mutex<[String: String]>([:])
    private let language: String
    private let peer: String
    /// Where pages are, as this browser knows it.
    private let origin: String
    /// Whether the address of the pages is one that browsers trust: https, which a proxy speaks that the server does not know.
    private let isTrusting: Bool

    init(
        _ server: TestServer, language: String = "en", peer: String = "192.0.2.1",
        origin: String = "http://id.example.test", isTrusting: Bool = true
    ) {
        self.isTrusting = isTrusting
        self.origin = origin
        self.server = server
        self.language = language
        self.peer = peer
    }

    /// The path of one of the application's pages.
    func path(_ page: String) -> String { "/a/\(server.application.id.rawValue)/\(page)" }

    func cookie(_ name: String) -> String? { cookies.withLock { $0[name] } }
    /// How long all cookies are together.
    var keptBytes: Int { cookies.withLock { $0.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } } }
    /// The cookie that names the person.
    var session: String? { cookie("__Host-okaeri-\(server.application.id.rawValue)") }
    func plant(_ value: String, name: String? = nil) {
        cookies.withLock { $0["__Host-okaeri-\(name ?? server.application.id.rawValue)"] = value }
    }

    @discardableResult
    func get(_ path: String, _ headers: [(String, String)] = []) async throws -> Page {
        let page = try await send(.get, path, headers + (isTrusting ? [("Sec-Fetch-Site", "none")] : []), nil)
        let targets = path.hasPrefix("/dashboard") ? page.versionedTargets : []
        pages.withLock { pages in for target in targets { pages[target] = path } }
        return page
    }

    /// The version in a form of the dashboard whose page was shown, as the page has it now.
    private func version(inFormTo path: String) async throws -> String? {
        guard let page = pages.withLock({ $0[Page.address(path)] }) else { return nil }
        return try await get(page).value(of: "version")
    }

    /// Sends a form as the page has it, with what a person typed. A test that says no version sends that of the page as it is.
    @discardableResult
    func post(
        _ path: String, _ fields: [String: String], token: String? = nil, _ headers: [(String, String)] = []
    ) async throws -> Page {
        var fields = fields
        if let token { fields["form_token"] = token }
        if token != nil, fields["version"] == nil { fields["version"] = try await version(inFormTo: path) }
        // A form that comes twice has its fields in the same order.
        let sorted = fields.sorted { $0.key < $1.key }
        let body = sorted.map { "\(Self.escaped($0))=\(Self.escaped($1))" }.joined(separator: "&")
        return try await send(
            .post, path,
            [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", origin),
                ("Sec-Fetch-Site", "same-origin"),
            ].filter { own in !headers.contains { $0.0 == own.0 } } + headers,
            body)
    }

    /// Opens the account pages of an app's user, as the app does: by an address that is good once. `isProven` says whether the
    /// app sends a proof by the device's key.
    func open(accountOf person: Person, isProven: Bool = false) async throws {
        var headers: [(String, String)] = []
        if isProven {
            let proof = try person.device.proof(
                "POST", server.url(APIPath.page), at: server.clock.now, token: person.token)
            headers.append(("DPoP", proof))
        }
        let address = try await person.send(.post, APIPath.page, headers).read(PageAddressResponse.self).url
        let asked = try await get(address.replacing(TestServer.url, with: ""))
        let ticket = try #require(asked.value(of: "ticket"))
        try await post(path("open"), ["ticket": ticket], token: asked.token)
    }

    /// Sends a form with files, as browsers write it (RFC 7578).
    @discardableResult
    func post(
        _ path: String, _ fields: [String: String], files: [String: [UInt8]], token: String? = nil
    ) async throws -> Page {
        let line = "----boundary4711"
        var fields = fields
        if token != nil, fields["version"] == nil { fields["version"] = try await version(inFormTo: path) }
        var body: [UInt8] = []
        for (name, value) in fields.merging(token.map { ["form_token": $0] } ?? [:], uniquingKeysWith: { $1 }) {
            body += "--\(line)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
        }
        for (name, bytes) in files {
            body += "--\(line)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"a.png\"\r\n".utf8
            body += "Content-Type: image/png\r\n\r\n".utf8
            body += bytes
            body += "\r\n".utf8
        }
        body += "--\(line)--\r\n".utf8
        return try await send(
            .post, path,
            [
                ("Content-Type", "multipart/form-data; boundary=\(line)"), ("Origin", origin),
                ("Sec-Fetch-Site", "same-origin"),
            ], nil, bytes: body)
    }

    /// Opens a page and sends its form.
    @discardableResult
    func fill(_ page: String, _ fields: [String: String]) async throws -> Page {
        let shown = try await get(path(page))
        return try await post(path(page), fields, token: shown.token)
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: [(String, String)], _ body: String?,
        bytes: [UInt8]? = nil
    ) async throws -> Page {
        var headers = headers + [("Accept-Language", language)]
        let kept = cookies.withLock { $0.map { "\($0)=\($1)" }.sorted().joined(separator: "; ") }
        if !kept.isEmpty { headers.append(("Cookie", kept)) }
        let answer = try await server.send(
            method, path, headers, body: body, bytes: bytes, peer: peer, isNamed: false)
        for header in answer.headers[values: .setCookie] {
            let pair = header.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies.withLock { $0[pair[0]] = header.contains("Max-Age=0") ? nil : pair.last }
        }
        return Page(answer: answer)
    }

    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

/// What a browser shows.
struct Page: Sendable {
    let answer: Answer

    var status: Int { answer.status }
    var html: String { answer.text }
    var location: String? { answer.headers[.location] }
    /// What the page's forms carry against forgery.
    var token: String? { value(of: "form_token") }

    /// The value of the first field of a name.
    func value(of name: String) -> String? {
        first(of: #"name="\#(name)"[^>]*? value="([^"]*)""#)
    }

    /// Where forms with a version are sent, by themselves or by one of their buttons.
    fileprivate var versionedTargets: [String] {
        html.components(separatedBy: "<form ").dropFirst().flatMap { part -> [String] in
            let form = part.components(separatedBy: "</form>")[0]
            guard form.contains(#"name="version""#) else { return [] }
            return form.matches(of: #/action="([^"]*)"/#).map { Self.address(String($0.output.1)) }
        }
    }

    /// An address without what stands behind its question mark.
    fileprivate static func address(_ path: String) -> String { String(path.prefix { $0 != "?" }) }

    /// The error at a field.
    func error(_ field: String) -> String? {
        first(of: #"id="field-\#(field)-error">([^<]*)<"#)
    }

    private func first(of pattern: String) -> String? {
        // Patterns are ours; a wrong one finds nothing, and the test tells.
        guard let match = (try? Regex(pattern)).flatMap({ html.firstMatch(of: $0) }) else { return nil }
        return match.output[1].substring.map(String.init)
    }

    var policy: String { answer.headers[.contentSecurityPolicy] ?? "" }
}
