package import Domain
import OkaeriWire

/// What an application has decided of passkeys, in the admin API and as commands print it.
package struct PasskeyRulesBody: Encodable {
    let enabled: Bool
    let domain: String?
    let origins: [String]
    let userVerificationRequired: Bool
    let allowedAuthenticators: [String]
    let refusedAuthenticators: [String]
    let appleApps: [String]
    let androidApps: [AndroidAppBody]
    let attestationRoots: [AttestationRootsBody]

    package init(_ rules: PasskeyRules) {
        enabled = rules.isEnabled
        domain = rules.domain
        origins = rules.origins
        userVerificationRequired = rules.requiresUserVerification
        allowedAuthenticators = rules.allowedAuthenticators
        refusedAuthenticators = rules.refusedAuthenticators
        appleApps = rules.appleApps
        androidApps = rules.androidApps.map {
            AndroidAppBody(package: $0.packageName, certificates: $0.certificates)
        }
        attestationRoots = rules.attestationRoots.map {
            AttestationRootsBody(certificates: $0.certificates, authenticators: $0.authenticators)
        }
    }
}

/// Certificates of makers of authenticators, in PEM, and the kinds that they stand for.
package struct AttestationRootsBody: Codable, Sendable {
    package let certificates: String
    package let authenticators: [String]

    private enum CodingKeys: String, CodingKey, CaseIterable { case certificates, authenticators }

    init(certificates: String, authenticators: [String]) {
        self.certificates = certificates
        self.authenticators = authenticators
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        certificates = try members.decode(String.self, forKey: .certificates)
        authenticators = try members.decodeIfPresent([String].self, forKey: .authenticators) ?? []
    }
}

/// An app for Android and the SHA-256 of its certificates.
package struct AndroidAppBody: Codable, Sendable {
    package let package: String
    package let certificates: [String]

    private enum CodingKeys: String, CodingKey, CaseIterable { case package, certificates }

    init(package: String, certificates: [String]) {
        self.package = package
        self.certificates = certificates
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        package = try members.decode(String.self, forKey: .package)
        certificates = try members.decode([String].self, forKey: .certificates)
    }
}
