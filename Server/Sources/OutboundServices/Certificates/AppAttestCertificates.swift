import Crypto
package import Domain
import Foundation
import SwiftASN1

/// The certificates of App Attest, under Apple's own root.
package struct AppAttestCertificates: AttestationCertificates {
    /// Where Apple's certificates hold the nonce.
    private static let nonceExtension = "1.2.840.113635.100.8.2"

    private let roots: [[UInt8]]
    private let chains = CertificateChains()

    /// - Parameter furtherRoots: What a chain may end with beside Apple's root, in DER: a fake's own.
    package init(furtherRoots: [[UInt8]] = []) {
        roots = [Self.appleRoot] + furtherRoots
    }

    package func certified(_ chain: [[UInt8]], at now: Timestamp) -> CertifiedKey? {
        guard let leaf = chains.verify(chain, roots: roots, at: now), !leaf.isAuthority,
            // A key of another kind is none of App Attest.
            let key = try? P256.Signing.PublicKey(derRepresentation: leaf.publicKey),
            let value = leaf.extensions[Self.nonceExtension]?.value, let nonce = Self.nonce(value)
        else { return nil }
        return CertifiedKey(publicKey: Array(key.x963Representation), nonce: nonce)
    }

    /// A sequence with one element, tagged 1, that holds the octets.
    private static func nonce(_ bytes: [UInt8]) -> [UInt8]? {
        // What cannot be read holds no nonce.
        guard let sequence = try? DER.parse(bytes), sequence.identifier == .sequence,
            case .constructed(let members) = sequence.content, let only = Array(members).first,
            only.identifier == ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific),
            case .constructed(let inner) = only.content, let octets = Array(inner).first,
            let string = try? ASN1OctetString(derEncoded: octets), string.bytes.count == 32
        else { return nil }
        return Array(string.bytes)
    }

    /// "Apple App Attestation Root CA", from https://www.apple.com/certificateauthority/, until March 2045. SHA-256
    /// `1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932`.
    static let appleRoot: [UInt8] = {
        let text = """
            MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYwJAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24g\
            Um9vdCBDQTETMBEGA1UECgwKQXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNaFw00NTAzMTUwMDAw\
            MDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlvbiBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApD\
            YWxpZm9ybmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdhNbJhFs/Ii2FdCgAHGbpphY3+d8qjuDng\
            IN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9auYen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/MB0GA1Ud\
            DgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e\
            8EeDS4+sQmTvb7vn53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijVoyFraWVIyd/dganmrduC1bmT\
            BGwD
            """
        return Data(base64Encoded: text).map(Array.init) ?? []
    }()
}
