import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("The seal of an audit entry")
struct AuditSealTests {
    private static let now = StandingClock().now

    private struct Parts {
        var id = "entry"
        var application = "app"
        var at = now
        var actor = "user:hana"
        var action = "user.changed"
        var target: String? = "user:hana"
        var result = AuditEntry.Result.done
        var address: String? = "192.0.2.7"
        var userAgent: String? = "agent"
        var requestId: String? = "request"
        var details = ["a": "b", "c": "d"]
    }

    private let seals: AuditSeals

    init() throws { seals = AuditSeals(try .ofTests()) }

    private func entry(_ parts: Parts, seals: AuditSeals? = nil) -> AuditEntry {
        let who = Operator(
            actor: .init(rawValue: parts.actor),
            origin: RequestOrigin(
                address: parts.address, userAgent: parts.userAgent, requestId: parts.requestId))
        let act = AuditEntry.Act(
            .init(rawValue: parts.action), on: parts.target.map { .init(rawValue: $0) }, result: parts.result,
            details: parts.details)
        let (id, application) = (
            Identifier<AuditEntry>(rawValue: parts.id), Identifier<Application>(rawValue: parts.application)
        )
        return AuditEntry(
            id: id, application: application, at: parts.at, by: who, did: act,
            seal: (seals ?? self.seals).seal(id, in: application, at: parts.at, by: who, did: act))
    }

    /// Entries that differ in one part, or say the same letters in other parts.
    private static let changes: [@Sendable (inout Parts) -> Void] = [
        { _ in }, { $0.id = "entri" }, { $0.application = "apq" }, { $0.at = now + .milliseconds(1) },
        { $0.actor = "user:mika" }, { $0.action = "user.change" }, { $0.target = "user:mika" }, { $0.target = nil },
        { $0.target = "" }, { $0.result = .refused }, { $0.address = nil }, { $0.address = "" },
        { $0.address = "192.0.2.8" }, { $0.userAgent = nil }, { $0.userAgent = "" }, { $0.requestId = nil },
        { $0.requestId = "" }, { $0.details = [:] }, { $0.details = ["a": "b"] },
        { $0.details = ["a": "d", "c": "b"] },
        { $0.details = ["a": "bcd"] }, { $0.details = ["ab": "", "c": "d"] },
        { $0.details = ["a": "b", "c": "d", "e": ""] },
        { $0.details = ["": "", "a": "b", "c": "d"] }, { ($0.id, $0.application) = ("entrya", "pp") },
        { ($0.actor, $0.action) = ("user:hanauser", ".changed") },
        { ($0.userAgent, $0.requestId) = ("agentrequest", "") },
        { ($0.address, $0.userAgent) = (nil, "192.0.2.7agent") },
        { ($0.userAgent, $0.requestId) = ("request", "agent") },
    ]

    @Test("is another one for each difference, and for the same letters in other parts")
    func distinct() {
        let entries = Self.changes.map { change in
            var parts = Parts()
            change(&parts)
            return entry(parts)
        }
        #expect(Set(entries.map(\.seal)).count == entries.count)
        #expect(entries.allSatisfy { seals.fits($0) })
    }

    @Test("fits no entry that says something else", arguments: changes.indices, changes.indices)
    func fits(written: Int, found: Int) {
        var (parts, others) = (Parts(), Parts())
        Self.changes[written](&parts)
        Self.changes[found](&others)
        let (one, other) = (entry(parts), entry(others))
        let mixed = AuditEntry(
            id: other.id, application: other.application, at: other.at, by: other.who, did: other.act, seal: one.seal)
        #expect(seals.fits(mixed) == (written == found))
    }

    @Test("cannot be made without the server's key")
    func otherKey() throws {
        let key = try #require(SealingKey(bytes: [UInt8](repeating: 8, count: SealingKey.byteCount)))
        #expect(!seals.fits(entry(Parts(), seals: AuditSeals(key))))
        let digest = SecretDigest(of: [1])
        let head = AuditSeals(key).head(of: Identifier(rawValue: "app"), number: 1, digest: digest)
        #expect(!seals.fits(head) && AuditSeals(key).fits(head))
    }

