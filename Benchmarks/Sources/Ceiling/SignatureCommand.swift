import ArgumentParser
import Crypto
import Foundation
import Measuring

/// How much processor time does one ES256 check take?
///
/// That is what RFC 7515 §5.2 asks for alone: the public key from its coordinates, the signature from its 64 bytes, and
/// the check over a proof of the usual length. Base64 and JSON are not in it.
struct SignatureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "signature", abstract: "Check ES256 signatures.")

    @Option(help: "Seconds to measure.")
    var seconds = 3.0

    func run() throws {
        let proofs = try (0..<64).map { _ in try Proof() }
        // Warm up, then measure.
        try check(proofs, seconds: 0.3)
        print(
            try CeilingResult(name: "signature", microsecondsPerRequest: try check(proofs, seconds: seconds)).line)
    }

    @discardableResult
    private func check(_ proofs: [Proof], seconds: Double) throws -> Double {
        let start = ProcessorTime.now
        var count = 0
        while ProcessorTime.now - start < seconds * 1_000_000 {
            for proof in proofs where try !proof.holds { throw ExitCode.failure }
            count += proofs.count
        }
        return (ProcessorTime.now - start) / Double(count)
    }
}

private struct Proof {
    let point: Data
    let signed: Data
    let signature: Data

    init() throws {
        let key = P256.Signing.PrivateKey()
        point = key.publicKey.x963Representation
        let text = try DeviceKey(key).proof(
            method: "POST", address: "http://127.0.0.1:8080/v1/log-in/automatic", at: 1_790_000_000,
            identifier: "00000000-0000-0000-0000-000000000000")
        signed = Data(text.prefix(upTo: text.lastIndex(of: ".") ?? text.endIndex).utf8)
        signature = try key.signature(for: signed).rawRepresentation
    }

    var holds: Bool {
        get throws {
            let key = try P256.Signing.PublicKey(x963Representation: point)
            return key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
        }
    }
}
