/// What is wrong with a token of a provider (requirements 31 and 35).
package enum ProviderTokenFault: Error, Hashable, Sendable {
    /// Not three parts of base64url with JSON in the first two, or longer than any token is.
    case malformed
    /// `alg` is not the one that the provider signs with.
    case algorithm
    /// `crit` names extensions; none is known here.
    case criticalExtension
    /// `kid` is missing, or the provider has no such key.
    case key
    /// The signature does not fit the key.
    case signature
    /// `iss` is another issuer.
    case issuer
    /// `aud` is nobody whom the application lists.
    case audience
    /// The token has no nonce, or another one than the client made.
    case nonce
    /// `exp` is over or missing.
    case expired
    /// `iat` is in the future or is missing.
    case issuedInFuture
    /// `sub` is missing, empty or too long.
    case subject
    /// The token and the authorization code are about different people.
    case otherPerson
    /// The provider does not know the access token, or made it for another application.
    case accessToken
    /// `at_hash` is not the hash of the access token that came with the identity token.
    case accessTokenHash
    /// `auth_time` is missing or in the future.
    case authenticationTime
    /// The key's certificate is not one of Apple's: its address, its issuers, its owner or its time.
    case certificate
}
