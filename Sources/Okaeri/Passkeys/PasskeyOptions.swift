import Foundation
@_spi(Base64URL) import OkaeriWire

/// The server's options as values for an authenticator. Nothing of them is believed: what has another form or is too long
/// is refused, before the system sees it.
enum PasskeyOptions {
    /// WebAuthn level 3, §5.4.3.
    private static let maximumHandleBytes = 64
    private static let maximumChallengeBytes = 1024
    private static let maximumCredentialBytes = 1023
    /// Names are cut, as authenticators do (§6.4.1).
    private static let maximumNameCharacters = 64
    private static let maximumCredentials = 100
    /// In milliseconds. A challenge of less is of no use to a person.
    private static let lifetimes: ClosedRange<Int64> = 30_000...600_000

    static func creation(_ options: PasskeyCreationOptions) throws(OkaeriError) -> PasskeyCreation {
        guard options.excludeCredentials.count <= maximumCredentials,
            options.pubKeyCredParams.count <= maximumCredentials
        else { throw .passkeyRefused(.optionsMalformed) }
        var excluded: [Data] = []
        for known in options.excludeCredentials {
            excluded.append(try bytes(known.id, atMost: maximumCredentialBytes))
        }
        return PasskeyCreation(
            domain: try domain(options.rp.id), applicationName: name(options.rp.name),
            userHandle: try bytes(options.user.id, atMost: maximumHandleBytes), userName: name(options.user.name),
            displayName: name(options.user.displayName ?? options.user.name),
            challenge: try bytes(options.challenge, atMost: maximumChallengeBytes),
            algorithms: options.pubKeyCredParams.filter { $0.type == "public-key" }.map(\.alg), excluded: excluded,
            userVerification: verification(options.authenticatorSelection.userVerification))
    }

    static func request(
        _ options: PasskeyRequestOptions, _ presentation: PasskeyPresentation
    ) throws(OkaeriError) -> PasskeyRequest {
        let milliseconds = min(max(options.timeout, lifetimes.lowerBound), lifetimes.upperBound)
        return PasskeyRequest(
            domain: try domain(options.rpId), challenge: try bytes(options.challenge, atMost: maximumChallengeBytes),
            userVerification: verification(options.userVerification), presentation: presentation,
            lifetime: .milliseconds(milliseconds))
    }

    private static func bytes(_ text: String, atMost maximum: Int) throws(OkaeriError) -> Data {
        guard text.utf8.count <= maximum * 4 / 3 + 3, let bytes = Base64URL.bytes(of: text.utf8),
            (1...maximum).contains(bytes.count)
        else { throw .passkeyRefused(.optionsMalformed) }
        return Data(bytes)
    }

    /// Lower-case letters, digits and hyphens between dots.
    private static func domain(_ text: String) throws(OkaeriError) -> String {
        let isDomain =
            (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
        guard isDomain else { throw .passkeyRefused(.optionsMalformed) }
        return text
    }

    private static func name(_ text: String) -> String { String(text.prefix(maximumNameCharacters)) }

    /// What this version does not know is no reason to ask for less than the standard.
    private static func verification(_ word: String) -> PasskeyUserVerification {
        PasskeyUserVerification(rawValue: word) ?? .preferred
    }
}

extension CreatedPasskey {
    /// In the form of `RegistrationResponseJSON`.
    var body: PasskeyRegistration {
        PasskeyRegistration(
            id: Base64URL.text(of: id),
            response: .init(
                clientDataJSON: Base64URL.text(of: clientDataJSON),
                attestationObject: Base64URL.text(of: attestationObject), transports: transports))
    }
}

extension PasskeyProof {
    /// In the form of `AuthenticationResponseJSON`.
    var body: PasskeyAuthentication {
        PasskeyAuthentication(
            id: Base64URL.text(of: assertion.id),
            response: .init(
                clientDataJSON: Base64URL.text(of: assertion.clientDataJSON),
                authenticatorData: Base64URL.text(of: assertion.authenticatorData),
                signature: Base64URL.text(of: assertion.signature),
                userHandle: Base64URL.text(of: assertion.userHandle)))
    }
}
