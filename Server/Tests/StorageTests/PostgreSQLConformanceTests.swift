import StoragePostgreSQL
import StoreConformance
import TestPostgreSQL
import Testing

@Suite("PostgreSQL keeps the promises of every engine", .serialized)
struct PostgreSQLConformanceTests {
    @Test("on a server that others may use", arguments: Promise.all)
    func server(promise: Promise) async throws {
        let store = try await TestPostgreSQL.cluster().store(connections: 8)
        try await promise.isKept(store)
        await store.close()
    }

    @Test("as a command, which keeps no caches", arguments: Promise.all)
    func command(promise: Promise) async throws {
        let store = try await TestPostgreSQL.cluster().store(role: .command, connections: 2)
        try await promise.isKept(store)
        await store.close()
    }
}
