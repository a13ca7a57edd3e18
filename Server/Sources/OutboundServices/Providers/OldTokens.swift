package import Domain

/// Tokens of services that users have left: one row for each service of where its keys are, what it signs with, and what it
/// writes.
///
/// Sources: Firebase, "Verify ID tokens using a third-party JWT library"; Supabase, "JWT Signing Keys" and "JWT claims
/// reference"; Amazon Cognito, "Verifying JSON web tokens".
package struct OldTokens: OldTokenVerifier {
    private let addresses: ProviderAddresses
    private let tenantCall: any WebCaller
    private let verifyFirebase: TokenVerifier
    private let verifyTenants: TokenVerifier

    /// - Parameters:
    ///   - addresses: Where Firebase's keys are.
    ///   - call: What asks that address.
    ///   - tenantCall: What asks the addresses that tenants name, and none of the operator's.
    ///   - clock: The time.
    package init(
        at addresses: ProviderAddresses, call: any WebCaller, tenantCall: any WebCaller, clock: any WallClock
    ) {
        self.addresses = addresses
        self.tenantCall = tenantCall
        verifyFirebase = .asking(call, clock: clock)
        verifyTenants = .asking(tenantCall, clock: clock)
    }

    package func faults(in service: OldService, secret: Secret?) -> [ValidationError] {
        var faults: [ValidationError] = []
        switch service.name {
        case .firebase:
            if service.issuer != nil { faults.append(ValidationError(field: "issuer", rule: .notOffered)) }
            if service.audiences.isEmpty {
                faults.append(ValidationError(field: "audiences", rule: .empty))
            } else if service.audiences.count > 1 {
                // A project has an issuer of its own.
                faults.append(ValidationError(field: "audiences", rule: .tooManyFields(maximum: 1)))
            } else if !service.audiences.allSatisfy(Self.isProject) {
                faults.append(ValidationError(field: "audiences", rule: .notOffered))
            }
        case .supabase:
            faults += addressFaults(service.issuer)
            if !service.audiences.isEmpty { faults.append(ValidationError(field: "audiences", rule: .notOffered)) }
        case .cognito:
            faults += addressFaults(service.issuer)
            if service.audiences.isEmpty { faults.append(ValidationError(field: "audiences", rule: .empty)) }
        case .nakama:
            if service.issuer != nil { faults.append(ValidationError(field: "issuer", rule: .notOffered)) }
            if !service.audiences.isEmpty { faults.append(ValidationError(field: "audiences", rule: .notOffered)) }
        }
        guard let secret else { return faults }
        if service.name != .supabase {
            faults.append(ValidationError(field: "secret", rule: .notOffered))
        } else if SharedKey(secret) == nil {
            faults.append(
                ValidationError(field: "secret", rule: .tooShort(minimumCharacters: SharedKey.minimumBytes)))
        }
        return faults
    }

    package func identify(
        _ token: Secret, of service: OldService, secret: Secret?
    ) async throws(DomainError) -> ExternalIdentity {
        guard let policy = policy(of: service, secret) else { throw .providerMisconfigured }
        let verified = try await (service.name == .firebase ? verifyFirebase : verifyTenants)(token, policy)
        // Cognito's access tokens are for its own API.
        if service.name == .cognito, verified.claims.text("token_use") != "id" {
            throw .providerTokenRefused(.audience)
        }
        return ExternalIdentity(
            provider: Identity.Provider(rawValue: service.name.rawValue), subject: verified.claims.text("sub") ?? "",
            audience: verified.audience, replay: verified.replay)
    }

    /// The row of a service; `nil` when its settings lack something.
    private func policy(of service: OldService, _ secret: Secret?) -> TokenVerifier.Policy? {
        func row(
            _ keySet: String, _ algorithms: Set<VerificationKey.Algorithm>, issuer: String, audiences: [String]
        ) -> TokenVerifier.Policy {
            var policy = TokenVerifier.Policy(
                keySet: keySet, algorithms: algorithms, issuers: [issuer], audiences: Set(audiences), nonce: .none)
            policy.maximumAge = OldService.longestTokenAge
            return policy
        }
        switch service.name {
        case .firebase:
            guard let project = service.audiences.first else { return nil }
            var policy = row(
                addresses.firebaseKeySet, [.rs256], issuer: "https://securetoken.google.com/\(project)",
                audiences: [project])
            policy.required = [.authenticationTime]
            return policy
        case .supabase:
            guard let issuer = service.issuer else { return nil }
            var policy = row(
                Self.keySet(of: issuer), secret == nil ? [.rs256, .es256] : [.rs256, .es256, .hs256], issuer: issuer,
                audiences: ["authenticated"])
            policy.sharedSecret = secret
            return policy
        case .cognito:
            guard let issuer = service.issuer, !service.audiences.isEmpty else { return nil }
            return row(Self.keySet(of: issuer), [.rs256], issuer: issuer, audiences: service.audiences)
        // Nothing is signed there.
        case .nakama: return nil
        }
    }

    private static func keySet(of issuer: String) -> String { "\(issuer)/.well-known/jwks.json" }

    private func addressFaults(_ issuer: String?) -> [ValidationError] {
        guard let issuer else { return [ValidationError(field: "issuer", rule: .required)] }
        guard tenantCall.mayAsk(issuer), !issuer.contains("?"), !issuer.contains("#"), !issuer.hasSuffix("/") else {
            return [ValidationError(field: "issuer", rule: .notAnAddress)]
        }
        return []
    }

    /// Lower-case letters, digits and hyphens, and in old projects a domain and a colon before them.
    private static func isProject(_ text: String) -> Bool {
        text.utf8.count <= 100
            && text.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || [0x2d, 0x2e, 0x3a].contains($0)
            }
    }
}
