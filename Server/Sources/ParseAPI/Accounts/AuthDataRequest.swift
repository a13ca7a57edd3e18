import Domain
import Foundation
import HTTPSupport
import OkaeriWire
import enum OkaeriWire.JSONValue

/// `authData` as a client sends it: what is to be linked or logged in with, and what is to be unlinked.
struct AuthDataRequest {
    /// Credentials of providers, in the order in which they are listed.
    private(set) var presented: [Presented] = []
    private(set) var anonymousId: AnonymousId?
    private(set) var unlinked: Set<Identity.Provider> = []
    /// As sent, by the providers' names.
    private(set) var sent: [String: JSONValue] = [:]

    /// What a client has of a provider.
    struct Presented {
        var provider: Identity.Provider
        /// Whom the client says that it is about; `nil` beside a code, of which only the provider knows.
        var id: String?
        var members: [String: JSONValue]
    }

    var isEmpty: Bool { presented.isEmpty && anonymousId == nil }

    init() {}

    /// - Parameters:
    ///   - value: The member.
    ///   - linked: What is linked already: the same id again needs no proof and changes nothing, because Apple's SDK sends
    ///     everything with each update, with tokens that have long been over.
    /// - Throws: 111, 251, 252.
    init(_ value: JSONValue, linked: [LinkedIdentity] = []) throws(ParseFault) {
        guard value != .null else { throw .unsupportedMethod }
        guard case .object(let members) = value else {
            throw .wrongType("authData", expected: "Object", got: ParseValue.typeName(value))
        }
        // A provider that is not offered is linked to nobody: to unlink it is done already.
        guard members.allSatisfy({ $0.value == .null || AuthDataObject.provider(named: $0.key) != nil }) else {
            throw .unsupportedMethod
        }
        for provider in AuthDataObject.providers {
            let name = AuthDataObject.name(of: provider)
            switch members[name] {
            case nil: continue
            case .null?: unlinked.insert(provider)
            case .object(let credential)?: try take(credential, of: provider, named: name, linked: linked)
            default: throw .unsupportedMethod
            }
        }
    }

    private mutating func take(
        _ credential: [String: JSONValue], of provider: Identity.Provider, named name: String, linked: [LinkedIdentity]
    ) throws(ParseFault) {
        if credential["id"] == nil, provider.takesCodes, case .string? = credential["code"] {
            presented.append(Presented(provider: provider, id: nil, members: credential))
            return
        }
        guard case .string(let id)? = credential["id"], !id.isEmpty, id.utf8.count <= 255 else {
            throw .unsupportedMethod
        }
        sent[name] = .object(credential)
        let present = linked.first { $0.identity.provider == provider }
        if let present, present.isCalled(id) { return }
        guard provider == .anonymous else {
            presented.append(Presented(provider: provider, id: id, members: credential))
            return
        }
        guard let anonymous = AnonymousId(id) else { throw ParseFault(251, "The id of anonymous must be a UUID.") }
        if anonymous.subject != present?.identity.subject { anonymousId = anonymous }
    }
}

extension VerifyCredential {
    /// Asks the providers who is meant.
    ///
    /// - Throws: 252 for a provider that the application has not switched on, 101 for a credential that does not hold.
    func callAsFunction(_ authData: AuthDataRequest, _ call: ParseCall) async throws -> [ExternalIdentity] {
        if authData.anonymousId != nil, !call.caller.options.allowsAnonymous { throw ParseFault.unsupportedMethod }
        var people: [ExternalIdentity] = []
        for presented in authData.presented {
            do {
                var person = try await callAsFunction(
                    try ProviderCredential(presented), of: presented.id, at: presented.provider,
                    in: call.application, from: call.client)
                // SDKs repeat a log-in whose response was lost (decision 0074).
                let client = call.caller.device.installation ?? call.client.text
                person.retry = person.replay?.retry(by: client)
                people.append(person)
            } catch let error as DomainError {
                guard case .fieldsRefused = error else { throw error }
                throw ParseFault.authDataRefused
            }
        }
        return people
    }
}

