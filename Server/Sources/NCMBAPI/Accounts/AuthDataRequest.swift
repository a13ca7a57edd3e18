import Domain
import enum OkaeriWire.JSONValue

/// `authData` as a client sends it: what is to be linked or logged in with, and what is to be unlinked.
struct AuthDataRequest {
    /// Credentials of providers, in the order in which the SDKs' providers are listed.
    private(set) var presented: [(provider: Identity.Provider, id: String, members: [String: JSONValue])] = []
    private(set) var anonymousId: AnonymousId?
    private(set) var unlinked: Set<Identity.Provider> = []
    /// As sent, by the providers' names.
    private(set) var sent: [String: JSONValue] = [:]

    var isEmpty: Bool { presented.isEmpty && anonymousId == nil }

    /// - Parameters:
    ///   - value: The member; null and nothing ask for nothing.
    ///   - linked: What is linked already to the member that is updated: the same id again needs no proof and changes
    ///     nothing, because JavaScript sends everything with each update, and Apple's codes count once. Members that are no
    ///     providers are ignored then, because Android sends some after an unlinking. `nil` at a sign-up.
    /// - Throws: `E400002`, `E400003`, `E400004`, `E400005`.
    init(_ value: JSONValue?, linked: [LinkedIdentity]? = nil) throws(NCMBFault) {
        guard let value, value != .null else { return }
        guard case .object(let members) = value else { throw .wrongType("authData") }
        if linked == nil,
            !members.keys.allSatisfy({ AuthDataObject.providers.contains(Identity.Provider(rawValue: $0)) })
        {
            throw .notValid("authData")
        }
        for provider in AuthDataObject.providers {
            switch members[provider.rawValue] {
            case nil: continue
            case .null?: unlinked.insert(provider)
            case .object(let credential)?: try take(credential, of: provider, linked: linked ?? [])
            default: throw .wrongType("authData")
            }
        }
    }

    private mutating func take(
        _ credential: [String: JSONValue], of provider: Identity.Provider, linked: [LinkedIdentity]
    ) throws(NCMBFault) {
        let id = try NCMBBody(members: credential).text("id", missing: .empty("id"))
        guard id.utf8.count <= 255 else { throw .malformed("id") }
        sent[provider.rawValue] = .object(credential)
        let present = linked.first { $0.identity.provider == provider }
        if let present, present.isCalled(id) { return }
        if provider == .anonymous {
            guard let anonymous = AnonymousId(id) else { throw .malformed("id") }
            if anonymous.subject != present?.identity.subject { anonymousId = anonymous }
        } else {
            presented.append((provider, id, credential))
        }
    }
}

extension AuthDataRequest {
    /// Asks the providers who is meant.
    ///
    /// - Parameters:
    ///   - verify: Asks one.
    ///   - caller: The app.
    ///   - address: Where the request came from.
    /// - Returns: who is meant, in the order of the credentials.
    /// - Throws: `E403005` for a provider that the application has not switched on, `E401003` for a credential that does
    ///   not hold.
    func verified(
        by verify: VerifyCredential, for caller: NCMBCaller, from address: ClientAddress
    ) async throws -> [ExternalIdentity] {
        if anonymousId != nil, !caller.options.allowsAnonymous {
            throw NCMBFault.notToBeEntered(Identity.Provider.anonymous.rawValue)
        }
        var people: [ExternalIdentity] = []
        for (provider, id, members) in presented {
            do {
                people.append(
                    try await verify(
                        ProviderCredential(members, of: provider), of: id, at: provider, in: caller.application,
                        from: address))
            } catch {
                switch error.code {
                case .providerNotEnabled: throw NCMBFault.notToBeEntered(provider.rawValue)
                case .providerTokenRefused, .providerTokenReplayed, .providerRefused, .providerMisconfigured,
                    .fieldsRefused:
                    throw NCMBFault.notVouchedFor(provider.rawValue)
                default: throw error
                }
            }
        }
        return people
    }
}

extension ProviderCredential {
    /// What the SDKs send of each provider. Apple's `access_token` is its authorization code.
    fileprivate init(_ members: [String: JSONValue], of provider: Identity.Provider) {
        func text(_ name: String) -> String? {
            guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
            return text
        }
        switch provider {
        case .apple:
            self.init(
                code: text("access_token").map { AuthorizationCode(code: Secret($0), audience: text("client_id")) })
        case .twitter:
            self.init(
                accessToken: text("oauth_token").map(Secret.init(_:)),
                accessTokenSecret: text("oauth_token_secret").map(Secret.init(_:)))
        case .google:
            self.init(google: text("access_token").map(Secret.init(_:)))
        default:
            self.init(accessToken: text("access_token").map(Secret.init(_:)))
        }
    }
}
