import Domain
import OkaeriWire

/// What an application has decided of passkeys.
struct AdminPasskeysBody: Encodable {
    let enabled: Bool
    let domain: String?
    let origins: [String]
    let userVerificationRequired: Bool
    let allowedAuthenticators: [String]
    let refusedAuthenticators: [String]
    let appleApps: [String]
    let androidApps: [AndroidAppBody]
    let attestationRoots: [AttestationRootsBody]

    init(_ rules: PasskeyRules) {
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
struct AttestationRootsBody: Codable, Sendable {
    let certificates: String
    let authenticators: [String]

    private enum CodingKeys: String, CodingKey, CaseIterable { case certificates, authenticators }

    init(certificates: String, authenticators: [String]) {
        self.certificates = certificates
        self.authenticators = authenticators
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        certificates = try members.decode(String.self, forKey: .certificates)
        authenticators = try members.decodeIfPresent([String].self, forKey: .authenticators) ?? []
    }
}

/// An app for Android and the SHA-256 of its certificates.
struct AndroidAppBody: Codable, Sendable {
    let package: String
    let certificates: [String]

    private enum CodingKeys: String, CodingKey, CaseIterable { case package, certificates }

    init(package: String, certificates: [String]) {
        self.package = package
        self.certificates = certificates
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        package = try members.decode(String.self, forKey: .package)
        certificates = try members.decode([String].self, forKey: .certificates)
    }
}

/// A part of a JSON merge patch: what is absent stays, what is null goes.
struct AdminPasskeysPatch: Decodable, Sendable {
    private let enabled: Bool?
    private let domain: UserPatchBody.Change<String>
    private let origins: [String]?
    private let userVerificationRequired: Bool?
    private let allowedAuthenticators: [String]?
    private let refusedAuthenticators: [String]?
    private let appleApps: [String]?
    private let androidApps: [AndroidAppBody]?
    private let attestationRoots: [AttestationRootsBody]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case enabled, domain, origins, userVerificationRequired, allowedAuthenticators, refusedAuthenticators
        case appleApps, androidApps, attestationRoots
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        enabled = try members.decodeIfPresent(Bool.self, forKey: .enabled)
        domain = try members.patch(forKey: .domain)
        origins = try members.decodeIfPresent([String].self, forKey: .origins)
        userVerificationRequired = try members.decodeIfPresent(Bool.self, forKey: .userVerificationRequired)
        allowedAuthenticators = try members.decodeIfPresent([String].self, forKey: .allowedAuthenticators)
        refusedAuthenticators = try members.decodeIfPresent([String].self, forKey: .refusedAuthenticators)
        appleApps = try members.decodeIfPresent([String].self, forKey: .appleApps)
        androidApps = try members.decodeIfPresent([AndroidAppBody].self, forKey: .androidApps)
        attestationRoots = try members.decodeIfPresent([AttestationRootsBody].self, forKey: .attestationRoots)
    }

    func apply(to rules: inout PasskeyRules) {
        if let enabled { rules.isEnabled = enabled }
        domain.apply(to: &rules.domain)
        if let origins { rules.origins = origins }
        if let userVerificationRequired { rules.requiresUserVerification = userVerificationRequired }
        if let allowedAuthenticators { rules.allowedAuthenticators = allowedAuthenticators }
        if let refusedAuthenticators { rules.refusedAuthenticators = refusedAuthenticators }
        if let appleApps { rules.appleApps = appleApps }
        if let androidApps {
            rules.androidApps = androidApps.map { .init(packageName: $0.package, certificates: $0.certificates) }
        }
        if let attestationRoots {
            rules.attestationRoots = attestationRoots.map {
                .init(certificates: $0.certificates, authenticators: $0.authenticators)
            }
        }
    }
}
