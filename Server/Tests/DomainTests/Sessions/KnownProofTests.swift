import Domain
import Testing

/// Proofs that were made elsewhere, so that a mistake that maker and verifier share is found.
@Suite("The proofs printed in RFC 9449")
struct KnownProofTests {
    /// §4.1: a proof for a request to a token endpoint.
    private static let plain = [
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rsc",
        "EJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In",
        "19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIi",
        "wiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3",
        "Lg",
    ].joined()
    /// §7.1: a proof for a resource, bound to an access token.
    private static let bound = [
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rsc",
        "EJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In",
        "19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZW",
        "N0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9",
        ".2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA",
    ].joined()
    /// The access token that the second proof is bound to.
    private static let token = Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
    /// The thumbprint of the key of both, as §6.1 prints it.
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private let verify = ProofVerifier()

    @Test("the thumbprint of the key is the one that is printed (RFC 7638)")
    func thumbprint() {
        let text = PublicKeyThumbprint.text(
            x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")
        #expect(text == Self.thumbprint)
    }

    @Test("hold at their time, for their request, and tell that thumbprint")
    func holds() throws {
        let plain = try verify(
            try presented(Self.plain, "POST", "https://server.example.com/token"), at: Self.time(1_562_262_616))
        #expect(plain.thumbprint == Self.thumbprint)
        let bound = try verify(
            try presented(Self.bound, "GET", "https://resource.example.org/protectedresource"), token: Self.token,
            at: Self.time(1_562_262_618))
        #expect(bound.thumbprint == Self.thumbprint)
    }

    @Test("are refused an hour later, for another request, and with another token or none in them")
    func refused() throws {
        let request = try presented(Self.plain, "POST", "https://server.example.com/token")
        let later = Self.time(1_562_262_616 + 3600)
        #expect(throws: DomainError.clockSkew(serverTime: later)) { try verify(request, at: later) }
        #expect(throws: DomainError.proofRefused(.target)) {
            try verify(
                try presented(Self.plain, "POST", "https://server.example.com/other"), at: Self.time(1_562_262_616))
        }
        #expect(throws: DomainError.proofRefused(.accessToken)) {
            try verify(request, token: Self.token, at: Self.time(1_562_262_616))
        }
        #expect(throws: DomainError.proofRefused(.accessToken)) {
            try verify(
                try presented(Self.bound, "GET", "https://resource.example.org/protectedresource"),
                token: Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxV"), at: Self.time(1_562_262_618))
        }
    }

    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    private func presented(_ text: String, _ method: String, _ target: String) throws -> PresentedProof {
        PresentedProof(text: text, method: method, target: try #require(ProofTarget(target)))
    }
}
