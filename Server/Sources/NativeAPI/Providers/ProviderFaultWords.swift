import Domain

extension ProviderTokenFault {
    /// Names what is wrong, so that a developer need not guess.
    var detail: String {
        switch self {
        case .malformed: "It is not one JWT of at most 16 KiB, or there is neither token nor code."
        case .algorithm: "alg must be the one that the provider signs with."
        case .criticalExtension: "crit names an extension; none is known here."
        case .key: "kid names no key of the provider's."
        case .signature: "The signature does not fit the provider's key."
        case .issuer: "iss is not the provider."
        case .audience: "aud is none of the application's bundle, service or client ids."
        case .nonce: "nonce does not fit the nonce that was sent, or one of them is missing."
        case .expired: "The token has expired."
        case .issuedInFuture: "iat is missing or in the future."
        case .subject: "sub is missing or malformed."
        case .otherPerson: "Token and authorization code are about different people."
        case .accessToken: "The provider does not know the access token, or made it for another application."
        }
    }
}
