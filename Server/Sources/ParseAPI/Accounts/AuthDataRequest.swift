import Domain
import HTTPSupport
import OkaeriWire
import enum OkaeriWire.JSONValue

/// `authData` as a client sends it: what is to be linked or logged in with, and what is to be unlinked.
struct AuthDataRequest {
    /// Credentials of providers, in the order in which they are listed.
    private(set) var presented: [(provider: Identity.Provider, id: String, members: [String: JSONValue])] = []
    private(set) var anonymousId: AnonymousId?
    private(set) var unlinked: Set<Identity.Provider> = []
    /// As sent, by the providers' names.
    private(set) var sent: [String: JSONValue] = [:]

    var isEmpty: Bool { presented.isEmpty && anonymousId == nil }

    init() {}

    /// - Parameters:
    ///   - value: The member.
    ///   - linked: What is linked already: the same id again needs no proof and changes nothing, because Apple's SDK sends
    ///     everything with each update, with tokens that have long been over.
    /// - Throws: 111, 251, 252.
    init(_ value: JSONValue, linked: [Identity] = []) throws(ParseFault) {
        guard value != .null else { throw .unsupportedMethod }
        guard case .object(let members) = value else {
            throw .wrongType("authData", expected: "Object", got: ParseValue.typeName(value))
        }
        guard members.keys.allSatisfy({ name in AuthDataObject.providers.contains { $0.rawValue == name } }) else {
            throw .unsupportedMethod
        }
        for provider in AuthDataObject.providers {
            switch members[provider.rawValue] {
            case nil: continue
            case .null?: unlinked.insert(provider)
            case .object(let credential)?: try take(credential, of: provider, linked: linked)
            default: throw .unsupportedMethod
            }
        }
    }

    private mutating func take(
        _ credential: [String: JSONValue], of provider: Identity.Provider, linked: [Identity]
    ) throws(ParseFault) {
        guard case .string(let id)? = credential["id"], !id.isEmpty, id.utf8.count <= 255 else {
            throw .unsupportedMethod
        }
        sent[provider.rawValue] = .object(credential)
        let present = linked.first { $0.provider == provider }
        if let present, AuthDataObject.name(of: present) == id { return }
        guard provider == .anonymous else {
            presented.append((provider, id, credential))
            return
        }
        guard let anonymous = AnonymousId(id) else { throw ParseFault(251, "The id of anonymous must be a UUID.") }
        if anonymous.subject != present?.subject { anonymousId = anonymous }
    }
}

extension VerifyCredential {
    /// Asks the providers who is meant.
    ///
    /// - Throws: 252 for a provider that the application has not switched on, 101 for a credential that does not hold.
    func callAsFunction(_ authData: AuthDataRequest, _ call: ParseCall) async throws -> [ExternalIdentity] {
        if authData.anonymousId != nil, !call.caller.options.allowsAnonymous { throw ParseFault.unsupportedMethod }
        var people: [ExternalIdentity] = []
        for (provider, id, members) in authData.presented {
            do {
                var person = try await callAsFunction(
                    try ProviderCredential(members, of: provider), of: id, at: provider, in: call.application,
                    from: call.client)
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
    /// - Throws: 101 for an Apple log-in without its token.
    fileprivate init(_ members: [String: JSONValue], of provider: Identity.Provider) throws(ParseFault) {
        func secret(_ name: String) -> Secret? {
            guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
            return Secret(text)
        }
        switch provider {
        case .apple:
            guard let token = secret("token") else { throw ParseFault(101, "id token is invalid for this user.") }
            self.init(identityToken: token)
        case .google: self.init(identityToken: secret("id_token"), accessToken: secret("access_token"))
        case .twitter: self.init(accessToken: secret("auth_token"), accessTokenSecret: secret("auth_token_secret"))
        default: self.init(identityToken: secret("token"), accessToken: secret("access_token"))
        }
        checksNonce = false
    }
}

/// `authData` as users read it back. Tokens are never kept.
enum AuthDataObject {
    static let providers: [Identity.Provider] = [.anonymous, .apple, .facebook, .google, .twitter]

    /// - Parameters:
    ///   - identities: What is linked.
    ///   - sent: What the client has just sent, which stands in its place: SDKs keep what they read.
    /// - Returns: the entries by provider.
    static func members(of identities: [Identity], sent: [String: JSONValue]) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for identity in identities where providers.contains(identity.provider) {
            let name = identity.provider.rawValue
            members[name] = sent[name] ?? .object(["id": .string(self.name(of: identity))])
        }
        return members
    }

    /// The id in the provider's own words. Of an id that a client made there is only the digest.
    static func name(of identity: Identity) -> String { ConfiguredProvider.parts(of: identity.subject).name }
}
