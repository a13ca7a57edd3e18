import Domain
import TestWorld
import Testing

@Suite("Keyed hashes")
struct KeyedHashTests {
    private static let lists: [[[UInt8]?]] = [
        [], [nil], [[]], [nil, nil], [nil, []], [[], nil], [[], []], [[1]], [[1], nil], [[1], []], [nil, [1]],
        [[], [1]],
        [[1, 2]], [[1], [2]], [[2], [1]], [[1], [2], []], [[0, 0, 0, 0, 0, 0, 0, 0]],
        [[255, 255, 255, 255, 255, 255, 255, 255]],
    ]

    @Test("differ for any two lists of parts: a missing part is no empty one, and parts do not run together")
    func parts() throws {
        let hash = try SealingKey.ofTests().keyedHash(purpose: "test")
        #expect(Set(Self.lists.map { hash.digest(of: $0) }).count == Self.lists.count)
    }

    @Test("are the same for the same key, purpose and parts, and differ for another key or purpose")
    func keys() throws {
        let other = try #require(SealingKey(bytes: [UInt8](repeating: 8, count: SealingKey.byteCount)))
        for parts in Self.lists {
            let digest = try SealingKey.ofTests().keyedHash(purpose: "a").digest(of: parts)
            #expect(try SealingKey.ofTests().keyedHash(purpose: "a").digest(of: parts) == digest)
            #expect(try SealingKey.ofTests().keyedHash(purpose: "b").digest(of: parts) != digest)
            #expect(other.keyedHash(purpose: "a").digest(of: parts) != digest)
        }
    }

    @Test("a PKCE challenge is the one of RFC 7636, appendix B")
    func challenge() {
        #expect(
            PKCE.s256(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }
}
