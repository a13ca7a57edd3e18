/// How the server knows the OpenID Connect provider of its admins.
package struct AdminSignOnSettings: Sendable {
    package let issuer: String
    package let clientId: String
    package let secret: Secret?
    /// Who becomes an admin at the first log-in; `nil` for nobody.
    package let joining: Joining?
    /// Whether passwords of admins stop counting as soon as an owner is linked.
    package let endsPasswords: Bool

    package init(issuer: String, clientId: String, secret: Secret?, joining: Joining?, endsPasswords: Bool) {
        self.issuer = issuer
        self.clientId = clientId
        self.secret = secret
        self.joining = joining
        self.endsPasswords = endsPasswords
    }

    /// Where anybody has an account, under an address of any domain: what was verified stays so after the mailbox is gone. Accounts
    /// of an organisation alone have addresses of its own domains, and say whose they are (OpenID Connect at Google, `hd`).
    private static let google = "https://accounts.google.com"

    /// Whether the rule of the mail domain makes a person an admin.
    func takes(_ person: ExternalIdentity) -> Bool {
        guard let joining, let email = person.email, joining.takes(email) else { return false }
        return issuer != Self.google || person.hostedDomain != nil
    }

    /// The rule by which people of a mail domain become admins.
    package struct Joining: Sendable {
        package let domain: String
        package let role: AdminRole

        /// - Returns: `nil` for what is no domain, and for owners, whom a person alone makes.
        package init?(domain: String, role: AdminRole) {
            let domain = domain.lowercased()
            guard role != .owner, PasskeyRules.isDomain(domain) else { return nil }
            self.domain = domain
            self.role = role
        }

        /// Whether a mail address is verified and of the domain itself. One of a domain below it is not.
        func takes(_ email: ProviderEmail) -> Bool {
            email.isVerified && !email.isRelay && MailAddress(email.address)?.domainInASCII == domain
        }
    }
}

/// An admin as the provider of admins knows them.
package struct AdminIdentity: Hashable, Sendable {
    package let issuer: String
    package let subject: String
    package let admin: Identifier<Admin>
    package let linkedAt: Timestamp

    package init(issuer: String, subject: String, admin: Identifier<Admin>, linkedAt: Timestamp) {
        self.issuer = issuer
        self.subject = subject
        self.admin = admin
        self.linkedAt = linkedAt
    }

    /// The same for the same subject of the same issuer.
    package var id: String { Self.id(of: subject, at: issuer) }

    static func id(of subject: String, at issuer: String) -> String {
        Base64URL.text(of: SecretDigest(of: Array(issuer.utf8) + [0] + Array(subject.utf8)).bytes)
    }
}

extension Transaction {
    /// Whether no admin comes in by a password: the settings say so, and an owner has another way.
    func refusesPasswords(_ settings: AdminSignOnSettings?) throws(DomainError) -> Bool {
        guard let settings, settings.endsPasswords else { return false }
        for identity in try adminIdentities() where identity.issuer == settings.issuer {
            if let admin = try admin(identity.admin), admin.role == .owner, !admin.isDisabled { return true }
        }
        return false
    }
}
