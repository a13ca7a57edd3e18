import Foundation
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// An automatic log-in, and what was tried already to meet the server's demands for a first launch.
struct FirstLaunch: Sendable {
    private static let maximumAnswers = 3

    let body: AutomaticLogInBody
    private var answers = 0
    private var hasAttested = false

    init(_ body: AutomaticLogInBody) {
        self.body = body
    }

    /// What to send next.
    ///
    /// - Parameters:
    ///   - problem: Why the server refused.
    ///   - key: The thumbprint of the device's key.
    ///   - attestor: What attests.
    /// - Returns: `nil` when nothing helps.
    mutating func next(
        after problem: Problem, key: String, attestor: (any AppAttestor)?
    ) async -> AutomaticLogInBody? {
        guard answers < Self.maximumAnswers else { return nil }
        answers += 1
        var body = body
        // Once more without, for another demand.
        if problem.code == .attestationInvalid { return hasAttested ? body : nil }
        guard let demand = problem.firstLaunch else { return nil }
        if let challenge = demand.attestation?.challenge, let attestor, !hasAttested,
            demand.attestation?.formats.contains(attestor.format) == true
        {
            hasAttested = true
            let hash = Data(SHA256.hash(data: Data("\(challenge).\(key)".utf8)))
            if let attestation = await attestor.attest(hash) {
                body.attestation = DeviceAttestationBody(
                    format: attestor.format, challenge: challenge, keyId: Base64URL.text(of: attestation.keyId),
                    object: Base64URL.text(of: attestation.object))
                return body
            }
        }
        guard let work = demand.proofOfWork, let solution = await ProofOfWork.solution(of: work) else { return nil }
        body.proofOfWork = ProofOfWorkBody(challenge: work.challenge, bits: work.bits, solution: solution)
        return body
    }
}

/// The search for a number whose digest begins with zero bits.
enum ProofOfWork {
    /// More would take a phone longer than the challenge is good.
    static let maximumBits = 24
    /// Each try hashes the challenge anew. Those of a server have less than 100 bytes.
    private static let maximumChallengeBytes = 1024

    /// Searches in a task of its own, so that neither the screen nor other calls wait.
    ///
    /// - Returns: `nil` for a challenge that asks for too much, and when the task was cancelled.
    static func solution(of work: FirstLaunchDemandBody.Work) async -> String? {
        guard work.bits <= maximumBits, work.challenge.utf8.count <= maximumChallengeBytes else { return nil }
        let search = Task.detached(priority: .userInitiated) { () -> String? in
            let prefix = Array("\(work.challenge).".utf8)
            // Sixteen times the tries that the most bits need on average: only one search in ten million ends without.
            for number in 0..<(1 << (maximumBits + 4)) {
                if number & 0xfff == 0, Task.isCancelled { return nil }
                let text = String(number, radix: 16)
                if zeroBits(of: SHA256.hash(data: prefix + Array(text.utf8))) >= work.bits { return text }
            }
            return nil
        }
        return await withTaskCancellationHandler {
            await search.value
        } onCancel: {
            search.cancel()
        }
    }

    private static func zeroBits(of digest: some Sequence<UInt8>) -> Int {
        var count = 0
        for byte in digest {
            count += byte.leadingZeroBitCount
            if byte != 0 { break }
        }
        return count
    }
}

extension SessionKeeper {
    /// The call with what the server demanded of it.
    ///
    /// - Returns: `nil` when nothing helps.
    func meet(_ problem: Problem, for call: APICall, key: any DeviceKey) async throws(OkaeriError) -> APICall? {
        guard var launch = call.firstLaunch else { return nil }
        let body = await launch.next(
            after: problem, key: key.publicKey.thumbprint, attestor: configuration.attestor)
        guard let body else { return nil }
        var next = try APICall(call.method, call.path, body: body, idempotencyKey: call.idempotencyKey)
        next.firstLaunch = launch
        return next
    }
}
