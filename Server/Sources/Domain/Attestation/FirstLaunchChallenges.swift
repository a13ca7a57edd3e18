import Crypto
import WebAuthn

/// Challenges for first launches, each for one application and one key of a device.
struct FirstLaunchChallenges: Sendable {
    static let lifetime: Duration = .seconds(120)

    private let sealed: SealedChallenges

    init(clock: any WallClock, randomness: any Randomness, sealingKey: SealingKey) {
        sealed = SealedChallenges(
            clock: clock, randomness: randomness,
            hash: sealingKey.keyedHash(purpose: "okaeri first launch challenge 2"),
            kind: .firstLaunchChallenge)
    }

    /// What a challenge is for.
    enum Purpose: Hashable, Sendable {
        case attestation
        case work(bits: Int)

        fileprivate func parts(_ key: String) -> [[UInt8]?] {
            switch self {
            case .attestation: [Array("attestation".utf8), nil, Array(key.utf8)]
            case .work(let bits): [Array("work".utf8), Array(String(bits).utf8), Array(key.utf8)]
            }
        }
    }

    /// A new challenge, base64url.
    ///
    /// - Parameters:
    ///   - purpose: What for.
    ///   - key: The thumbprint of the device's key.
    ///   - application: Where.
    /// - Returns: The challenge.
    func new(for purpose: Purpose, key: String, in application: Identifier<Application>) -> String {
        sealed.new(for: purpose.parts(key), in: application, lifetime: Self.lifetime)
    }

    /// What marks a challenge as used; `nil` for one that was not made here for this, or whose time has passed.
    func use(
        _ challenge: String, for purpose: Purpose, key: String, in application: Identifier<Application>,
        at now: Timestamp
    ) -> UsedProof? {
        guard challenge.utf8.count <= 100, let bytes = Base64URL.bytes(of: challenge.utf8),
            Base64URL.text(of: bytes) == challenge
        else { return nil }
        return sealed.use(bytes, for: purpose.parts(key), in: application, at: now)
    }
}

/// What a client gives beside its proof when a first launch needs more.
package struct FirstLaunchEvidence: Hashable, Sendable {
    package var attestation: PresentedAttestation?
    package var work: PresentedWork?

    package init(attestation: PresentedAttestation? = nil, work: PresentedWork? = nil) {
        self.attestation = attestation
        self.work = work
    }
}

/// An attestation as it came with a request.
package struct PresentedAttestation: Hashable, Sendable {
    /// `apple-appattest`, or `google-play-integrity`.
    package var format: String
    package var challenge: String
    /// The SHA-256 of the attested key, base64url; empty where there is none.
    package var keyId: String
    /// The attestation object, base64url; or the token of Play Integrity.
    package var object: String

    package init(format: String, challenge: String, keyId: String, object: String) {
        self.format = format
        self.challenge = challenge
        self.keyId = keyId
        self.object = object
    }

    /// What the device attests instead of client data: the challenge and the thumbprint of its key.
    package static func clientDataHash(challenge: String, key: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(challenge).\(key)".utf8)))
    }
}

/// A proof of work as it came with a request: `SHA-256(challenge "." solution)` begins with so many zero bits.
package struct PresentedWork: Hashable, Sendable {
    package static let maximumSolutionBytes = 32

    package var challenge: String
    package var bits: Int
    package var solution: String

    package init(challenge: String, bits: Int, solution: String) {
        self.challenge = challenge
        self.bits = bits
        self.solution = solution
    }

    /// Whether it is as hard as what is asked for now, or two bits easier: the rate may have doubled while the device
    /// worked.
    func isEnough(for asked: Int) -> Bool {
        asked - 2 <= bits && bits <= AttestationRules.maximumWorkBits
    }

    /// Whether the work was done.
    var isDone: Bool {
        guard solution.utf8.count <= Self.maximumSolutionBytes else { return false }
        var count = 0
        for byte in SHA256.hash(data: Array("\(challenge).\(solution)".utf8)) {
            count += byte.leadingZeroBitCount
            if byte != 0 { break }
        }
        return count >= bits
    }
}

/// What a first launch needs, and the challenges for it. Either is enough.
package struct FirstLaunchDemand: Hashable, Sendable {
    /// The formats of attestations that count, and their challenge; `nil` where none does.
    package var attestation: Attestation?
    package var work: Work?
    /// When the challenges end.
    package var expiresAt: Timestamp

    package struct Attestation: Hashable, Sendable {
        package var challenge: String
        package var formats: [String]
    }

    package struct Work: Hashable, Sendable {
        package var challenge: String
        /// The leading zero bits.
        package var bits: Int
    }
}

/// Why an attestation proves nothing.
package struct AttestationFault: Error, Hashable, Sendable {
    /// The member of the attestation that it is about.
    package let member: String
    package let rule: String

    private init(_ member: String, _ rule: String) {
        self.member = member
        self.rule = rule
    }

    init(_ fault: AppAttestFault) {
        self.init(fault.member, fault.rawValue)
    }

    init(_ fault: PlayIntegrityFault) {
        self.init("object", fault.rawValue)
    }

    static let format = AttestationFault("format", "attestation_format")
    /// Too old, or made for another key, application or purpose.
    static let challenge = AttestationFault("challenge", "challenge")
}

extension DomainError {
    /// A first launch of this application makes a user only with an attestation.
    package static func attestationRequired(_ demand: FirstLaunchDemand) -> Self {
        Self(.forbidden, .attestationRequired, .firstLaunch(demand))
    }
    /// Too many first launches without an attestation: this one makes a user with a proof of work.
    package static func proofOfWorkRequired(_ demand: FirstLaunchDemand) -> Self {
        Self(.forbidden, .proofOfWorkRequired, .firstLaunch(demand))
    }
    /// The attestation proves nothing.
    package static func attestationRefused(_ fault: AttestationFault) -> Self {
        Self(.refused, .attestationRefused, .attestation(fault))
    }
}

extension DomainError.Code {
    package static var attestationRequired: Self { Self(rawValue: "attestationRequired") }
    package static var proofOfWorkRequired: Self { Self(rawValue: "proofOfWorkRequired") }
    package static var attestationRefused: Self { Self(rawValue: "attestationRefused") }
}
