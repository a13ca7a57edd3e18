public import Foundation
public import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// Verifies webhooks with the events of users, and questions of hooks, signed by the specification of Standard Webhooks.
///
/// An event comes at least once: remember its id for some days, and answer 200 to one that you know.
public struct WebhookVerifier: Sendable {
    private static let prefix = "whsec_"
    private static let maximumBodyBytes = 1024 * 1024
    /// More signatures than a sender with two secrets has.
    private static let maximumSignatures = 16

    private let keys: [SymmetricKey]
    private let tolerance: Int64
    private let clock: any VerifierClock

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - secrets: The endpoint's secrets, `whsec_…`: while one takes the place of another, both.
    ///   - tolerance: How old a webhook may be, and how far ahead its clock; an hour at the most.
    ///   - clock: The time.
    /// - Throws: `secretMalformed`, also without any secret.
    public init(
        secrets: [String], tolerance: Duration = .seconds(300), clock: any VerifierClock = SystemVerifierClock()
    ) throws(VerificationError) {
        var keys: [SymmetricKey] = []
        for secret in secrets {
            guard secret.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(secret.dropFirst(6))),
                bytes.count >= 16
            else { throw .secretMalformed }
            keys.append(SymmetricKey(data: bytes))
        }
        guard !keys.isEmpty else { throw .secretMalformed }
        self.keys = keys
        self.tolerance = min(max(tolerance.components.seconds, 0), 3600)
        self.clock = clock
    }

    /// Verifies a webhook. Nothing of its body is looked at before its signature is known to be right.
    ///
    /// - Parameters:
    ///   - body: The bytes of the body as they came.
    ///   - header: Gives a header of the request by its name in small letters.
    /// - Returns: The event.
    /// - Throws: `VerificationError`.
    public func verify(
        _ body: Data, header: (_ name: String) -> String?
    ) throws(VerificationError) -> EventBody {
        try verified(body, header)
    }

    /// Verifies the question of a hook, which a `HookDecisionBody` answers.
    ///
    /// - Parameters:
    ///   - body: The bytes of the body as they came.
    ///   - header: Gives a header of the request by its name in small letters.
    /// - Returns: The question.
    /// - Throws: `VerificationError`.
    public func verifyHook(
        _ body: Data, header: (_ name: String) -> String?
    ) throws(VerificationError) -> HookBody {
        try verified(body, header)
    }

    private func verified<Body: Decodable>(
        _ body: Data, _ header: (_ name: String) -> String?
    ) throws(VerificationError) -> Body {
        guard let id = header("webhook-id"), let time = header("webhook-timestamp"), !id.isEmpty,
            let signatures = header("webhook-signature"), id.utf8.count <= 256, signatures.utf8.count <= 4096,
            body.count <= Self.maximumBodyBytes
        else { throw .malformed }
        guard (1...12).contains(time.utf8.count), let seconds = Int64(time, radix: 10), seconds >= 0 else {
            throw .malformed
        }
        let candidates = signatures.split(separator: " ").prefix(Self.maximumSignatures).compactMap { text -> Data? in
            text.hasPrefix("v1,") ? Data(base64Encoded: String(text.dropFirst(3))) : nil
        }
        let signed = Data("\(id).\(time).".utf8) + body
        // Each comparison takes the same time wherever the difference is, and all are made.
        var isSigned = false
        for key in keys {
            for candidate in candidates
            where HMAC<SHA256>.isValidAuthenticationCode(candidate, authenticating: signed, using: key) {
                isSigned = true
            }
        }
        guard isSigned else { throw .signatureRefused }
        let now = clock.seconds
        guard (now - tolerance...now + tolerance).contains(seconds) else { throw .timeRefused }
        do {
            return try JSONValue(parsing: Array(body), maximumDepth: 32).decoded(as: Body.self)
        } catch {
            throw .malformed
        }
    }
}
