import Crypto
import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import Logging
import NCMBAPI
import NIOCore
import OkaeriServer
import OkaeriWire
import OutboundServices
import PasswordHashes
import RecordedFlows
import StorageSQLite
import Synchronization
import Testing

/// A clock that stands still until a test moves it.
final class StandingClock: WallClock {
    private let time = Mutex(Timestamp(milliseconds: 1_800_000_000_123))

    var now: Timestamp { time.withLock { $0 } }

    func advance(by span: Duration) {
        time.withLock { $0 = $0 + span }
    }
}

/// Random bytes, different at each call.
struct TestRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}

/// What was answered.
struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    func json() throws -> JSONValue { try JSONValue(parsing: body) }

    var code: String? {
        guard case .object(let members)? = try? json(), case .string(let code)? = members["code"] else { return nil }
        return code
    }

    func text(_ member: String) throws -> String {
        guard case .object(let members) = try json(), case .string(let text)? = members[member] else {
            throw Missing(description: "no \(member) in \(text)")
        }
        return text
    }
}

/// What a test needs and did not get.
struct Missing: Error, CustomStringConvertible {
    var description: String
}

extension ApplicationSettings {
    /// As SDKs from before April 2023 need them.
    static var takingPasswordsInAddresses: ApplicationSettings {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(takesPasswordsInAddresses: true)
        return settings
    }
}

/// A server with an application that carries the key pair of NCMB's documentation.
struct NCMBWorld: Sendable {
    static let applicationKey = "6145f91061916580c742f806bab67649d10f45920246ff459404c46f00ff3e56"
    static let clientKey = "1343d198b510a0315db1c03f3aa0e32418b7a743f8e4b47cbff670601345cf75"
    static let host = "auth.example.test"

    let composition: Composition
    /// Past the rules.
    let store: any Store
    let clock = StandingClock()
    let application: Domain.Application
    private let responder: RouteResponder

    init(
        _ settings: ApplicationSettings = ApplicationSettings(), server: [String: String] = ["rate-limits": "off"],
        providers: ProviderAddresses? = nil, caller: CurlCaller? = nil
    ) async throws {
        let key = try #require(SealingKey(bytes: [UInt8](repeating: 7, count: SealingKey.byteCount)))
        let store = try SQLiteStore(.memory, role: .server)
        self.store = store
        composition = Composition(
            try ServerSettings(commandLine: server.merging(Self.patient) { given, _ in given }, environment: [:]),
            store: store, clock: clock, randomness: TestRandomness(), sealingKey: key, passwords: Self.passwords,
            providers: providers, caller: caller)
        responder = try composition.responders().all
        application = try await composition.modules.applications.createApplication(
            name: "Old app", settings: settings,
            protocols: [
                .ncmb: [.applicationKey: Secret(Self.applicationKey), .clientKey: Secret(Self.clientKey)]
            ], by: .local
        ).application
    }

    /// Within their usual time a crowded machine would stop searches, and bodies on their way.
    private static let patient = [
        "search-time": "60000", "search-time-per-address": "3600", "search-time-per-application": "3600",
        "request-timeout": "600",
    ]

    private static let passwords = PasswordThreads(
        count: 2, maximumWaiting: 1000, strength: Argon2id(memoryKiB: 8, passes: 1))

    var modules: Modules { composition.modules }

    /// The time now as SDKs write it.
    var timestamp: String { WireTime(millisecondsSince1970: clock.now.milliseconds).description }

