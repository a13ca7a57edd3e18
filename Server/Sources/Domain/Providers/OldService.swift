/// A service whose users an application has taken in, with their ids, and whose tokens lead to them once each.
package struct OldService: Hashable, Sendable {
    /// Services whose tokens are known here. The raw values are names of the API. For all others there is a hook.
    package enum Name: String, CaseIterable, Hashable, Sendable {
        /// Identity tokens of Firebase Authentication.
        case firebase
        /// Access tokens of Supabase Auth.
        case supabase
        /// Identity tokens of an Amazon Cognito user pool.
        case cognito
        /// Device ids of Nakama, which prove nothing: `OldDeviceId`.
        case nakama
    }

    /// How old a token may be. Some services issue tokens for a week or longer, which end up in logs and copies.
    package static let longestTokenAge: Duration = .days(1)
    package static let maximumAudiences = 20
    private static let text = TextRule(maximumCharacters: 255)

    package let name: Name
    /// Who issues the tokens, an https address: at Supabase and Cognito.
    package var issuer: String?
    /// Whom the tokens are for: Firebase's project, or the clients of a user pool.
    package var audiences: [String]
    /// What Supabase signs with where it has no keys yet, sealed.
    package var sealedSecret: [UInt8]?

    package init(_ name: Name, issuer: String? = nil, audiences: [String] = [], sealedSecret: [UInt8]? = nil) {
        self.name = name
        self.issuer = issuer
        self.audiences = audiences
        self.sealedSecret = sealedSecret
    }

    /// What its secret is sealed for.
    static func purpose(_ name: Name, _ application: Identifier<Application>) -> String {
        "old service \(application) \(name.rawValue)"
    }

    /// What breaks a rule, whatever the service; the rest is for who verifies its tokens.
    var faults: [ValidationError] {
        Self.text.faults(of: issuer, field: "issuer")
            + Self.text.faults(ofEach: audiences, atMost: Self.maximumAudiences, field: "audiences")
    }
}

/// Verifies tokens of services that users have left.
package protocol OldTokenVerifier: Sendable {
    /// What settings must hold for the service; nothing is asked of anybody.
    func faults(in service: OldService, secret: Secret?) -> [ValidationError]

    /// Whom a token is about. Nobody is asked but for the service's keys, when they are not known yet.
    ///
    /// - Returns: the person, whose subject is the user's id at the service, with the mark that makes the token count once.
    /// - Throws: `providerTokenRefused`, `providerUnavailable`.
    func identify(
        _ token: Secret, of service: OldService, secret: Secret?
    ) async throws(DomainError) -> ExternalIdentity
}

/// Knows no token: for worlds without a network.
package struct NoOldTokenVerifier: OldTokenVerifier {
    package init() {}
    package func faults(in service: OldService, secret: Secret?) -> [ValidationError] { [] }
    package func identify(
        _ token: Secret, of service: OldService, secret: Secret?
    ) async throws(DomainError) -> ExternalIdentity { throw .providerUnavailable }
}

extension ApplicationSettings {
    /// Takes a service as it is stored, in the place of the one before.
    package mutating func set(_ service: OldService) { oldServices[service.name] = service }
}

extension Application {
    /// The services that it trusts, in the order of their names.
    package var oldServices: [OldService] { OldService.Name.allCases.compactMap { settings.oldServices[$0] } }
}
