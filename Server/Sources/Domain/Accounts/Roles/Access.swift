import Foundation
package import enum OkaeriWire.JSONValue

/// What a user may, by name, and what access tokens say of it.
package struct Access: Hashable, Sendable {
    /// The most bytes of all claims of an application's own, as JSON: a token is sent in a header.
    package static let maximumClaimsBytes = 4096

    package internal(set) var roles: [String] = []
    package internal(set) var groups: [String] = []
    package internal(set) var permissions: [String] = []
    package private(set) var claims: [String: JSONValue] = [:]
    /// Whether the claims by the application's rules are larger than a token has room for: there are none then, and no token.
    package private(set) var hasTooLargeClaims = false

    package static let none = Access()

    /// Stands for the claims: two tokens with the same version say the same of the user. `nil` without claims.
    ///
    /// It is a digest and no counter, so that no change of a role has to write to all who have it.
    package var version: String? {
        guard !claims.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // What was read from JSON can be written as JSON.
        guard let bytes = try? encoder.encode(claims) else { return nil }
        return Base64URL.text(of: SecretDigest(of: bytes).bytes.prefix(9))
    }

    /// Sets the claims by rules. Those that are too large together are none at all.
    ///
    /// The sum of the values ends the work early: a response to an app costs no more for a field that 50 rules name.
    mutating func setClaims(by rules: [ClaimRule], of user: User, _ fieldRules: FieldRules) {
        var values = JSONByteCount(limit: Self.maximumClaimsBytes)
        for rule in rules {
            guard let value = rule.value(for: user, self, fieldRules) else { continue }
            values.add(value)
            if values.isExceeded { break }
            set(value, for: rule)
        }
        if values.isExceeded || !ProfileRules.fieldsFit(claims, bytes: Self.maximumClaimsBytes) {
            (claims, hasTooLargeClaims) = ([:], true)
        }
    }

    private mutating func set(_ value: JSONValue, for rule: ClaimRule) {
        guard let object = rule.within else {
            claims[rule.name] = value
            return
        }
        var members: [String: JSONValue] = [:]
        if case .object(let present)? = claims[object] { members = present }
        members[rule.name] = value
        claims[object] = .object(members)
    }

    /// - Throws: `fieldsRefused` for claims that are too large. A token that lacks some of them would say something else.
    func requireFittingClaims() throws(DomainError) {
        guard !hasTooLargeClaims else {
            throw .fieldsRefused([
                ValidationError(field: "claims", rule: .tooManyBytes(maximum: Self.maximumClaimsBytes))
            ])
        }
    }
}

extension User {
    /// What the user may in its application.
    package func access(in application: Application) -> Access {
        application.settings.access.access(of: self, application.settings.fieldRules)
    }
}
