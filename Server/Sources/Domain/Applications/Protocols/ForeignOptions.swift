/// What an operator can decide for one foreign protocol, beside the rules for its sessions.
package struct ForeignOptions: Hashable, Sendable {
    /// Whether somebody can log in with nothing but an id that the client made up.
    package var allowsAnonymous: Bool
    /// Whether everybody can read users who have no access list.
    package var isReadableByAll: Bool
    /// Whether passwords may stand in the addresses of requests, as versions of the SDKs before April 2023 send them.
    package var takesPasswordsInAddresses: Bool
    /// How far the time of a signed request may be from the server's; `nil` for any distance.
    package var timestampWindow: Duration?
    /// Names of this server, beside its own, that signatures may be made for.
    package var hosts: [String]
    /// Whether a log-in by password needs a verified mail address.
    package var needsVerifiedEmail = false
    /// Whether a new mail address is asked to be confirmed by a mail.
    package var verifiesEmails = false
    /// The old service's own server, to which everything but users and sessions goes; none without one.
    package var upstream: [String] = []
    /// Whether new passwords must keep Okaeri's own rules.
    package var hasPasswordPolicy = false
    /// Whether capitals make no difference at log-in.
    package var ignoresCase = false
    /// Networks from which the master key is taken, such as `10.0.0.0/8`.
    package var administratorNetworks = Self.thisMachine

    /// Where administrators are as long as nobody says otherwise.
    package static let thisMachine = ["127.0.0.0/8", "::1"]
    /// Whether a password that is the user name is taken away once a device key leads to the user.
    package var retiresWeakPasswords: Bool
    /// Whether somebody can sign up by a mail address alone.
    package var allowsSignUpByMail = true
    /// Whether a mail address counts only once it was shown to be the user's.
    package var demandsVerifiedEmail: Bool
    /// Whether a phone number counts only once it was shown to be the user's.
    package var demandsVerifiedPhone = false
    /// Whether a log-in moves the time of the last change that apps read.
    package var logInMovesUpdateTime = true
    /// Whether new users get ids of hexadecimal digits in groups with dashes.
    package var hasDashedIds = false
    /// Whether log-ins come with refresh tokens, and how long the access tokens beside them live; `nil` without.
    package var refreshedTokenLifetime: Duration?

    package init(
        allowsAnonymous: Bool = true, isReadableByAll: Bool = false, takesPasswordsInAddresses: Bool = false,
        timestampWindow: Duration? = nil, hosts: [String] = [], retiresWeakPasswords: Bool = false,
        demandsVerifiedEmail: Bool = false, refreshedTokenLifetime: Duration? = nil
    ) {
        self.allowsAnonymous = allowsAnonymous
        self.isReadableByAll = isReadableByAll
        self.takesPasswordsInAddresses = takesPasswordsInAddresses
        self.timestampWindow = timestampWindow
        self.hosts = hosts
        self.retiresWeakPasswords = retiresWeakPasswords
        self.demandsVerifiedEmail = demandsVerifiedEmail
        self.refreshedTokenLifetime = refreshedTokenLifetime
    }
}

extension ApplicationSettings {
    /// The options of a protocol: those that were set, or else those that its apps count on.
    package func foreignOptions(of name: Session.ProtocolName) -> ForeignOptions {
        foreignOptions[name] ?? ForeignOptions()
    }

    /// Whether any of the old protocols' weak passwords go with the first device key.
    var retiresWeakPasswords: Bool { foreignOptions.values.contains { $0.retiresWeakPasswords } }
}
