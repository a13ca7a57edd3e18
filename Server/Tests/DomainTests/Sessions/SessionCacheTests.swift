import enum OkaeriWire.JSONValue
import Synchronization
import TestWorld
import Testing

@testable import Domain

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite("The session cache")
struct SessionCacheTests {
    let validity = MovableValidity()

    @Test("gives back what was put in, and forgets by session, by user and by application")
    func forgets() {
        let cache = SessionCache(.sessions(100), validity: validity)
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
        let cache = SessionCache(.sessions(100), validity: validity)
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
        let cache = SessionCache(.sessions(100), validity: validity)
        let late = entry(1, user: "a")
        let ticket = cache.ticket()
        for _ in 0...1024 { cache.forget(.signingKeys) }
        cache.insert(late, readAfter: ticket)
        #expect(cache.entry(for: late.tokenDigest) == nil)
    }

    @Test(
        "keeps what was read after changes, however many there were before", arguments: [1, 511, 513, 1024, 1025, 5000])
    func manyChanges(count: Int) {
        let cache = SessionCache(.sessions(100), validity: validity)
        let (late, other) = (entry(1, user: "a"), entry(2, user: "b"))
        for _ in 0..<count { cache.forget(.signingKeys) }
        let ticket = cache.ticket()
        cache.insert(other, readAfter: ticket)
        // As many as it remembers may follow.
        for _ in 0..<1024 { cache.forget(.signingKeys) }
        cache.insert(late, readAfter: ticket)
        #expect(present([late, other], in: cache) == [0, 1])
    }

    @Test("begins anew when another process changed something, and is not used while nobody can tell")
    func epochs() {
        let cache = SessionCache(.sessions(100), validity: validity)
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
        let cache = SessionCache(.sessions(100), validity: validity)
        let used = entry(0, user: "used")
        cache.insert(used, readAfter: cache.ticket())
        for number in 1...10_000 {
            cache.insert(entry(number, user: "user \(number)"), readAfter: cache.ticket())
            #expect(cache.entry(for: used.tokenDigest) === used)
            #expect(cache.count <= 100)
        }
    }

    @Test("takes about 2 KiB for the session of an ordinary user, and more for fields")
    func weights() {
        let plain = entry(1, user: "user of twenty-two 01").estimatedBytes
        #expect((1_500...4_000).contains(plain), "\(plain)")
        let text = String(repeating: "x", count: 10_000)
        let large = entry(1, user: "user of twenty-two 01", fields: ["text": .string(text)]).estimatedBytes
        #expect((20_000...21_000).contains(large - plain), "\(large)")
        let nested = entry(1, user: "user of twenty-two 01", fields: ["a": .array([.object(["b": .string(text)])])])
        #expect(nested.estimatedBytes > large)
    }

    @Test("counts what apps keep of a session beside what they keep of its user")
    func sessionFields() {
        let plain = entry(1, user: "a")
        var session = plain.session
        session.fields = ["text": .string(String(repeating: "x", count: 10_000))]
        let kept = Authenticated(
            application: plain.application, session: session, user: plain.user, tokenDigest: plain.tokenDigest)
        #expect(kept.estimatedBytes - plain.estimatedBytes == Authenticated.bytes(of: .object(session.fields)))
    }

    @Test(
        "counts a text of more than fifteen bytes alone: others stand in their variable",
        arguments: [(0, 0), (15, 0), (16, 64), (100, 148)])
    func texts(length: Int, counted: Int) {
        #expect(Authenticated.bytes(of: .string(String(repeating: "x", count: length))) == counted)
    }

    /// What an allocator gave out for a value and all that is inside.
    private func allocated(_ value: JSONValue) -> Int {
        func block(_ pointer: UnsafeRawPointer) -> Int {
            #if canImport(Darwin)
                malloc_size(pointer)
            #else
                // With the head that stands before each block.
                (usableSize?(UnsafeMutableRawPointer(mutating: pointer)) ?? 0) + MemoryLayout<Int>.size
            #endif
        }
        switch value {
        case .array(let values) where !values.isEmpty:
            return values.reduce(block(unsafeBitCast(values, to: UnsafeRawPointer.self))) { $0 + allocated($1) }
        case .object(let members) where !members.isEmpty:
            return members.values.reduce(block(unsafeBitCast(members, to: UnsafeRawPointer.self))) {
                $0 + allocated($1)
            }
        case .null, .bool, .integer, .number, .string, .array, .object: return 0
        }
    }

