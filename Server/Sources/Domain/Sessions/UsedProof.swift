/// Something that counts once: how storage remembers that it was used, and until when.
///
/// The key has one format for all kinds: six bytes of order and sixteen of a digest. Device proofs are ordered by their
/// end, which is signed with them, so that a replay has the same and keys are written and removed side by side (decision
/// 0026). Challenges are ordered by theirs too, to the second, behind a mark and their kind. The other kinds, whose end
/// differs at each try, have six bytes of their own. Marks are behind those of every time, so no key of one kind is a key of
/// another.
package struct UsedProof: Hashable, Sendable {
    package enum Kind: Hashable, CaseIterable, Sendable {
        /// A DPoP proof: its key and `jti`.
        case device
        /// A token that a provider signed.
        case providerToken
        /// A notification of a provider.
        case providerNotification
        /// The name of an attempt.
        case attempt
        /// The name of an attempt together with its request.
        case attemptedRequest
        /// A token that a provider signed, together with the client that presented it first.
        case providerRetry
        /// A challenge that was given out for a passkey.
        case passkeyChallenge
        /// A challenge that was given out for a device's first launch.
        case firstLaunchChallenge

        /// The number of the kind in keys; it never changes. Migration 19 writes the same numbers.
        fileprivate var number: UInt8? {
            switch self {
            case .device: nil
            case .providerToken: 1
            case .providerNotification: 2
            case .attempt: 3
            case .attemptedRequest: 4
            case .providerRetry: 5
            case .passkeyChallenge: 6
            case .firstLaunchChallenge: 7
            }
        }

        /// What keys of the kind begin with.
        ///
        /// - Parameter end: When one may be forgotten.
        /// - Returns: six bytes.
        fileprivate func order(until end: Timestamp) -> [UInt8] {
            guard let number else { return end.orderedBytes }
            switch self {
            case .passkeyChallenge, .firstLaunchChallenge:
                let seconds = UInt32(clamping: end.milliseconds / 1000)
                return [UsedProof.challengeMark, number]
                    + (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * $0)) }
            case .device, .providerToken, .providerNotification, .attempt, .attemptedRequest, .providerRetry:
                return [UInt8](repeating: 0xff, count: 5) + [number]
            }
        }
    }

    /// Times up to year 9999 begin with no more than 0xe6.
    private static let challengeMark: UInt8 = 0xfe
    /// With what keys begin at the least that are of no device proof.
    package static let otherKinds = challengeMark

    /// 22 bytes.
    package let key: [UInt8]
    /// When storage may forget it: the proof itself is refused from then on.
    package let end: Timestamp

    /// - Parameters:
    ///   - kind: What was used.
    ///   - digest: Names the one thing within its kind; half of it is kept, since 128 bits leave no chance of two alike.
    ///   - end: When it may be forgotten. Of a device proof and of a challenge it is the same at each replay.
    package init(_ kind: Kind, _ digest: SecretDigest, until end: Timestamp) {
        key = kind.order(until: end) + digest.bytes.prefix(16)
        self.end = end
    }

    /// The end of a device proof.
    package static func end(ofIssuedAt issuedAt: Timestamp) -> Timestamp {
        issuedAt + ProofVerifier.window + .seconds(1)
    }

    /// A row of the list.
    package init(key: [UInt8], end: Timestamp) {
        self.key = key
        self.end = end
    }

    /// When a device proof was made; `nil` for the other kinds.
    package var issuedAt: Timestamp? {
        key.first.map { $0 >= Self.challengeMark } ?? true ? nil : end - ProofVerifier.window - .seconds(1)
    }

    /// The same thing in the hands of one client, who may present it again when the response was lost.
    package func retry(by client: String) -> UsedProof {
        UsedProof(.providerRetry, SecretDigest(of: key + Array(client.utf8)), until: end)
    }
}
