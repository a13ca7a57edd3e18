import Foundation
import StorageSQLite
import StoreConformance
import Testing

// One after the other: each store in a folder holds a dozen files open.
@Suite("SQLite keeps the promises of every engine", .serialized)
struct SQLiteConformanceTests {
    @Test("in memory", arguments: Promise.all)
    func inMemory(promise: Promise) async throws {
        try await promise.isKept(try SQLiteStore(.memory, role: .server))
    }

    @Test("in a folder", arguments: Promise.all)
    func inFolder(promise: Promise) async throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        try await promise.isKept(store)
        await store.close()
    }
}
