import Domain
import Testing

@Suite("Several sealing keys")
struct SealingKeysTests {
    private static func bytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: SealingKey.byteCount) }

    private let old: SealingKey
    private let both: SealingKey

    init() throws {
        old = try #require(SealingKey(bytes: Self.bytes(1)))
        both = try #require(SealingKey(first: Self.bytes(1), inOrder: [Self.bytes(2), Self.bytes(1)]))
    }

    @Test("open what any of them sealed, and the first of the list seals")
    func opening() throws {
        #expect(try both.open(try old.seal([5], purpose: "p"), purpose: "p") == [5])
        let sealed = try both.seal([6], purpose: "p")
        #expect(try both.open(sealed, purpose: "p") == [6])
        #expect(throws: DomainError.secretUnreadable) { try old.open(sealed, purpose: "p") }
        #expect(SealingKey.id(of: sealed) == both.ids[0] && both.ids[1] == old.ids[0])
    }

    @Test("leave digests as the first key makes them")
    func digests() throws {
        #expect(both.digest(of: "a", purpose: "p") == old.digest(of: "a", purpose: "p"))
        #expect(both.keyedHash(purpose: "p").digest(of: [[1]]) == old.keyedHash(purpose: "p").digest(of: [[1]]))
    }

    @Test("make digests in which each part counts by itself, and the purpose beside them")
    func parts() {
        let digests = [
            old.digest(of: "ab", "c", purpose: "p"), old.digest(of: "a", "bc", purpose: "p"),
            old.digest(of: "abc", purpose: "p"), old.digest(of: "abc", "", purpose: "p"),
            old.digest(of: "", "abc", purpose: "p"), old.digest(of: "bc", purpose: "pa"),
        ]
        #expect(Set(digests).count == digests.count)
    }

    @Test("always hold the first key, hold none twice, and have their length")
    func lists() throws {
        #expect(SealingKey(first: Self.bytes(1), inOrder: [Self.bytes(2), Self.bytes(2)])?.ids == both.ids)
        #expect(SealingKey(first: Self.bytes(1), inOrder: []) == nil)
        #expect(SealingKey(first: Self.bytes(1), inOrder: [[1]]) == nil)
    }
}
