import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OkaeriServer
import OutboundServices
import PasswordHashes
import Storage
import StoragePostgreSQL
import StorageSQLite
import TestPostgreSQL
import Synchronization
import Testing

/// A server on a database in memory, its clock standing still. Every answer is held against `openapi.yaml`.
struct TestServer: Sendable {
    static let url = "http://id.example.test"
    /// By which these tests read the metrics, unless they set another.
    static let metricsKey = "key-of-the-metrics"

    let composition: Composition
    let clock: StandingClock
    let application: Domain.Application
    let store: any Engine
    private let lifetime: EngineLifetime
    private let responder: RouteResponder
    private let logger: Logger

    /// - Parameters:
    ///   - settings: As on the command line.
    ///   - application: What the application under test has decided.
    ///   - store: The storage; a new one in memory without it.
    ///   - clock: The time.
    ///   - logger: Where the server logs.
    ///   - passwords: What hashes.
    ///   - providers: Where identity providers are.
    ///   - caller: Asks them.
    /// - Throws: when a setting is wrong.
    init(
        settings: [String: String] = [:], application: ApplicationSettings = ApplicationSettings(),
        store: (any Engine)? = nil, clock: StandingClock = StandingClock(), logger: Logger = TestServer.silence,
        passwords: any PasswordHashing = TestServer.passwords,
        providers: ProviderAddresses? = nil, caller: CurlCaller? = nil
    ) async throws {
        self.clock = clock
        self.logger = logger
        let key = try Self.sealingKey()
        let engine: any Engine
        if let store { engine = store } else { engine = try await Self.engine() }
        self.store = engine
        lifetime = EngineLifetime(engine, hasTurn: store == nil)
        composition = Composition(
            try ServerSettings(commandLine: Self.complete(settings), environment: [:]),
            store: engine, clock: clock, randomness: TestRandomness(), sealingKey: key, passwords: passwords,
            providers: providers, caller: caller)
        responder = try composition.responders().all
        self.application = try await composition.modules.applications.createApplication(
            name: "Test", settings: application, by: .local
        )
        .application
    }

    /// Settings with what these tests need beside them. Searches have their usual time only where a test gives it to them:
    /// else a crowded machine would stop them.
    private static func complete(_ settings: [String: String]) -> [String: String] {
        var defaults = [
            "search-time": "60000", "search-time-per-address": "3600", "search-time-per-application": "3600",
        ]
        if settings["metrics-listen"] == nil { defaults["metrics-key"] = metricsKey }
        return settings.merging(defaults) { given, _ in given }
    }

    /// A standby of another server, with its clock and its application.
    init(standby: StandbyServing, of primary: TestServer, settings: [String: String] = [:]) async throws {
        (clock, logger, application, store) = (primary.clock, primary.logger, primary.application, standby.store)
        lifetime = EngineLifetime(standby.store, hasTurn: false)
        var composition = Composition(
            try ServerSettings(commandLine: Self.complete(settings), environment: [:]), store: standby.store,
            clock: clock, randomness: TestRandomness(), sealingKey: try Self.sealingKey(), passwords: Self.passwords)
        composition.standby = standby
        self.composition = composition
        responder = try composition.responders().all
    }

    /// The key of every test server.
    static func sealingKey() throws -> SealingKey {
        try #require(SealingKey(bytes: [UInt8](repeating: 7, count: SealingKey.byteCount)))
    }

    /// Shared, because their threads live as long as the process. Costs little, so that tests are quick.
    static let passwords = PasswordThreads(
        count: 2, maximumWaiting: 1000, strength: Argon2id(memoryKiB: 8, passes: 1))
    /// A new database in memory, or in PostgreSQL when these tests run for that engine (`make test-postgresql`).
    private static func engine() async throws -> any Engine {
        let isPostgreSQL = ProcessInfo.processInfo.environment["OKAERI_TEST_ENGINE"] == "postgresql"
        await EngineLifetime.turn(among: isPostgreSQL ? 12 : .max)
        guard isPostgreSQL else {
            return try SQLiteStore(.memory, role: .server)
        }
        let store = try await TestPostgreSQL.cluster().store()
        // Some tests count queries, or rely on what a trusted cache knows before it is written down.
        while store.validity.epoch == nil { try await Task.sleep(for: .milliseconds(10)) }
        return store
    }

