import Domain
import Foundation
import HTTPSupport
import Hummingbird
import OkaeriWire

extension ServerContext {
    /// The provider that the path names.
    func provider() throws(DomainError) -> Identity.Provider {
        // Many libraries encode the colon of `oidc:NAME`.
        guard let name = parameters.get("provider").flatMap(PercentEncoding.text(ofSegment:)), name.utf8.count <= 64
        else { throw .providerNotEnabled }
        return Identity.Provider(rawValue: name)
    }
}

extension RequestError {
    /// Neither token nor code.
    static var nothingPresented: RequestError {
        .membersInvalid([
            MemberFault(
                path: "idToken", rule: .noneOf(["idToken", "authorizationCode", "accessToken", "gameCenter"]))
        ])
    }
}

extension ProviderCredential {
    /// - Throws: `RequestError.membersInvalid` when there is neither token nor code nor a player's signature.
    init(_ body: ProviderLogInBody) throws(RequestError) {
        let isPresented =
            body.idToken != nil || body.authorizationCode != nil || body.accessToken != nil || body.gameCenter != nil
        guard isPresented else { throw .nothingPresented }
        self.init(
            identityToken: body.idToken.map { Secret($0) }, nonce: body.nonce.map { Secret($0) },
            accessToken: body.accessToken.map { Secret($0) },
            accessTokenSecret: body.accessTokenSecret.map { Secret($0) },
            code: body.authorizationCode.map {
                AuthorizationCode(
                    code: Secret($0), verifier: body.codeVerifier.map { Secret($0) }, redirectURI: body.redirectUri,
                    audience: body.clientId, state: body.state.map { Secret($0) })
            },
            player: try body.gameCenter.map { player throws(RequestError) in try PlayerSignature(player) })
    }
}

extension ProviderCredential.PlayerSignature {
    /// - Throws: `RequestError.membersInvalid` for what is no Base64 and no time.
    fileprivate init(_ body: PlayerSignatureBody) throws(RequestError) {
        let (signature, salt) = (Data(base64Encoded: body.signature), Data(base64Encoded: body.salt))
        let timestamp = UInt64(exactly: body.timestamp)
        var faults: [MemberFault] = []
        if signature == nil { faults.append(MemberFault(path: "gameCenter.signature", rule: .form("Base64."))) }
        if salt == nil { faults.append(MemberFault(path: "gameCenter.salt", rule: .form("Base64."))) }
        if timestamp == nil {
            let rule = MemberFault.Rule.form("Milliseconds since 1970, a whole number from 0.")
            faults.append(MemberFault(path: "gameCenter.timestamp", rule: rule))
        }
        guard let signature, let salt, let timestamp else { throw .membersInvalid(faults) }
        self.init(
            publicKeyURL: body.publicKeyUrl, signature: Array(signature), salt: Array(salt), timestamp: timestamp,
            playerId: body.playerId, bundleId: body.bundleId)
    }
}

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
        case .accessToken:
            "The provider does not know the access token, or cannot say that it was made for this application."
        case .accessTokenHash: "at_hash does not fit the access token."
        case .authenticationTime: "auth_time is missing or in the future."
        case .certificate: "The certificate of the key that signed is not one of Apple's."
        }
    }
}
