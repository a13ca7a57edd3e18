import Domain
import Synchronization
import TestWorld
import Testing

@Suite("The session cache")
struct SessionCacheTests {
    let validity = MovableValidity()

    @Test("gives back what was put in, and forgets by session, by user and by application")
    func forgets() {
        let cache = SessionCache(capacity: 100, validity: validity)
        let entries = (0..<6).map { entry($0, user: "user \($0 / 2)", application: "app \($0 / 4)") }
        for entry in entries { cache.insert(entry, readAfter: cache.ticket()) }
        #expect(entries.allSatisfy { cache.entry(for: $0.tokenDigest) === $0 })
        cache.forget(.session(entries[0].application.id, entries[0].tokenDigest))
        #expect(present(entries, in: cache) == [1, 2, 3, 4, 5])
        cache.forget(.user(entries[2].application.id, entries[2].user.id))
        #expect(present(entries, in: cache) == [1, 4, 5])
        cache.forget(.application(entries[4].application.id))
        #expect(present(entries, in: cache) == [])
    }

    @Test("keeps nothing that was read before a change of it")
    func lateInsert() {
        let cache = SessionCache(capacity: 100, validity: validity)
        let (late, unconcerned) = (entry(1, user: "a"), entry(2, user: "b"))
        let ticket = cache.ticket()
        cache.forget(.user(late.application.id, late.user.id))
        cache.insert(late, readAfter: ticket)
        cache.insert(unconcerned, readAfter: ticket)
        #expect(cache.entry(for: late.tokenDigest) == nil)
        #expect(cache.entry(for: unconcerned.tokenDigest) === unconcerned)
    }

    @Test("keeps nothing when more changed during the look-up than it remembers")
    func tooManyChanges() {
        let cache = SessionCache(capacity: 100, validity: validity)
        let late = entry(1, user: "a")
        let ticket = cache.ticket()
        for _ in 0...1024 { cache.forget(.signingKeys) }
        cache.insert(late, readAfter: ticket)
        #expect(cache.entry(for: late.tokenDigest) == nil)
    }

    @Test("begins anew when another process changed something, and is not used while nobody can tell")
    func epochs() {
        let cache = SessionCache(capacity: 100, validity: validity)
        let kept = entry(1, user: "a")
        cache.insert(kept, readAfter: cache.ticket())
        validity.move(to: nil)
        #expect(cache.entry(for: kept.tokenDigest) == nil)
        cache.insert(kept, readAfter: cache.ticket())
        #expect(cache.entry(for: kept.tokenDigest) == nil)
        validity.move(to: 8)
        #expect(cache.entry(for: kept.tokenDigest) == nil)
        let ticket = cache.ticket()
        validity.move(to: 9)
        cache.insert(kept, readAfter: ticket)
        #expect(cache.entry(for: kept.tokenDigest) == nil)
        cache.insert(kept, readAfter: cache.ticket())
        #expect(cache.entry(for: kept.tokenDigest) === kept)
    }

    @Test("never holds more than its capacity, and keeps what is used")
    func bounded() {
        let cache = SessionCache(capacity: 100, validity: validity)
        let used = entry(0, user: "used")
        cache.insert(used, readAfter: cache.ticket())
        for number in 1...10_000 {
            cache.insert(entry(number, user: "user \(number)"), readAfter: cache.ticket())
            #expect(cache.entry(for: used.tokenDigest) === used)
            #expect(cache.count <= 100)
        }
    }

    private func present(_ entries: [Authenticated], in cache: SessionCache) -> [Int] {
        entries.indices.filter { cache.entry(for: entries[$0].tokenDigest) != nil }
    }

    private func entry(_ number: Int, user: String, application: String = "app") -> Authenticated {
        let now = StandingClock().now
        let digest = SecretDigest(of: "token \(number)".utf8)
        let application = Application(
            id: Identifier(rawValue: application), name: "", adminKeyDigest: digest, settings: .init(), createdAt: now)
        let user = User(id: Identifier(rawValue: user), application: application.id, createdAt: now, updatedAt: now)
        let session = Session(
            id: Identifier(rawValue: "session \(number)"), application: application.id, user: user.id,
            client: .init(address: nil), protocolName: .native, method: .automatic,
            times: .init(
                createdAt: now, lastUsedAt: now, expiresAt: now + .days(1)))
        return Authenticated(application: application, session: session, user: user, tokenDigest: digest)
    }
}

/// A validity that a test moves.
final class MovableValidity: CacheValidity {
    private let kept = Mutex<UInt64?>(7)
    var epoch: UInt64? { kept.withLock { $0 } }
    func move(to epoch: UInt64?) { kept.withLock { $0 = epoch } }
}
