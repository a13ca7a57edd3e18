import Domain
import Foundation
import Storage
import StorageSQLite
import StoreConformance
import Testing

// One after the other: each store in a folder holds a dozen files open.
@Suite("SQLite keeps the contracts of every engine", .serialized)
struct SQLiteConformanceTests {
    @Test("in memory", arguments: Contract.all)
    func inMemory(contract: Contract) async throws {
        try await contract.check(try SQLiteStore(.memory, role: .server))
    }

    @Test("in a folder", arguments: Contract.all)
    func inFolder(contract: Contract) async throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        try await contract.check(store)
        await store.close()
    }

    @Test("and writes nothing in a read, in memory as in a folder", arguments: [true, false])
    func read(isInMemory: Bool) async throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(isInMemory ? .memory : .folder(folder.path), role: .server)
        let now = Timestamp(milliseconds: 0)
        let user = User(
            id: Identifier(rawValue: "user"), application: Identifier(rawValue: "application"), createdAt: now,
            updatedAt: now)
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.read { transaction throws(DomainError) in try transaction.insert(user) }
        }
        let before = try await store.read { transaction throws(DomainError) in
            try transaction.user(user.id, in: user.application)
        }
        #expect(before == nil)
        try await store.write { transaction throws(DomainError) in try transaction.insert(user) }
        await store.close()
    }

    @Test("with its transactions and statements in a trace", arguments: Contract.all)
    func traced(contract: Contract) async throws {
        let request = Tracer(ratio: 1, seeds: (1, 2), queue: SpanQueue()).begin("test", .server)
        let store = TracedEngine(try SQLiteStore(.memory, role: .server), .sqlite)
        try await CurrentSpan.$value.withValue(request) { try await contract.check(store) }
    }
}