    @Test("binds an entry to its number and to the one before it")
    func chain() {
        let entry = entry(Parts())
        let (one, two) = (SecretDigest(of: [1]), SecretDigest(of: [2]))
        var digests: [SecretDigest] = []
        for number in [1, 2, 12] as [Int64] {
            for before in [nil, one, two] { digests.append(seals.digest(of: entry, number: number, after: before)) }
        }
        #expect(Set(digests).count == digests.count)
    }

    @Test("binds the end of a chain to its log, its number and its digest")
    func heads() {
        let (application, digest) = (Identifier<Application>(rawValue: "app"), SecretDigest(of: [1]))
        let head = seals.head(of: application, number: 7, digest: digest)
        #expect(seals.fits(head))
        let others = [
            AuditHead(application: Identifier(rawValue: "other"), number: 7, digest: digest, seal: head.seal),
            AuditHead(application: application, number: 8, digest: digest, seal: head.seal),
            AuditHead(application: application, number: 7, digest: SecretDigest(of: [2]), seal: head.seal),
            AuditHead(application: application, number: 7, digest: digest, seal: SecretDigest(of: [3])),
        ]
        for other in others { #expect(!seals.fits(other)) }
    }
}

/// Somebody who keeps a copy of the log elsewhere, and asks again and again.
@Suite("What came to the chains since")
struct ReadAuditChainTests {
    private let world: TestWorld

    init() throws { world = try TestWorld(try SQLiteStore(.memory, role: .server)) }

    private func change(_ application: Application, _ number: Int) async throws {
        try await world.modules.applications.changeTheme(
            of: application.id, to: ["number": .integer(Int64(number))], by: .local)
    }

    private func read(
        _ copy: inout [Identifier<Application>: [ChainedAuditEntry]], limit: Int
    ) async throws -> ReadAuditChain.Page {
        var positions: ReadAuditChain.Positions = [:]
        for (application, entries) in copy {
            guard let last = entries.last else { continue }
            positions[application] = .init(number: last.number, digest: last.digest)
        }
        let page = try await world.modules.administration.audit.readChain(after: positions, limit: limit)
        for entry in page.entries { copy[entry.entry.application, default: []].append(entry) }
        return page
    }

    @Test("is each entry once, in order, however many are asked for at a time", arguments: UInt64(0)..<15)
    func copy(seed: UInt64) async throws {
        var draw = SeededGenerator(state: seed)
        let applications = [try await world.makeApplication("One"), try await world.makeApplication("Two")]
        var copy: [Identifier<Application>: [ChainedAuditEntry]] = [:]
        for step in 0..<20 {
            for _ in 0..<draw.number(below: 4) { try await change(draw.pick(applications), step) }
            try await world.modules.administration.audit.chain()
            let limit = 1 + draw.number(below: 6)
            let page = try await read(&copy, limit: limit)
            #expect(page.entries.count <= limit && page.replaced.isEmpty, "\(seed)")
        }
        while try await !read(&copy, limit: 7).entries.isEmpty {}
        for application in applications {
            let entries = copy[application.id] ?? []
            #expect(entries.map(\.number) == (0..<entries.count).map { Int64($0 + 1) }, "\(seed)")
            let verdict = try #require(try await world.modules.administration.audit.verify(application.id).first)
            #expect(verdict.entryCount == entries.count && verdict.faults.isEmpty)
            #expect(verdict.head?.digest == entries.last?.digest)
        }
    }

    @Test("begins anew when the log does not hold what was read: an older copy was put back")
    func replaced() async throws {
        let application = try await world.makeApplication()
        for number in 0..<3 { try await change(application, number) }
        try await world.modules.administration.audit.chain()
        let read = world.modules.administration.audit.readChain
        for position in [
            VerifyAudit.Known(number: 2, digest: SecretDigest(of: [1])),
            .init(number: 4, digest: SecretDigest(of: [1])),
            .init(number: 9, digest: SecretDigest(of: [1])),
            .init(number: 0, digest: SecretDigest(of: [1])), .init(number: .max, digest: SecretDigest(of: [1])),
            .init(number: .min, digest: SecretDigest(of: [1])),
        ] {
            let page = try await read(after: [application.id: position], limit: 100)
            #expect(page.replaced == [application.id], "\(position.number)")
            #expect(page.entries.filter { $0.entry.application == application.id }.map(\.number) == [1, 2, 3, 4])
        }
    }
}
