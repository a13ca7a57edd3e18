import CryptoExtras
package import Domain
import Foundation

/// The keys that Game Center signs with: certificates at Apple's addresses, checked up to a root that is known here.
///
/// Apple's documentation says "verify with the appropriate signing authority that Apple signed the public key". The
/// authority is DigiCert: a certificate for code signing whose owner is Apple Inc., under "DigiCert Trusted Root G4".
package struct GameCenterCertificates: Sendable {
    /// Certificates that are kept, with those of their issuers: more than can be asked for at once.
    private static let maximumDocuments = 2 * IdentityProviders.lanesOfNamed
    /// Addresses that were never asked before, in a minute and an application: clients choose them.
    private static let newAddressesPerMinute = 30
    private static let maximumAddressBytes = 200
    private static let owner = "Apple Inc."
    private static let issuerHosts = ["http://cacerts.digicert.com", "https://cacerts.digicert.com"]

    private static let gameCenterRoots = [digiCertTrustedRootG4].compactMap(X509Certificate.init)

    private let base: String?
    private let issuers: String
    private let roots: [X509Certificate]
    private let documents: RemoteDocuments<X509Certificate>

    /// - Parameters:
    ///   - base: The address that all certificates are under; `nil` for every host of Apple's.
    ///   - issuers: Where the certificates of DigiCert are.
    ///   - furtherRoots: What a chain may end with besides the root of Game Center, in DER.
    ///   - call: Asks for them.
    ///   - clock: The time.
    package init(at base: String?, issuers: String, furtherRoots: [[UInt8]], call: any WebCaller, clock: any WallClock)
    {
        self.base = base
        self.issuers = issuers
        roots = Self.gameCenterRoots + furtherRoots.compactMap(X509Certificate.init)
        documents = RemoteDocuments(
            call: call, clock: clock,
            bounds: .init(documents: Self.maximumDocuments, newAddressesPerMinute: Self.newAddressesPerMinute)
        ) { bytes, _ in X509Certificate(parsing: bytes) }
    }

    /// The key of the certificate at an address, which a client of an application names.
    ///
    /// - Throws: `providerTokenRefused(.certificate)`, `providerUnavailable`.
    func key(
        at url: String, for application: Identifier<Application>, at now: Timestamp
    ) async throws(DomainError) -> _RSA.Signing.PublicKey {
        guard isApples(url) else { throw .providerTokenRefused(.certificate) }
        let certificate = try await documents.document(at: url, for: application)
        guard let address = certificate.extensions.issuerURLs.lazy.compactMap(issuerAddress).first else {
            throw .providerTokenRefused(.certificate)
        }
        let issuer = try await documents.document(at: address, for: application)
        guard isChain(certificate, issuer, at: now), let key = certificate.rsaKey else {
            throw .providerTokenRefused(.certificate)
        }
        documents.prove([url, address])
        return key
    }

    /// Whether a certificate's address is one of Apple's own: https, a name under apple.com, no port, name or query in
    /// it, a file with the ending of certificates.
    private func isApples(_ url: String) -> Bool {
        guard url.utf8.count <= Self.maximumAddressBytes, url.hasSuffix(".cer") else { return false }
        if let base { return url.hasPrefix("\(base)/") && Self.isPath(url.utf8.dropFirst(base.utf8.count)) }
        let scheme = "https://"
        guard url.hasPrefix(scheme) else { return false }
        let rest = url.utf8.dropFirst(scheme.utf8.count)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let host = rest[..<slash]
        return host.suffix(10).elementsEqual(".apple.com".utf8) && Self.isName(host) && Self.isPath(rest[slash...])
    }

    private static func isName(_ bytes: Substring.UTF8View) -> Bool {
        bytes.first != UInt8(ascii: ".")
            && bytes.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e }
    }

    private static func isPath(_ bytes: Substring.UTF8View) -> Bool {
        bytes.firstRange(of: "..".utf8) == nil
            && bytes.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte) || (0x2d...0x39).contains(byte)
                    || byte == 0x5f
            }
    }

    /// Where an issuer's certificate is read: DigiCert writes http, and answers by https too. What is read is believed
    /// for its signature alone.
    private func issuerAddress(_ url: String) -> String? {
        for host in Self.issuerHosts where url.hasPrefix("\(host)/") && url.utf8.count <= Self.maximumAddressBytes {
            let path = url.utf8.dropFirst(host.utf8.count)
            return Self.isPath(path) ? "\(issuers)\(Substring(path))" : nil
        }
        return nil
    }

    private func isChain(_ certificate: X509Certificate, _ issuer: X509Certificate, at now: Timestamp) -> Bool {
        guard certificate.organizations == [Self.owner], certificate.extensions.maySignCode,
            certificate.extensions.maySignData, !certificate.extensions.isAuthority, issuer.extensions.maySignCode
        else { return false }
        return CertificateChains.holds([certificate, issuer], roots: roots, at: now)
    }

    /// "DigiCert Trusted Root G4", from Mozilla's list, until January 2038. SHA-256
    /// `552f7bdcf1a7af9e6ce672017f4f12abf77240c78e761ac203d1d9d20ac89988`.
    static let digiCertTrustedRootG4: [UInt8] = {
        let text = """
            MIIFkDCCA3igAwIBAgIQBZsbV56OITLiOQe9p3d1XDANBgkqhkiG9w0BAQwFADBiMQswCQYDVQQGEwJVUzEVMBMGA1UEChMMRGln\
            aUNlcnQgSW5jMRkwFwYDVQQLExB3d3cuZGlnaWNlcnQuY29tMSEwHwYDVQQDExhEaWdpQ2VydCBUcnVzdGVkIFJvb3QgRzQwHhcN\
            MTMwODAxMTIwMDAwWhcNMzgwMTE1MTIwMDAwWjBiMQswCQYDVQQGEwJVUzEVMBMGA1UEChMMRGlnaUNlcnQgSW5jMRkwFwYDVQQL\
            ExB3d3cuZGlnaWNlcnQuY29tMSEwHwYDVQQDExhEaWdpQ2VydCBUcnVzdGVkIFJvb3QgRzQwggIiMA0GCSqGSIb3DQEBAQUAA4IC\
            DwAwggIKAoICAQC/5pBzaN675F1KPDAiMGkz7MKnJS7JIT3yithZwuEppz1Yq3aaza57G4QNxDAf8xukOBbrVsaXbR2rsnnyyhHS\
            5F/WBTxSD1Ifxp4VpX6+n6lXFllVcq9ok3DCsrp1mWpzMpTREEQQLt+C8weE5nQ7bXHiLQwb7iDVySAdYyktzuxeTsiT+CFhmzTr\
            BcZe7FsavOvJz82sNEBfsXpm7nfISKhmV1efVFiODCu3T6cw2Vbuyntd463JT17lNecxy9qTXtyOj4DatpGYQJB5w3jHtrHEtWoY\
            OAMQjdjUN6QuBX2I9YI+EJFwq1WCQTLX2wRzKm6RAXwhTNS8rhsDdV14Ztk6MUSaM0C/CNdaSaTC5qmgZ92kJ7yhTzm1EVgX9yRc\
            Ro9k98FpiHaYdj1ZXUJ2h4mXaXpI8OCiEhtmmnTK3kse5w5jrubU75KSOp493ADkRSWJtppEGSt+wJS00mFt6zPZxd9LBADMfRyV\
            w4/3IbKyEbe7f/LVjHAsQWCqsWMYRJUadmJ+9oCw++hkpjPRiQfhvbfmQ6QYuKZ3AeEPlAwhHbJUKSWJbOUOUlFHdL4mrLZBdd56\
            rF+NP8m800ERElvlEFDrMcXKchYiCd98THU/Y+whX8QgUWtvsauGi0/C1kVfnSD8oR7FwI+isX4KJpn15GkvmB0t9dmpsh3lGwID\
            AQABo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBhjAdBgNVHQ4EFgQU7NfjgtJxXWRM3y5nP+e6mK4cD08wDQYJ\
            KoZIhvcNAQEMBQADggIBALth2X2pbL4XxJEbw6GiAI3jZGgPVs93rnD5/ZpKmbnJeFwMDF/k5hQpVgs2SV1EY+CtnJYYZhsjDT15\
            6W1r1lT40jzBQ0CuHVD1UvyQO7uYmWlrx8GnqGikJ9yd+SeuMIW59mdNOj6PWTkiU0TryF0Dyu1Qen1iIQqAyHNm0aAFYF/opbSn\
            r6j3bTWcfFqK1qI4mfN4i/RN0iAL3gTujJtHgXINwBQy7zBZLq7gcfJW5GqXb5JQbZaNaHqasjYUegbyJLkJEVDXCLG4iXqEI2FC\
            KeWjzaIgQdfRnGTZ6iahixTXTBmyUEFxPT9NcCOGDErcgdLMMpSEDQgJlxxPwO5rIHQw0uA5NBCFIRUBCOhVMt5xSdkoF1BN5r5N\
            0XWs0Mr7QbhDparTwwVETyw2m+L64kW4I1NsBm9nVX9GtUw/bihaeSbSpKhil9Ie4u1Ki7wb/UdKDd9nZn6yW0HQO+T0O/QEY+nv\
            wlQAUaCKKsnOeMzV6ocEGLPOr0mIr/OSmbaz5mEP0oUA51Aa5BuVnRmhuZyxm7EAHu/QD09CbMkKvO5D+jpxpchNJqU1/YldvIVi\
            HTLSoCtU7ZpXwdv6EM8Zt4tKG48BtieVU+i2iW1bvGjUI+iLUaJW+fCmgKDWHrO8Dw9TdSmq6hN35N6MgSGtBxBHEa2HPQfRdbzP\
            82Z+
            """
        return Data(base64Encoded: text).map(Array.init) ?? []
    }()
}
