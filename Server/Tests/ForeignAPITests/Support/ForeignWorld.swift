import AuthServiceAPI
import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import KiiAPI
import Logging
import NCMBAPI
import NIOCore
import OkaeriServer
import OkaeriWire
import OutboundServices
import ParseAPI
import PasswordHashes
import RecordedFlows
import Storage
import StorageSQLite
import TestWorld
import Testing

/// A server with an application that every protocol is switched on for.
struct ForeignWorld: Sendable {
    static let appId = "a1b2c3d4"
    static let host = "id.example.test"

    let composition: Composition
    let clock = StandingClock()
    let application: Domain.Application
    private let store: any Engine
    private let responder: RouteResponder

    init(
        _ settings: ApplicationSettings = ApplicationSettings(), server: [String: String] = ["rate-limits": "off"],
        providers: ProviderAddresses? = nil, caller: CurlCaller? = nil, engine: (any Engine)? = nil
    ) async throws {
        if let engine { store = engine } else { store = try SQLiteStore(.memory, role: .server) }
        composition = Composition(
            try ServerSettings(commandLine: Self.complete(server, isTimed: engine != nil), environment: [:]),
            store: store, clock: clock, randomness: CountingRandomness(), sealingKey: try .ofTests(),
            passwords: Self.passwords, providers: providers, caller: caller)
        responder = try composition.responders().all
        application = try await composition.modules.applications.createApplication(
            name: "Old app", settings: settings,
            protocols: [
                .kii: [
                    .appId: Secret(Self.appId), .appKey: Secret("00112233"), .clientId: Secret("client"),
                    .clientSecret: Secret("client-secret"),
                ],
                .envelope: [.basePath: Secret("/")],
                .parse: [
                    .applicationId: Secret("app1"), .restKey: Secret("rest"), .javascriptKey: Secret("jskey"),
                    .clientKey: Secret("client"), .masterKey: Secret("master"),
                ],
                .ncmb: [.applicationKey: Secret("ncmb-key"), .clientKey: Secret("ncmb-client-key")],
            ], by: .local
        ).application
    }

    /// Searches and bodies have their usual time only where it `isTimed` by a test: else a crowded machine would stop them.
    private static func complete(_ settings: [String: String], isTimed: Bool) -> [String: String] {
        guard !isTimed else { return settings }
        let patient = [
            "search-time": "60000", "search-time-per-address": "3600", "search-time-per-application": "3600",
            "request-timeout": "600",
        ]
        return settings.merging(patient) { given, _ in given }
    }

    private static let passwords = PasswordThreads(
        count: 2, maximumWaiting: 1000, strength: Argon2id(memoryKiB: 8, passes: 1))

    var modules: Modules { composition.modules }

    /// Writes to the storage past the rules, as an import does.
    func importing(_ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Void) async throws {
        try await store.write(body)
    }

