import StoragePostgreSQL
import StoreConformance
import TestPostgreSQL
import Testing

@Suite("PostgreSQL keeps the contracts of every engine", .serialized)
struct PostgreSQLConformanceTests {
    @Test("on a server that others may use", arguments: Contract.all)
    func server(contract: Contract) async throws {
        let store = try await TestPostgreSQL.cluster().store(connections: 8)
        try await contract.check(store)
        try await TestPostgreSQL.cluster().end(store)
    }

    @Test("as a command, which keeps no caches", arguments: Contract.all)
    func command(contract: Contract) async throws {
        let store = try await TestPostgreSQL.cluster().store(role: .command, connections: 2)
        try await contract.check(store)
        try await TestPostgreSQL.cluster().end(store)
    }
}
