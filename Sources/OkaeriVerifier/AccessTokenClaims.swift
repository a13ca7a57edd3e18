public import Foundation
public import OkaeriWire

/// What a verified access token says. `all` has everything; the rest are its standard members in Swift's types.
public struct AccessTokenClaims: Hashable, Sendable {
    /// Every claim by its name, those of the application's own rules too.
    public let all: [String: JSONValue]
    /// The user's id (`sub`).
    public let user: String
    /// When the token ends (`exp`).
    public let expiresAt: Date
    /// When it was issued (`iat`).
    public let issuedAt: Date

    /// Seconds since 1970, of which the verifier has seen that they are there.
    init(_ all: [String: JSONValue], user: String, expires: Int64, issued: Int64) {
        self.all = all
        self.user = user
        expiresAt = Date(timeIntervalSince1970: TimeInterval(expires))
        issuedAt = Date(timeIntervalSince1970: TimeInterval(issued))
    }

    /// A claim by its name.
    public subscript(name: String) -> JSONValue? { all[name] }

    /// The application (`client_id`).
    public var application: String? { all["client_id"]?.text }
    /// The session that the token was made from (`sid`).
    public var session: String? { all["sid"]?.text }
    /// The token's own id (`jti`).
    public var identifier: String? { all["jti"]?.text }
    /// When the user last proved to be there (`auth_time`); `nil` when never in this session.
    public var authenticatedAt: Date? {
        all["auth_time"]?.seconds.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }
    /// How the user proved it (`amr`, RFC 8176).
    public var methods: [String] { texts("amr") }
    /// How much that is worth (`acr`): `2` with a second factor.
    public var assurance: String? { all["acr"]?.text }
    /// Whether nothing but a device leads to the user (`is_anonymous`).
    public var isAnonymous: Bool { all["is_anonymous"] == .bool(true) }
    /// The user's roles (`roles`); none when the token has none.
    public var roles: Set<String> { Set(texts("roles")) }
    /// What the user may do (`permissions`); nothing when the token has none.
    public var permissions: Set<String> { Set(texts("permissions")) }
    /// The thumbprint of the key that the token is bound to (`cnf.jkt`, RFC 9449 §6.1); `nil` for a bearer token.
    public var keyThumbprint: String? {
        guard case .object(let members)? = all["cnf"] else { return nil }
        return members["jkt"]?.text
    }

    /// Whether the token is bound to a key of any kind: one that this library cannot check must not pass as a bearer token.
    var isBound: Bool { all["cnf"] != nil && all["cnf"] != .null }

    /// The texts of a list; a single text is a list of one.
    private func texts(_ name: String) -> [String] {
        switch all[name] {
        case .array(let values)?: values.compactMap(\.text)
        case .string(let text)?: [text]
        default: []
        }
    }
}
