import enum OkaeriWire.JSONValue

/// Hides what is personal from admins who may see users but not who they are: enough stays to tell two users apart.
package enum Redaction {
    /// The first character, and dots for the rest, however long.
    package static func text(_ text: String?) -> String? { text.map { "\($0.prefix(1))•••" } }

    /// `h•••@e•••.com`.
    package static func email(_ email: String?) -> String? {
        guard let email else { return nil }
        guard let address = MailAddress(email) else { return text(email) }
        let host = address.text.drop { $0 != "@" }.dropFirst()
        let last = host.split(separator: ".").last.map { ".\($0)" } ?? ""
        return "\(address.localPart.prefix(1))•••@\(host.prefix(1))•••\(last)"
    }

    /// The last two digits.
    package static func phone(_ phone: String?) -> String? { phone.map { "•••\($0.suffix(2))" } }

    /// The network that an address is of: `192.0.•••`.
    package static func address(_ address: String?) -> String? {
        guard let address else { return nil }
        let separator: Character = address.contains(":") ? ":" : "."
        return address.split(separator: separator, omittingEmptySubsequences: false).prefix(2)
            .joined(separator: String(separator)) + "\(separator)•••"
    }

    /// A user without what is personal: fields keep their names.
    package static func user(_ user: User) -> User {
        var masked = user
        masked.username = text(user.username)
        masked.email = email(user.email)
        masked.phone = phone(user.phone)
        masked.displayName = text(user.displayName)
        masked.fields = user.fields.mapValues { _ in .string("•••") }
        masked.identities = user.identities.map { identity in
            var masked = identity
            masked.subject = text(identity.subject) ?? ""
            return masked
        }
        return masked
    }
}
