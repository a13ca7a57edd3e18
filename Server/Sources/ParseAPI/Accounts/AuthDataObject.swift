import Domain
import enum OkaeriWire.JSONValue

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
