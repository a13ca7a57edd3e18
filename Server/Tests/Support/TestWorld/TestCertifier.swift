package import Crypto
package import Domain
import Foundation

/// A maker of security keys, with certificates of openssl's: a root and an authority below it with keys of P-384, and the
/// certificate of one kind of authenticators. They are valid from November 2026 for a hundred years.
package struct TestCertifier: Sendable {
    /// The kind that the last certificate is for.
    package static let aaguid: [UInt8] = Array(1...16)
    /// A moment at which they are valid: in 2030.
    package static let moment = Timestamp(milliseconds: 1_900_000_000_000)

    /// The key of the last certificate.
    package var key: P256.Signing.PrivateKey
    /// In DER, the kind's first, without the root.
    package var chain: [[UInt8]]

    /// - Throws: when the library does not read the key.
    package init() throws {
        key = try P256.Signing.PrivateKey(derRepresentation: Self.bytes(Self.keyText))
        chain = [Self.bytes(Self.leafText), Self.bytes(Self.issuerText)]
    }

    package static var root: [UInt8] { bytes(rootText) }
    package static var rootPEM: String { "-----BEGIN CERTIFICATE-----\n\(rootText)\n-----END CERTIFICATE-----\n" }

    private static func bytes(_ text: String) -> [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }

    private static let keyText =
        "MHcCAQEEIOGrR4EwQDqJnJ1XDd998dZhq03xJ2U0LFbYWt4VSv8YoAoGCCqGSM49AwEHoUQDQgAEzGdmSL7G4GozWJnkZ+z64Ylo"
        + "b5/PFOdI2UPm1OwClEMdB+/5BzrbDoJ5XEBZJvYqTI2duUDhzLHG6GF0RmIfHA=="
    private static let leafText =
        "MIICIzCCAamgAwIBAgIBAzAKBggqhkjOPQQDAjA/MQswCQYDVQQGEwJTRTEVMBMGA1UECgwMRXhhbXBsZSBLZXlzMRkwFwYDVQQD"
        + "DBBFeGFtcGxlIEtleXMgU3ViMCAXDTI2MTEyMzA0NTU1M1oYDzIxMjYxMDMwMDQ1NTUzWjBgMQswCQYDVQQGEwJTRTEVMBMGA1UE"
        + "CgwMRXhhbXBsZSBLZXlzMSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uMRYwFAYDVQQDDA1FeGFtcGxlIEtleSAx"
        + "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzGdmSL7G4GozWJnkZ+z64Ylob5/PFOdI2UPm1OwClEMdB+/5BzrbDoJ5XEBZJvYq"
        + "TI2duUDhzLHG6GF0RmIfHKNzMHEwDAYDVR0TAQH/BAIwADAhBgsrBgEEAYLlHAEBBAQSBBABAgMEBQYHCAkKCwwNDg8QMB0GA1Ud"
        + "DgQWBBR+m8Rr3DxiLBrYojA3BjB9N9BKPjAfBgNVHSMEGDAWgBRfeIG6J+NyXTuoHyBi0S8g/a1x6DAKBggqhkjOPQQDAgNoADBl"
        + "AjBJTGV90Jff5bwFzJnXB3VH5rMiSwOTEDP/bp4U4/rxaQAUiTuvBROVITauT14LWRwCMQDkcYeue/2fElE0CqDJ+t+T2HTqVeQB"
        + "Aub+uElTf4ED1vOHkFbj+PmyIvqq8ozUTJE="
    private static let issuerText =
        "MIICFDCCAZmgAwIBAgIBAjAKBggqhkjOPQQDAzBAMQswCQYDVQQGEwJTRTEVMBMGA1UECgwMRXhhbXBsZSBLZXlzMRowGAYDVQQD"
        + "DBFFeGFtcGxlIEtleXMgUm9vdDAgFw0yNjExMjMwNDU1NTJaGA8yMTI2MTAzMDA0NTU1MlowPzELMAkGA1UEBhMCU0UxFTATBgNV"
        + "BAoMDEV4YW1wbGUgS2V5czEZMBcGA1UEAwwQRXhhbXBsZSBLZXlzIFN1YjB2MBAGByqGSM49AgEGBSuBBAAiA2IABOFsnUaPe5P3"
        + "gVFvhVVRcmV/sczdJs7o/HkJeYT22HEkWEwg2ccsvsPnR67Uk8KZiAHDk2YO7uKHjfmbEh3n6x7awzeCMXDj1O0oICj01Ct3fPlh"
        + "h8KkGH2OVtBGvs2Ia6NmMGQwEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFF94gbon43JdO6gf"
        + "IGLRLyD9rXHoMB8GA1UdIwQYMBaAFGAM1PBHgMUYgeGijVf6QKhYSLrhMAoGCCqGSM49BAMDA2kAMGYCMQCG+OdQzO7oEkQXLEjo"
        + "wo1H/+gKPw5o2gQRYByx4tlAcIYb5SSR1IgmxWul3Ub67rcCMQCY8hTtDnF1t7Cj5XjsEL2d1IIEKpzCA//q8qKaY2x/frwtZeEw"
        + "SqCUOJPeBvzxCVY="
    private static let rootText =
        "MIICBjCCAYygAwIBAgIUWa18W2XbcSafSAeCTupZ/iu8Q9wwCgYIKoZIzj0EAwMwQDELMAkGA1UEBhMCU0UxFTATBgNVBAoMDEV4"
        + "YW1wbGUgS2V5czEaMBgGA1UEAwwRRXhhbXBsZSBLZXlzIFJvb3QwIBcNMjYxMTIzMDQ1NTUyWhgPMjEyNjEwMzAwNDU1NTJaMEAx"
        + "CzAJBgNVBAYTAlNFMRUwEwYDVQQKDAxFeGFtcGxlIEtleXMxGjAYBgNVBAMMEUV4YW1wbGUgS2V5cyBSb290MHYwEAYHKoZIzj0C"
        + "AQYFK4EEACIDYgAEXdBxWNmdP8k55tuK79z0n00+8nKF0fqEA5FvOMrAraZxCj2G5D/KvwC3R2MBxH6WkhuBLfLDVsWXSwQSDpiu"
        + "eJeQ+cjzrrD3NFAKjXVsIXz9RXmG8KRPAdRhqT9pjvpyo0UwQzASBgNVHRMBAf8ECDAGAQH/AgEBMA4GA1UdDwEB/wQEAwIBBjAd"
        + "BgNVHQ4EFgQUYAzU8EeAxRiB4aKNV/pAqFhIuuEwCgYIKoZIzj0EAwMDaAAwZQIxAIpz7DCGt/04q1ONblr0Inv5s/BnrW/kSKTb"
        + "vFFwLw3WwRnLmWAnzlKVfbQX2TkgjAIwdaH2LEHicYi2FHYk3oeHCdvTiSBvAReKY4vJonIaiv8aU92uIX51dMdbNo9vCN+Q"
}
