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

    @Test("with its transactions and statements in a trace", arguments: Contract.all)
    func traced(contract: Contract) async throws {
        let request = Tracer(ratio: 1, seeds: (1, 2), queue: SpanQueue()).begin("test", .server)
        let store = TracedEngine(try SQLiteStore(.memory, role: .server), .sqlite)
        try await CurrentSpan.$value.withValue(request) { try await contract.check(store) }
    }
}