    static let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    var modules: Modules { composition.modules }

    /// Sends a request past the network. Headers stand beside `Okaeri-Application`, which is there unless `isNamed` is
    /// false; `peer` is the other end of the connection.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: [(String, String)] = [], body: String? = nil,
        bytes: [UInt8]? = nil, peer: String = "192.0.2.1", host: String = "id.example.test",
        isNamed: Bool = true
    ) async throws -> Answer {
        var fields = HTTPFields()
        if isNamed { fields[try Self.name("Okaeri-Application")] = application.id.rawValue }
        for (name, value) in headers { fields.append(HTTPField(name: try Self.name(name), value: value)) }
        var buffer = ByteBuffer()
        if let sent = bytes ?? body.map({ Array($0.utf8) }) {
            buffer.writeBytes(sent)
            fields[.contentLength] = String(sent.count)
            if fields[.contentType] == nil { fields[.contentType] = "application/json" }
        }
        let request = Request(
            head: HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields),
            body: RequestBody(buffer: buffer))
        let context = ServerContext(logger: logger, peer: try SocketAddress(ipAddress: peer, port: 4711))
        let response = try await responder.respond(to: request, context: context)
        let answer = try await Answer(response)
        // Pages for people, and the protocols of old services, are no part of the API.
        let isPage =
            Self.otherSurfaces.contains(where: path.hasPrefix)
            && !Self.describedSurfaces.contains(where: path.hasSuffix)
        if !["/", "//"].contains(path), !path.hasPrefix("/?"), !isPage, !path.contains("oauth-authorization-server") {
            try Description.ofTheRepository.get().check(answer, method: method.rawValue, path: path)
        }
        return answer
    }

    private static let otherSurfaces = [
        "/a/", "/assets/", "/dashboard", "/2013-09-01/", "/parse/", "/api/", "/user/",
    ]

    /// Of the pages' addresses, those that programs ask.
    private static let describedSurfaces = ["/introspect", "/revoke"]

    /// The numbers for Prometheus.
    func metrics() async throws -> Answer {
        try await send(.get, "/metrics", [("Authorization", "Bearer \(Self.metricsKey)")], isNamed: false)
    }

    private static func name(_ text: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(text), "\(text) is no header name")
    }
}

/// Closes an engine when its test is over: PostgreSQL has a limited number of connections for all tests together.
private final class EngineLifetime: Sendable {
    private let engine: any Engine

    /// How many engines are alive, and when that number last changed.
    private static let alive = Mutex((count: 0, changed: ContinuousClock.now))

    private let hasTurn: Bool

    init(_ engine: any Engine, hasTurn: Bool) {
        self.engine = engine
        self.hasTurn = hasTurn
    }

    deinit {
        if hasTurn { Self.alive.withLock { $0 = ($0.count - 1, .now) } }
        Task { [engine] in
            guard let store = engine as? PostgreSQLStore else { return await engine.close() }
            do {
                try await TestPostgreSQL.cluster().end(store)
            } catch {
                // The test is over; its database stays until the process ends.
                print("A test's database stays: \(error)")
            }
        }
    }

    /// Takes a turn, and waits while `maximum` engines are alive, since all tests begin at once. When none of them ends for
    /// three seconds, those alive may belong to tests that wait for a second one: then one more is let through.
    static func turn(among maximum: Int) async {
        while true {
            let isTaken = alive.withLock { alive in
                let now = ContinuousClock.now
                guard alive.count < maximum || alive.changed.duration(to: now) > .seconds(3) else { return false }
                alive = (alive.count + 1, now)
                return true
            }
            if isTaken { return }
            // Tests are never cancelled.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// What a server answered.
struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var body: [UInt8]

    init(_ response: Response) async throws {
        status = response.status.code
        headers = response.headers
        let collector = Collector()
        try await response.body.write(collector)
        body = collector.bytes.withLock { $0 }
    }

    init(status: Int, headers: HTTPFields, body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as a type of the wire.
    func read<Body: Decodable>(_ type: Body.Type) throws -> Body {
        try JSONDecoder().decode(type, from: Data(body))
    }
}

/// Takes a body as it is written.
private final class Collector: ResponseBodyWriter, Sendable {
    let bytes = Mutex<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0 += Array(buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
