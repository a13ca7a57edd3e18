public import Foundation
public import Okaeri
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// What an in-memory server demands of first launches.
public enum FirstLaunchPolicy: Hashable, Sendable {
    /// Nothing.
    case none
    /// An attestation by ``TestAttestor``, or a proof of work of so many zero bits.
    case proofOfWork(bits: Int)
    /// An attestation by ``TestAttestor``.
    case attestation
}

/// Attests whatever it is given, for ``InMemoryServer``.
public struct TestAttestor: AppAttestor {
    /// `test`, which no other server takes.
    public let format = "test"
    /// Whether it works.
    public let isAvailable: Bool

    /// Makes an attestor.
    ///
    /// - Parameter isAvailable: Whether it works; a simulator has none that does.
    public init(isAvailable: Bool = true) {
        self.isAvailable = isAvailable
    }

    /// Attests with the hash itself.
    public func attest(_ clientDataHash: Data) async -> AppAttestation? {
        isAvailable ? AppAttestation(keyId: Data([1]), object: clientDataHash) : nil
    }
}

extension InMemoryServer {
    /// What a first launch needs to make a user; at first nothing.
    public var firstLaunchPolicy: FirstLaunchPolicy {
        get { contents.withValue { $0.firstLaunchPolicy } }
        set { contents.withValue { $0.firstLaunchPolicy = newValue } }
    }

    /// Judges the first launch of a device.
    func checkFirstLaunch(
        _ thumbprint: String, _ body: AutomaticLogInBody?, _ contents: inout ServerContents
    ) throws(Refusal) {
        guard contents.firstLaunchPolicy != .none, contents.usersByKey[thumbprint] == nil else { return }
        if let attestation = body?.attestation {
            let hash = SHA256.hash(data: Data("\(attestation.challenge).\(thumbprint)".utf8))
            guard contents.firstLaunchChallenges.remove(attestation.challenge) != nil,
                attestation.format == TestAttestor().format, attestation.object == Base64URL.text(of: hash)
            else { throw Refusal(403, .attestationInvalid) }
            return
        }
        if case .proofOfWork(let bits) = contents.firstLaunchPolicy, let work = body?.proofOfWork, work.bits == bits,
            contents.firstLaunchChallenges.remove(work.challenge) != nil
        {
            var zeroBits = 0
            for byte in SHA256.hash(data: Data("\(work.challenge).\(work.solution)".utf8)) {
                zeroBits += byte.leadingZeroBitCount
                if byte != 0 { break }
            }
            if zeroBits >= bits { return }
        }
        let challenge = newName("c", 22)
        contents.firstLaunchChallenges.insert(challenge)
        var refusal = Refusal(403, .attestationRequired)
        var work: FirstLaunchDemandBody.Work?
        if case .proofOfWork(let bits) = contents.firstLaunchPolicy {
            refusal = Refusal(403, .proofOfWorkRequired)
            work = .init(challenge: challenge, bits: bits)
        }
        refusal.problem.firstLaunch = FirstLaunchDemandBody(
            attestation: .init(challenge: challenge, formats: [TestAttestor().format]), proofOfWork: work,
            expiresAt: WireTime(clock.now.addingTimeInterval(contents.clockOffset + 120)))
        throw refusal
    }

    /// What a request asks for, apart from what its first launch needed more: the same in every try of an attempt.
    func asked(_ body: AutomaticLogInBody?, _ request: TransportRequest) -> Data {
        guard var body, body.attestation != nil || body.proofOfWork != nil else { return request.body ?? Data() }
        (body.attestation, body.proofOfWork) = (nil, nil)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What was read can be written.
        return (try? encoder.encode(body)) ?? Data()
    }
}
