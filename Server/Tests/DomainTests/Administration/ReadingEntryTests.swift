import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("A look at users, in the audit log")
struct ReadingEntryTests {
    private static let key = AuditEntry.Actor.protocolKey(.single)

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func read(
        _ user: Identifier<User>? = nil, by actor: AuditEntry.Actor = key, from address: String? = "192.0.2.7",
        in application: Application? = nil
    ) async throws {
        try await world.modules.directory.recordReading(
            of: user, in: (application ?? self.application).id,
            by: Operator(actor: actor, origin: RequestOrigin(address: address)))
    }

    private func entries(_ application: Application? = nil) async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(
            in: (application ?? self.application).id, matching: AuditFilter(action: .usersRead), limit: 1000)
    }

    @Test(
        "stands there once in ten minutes of a list that a key reads, to the millisecond",
        arguments: [(0, 1), (599_999, 1), (600_000, 2), (-1, 2)])
    func lists(after: Int, count: Int) async throws {
        try await read()
        world.clock.advance(by: .milliseconds(after))
        try await read()
        let entries = try await entries()
        #expect(entries.count == count)
        #expect(entries.allSatisfy { $0.actor == Self.key && $0.target == .application(application.id) })
        // Another one begins its ten minutes, and the same as before goes on with its own.
        try await read()
        #expect(try await self.entries().count == count)
    }

    @Test("stands there for each address, key and application by itself")
    func apart() async throws {
        let other = try await world.makeApplication()
        for _ in 0..<2 {
            try await read()
            try await read(from: "192.0.2.8")
            try await read(from: nil)
            try await read(by: .protocolKey(.yearly))
            try await read(in: other)
        }
        #expect(try await entries().count == 4)
        #expect(try await entries(other).count == 1)
    }

    @Test("stands there each time that somebody looks at one user, or is no key of an old protocol")
    func always() async throws {
        let hana = Identifier<User>(rawValue: "hana")
        for _ in 0..<2 {
            try await read(hana)
            try await read(by: .operator)
            try await read(hana, by: .operator)
        }
        let entries = try await entries()
        #expect(entries.count == 6)
        #expect(entries.count { $0.target == .user(hana) } == 4)
        #expect(entries.count { $0.actor == .operator } == 4)
    }

    @Test("is remembered of a thousand addresses: of more, some stand there again", arguments: [(999, 1), (1000, 2)])
    func bound(others: Int, count: Int) async throws {
        let other = try await world.makeApplication()
        try await read()
        for number in 0..<others { try await read(from: "\(number)", in: other) }
        try await read()
        #expect(try await entries().count == count)
    }

    @Test("is remembered whatever was there before its ten minutes")
    func swept() async throws {
        let other = try await world.makeApplication()
        for number in 0..<999 { try await read(from: "\(number)", in: other) }
        world.clock.advance(by: .seconds(600))
        try await read()
        // The thousand and first makes room by those that count no more.
        try await read(from: "last", in: other)
        try await read()
        #expect(try await entries().count == 1)
    }
}