    /// Reads the storage past the rules.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws -> Value {
        try await store.read(body)
    }

    /// Sends a request, by a web page of another origin unless `origin` says otherwise. Who is on this machine asks for it
    /// by its own address, unless `host` says otherwise.
    func send(
        _ method: String, _ target: String, _ headers: [(String, String)] = [], body: String? = nil,
        bytes: [UInt8]? = nil, peer: String = "192.0.2.1", host: String? = nil,
        origin: String? = "https://game.example"
    ) async throws -> Answer {
        let sent = bytes ?? body.map { Array($0.utf8) } ?? []
        let response = try await respond(
            method, target, headers, body: RequestBody(buffer: ByteBuffer(bytes: sent)),
            byteCount: sent.isEmpty ? nil : sent.count, peer: peer, host: host, origin: origin)
        let collector = BodyCollector()
        try await response.body.write(collector)
        return Answer(
            status: response.status.code, headers: response.headers, body: Array(collector.bytes.readableBytesView))
    }

    /// Sends a request, and returns as soon as the head of the response is there.
    func respond(
        _ method: String, _ target: String, _ headers: [(String, String)], body: RequestBody, byteCount: Int?,
        peer: String = "192.0.2.1", host: String? = nil, origin: String? = nil
    ) async throws -> Response {
        var fields = HTTPFields()
        fields[.origin] = origin
        for (name, value) in headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        if let byteCount { fields[.contentLength] = String(byteCount) }
        let request = Request(
            head: HTTPRequest(
                method: try #require(HTTPRequest.Method(method)), scheme: "http",
                authority: host ?? (["127.0.0.1", "::1"].contains(peer) ? "127.0.0.1:8080" : Self.host), path: target,
                headerFields: fields),
            body: body)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let context = ServerContext(logger: logger, peer: try SocketAddress(ipAddress: peer, port: 4711))
        return try await responder.respond(to: request, context: context)
    }

    /// Sends a request as Kii's SDKs do: `path` stands behind `/api/apps/{appID}`.
    func kii(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = nil,
        type: String = "application/json", peer: String = "192.0.2.1"
    ) async throws -> Answer {
        var headers = [
            ("X-Kii-AppID", Self.appId), ("X-Kii-AppKey", "anything"), ("X-Kii-SDK", "sn=jss;sv=3.0.2"),
            ("Content-Type", type),
        ]
        if let token { headers.append(("Authorization", "bearer \(token)")) }
        let answer = try await send(method, "/api/apps/\(Self.appId)\(path)", headers, body: body, peer: peer)
        #expect(answer.headers[.accessControlAllowOrigin] == "*")
        #expect(answer.body.isEmpty == (answer.status == 204), "\(method) \(path): \(answer.status)")
        if answer.status >= 400 {
            #expect(!answer.text.contains("%"))
            #expect(try answer.text("errorCode").allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") })
        }
        return answer
    }

    /// A pseudo user's id and token.
    func pseudoUser(_ fields: String = "{}") async throws -> (id: String, token: String) {
        let answer = try await kii(
            "POST", "/users", fields, type: "application/vnd.kii.RegistrationAndAuthorizationRequest+json")
        #expect(answer.status == 201, "\(answer.text)")
        return (try answer.text("userID"), try answer.text("_accessToken"))
    }

    /// A normal user's id and token.
    func kiiUser(_ name: String, _ password: String = "123ABC") async throws -> (id: String, token: String) {
        let made = try await kii("POST", "/users", #"{"loginName":"\#(name)","password":"\#(password)"}"#)
        #expect(made.status == 201, "\(made.text)")
        return (try made.text("userID"), try await kiiToken(name, password))
    }

    func kiiToken(_ name: String, _ password: String = "123ABC") async throws -> String {
        let answer = try await kii("POST", "/oauth2/token", #"{"username":"\#(name)","password":"\#(password)"}"#)
        return try answer.text("access_token")
    }

    /// An administrator's token.
    func administrator() async throws -> String {
        let answer = try await kii(
            "POST", "/oauth2/token", #"{"client_id":"client","client_secret":"client-secret"}"#)
        return try answer.text("access_token")
    }

    /// Plays recorded flows, with what every request of the protocol has.
    var player: Flow.Player {
        Flow.Player { [self] method, target, headers, body in
            var all = headers
            if target.hasPrefix("/api/"), !headers.contains(where: { $0.0 == "X-Kii-AppID" }) {
                all.append(("X-Kii-AppID", Self.appId))
                all.append(("X-Kii-AppKey", "00112233"))
            }
            let isText = headers.contains { $0.1 == "text/plain" }
            if target.hasPrefix("/parse"), !isText, !headers.contains(where: { $0.0 == "X-Parse-Application-Id" }) {
                all.append(("X-Parse-Application-Id", "app1"))
                all.append(("X-Parse-REST-API-Key", "rest"))
            }
            let answer = try await send(method, target, all, body: body)
            return Flow.Reply(status: answer.status, body: answer.body)
        } wait: { [clock] seconds in
            clock.advance(by: .seconds(seconds))
        }
    }
}

/// What was answered.
struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    func json() throws -> [String: JSONValue] {
        guard case .object(let members) = try JSONValue(parsing: body) else { throw Missing(description: text) }
        return members
    }

    func text(_ member: String) throws -> String {
        guard case .string(let value)? = try json()[member] else {
            throw Missing(description: "no \(member) in \(text)")
        }
        return value
    }

    /// Kii's `errorCode`.
    var code: String? { try? text("errorCode") }
}

/// What a test needs and did not get.
struct Missing: Error, CustomStringConvertible {
    var description: String
}

/// Writes JSON.
enum JSONBytesOfTest {
    static func bytes(of value: JSONValue) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }
}
