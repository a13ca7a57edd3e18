import WebAuthn

/// Challenges for passkeys (requirement 28). Nothing is stored of one until it is used: it holds its end and a code that
/// only this installation can make, for one application and one purpose. Its first use marks it as used.
package struct PasskeyChallenges: Sendable {
    package static let lifetime: Duration = .seconds(300)
    private static let byteCounts = (time: 6, random: 16, code: 16)

    let clock: any WallClock
    let randomness: any Randomness
    private let hash: KeyedHash

    init(clock: any WallClock, randomness: any Randomness, sealingKey: SealingKey) {
        self.clock = clock
        self.randomness = randomness
        hash = sealingKey.keyedHash(purpose: "okaeri passkey challenge")
    }

    /// What a challenge is for.
    enum Purpose: Sendable {
        /// To add a passkey to a user.
        case registration(Identifier<User>)
        /// To show whose a passkey is.
        case assertion

        fileprivate var parts: [[UInt8]?] {
            switch self {
            case .registration(let user): [Array("registration".utf8), Array(user.rawValue.utf8)]
            case .assertion: [Array("assertion".utf8), nil]
            }
        }
    }

    /// A new challenge, base64url.
    func new(for purpose: Purpose, in application: Identifier<Application>) -> String {
        let body = (clock.now + Self.lifetime).orderedBytes + randomness.bytes(Self.byteCounts.random)
        return Base64URL.text(of: body + code(of: body, purpose, application))
    }

    /// What marks a challenge as used; `nil` for one that was not made here for this, or whose time has passed.
    func use(
        _ challenge: [UInt8], for purpose: Purpose, in application: Identifier<Application>, at now: Timestamp
    ) -> UsedProof? {
        let (time, random, length) = Self.byteCounts
        guard challenge.count == time + random + length else { return nil }
        let (body, stated) = (Array(challenge.dropLast(length)), challenge.suffix(length))
        // In constant time.
        let difference = zip(code(of: body, purpose, application), stated).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        let milliseconds = body.prefix(time).reduce(Int64(0)) { $0 << 8 | Int64(clamping: $1) }
        let end = Timestamp(milliseconds: milliseconds)
        guard difference == 0, now < end else { return nil }
        return UsedProof(.passkeyChallenge, SecretDigest(of: challenge), until: end)
    }

    private func code(
        of body: [UInt8], _ purpose: Purpose, _ application: Identifier<Application>
    ) -> [UInt8] {
        let digest = hash.digest(of: purpose.parts + [Array(application.rawValue.utf8), body])
        return Array(digest.bytes.prefix(Self.byteCounts.code))
    }
}
