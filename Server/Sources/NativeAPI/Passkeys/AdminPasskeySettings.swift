import Domain
import HTTPSupport
import OkaeriWire

/// A part of a JSON merge patch: what is absent stays, what is null goes.
struct AdminPasskeysPatch: Decodable, Sendable {
    private let enabled: Bool?
    private let domain: UserPatchBody.Change<String>
    private let origins: [String]?
    private let userVerificationRequired: Bool?
    private let allowedAuthenticators: [String]?
    private let refusedAuthenticators: [String]?
    private let appleApps: [String]?
    private let androidApps: [PasskeyRules.AndroidApp]?
    private let attestationRoots: [AttestationRoots]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case enabled, domain, origins, userVerificationRequired, allowedAuthenticators, refusedAuthenticators
        case appleApps, androidApps, attestationRoots
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        enabled = try members.decodeIfSent(Bool.self, forKey: .enabled)
        domain = try members.patch(forKey: .domain)
        origins = try members.decodeIfSent([String].self, forKey: .origins)
        userVerificationRequired = try members.decodeIfSent(Bool.self, forKey: .userVerificationRequired)
        allowedAuthenticators = try members.decodeIfSent([String].self, forKey: .allowedAuthenticators)
        refusedAuthenticators = try members.decodeIfSent([String].self, forKey: .refusedAuthenticators)
        appleApps = try members.decodeIfSent([String].self, forKey: .appleApps)
        androidApps = try members.decodeIfSent([AndroidAppBody].self, forKey: .androidApps)?.map {
            PasskeyRules.AndroidApp(packageName: $0.package, certificates: $0.certificates)
        }
        attestationRoots = try members.decodeIfSent([AttestationRootsBody].self, forKey: .attestationRoots)?.map {
            AttestationRoots(certificates: $0.certificates, authenticators: $0.authenticators)
        }
    }

    func apply(to rules: inout PasskeyRules) {
        if let enabled { rules.isEnabled = enabled }
        domain.apply(to: &rules.domain)
        if let origins { rules.origins = origins }
        if let userVerificationRequired { rules.requiresUserVerification = userVerificationRequired }
        if let allowedAuthenticators { rules.allowedAuthenticators = allowedAuthenticators }
        if let refusedAuthenticators { rules.refusedAuthenticators = refusedAuthenticators }
        if let appleApps { rules.appleApps = appleApps }
        if let androidApps { rules.androidApps = androidApps }
        if let attestationRoots { rules.attestationRoots = attestationRoots }
    }
}
