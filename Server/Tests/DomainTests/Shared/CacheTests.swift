import Domain
import Synchronization
import Testing

@Suite("A cache of what is asked for often")
struct CacheTests {
    /// What another process has changed, as the database would tell.
    private final class Validity: CacheValidity {
        private let number: Mutex<UInt64?>

        init(_ epoch: UInt64?) { number = Mutex(epoch) }

        var epoch: UInt64? { number.withLock { $0 } }

        func set(_ epoch: UInt64?) { number.withLock { $0 = epoch } }
    }

    private let validity = Validity(1)
    private let cache: Cache<String, Int>

    init() { cache = Cache(validity: validity) }

    /// The value, and whether it had to be read.
    private func ask(
        _ key: String, _ present: Int, meanwhile: () -> Void = {}
    ) async throws -> (value: Int, isRead: Bool) {
        var isRead = false
        let value = try await cache.value(for: key) { () async throws(DomainError) -> Int in
            isRead = true
            meanwhile()
            return present
        }
        return (value, isRead)
    }

    @Test("keeps what was read, for each key")
    func kept() async throws {
        #expect(cache.known("a") == nil)
        for (key, value) in [("a", 1), ("b", 2)] {
            #expect(try await ask(key, value) == (value, true))
            #expect(try await ask(key, 9) == (value, false))
            #expect(cache.known(key) == value)
        }
        #expect(cache.known("a") == 1 && cache.known("c") == nil)
    }

    @Test("forgets what was changed, and nothing else")
    func forgotten() async throws {
        for key in ["a", "b"] { _ = try await ask(key, 1) }
        cache.forget("a")
        #expect(cache.known("a") == nil && cache.known("b") == 1)
        #expect(try await ask("a", 2) == (2, true))
        cache.forgetAll()
        #expect(cache.known("a") == nil && cache.known("b") == nil)
        #expect(try await ask("b", 3) == (3, true))
    }

    @Test("holds nothing from before another process changed something")
    func epochs() async throws {
        _ = try await ask("a", 1)
        validity.set(2)
        #expect(cache.known("a") == nil)
        #expect(try await ask("a", 2) == (2, true))
        #expect(try await ask("a", 3) == (2, false))
    }

    @Test("holds nothing while nobody can tell, and begins anew afterwards")
    func unknown() async throws {
        _ = try await ask("a", 1)
        validity.set(nil)
        #expect(cache.known("a") == nil)
        for value in [2, 3] { #expect(try await ask("a", value) == (value, true)) }
        validity.set(1)
        #expect(cache.known("a") == nil)
        #expect(try await ask("a", 4) == (4, true))
    }

    @Test("keeps nothing that was read while something changed", arguments: 0..<4)
    func meanwhile(change: Int) async throws {
        let (cache, validity) = (cache, validity)
        let read = try await ask("a", 1) {
            switch change {
            case 0: cache.forget("a")
            case 1: cache.forget("b")
            case 2: cache.forgetAll()
            default: validity.set(2)
            }
        }
        #expect(read == (1, true))
        #expect(cache.known("a") == nil)
        #expect(try await ask("a", 2) == (2, true))
    }

    @Test("keeps nothing of a read that failed")
    func failed() async throws {
        await #expect(throws: DomainError.storageUnavailable) {
            try await cache.value(for: "a") { () async throws(DomainError) -> Int in throw .storageUnavailable }
        }
        #expect(try await ask("a", 1) == (1, true))
    }
}