    /// Sends a request as it is.
    func sendRaw(
        _ method: String, _ target: String, _ headers: [(String, String)], body: [UInt8] = [],
        host: String = NCMBWorld.host, peer: String = "192.0.2.1"
    ) async throws -> Answer {
        var fields = HTTPFields()
        for (name, value) in headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        if !body.isEmpty { fields[.contentLength] = String(body.count) }
        let request = Request(
            head: HTTPRequest(
                method: try #require(HTTPRequest.Method(method)), scheme: "http", authority: host, path: target,
                headerFields: fields),
            body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let context = ServerContext(logger: logger, peer: try SocketAddress(ipAddress: peer, port: 4711))
        let response = try await responder.respond(to: request, context: context)
        let collector = BodyCollector()
        try await response.body.write(collector)
        return Answer(
            status: response.status.code, headers: response.headers, body: Array(collector.bytes.readableBytesView))
    }

    /// Sends a request that is signed as the SDKs do it. Answers that need a signature are checked for it.
    func send(
        _ method: String, _ target: String, body: String? = nil, token: String? = nil,
        _ headers: [(String, String)] = [], host: String = NCMBWorld.host
    ) async throws -> Answer {
        var all = headers
        func set(_ name: String, _ value: String) {
            if !all.contains(where: { $0.0.lowercased() == name.lowercased() }) { all.append((name, value)) }
        }
        set("X-NCMB-Application-Key", Self.applicationKey)
        set("X-NCMB-Timestamp", timestamp)
        if let token { set("X-NCMB-Apps-Session-Token", token) }
        set("Content-Type", "application/json")
        func value(_ name: String) -> String { all.first { $0.0.lowercased() == name.lowercased() }?.1 ?? "" }
        let text = Self.signedText(
            method, host, target, key: value("X-NCMB-Application-Key"), timestamp: value("X-NCMB-Timestamp"))
        set("X-NCMB-Signature", Self.signature(text))
        let answer = try await sendRaw(method, target, all, body: Array((body ?? "").utf8), host: host)
        try Self.check(answer, text)
        return answer
    }

    /// The strict rules of the framing, which every answer must keep.
    private static func check(_ answer: Answer, _ text: String) throws {
        #expect(answer.headers[.contentType] == "application/json;charset=UTF-8")
        let signature = answer.headers[try #require(HTTPField.Name("X-NCMB-Response-Signature"))]
        if answer.status < 300 {
            let signed = answer.body.isEmpty ? text : text + "\n" + answer.text
            #expect(signature == Self.signature(signed))
        } else {
            #expect(signature == nil)
            guard case .object(let members) = try answer.json() else {
                throw Missing(description: "no error object: \(answer.text)")
            }
            #expect(Set(members.keys) == ["code", "error"])
            #expect(answer.code?.hasPrefix("E\(answer.status)") == true)
        }
    }

    /// The text as the SDKs make it: whole items sorted, not only their names.
    static func signedText(
        _ method: String, _ host: String, _ target: String, key: String = applicationKey, timestamp: String
    ) -> String {
        let parts = target.split(separator: "?", maxSplits: 1)
        var items = [
            "SignatureMethod=HmacSHA256", "SignatureVersion=2", "X-NCMB-Application-Key=\(key)",
            "X-NCMB-Timestamp=\(timestamp)",
        ]
        if method == "GET", parts.count > 1 { items += parts[1].split(separator: "&").map(String.init).sorted() }
        let name = host.split(separator: ":").first ?? ""
        return [method, String(name), String(parts[0]), items.joined(separator: "&")].joined(separator: "\n")
    }

    static func signature(_ text: String, key: String = clientKey) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(key.utf8)))
        return Data(code).base64EncodedString()
    }

    /// Plays recorded flows; headers that all requests have are added, and the signature is made.
    var player: Flow.Player {
        Flow.Player { [self] method, target, headers, body in
            let answer = try await send(method, target, body: body, headers)
            return Flow.Reply(status: answer.status, body: answer.body)
        } wait: { [clock] seconds in
            clock.advance(by: .seconds(seconds))
        }
    }

    /// Signs a member up and returns its id and token.
    func signUp(_ userName: String, _ rest: String = "") async throws -> (id: String, token: String) {
        let answer = try await send(
            "POST", "/2013-09-01/users", body: #"{"userName":"\#(userName)","password":"secret-1"\#(rest)}"#)
        #expect(answer.status == 201, "\(answer.text)")
        return (try answer.text("objectId"), try answer.text("sessionToken"))
    }
}
