import Backups
import Crypto
import Domain
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import StorageSQLite
import Testing

@Suite("A standby that serves")
struct StandbyServingTests {
    @Test("answers what only reads: sessions, tokens, the keys of tokens, health, and the own user of an old app")
    func reads() async throws {
        let world = try await ReplicatedWorld()
        let person = try await world.primary.person(body: #"{"user": {"displayName": "はな"}}"#)
        let access = try await person.send(.post, APIPath.token, body: "{}").read(TokenResponse.self).accessToken
        let key = try await world.adminKey()
        let parse = try await world.parseUser()
        let standby = try await world.standby()

        let user = try await standby.send(.get, APIPath.user, [("Authorization", "Bearer \(person.token)")])
        #expect(user.status == 200 && user.text.contains("はな"), "\(user.text)")
        #expect(try await standby.send(.get, APIPath.keySet).body == world.primary.send(.get, APIPath.keySet).body)
        #expect(try await standby.send(.get, "/health/ready", isNamed: false).status == 200)
        #expect(try await standby.metrics().text.contains("okaeri_standby_lag_seconds"))
        for (token, isActive) in [(person.token, true), (access, true), ("oks_nobody", false)] {
            let found = try await standby.send(
                .post, "/a/\(world.primary.application.id)/introspect",
                [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", "Bearer \(key)")],
                body: "token=\(token)", isNamed: false)
            let members = try found.read([String: JSONValue].self)
            #expect(found.status == 200 && members["active"] == .bool(isActive), "\(found.text)")
        }
        let own = try await world.parse(.get, "/parse/users/me", token: parse, at: standby)
        #expect(own.status == 200 && own.text.contains("taro"), "\(own.text)")
    }

    @Test("refuses what writes with the address of the primary, and its copy does not change")
    func writes() async throws {
        let world = try await ReplicatedWorld()
        let person = try await world.primary.person()
        let parse = try await world.parseUser()
        let standby = try await world.standby()
        let before = try world.copyDigest()
        let bearer = [("Authorization", "Bearer \(person.token)")]

        let proof = try person.device.proof("POST", standby.url(APIPath.logInAutomatically), at: world.clock.now)
        var refusals = [try await standby.send(.post, APIPath.logInAutomatically, [("DPoP", proof)])]
        for (method, path, body) in [
            (HTTPRequest.Method.patch, APIPath.user, #"{"displayName": "x"}"#), (.post, APIPath.logOut, "{}"),
            (.post, APIPath.token, "{}"), (.delete, APIPath.sessions, nil),
        ] as [(HTTPRequest.Method, String, String?)] {
            refusals.append(try await standby.send(method, path, bearer, body: body))
        }
        // Only the primary can tell whether a proof has counted.
        let bound = try person.device.proof(
            "GET", standby.url(APIPath.user), at: world.clock.now, token: person.token)
        refusals.append(
            try await standby.send(.get, APIPath.user, [("Authorization", "DPoP \(person.token)"), ("DPoP", bound)]))
        for refusal in refusals {
            expect(refusal, 503, .standby)
            #expect(refusal.headers[.retryAfter] == "2")
            #expect(try refusal.headers[#require(HTTPField.Name("Okaeri-Primary"))] == ReplicatedWorld.primaryURL)
        }
        for answer in [
            try await world.parse(.post, "/parse/users", #"{"username":"a","password":"b"}"#, at: standby),
            try await world.parse(.post, "/parse/logout", token: parse, at: standby),
            try await standby.send(.get, "/dashboard", isNamed: false),
            try await standby.send(.get, "/a/\(world.primary.application.id)/log-in", isNamed: false),
        ] {
            #expect(answer.status == 503 && answer.headers[.retryAfter] != nil, "\(answer.status) \(answer.text)")
        }
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
        #expect(try world.copyDigest() == before)
        // The primary has not heard of any of it.
        #expect(try await person.send(.get, APIPath.user).status == 200)
    }

    @Test("refuses a session that ended as soon as the part with its end is there, also one that it knew before")
    func ended() async throws {
        let world = try await ReplicatedWorld()
        let (ends, stays) = (try await world.primary.person(), try await world.primary.person())
        let standby = try await world.standby()
        func status(_ person: Person) async throws -> Int {
            try await standby.send(.get, APIPath.user, [("Authorization", "Bearer \(person.token)")]).status
        }
        for person in [ends, stays] { #expect(try await status(person) == 200) }
        #expect(try await ends.send(.post, APIPath.logOut).status == 204)
        #expect(try await stays.send(.patch, APIPath.user, body: #"{"displayName": "later"}"#).status == 200)
        // Not stored yet: this is what the bound is about.
        #expect(try await status(ends) == 200)
        try world.replicate()
        #expect(try await status(ends) == 401)
        #expect(try await status(stays) == 200)
        let user = try await standby.send(.get, APIPath.user, [("Authorization", "Bearer \(stays.token)")])
        #expect(user.text.contains("later"))
    }

    @Test("answers nothing from a copy that is older than it may be, until it is young again")
    func lag() async throws {
        let world = try await ReplicatedWorld()
        let person = try await world.primary.person()
        let standby = try await world.standby()
        let bearer = [("Authorization", "Bearer \(person.token)")]
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
        world.clock.advance(by: ReplicatedWorld.maximumLag)
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
        world.clock.advance(by: .milliseconds(1))
        expect(try await standby.send(.get, APIPath.user, bearer), 503, .standby)
        expect(try await standby.send(.get, "/health/ready", isNamed: false), 503, .standby)
        #expect(try await standby.send(.get, "/health/live", isNamed: false).status == 200)
        #expect(world.trouble()?.contains("OKAERI_REPLICA_HEARTBEAT") == true)
        // Nothing was written meanwhile: a part that says so is enough.
        try world.replicate()
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
        #expect(world.trouble() == nil)
    }

    @Test("answers from a copy for no longer than it may when its parts have times of a clock that was ahead")
    func clockWasAhead() async throws {
        let world = try await ReplicatedWorld()
        let person = try await world.primary.person()
        let standby = try await world.standby()
        let bearer = [("Authorization", "Bearer \(person.token)")]
        world.clock.advance(by: .days(1))
        try world.replicate()
        world.clock.advance(by: .seconds(-86_400))
        try world.replicate()
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
        world.clock.advance(by: ReplicatedWorld.maximumLag + .milliseconds(1))
        expect(try await standby.send(.get, APIPath.user, bearer), 503, .standby)
        try world.replicate()
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
    }

    @Test("answers nothing before it has a copy, and goes on from the one it has when a part cannot be opened")
    func badParts() async throws {
        let world = try await ReplicatedWorld()
        let person = try await world.primary.person()
        let bearer = [("Authorization", "Bearer \(person.token)")]
        let standby = try await world.standby(follows: false)
        expect(try await standby.send(.get, APIPath.user, bearer), 503, .standby)
        try world.replicate()
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)

        _ = try await world.primary.person()
        let path = try world.newestPart { world.ship() }
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try whole.prefix(whole.count - 1).write(to: URL(fileURLWithPath: path))
        #expect(throws: BackupFault.self) { try world.follow() }
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
        try whole.write(to: URL(fileURLWithPath: path))
        try world.follow()
        #expect(try await standby.send(.get, APIPath.user, bearer).status == 200)
    }

    @Test("goes over to a new stream, by which a primary that was started anew begins, while it serves")
    func newStream() async throws {
        let world = try await ReplicatedWorld()
        let person = try await world.primary.person()
        let standby = try await world.standby()
        try await world.restartShipper()
        #expect(try await person.send(.post, APIPath.logOut).status == 204)
        try world.replicate()
        let answer = try await standby.send(.get, APIPath.user, [("Authorization", "Bearer \(person.token)")])
        expect(answer, 401, .sessionInvalid)
    }

    @Test("reads while the copy changes, and never half of what came")
    func changing() async throws {
        let world = try await ReplicatedWorld()
        let person = try await world.primary.person()
        let standby = try await world.standby()
        let bearer = [("Authorization", "Bearer \(person.token)")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        let answer = try await standby.send(.get, APIPath.user, bearer)
                        #expect(answer.status == 200, "\(answer.text)")
                    }
                }
            }
            for round in 0..<20 {
                _ = try await person.send(.patch, APIPath.user, body: #"{"displayName": "n\#(round)"}"#)
                try world.replicate()
            }
            try await group.waitForAll()
        }
        #expect(try await standby.send(.get, APIPath.user, bearer).text.contains("n19"))
    }

    @Test("lets go of its folder for a command that takes over, and for no request of one that was killed")
    func hold() throws {
        let folder = Folder()
        let first = try StandbyHold.take(folder.path)
        #expect(throws: BackupFault.self) { try StandbyHold.take(folder.path) }
        #expect(!first.isAskedFor)
        var waited = 0
        let second = try StandbyHold.takeOver(folder.path, attempts: 10) {
            waited += 1
            if waited == 3 {
                #expect(first.isAskedFor)
                first.release()
            }
        }
        #expect(waited == 3 && !second.isAskedFor)
        #expect(throws: BackupFault.self) { try StandbyHold.takeOver(folder.path, attempts: 2) {} }
        second.release()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/standby.request"))
        #expect(try !StandbyHold.take(folder.path).isAskedFor)
    }
}

/// A folder that goes away with this object.
final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-\(UUID().uuidString)").path

    deinit {
        // The folder may never have been made.
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A server whose database is replicated into a folder, and a standby that follows it, on one clock that stands still.
private final class ReplicatedWorld {
    static let primaryURL = "https://id.example.com"
    static let maximumLag: Duration = .seconds(30)

    let primary: TestServer
    var clock: StandingClock { primary.clock }
    private let (data, repository, copy) = (Folder(), Folder(), Folder())
    private let store: SQLiteStore
    private let key: BackupSecretKey
    private var shipper: ReplicaShipper
    private var serving: StandbyServing?

    init() async throws {
        store = try SQLiteStore(.folder(data.path), role: .server)
        try FileManager.default.createDirectory(atPath: repository.path, withIntermediateDirectories: true)
        primary = try await TestServer(settings: ["rate-limits": "off"], store: store)
        key = try BackupSecretKey()
        shipper = try Self.shipper(store, data, repository, key, primary.clock)
        // The repository is found, the stream begins, its copy is made.
        for _ in 0..<2 { ship() }
    }

    private static func shipper(
        _ store: SQLiteStore, _ data: Folder, _ repository: Folder, _ key: BackupSecretKey, _ clock: StandingClock
    ) throws -> ReplicaShipper {
        let folder = FolderRepository(repository.path)
        var limits = ReplicaShipper.Limits()
        limits.silence = .milliseconds(1)
        return ReplicaShipper(
            store, folder: data.path, to: folder, key: key.publicKey, program: "1",
            claim: try PrimaryClaim.forServer(of: data.path, at: folder), limits: limits, now: { clock.now })
    }

    func restartShipper() async throws {
        shipper.stop()
        clock.advance(by: .seconds(1))
        shipper = try Self.shipper(store, data, repository, key, clock)
        for _ in 0..<2 { ship() }
    }

    /// What the threads of a server do in a second.
    func ship() {
        for _ in 0..<2 {
            clock.advance(by: .milliseconds(10))
            shipper.collect()
            shipper.ship()
            shipper.copyIfDue()
        }
    }

    func follow() throws { try serving?.follow() }
    /// What the log of the standby says.
    func trouble() -> String? { serving?.trouble() }

    func replicate() throws {
        ship()
        try follow()
    }

    func standby(follows: Bool = true) async throws -> TestServer {
        let clock = clock
        let made = StandbyServing(
            in: copy.path, of: FolderRepository(repository.path), key: key, hold: try StandbyHold.take(copy.path),
            maximumLag: Self.maximumLag, primary: Self.primaryURL, now: { clock.now })
        serving = made
        if follows { try replicate() }
        return try await TestServer(standby: made, of: primary, settings: ["rate-limits": "off"])
    }

    /// The newest part behind those that are there before `body`.
    func newestPart(_ body: () throws -> Void) throws -> String {
        func parts() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: repository.path).filter { $0.hasSuffix("end.frames") }
                .sorted()
        }
        let before = Set(try parts())
        try body()
        return "\(repository.path)/\(try #require(try parts().first { !before.contains($0) }))"
    }

    func copyDigest() throws -> [UInt8] {
        Array(SHA256.hash(data: try Data(contentsOf: URL(fileURLWithPath: copy.path + "/standby.sqlite"))))
    }

    /// A key of an admin that may see users.
    func adminKey() async throws -> String {
        let world = try await AdminWorld(primary, roles: [])
        let rules = primary.modules.administration
        let owner = try await rules.logIns.findAdmin(world.tokens["owner"].map { Secret($0) }, at: nil, from: .local)
        return try await rules.keys.create(
            .init(name: "key", scopes: [.readUsers], applications: nil, networks: [], life: .days(1)),
            of: owner, by: owner.auditActor(from: .local)
        ).secret.revealed
    }

    // MARK: An old app

    func parse(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil, at server: TestServer
    ) async throws -> Answer {
        var headers = [("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest")]
        if let token { headers.append(("X-Parse-Session-Token", token)) }
        return try await server.send(method, path, headers, body: body, isNamed: false)
    }

    /// The session of somebody who signed up with an old app.
    func parseUser() async throws -> String {
        let keys = [
            ProtocolKey(rawValue: "applicationId"): Secret("app1"), ProtocolKey(rawValue: "restKey"): Secret("rest"),
        ]
        _ = try await primary.modules.applications.enableProtocol(
            Session.ProtocolName(rawValue: "parse"), given: keys, of: primary.application.id, by: .local)
        let made = try await parse(
            .post, "/parse/users", #"{"username":"taro","password":"a long enough secret"}"#, at: primary)
        return try #require(try made.read([String: JSONValue].self)["sessionToken"]?.text, "\(made.text)")
    }
}
