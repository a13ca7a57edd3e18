import Domain
import Testing

@Suite("Keys of used proofs")
struct UsedProofTests {
    private static let digests = (0..<8).map { SecretDigest(of: [UInt8($0)]) }
    private static let ends = [Int64.min, -1, 0, 1, 1_800_000_000_000, .max].map { Timestamp(milliseconds: $0) }

    @Test("have one length", arguments: UsedProof.Kind.allCases, ends)
    func length(kind: UsedProof.Kind, end: Timestamp) {
        let proof = UsedProof(kind, Self.digests[0], until: end)
        #expect(proof.key.count == 22 && proof.end == end)
    }

    @Test(
        "of one kind are never those of another, whatever was used and until when", arguments: UsedProof.Kind.allCases)
    func kinds(kind: UsedProof.Kind) {
        let others = UsedProof.Kind.allCases.filter { $0 != kind }
        let keys = Self.keys(of: [kind])
        #expect(keys.isDisjoint(with: Self.keys(of: others)))
    }

    @Test("tell different things of a kind apart", arguments: UsedProof.Kind.allCases)
    func digests(kind: UsedProof.Kind) {
        #expect(Set(Self.digests.map { UsedProof(kind, $0, until: Self.ends[4]).key }).count == Self.digests.count)
    }

    @Test(
        "of device proofs and challenges are in the order of their ends",
        arguments: [UsedProof.Kind.device, .passkeyChallenge, .firstLaunchChallenge])
    func order(kind: UsedProof.Kind) {
        let ends = (0..<200).map { Timestamp(milliseconds: Int64($0) * 1_000_003) }
        let keys = ends.map { UsedProof(kind, Self.digests[0], until: $0).key }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }

    @Test("of anything else do not depend on the end, which differs at each try", arguments: UsedProof.Kind.allCases)
    func end(kind: UsedProof.Kind) {
        let keys = Set(Self.ends.map { UsedProof(kind, Self.digests[0], until: $0).key })
        // Times before 1970 have one key, which only makes replays of proofs of then certain to be found. A challenge's end is
        // in the challenge; it counts to the second, up to the year 2106.
        let isDated = [.passkeyChallenge, .firstLaunchChallenge].contains(kind)
        #expect(keys.count == (kind == .device ? 4 : isDated ? 3 : 1))
    }

    @Test("of device proofs alone say when these were made", arguments: UsedProof.Kind.allCases, ends)
    func issuedAt(kind: UsedProof.Kind, end: Timestamp) {
        #expect((UsedProof(kind, Self.digests[0], until: end).issuedAt != nil) == (kind == .device))
    }

    private static func keys(of kinds: [UsedProof.Kind]) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for kind in kinds {
            for digest in digests {
                for end in ends { keys.insert(UsedProof(kind, digest, until: end).key) }
            }
        }
        return keys
    }
}