extension ProviderCredential {
    /// What the SDKs send of each provider.
    ///
    /// - Throws: 101 for an Apple log-in without its token, and for a player of Game Center without a signature.
    fileprivate init(_ presented: AuthDataRequest.Presented) throws(ParseFault) {
        let members = presented.members
        func secret(_ name: String) -> Secret? {
            guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
            return Secret(text)
        }
        switch presented.provider {
        case .apple:
            guard let token = secret("token") else { throw ParseFault(101, "id token is invalid for this user.") }
            self.init(identityToken: token)
        case .google: self.init(identityToken: secret("id_token"), accessToken: secret("access_token"))
        case .twitter: self.init(accessToken: secret("auth_token"), accessTokenSecret: secret("auth_token_secret"))
        case .gameCenter:
            guard let player = PlayerSignature(members, of: presented.id) else { throw .authDataRefused }
            self.init(player: player)
        case let provider where provider.takesCodes:
            self.init(identityToken: secret("id_token"), accessToken: secret("access_token"))
            code = secret("code").map { code in
                AuthorizationCode(
                    code: code, verifier: secret("code_verifier"), redirectURI: secret("redirect_uri")?.revealed,
                    audience: secret("client_id")?.revealed, state: secret("state"))
            }
        default: self.init(identityToken: secret("token"), accessToken: secret("access_token"))
        }
        checksNonce = false
    }
}

extension ProviderCredential.PlayerSignature {
    /// Parse's `gcenter`: signature and salt in Base64, the time in milliseconds as a number or a text.
    fileprivate init?(_ members: [String: JSONValue], of id: String?) {
        func text(_ name: String) -> String? {
            if case .string(let text)? = members[name] { text } else { nil }
        }
        let timestamp: UInt64? =
            switch members["timestamp"] {
            case .integer(let milliseconds)?: UInt64(exactly: milliseconds)
            case .string(let text)?: UInt64(text, radix: 10)
            default: nil
            }
        guard let id, let url = text("publicKeyUrl"), let bundle = text("bundleId"), let timestamp,
            let signature = text("signature").flatMap({ Data(base64Encoded: $0) }),
            let salt = text("salt").flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        self.init(
            publicKeyURL: url, signature: Array(signature), salt: Array(salt), timestamp: timestamp, playerId: id,
            bundleId: bundle)
    }
}

extension Identity.Provider {
    /// Whether a client may bring a code in the place of tokens, as later versions of Parse Server have it.
    fileprivate var takesCodes: Bool { [.line, .kakao, .naver, .yahooJapan].contains(self) }
}

/// `authData` as users read it back. Tokens are never kept.
enum AuthDataObject {
    static let providers: [Identity.Provider] = [
        .anonymous, .apple, .facebook, .google, .twitter, .line, .kakao, .naver, .yahooJapan, .gameCenter,
    ]

    /// What a provider is called in `authData`: Parse's own word where it has one.
    static func name(of provider: Identity.Provider) -> String {
        provider == .gameCenter ? "gcenter" : provider.rawValue
    }

    /// - Returns: `nil` for a name of none that is offered.
    static func provider(named name: String) -> Identity.Provider? { providers.first { self.name(of: $0) == name } }

    /// - Parameters:
    ///   - identities: What is linked.
    ///   - sent: What the client has just sent, which stands in its place: SDKs keep what they read.
    /// - Returns: the entries by provider.
    static func members(of identities: [Identity], sent: [String: JSONValue]) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for identity in identities where providers.contains(identity.provider) {
            let name = self.name(of: identity.provider)
            members[name] = sent[name] ?? .object(entry(of: identity))
        }
        return members
    }

    /// The id, and what SDKs insist on beside it: those for Apple's platforms and Android unlink an entry that lacks
    /// one of these, and Android's also one whose token is empty. It reads as a token that has expired. By its last
    /// refresh Android's SDK knows that its own token is newer, and keeps that.
    private static func entry(of identity: Identity) -> [String: JSONValue] {
        var entry: [String: JSONValue] = ["id": .string(name(of: identity))]
        switch identity.provider {
        case .facebook:
            entry["access_token"] = "expired"
            for name in ["expiration_date", "last_refresh_date"] { entry[name] = "1970-01-01T00:00:00.000Z" }
        case .twitter:
            entry["screen_name"] = ""
            for name in ["auth_token", "auth_token_secret"] { entry[name] = "expired" }
        default: break
        }
        return entry
    }

    /// The id in the provider's own words. Of an id that a client made there is only the digest.
    static func name(of identity: Identity) -> String { ConfiguredProvider.parts(of: identity.subject).name }
}
