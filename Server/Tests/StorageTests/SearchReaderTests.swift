import Dispatch
import Domain
import Foundation
import Storage
import StoragePostgreSQL
import StorageSQLite
import TestPostgreSQL
import TestWorld
import Testing

@Suite("Searches have readers of their own", .serialized, .timeLimit(.minutes(20)))
struct SearchReaderTests {
    @Test("on SQLite, so that reads and writes go on while every reader of searches is taken")
    func sqlite() async throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(.folder(folder.path), role: .server, searchReaders: 2)
        try await everythingElseGoesOn(store)
        await store.close()
        let late = await store.search(within: .seconds(1)) { _ throws(DomainError) in 1 }
        #expect(late.result == .failure(.storageUnavailable))
    }

    @Test("on PostgreSQL, so that reads and writes go on while every reader of searches is taken")
    func postgresql() async throws {
        let store = try await TestPostgreSQL.cluster().store(connections: 1)
        try await everythingElseGoesOn(store)
        try await TestPostgreSQL.cluster().end(store)
        let late = await store.search(within: .seconds(1)) { _ throws(DomainError) in 1 }
        #expect(late.result == .failure(.storageUnavailable))
    }

    private func everythingElseGoesOn(_ engine: any Engine) async throws {
        let world = try TestWorld(engine)
        let application = try await world.makeApplication()
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let searches = (0..<4).map { _ in
            Task {
                await engine.search(within: .seconds(600)) { transaction throws(DomainError) in
                    let found = try transaction.search(UserSearch(reader: .everything), in: application.id)
                    begun.signal()
                    gate.wait()
                    return found.users.count
                }
            }
        }
        // Two run, and two wait for their readers.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<2 { begun.wait() }
                continuation.resume()
            }
        }
        for _ in 0..<20 {
            let logIn = try await world.logIn(TestDevice(), to: application)
            #expect(try await world.authenticate(logIn.token, in: application).user.id == logIn.user.id)
            _ = try await world.modules.directory.readUser(logIn.user.id, in: application.id)
        }
        for _ in searches { gate.signal() }
        for search in searches { _ = try await search.value.result.get() }
    }
}
