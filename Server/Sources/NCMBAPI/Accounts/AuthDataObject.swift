import Domain
import enum OkaeriWire.JSONValue

/// `authData` as members read it back. Tokens are never kept, so that those stand empty that SDKs read without asking.
enum AuthDataObject {
    /// The providers that the SDKs know.
    static let providers: [Identity.Provider] = [.apple, .facebook, .twitter, .google, .anonymous]

    /// - Parameters:
    ///   - identities: What leads to the member.
    ///   - anonymousId: The id that the member's client made; without it there is only its digest.
    /// - Returns: `null` when nothing is linked: an absent member makes the Objective-C SDK lose its session.
    static func value(of identities: [Identity], anonymousId: Secret? = nil) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for identity in identities where providers.contains(identity.provider) {
            members[identity.provider.rawValue] = .object(object(identity, anonymousId))
        }
        return members.isEmpty ? .null : .object(members)
    }

    /// What is linked, and in place of it what the client has just sent: Unity reads its own words back.
    static func value(of identities: [Identity], sent: [String: JSONValue]) -> JSONValue {
        guard case .object(var members) = value(of: identities) else { return .null }
        for (name, value) in sent where members[name] != nil { members[name] = value }
        return .object(members)
    }

    private static func object(_ identity: Identity, _ anonymousId: Secret?) -> [String: JSONValue] {
        var object: [String: JSONValue] = ["id": .string(name(of: identity))]
        if identity.provider == .anonymous, let anonymousId { object["id"] = .string(anonymousId.revealed) }
        let empty: [String]
        switch identity.provider {
        case .apple: empty = ["access_token", "client_id"]
        case .facebook:
            empty = ["access_token"]
            object["expiration_date"] = ["__type": "Date", "iso": "1970-01-01T00:00:00.000Z"]
        case .google: empty = ["access_token"]
        case .twitter:
            empty = ["screen_name", "oauth_consumer_key", "consumer_secret", "oauth_token", "oauth_token_secret"]
        default: empty = []
        }
        for name in empty { object[name] = "" }
        return object
    }

    /// The id in the provider's own words. Of an id that a client made there is only the digest.
    static func name(of identity: Identity) -> String { ConfiguredProvider.parts(of: identity.subject).name }
}
