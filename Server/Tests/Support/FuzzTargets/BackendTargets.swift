import Crypto
import Foundation
import OkaeriVerifier

/// Gives the same keys to everybody who asks.
private struct FuzzKeySource: KeySetSource {
    let answer: KeySetAnswer

    func keySet(at url: URL) async throws -> KeySetAnswer { answer }
}

/// The instant of `FuzzClock`.
private struct FuzzVerifierClock: VerifierClock {
    static let seconds = 1_795_305_600

    var now: Date { Date(timeIntervalSince1970: TimeInterval(Self.seconds)) }
}

extension FuzzTarget {
    /// What an app's backend receives, and gives to the library that verifies it. Each as it came, and as what stands behind a
    /// good signature.
    static let backend = [
        FuzzTarget("backend-request") { input in
            let (line, rest) = input.firstLine
            let (header, proof) = (String(input: line), String(input: rest))
            waiting {
                await verify(header, proof)
                let unsigned = FuzzKey.unsignedToken(header: accessTokenHeader, claims: input)
                let fault = await verify("Bearer \(unsigned)", nil)
                expect(fault != nil, "a token without a signature is refused")
                guard fault == .signatureRefused else { return }
                let signed = FuzzKey.shared.token(header: accessTokenHeader, claims: input)
                await verify("Bearer \(signed)", nil)
                await verify("DPoP \(signed)", proof)
            }
        },
        FuzzTarget("backend-proof", maximumBytes: 2048) { input in
            waiting {
                let unsigned = FuzzKey.unsignedToken(header: FuzzKey.proofHeader, claims: input)
                let fault = await proofFault(unsigned)
                expect(fault != nil, "a proof without a signature is refused")
                guard fault == .signatureRefused else { return }
                _ = await proofFault(FuzzKey.shared.token(header: FuzzKey.proofHeader, claims: input))
            }
        },
        FuzzTarget("backend-key-set") { input in
            let (line, rest) = input.firstLine
            let answer = KeySetAnswer(body: Data(rest), cacheControl: String(input: line))
            waiting { _ = try? await tokenVerifier(answer).verify(emptyToken) }
        },
        FuzzTarget("backend-webhook") { input in
            guard let verifier = try? WebhookVerifier(secrets: [secret], clock: FuzzVerifierClock()) else { return }
            let names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
            let lines = input.split(separator: 0x0a, maxSplits: names.count, omittingEmptySubsequences: false)
            _ = try? verifier.verify(Data(lines.count > names.count ? Array(lines[names.count]) : [])) { name in
                guard let index = names.firstIndex(of: name), index < lines.count else { return nil }
                return String(input: Array(lines[index]))
            }
            let time = String(FuzzVerifierClock.seconds)
            let signature = HMAC<SHA256>.authenticationCode(
                for: Data("a.\(time).".utf8) + Data(input), using: SymmetricKey(data: secretBytes))
            let headers = [
                names[0]: "a", names[1]: time, names[2]: "v1,\(Data(signature).base64EncodedString())",
            ]
            _ = try? verifier.verify(Data(input)) { headers[$0] }
            _ = try? verifier.verifyHook(Data(input)) { headers[$0] }
        },
    ]

    private static let accessTokenHeader = #"{"alg":"ES256","typ":"at+jwt","kid":"k"}"#
    private static let address = URL(string: "https://api.example.com/articles")
    private static let secretBytes = Data(repeating: 7, count: 32)
    private static var secret: String { "whsec_\(secretBytes.base64EncodedString())" }

    private static var proofVerifier: ProofVerifier {
        ProofVerifier(replays: MemoryReplayCache(clock: FuzzVerifierClock()), clock: FuzzVerifierClock())
    }

    private static func tokenVerifier(_ answer: KeySetAnswer) -> TokenVerifier {
        TokenVerifier(
            issuer: "https://id.example.com", audiences: ["articles"],
            keys: KeySet(
                url: URL(fileURLWithPath: "/keys"), source: FuzzKeySource(answer: answer), clock: FuzzVerifierClock()),
            clock: FuzzVerifierClock())
    }

    /// It reads the key set once.
    private static let honestTokens = tokenVerifier(
        KeySetAnswer(body: Data(#"{"keys":[{"kid":"k",\#(FuzzKey.shared.members)}]}"#.utf8)))
    private static let emptyToken = FuzzKey.shared.token(header: accessTokenHeader, claims: Array("{}".utf8))

    /// Why a request does not count; `nil` when it does.
    @discardableResult
    private static func verify(_ authorization: String, _ proof: String?) async -> VerificationError? {
        guard let address else { return nil }
        do throws(VerificationError) {
            _ = try await RequestVerifier(tokens: honestTokens, proofs: proofVerifier).verify(
                authorization: authorization, proof: proof, method: "GET", url: address)
            return nil
        } catch {
            return error
        }
    }

    /// Why a proof does not count; `nil` when it does.
    private static func proofFault(_ proof: String) async -> VerificationError? {
        guard let address else { return nil }
        do throws(VerificationError) {
            try await proofVerifier.verify(
                proof, method: "GET", url: address, token: "token", boundTo: FuzzKey.shared.thumbprint)
            return nil
        } catch {
            return error
        }
    }
}