    @Test(
        "counts what an allocator really gives for fields, of whatever shape",
        arguments: [
            #"{"":0}"#, #"{"a":0,"b":1}"#, #"{"a":0,"b":1,"c":[]}"#, #"{"a":0,"b":1,"c":2,"d":3,"e":4,"f":5,"g":6}"#,
            "[]", "[0]", "[[0]]", "[0,1,2,3,4]", #"[{"":[{"":0}]}]"#, "0", "{}",
        ])
    func shapes(element: String) throws {
        let text = #"{"f":["# + [String](repeating: element, count: 1000).joined(separator: ",") + "]}"
        let fields = try JSONValue(parsing: Array(text.utf8))
        let (real, estimated) = (allocated(fields), Authenticated.bytes(of: fields))
        #expect(estimated >= real * 95 / 100 && estimated <= real * 3 / 2, "\(element) \(estimated) \(real)")
        // A client pays for what it sends: no shape takes more than so many times its bytes.
        #expect(real <= 32 * text.utf8.count, "\(element) \(real)")
    }

    @Test("never takes more than its bytes, however large users are, and forgets what it weighed", arguments: [1, 50])
    func boundedByBytes(largest: Int) {
        let size = 100 * entry(0, user: "user 0").estimatedBytes
        let cache = SessionCache(.bytes(size), validity: validity)
        var most = 0
        for number in 1...2_000 {
            let text = String(repeating: "x", count: number % largest * 1_000)
            let one = entry(number, user: "user \(number)", fields: ["text": .string(text)])
            cache.insert(one, readAfter: cache.ticket())
            if number.isMultiple(of: 3) { cache.forget(.user(one.application.id, one.user.id)) }
            if number.isMultiple(of: 7) { cache.forget(.session(one.application.id, one.tokenDigest)) }
            #expect(cache.weight <= size)
            most = max(most, cache.count)
        }
        #expect(largest == 1 ? most > 60 : most > 5)
        for number in 1...2_000 {
            cache.forget(.user(Identifier(rawValue: "app"), Identifier(rawValue: "user \(number)")))
        }
        #expect(cache.count == 0 && cache.weight == 0)
    }

    @Test("does not keep a session that is larger than half of it")
    func tooLarge() {
        let (small, large) = (
            entry(1, user: "a"), entry(2, user: "b", fields: ["text": .string(String(repeating: "x", count: 50_000))])
        )
        let cache = SessionCache(.bytes(20 * small.estimatedBytes), validity: validity)
        for one in [small, large] { cache.insert(one, readAfter: cache.ticket()) }
        #expect(present([small, large], in: cache) == [0])
    }

    private func present(_ entries: [Authenticated], in cache: SessionCache) -> [Int] {
        entries.indices.filter { cache.entry(for: entries[$0].tokenDigest) != nil }
    }

    private func entry(
        _ number: Int, user: String, application: String = "app", fields: [String: JSONValue] = [:]
    ) -> Authenticated {
        let now = StandingClock().now
        let digest = SecretDigest(of: "token \(number)".utf8)
        let application = Application(
            id: Identifier(rawValue: application), name: "", adminKeyDigest: digest, settings: .init(), createdAt: now)
        let user = User(
            id: Identifier(rawValue: user), application: application.id, fields: fields, createdAt: now, updatedAt: now)
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

#if !canImport(Darwin)
    /// `malloc_usable_size`, which the module of the C library does not declare.
    private let usableSize: (@convention(c) (UnsafeMutableRawPointer) -> Int)? = dlsym(nil, "malloc_usable_size").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer) -> Int).self)
    }
#endif
