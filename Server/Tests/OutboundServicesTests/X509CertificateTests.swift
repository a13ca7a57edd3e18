import Domain
import Foundation
import Testing

@testable import OutboundServices

/// Certificates that real tools and authorities wrote; chains are tested by log-ins (`GameCenterTests`).
@Suite("Certificates")
struct X509CertificateTests {
    private static func certificate(_ name: String) throws -> X509Certificate? {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fuzzing/Corpus/certificate").standardizedFileURL
        return X509Certificate(parsing: Array(try Data(contentsOf: folder.appending(path: name))))
    }

    @Test("the root in the program is DigiCert's, as Mozilla's list has it")
    func root() throws {
        let root = try #require(X509Certificate(parsing: GameCenterCertificates.digiCertTrustedRootG4))
        #expect(root.organizations == ["DigiCert Inc"] && root.extensions.isAuthority && root.isSigned(by: root))
        // 2013-08-01 12:00 and 2038-01-15 12:00.
        #expect(root.start == Timestamp(milliseconds: 1_375_358_400_000))
        #expect(root.end == Timestamp(milliseconds: 2_147_169_600_000))
        #expect(!root.isValid(at: root.end + .seconds(1)) && root.isValid(at: root.end))
    }

    @Test("the root of attestations is Apple's, signed by ECDSA on P-384, and alone certifies nothing")
    func attestationRoot() throws {
        let root = try #require(X509Certificate(parsing: AppAttestCertificates.appleRoot))
        #expect(root.organizations == ["Apple Inc."] && root.extensions.isAuthority && root.isSigned(by: root))
        #expect(root.rsaKey == nil)
        // 2020-03-18 18:32:53 and 2045-03-15 00:00.
        #expect(root.start == Timestamp(milliseconds: 1_584_556_373_000))
        #expect(root.end == Timestamp(milliseconds: 2_373_148_800_000))
        let certificates = AppAttestCertificates()
        for chain in [[], [AppAttestCertificates.appleRoot], [GameCenterCertificates.digiCertTrustedRootG4], [[]]] {
            #expect(certificates.certified(chain, at: root.start + .days(1)) == nil)
        }
    }

    @Test("a certificate for code signing says who owns it, what it may, and who issued it")
    func leaf() throws {
        let leaf = try #require(try Self.certificate("leaf"))
        #expect(leaf.organizations == ["Apple Inc."] && leaf.rsaKey != nil)
        #expect(leaf.extensions.maySignCode && leaf.extensions.maySignData)
        #expect(!leaf.extensions.isAuthority && !leaf.extensions.maySignCertificates)
        #expect(
            leaf.extensions.issuerURLs == [
                "http://cacerts.digicert.com/DigiCertTrustedG4CodeSigningRSA4096SHA3842021CA1.crt"
            ])
        // Its own key fits, and still it is no authority.
        #expect(!leaf.isSigned(by: leaf))
    }

    @Test("another kind of key is none, and a critical extension that is not understood is the end")
    func others() throws {
        #expect(try Self.certificate("ec")?.rsaKey == nil)
        #expect(try Self.certificate("critical") == nil)
    }

    @Test("whatever is cut, changed or too long is unreadable or another certificate")
    func broken() throws {
        let bytes = GameCenterCertificates.digiCertTrustedRootG4
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(X509Certificate(parsing: Array(bytes.prefix(length))) == nil)
        }
        let root = try #require(X509Certificate(parsing: bytes))
        for index in stride(from: 0, to: bytes.count, by: 5) {
            var changed = bytes
            changed[index] ^= 1
            guard let other = X509Certificate(parsing: changed) else { continue }
            #expect(!other.isSigned(by: root), "byte \(index)")
        }
        #expect(X509Certificate(parsing: bytes + [0]) == nil)
        #expect(X509Certificate(parsing: [UInt8](repeating: 0x30, count: 100_000)) == nil)
    }
}
