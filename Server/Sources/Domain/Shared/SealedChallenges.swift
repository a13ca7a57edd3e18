/// Challenges of which nothing is stored until they are used: each holds its end and a code that only this installation can
/// make, for one application and one purpose. Its first use marks it as used.
struct SealedChallenges: Sendable {
    private static let byteCounts = (time: 6, random: 16, code: 16)

    let clock: any WallClock
    let randomness: any Randomness
    private let hash: KeyedHash
    private let kind: UsedProof.Kind

    /// - Parameters:
    ///   - clock: The time.
    ///   - randomness: What makes no two alike.
    ///   - hash: Makes the codes. Its purpose changes whenever keys of used ones do, so that none from before counts again.
    ///   - kind: What storage knows a used one as.
    init(clock: any WallClock, randomness: any Randomness, hash: KeyedHash, kind: UsedProof.Kind) {
        self.clock = clock
        self.randomness = randomness
        self.hash = hash
        self.kind = kind
    }

    /// A new challenge, base64url.
    ///
    /// - Parameters:
    ///   - purpose: What it is for; each part stands for itself.
    ///   - application: Where.
    ///   - lifetime: How long it counts.
    /// - Returns: The challenge.
    func new(for purpose: [[UInt8]?], in application: Identifier<Application>, lifetime: Duration) -> String {
        let body = (clock.now + lifetime).orderedBytes + randomness.bytes(Self.byteCounts.random)
        return Base64URL.text(of: body + code(of: body, purpose, application))
    }

    /// What marks a challenge as used; `nil` for one that was not made here for this, or whose time has passed.
    func use(
        _ challenge: [UInt8], for purpose: [[UInt8]?], in application: Identifier<Application>, at now: Timestamp
    ) -> UsedProof? {
        let (time, random, length) = Self.byteCounts
        guard challenge.count == time + random + length else { return nil }
        let (body, stated) = (Array(challenge.dropLast(length)), challenge.suffix(length))
        // In constant time.
        let difference = zip(code(of: body, purpose, application), stated).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        let milliseconds = body.prefix(time).reduce(Int64(0)) { $0 << 8 | Int64(clamping: $1) }
        let end = Timestamp(milliseconds: milliseconds)
        guard difference == 0, now < end else { return nil }
        return UsedProof(kind, SecretDigest(of: challenge), until: end)
    }

    private func code(of body: [UInt8], _ purpose: [[UInt8]?], _ application: Identifier<Application>) -> [UInt8] {
        let digest = hash.digest(of: purpose + [Array(application.rawValue.utf8), body])
        return Array(digest.bytes.prefix(Self.byteCounts.code))
    }
}
