/// Challenges for passkeys (requirement 28), each for one application and one purpose; see `SealedChallenges`.
package struct PasskeyChallenges: Sendable {
    package static let lifetime: Duration = .seconds(300)

    private let sealed: SealedChallenges

    init(clock: any WallClock, randomness: any Randomness, sealingKey: SealingKey) {
        sealed = SealedChallenges(
            clock: clock, randomness: randomness, hash: sealingKey.keyedHash(purpose: "okaeri passkey challenge 2"),
            kind: .passkeyChallenge)
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
        sealed.new(for: purpose.parts, in: application, lifetime: Self.lifetime)
    }

    /// What marks a challenge as used; `nil` for one that was not made here for this, or whose time has passed.
    func use(
        _ challenge: [UInt8], for purpose: Purpose, in application: Identifier<Application>, at now: Timestamp
    ) -> UsedProof? {
        sealed.use(challenge, for: purpose.parts, in: application, at: now)
    }
}
