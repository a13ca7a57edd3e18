/// What one protocol does differently. Each adapter makes the value of the protocol that it speaks; the rules know
/// protocols by these values alone.
package struct ProtocolProfile: Hashable, Sendable {
    package let name: Session.ProtocolName
    /// The name that people know.
    package let title: String
    /// The form of new session tokens.
    package let token: SessionToken.Form
    /// How long sessions live while the application says nothing else; `nil` for the application's own lifetimes.
    package let sessions: SessionRules?
    /// What user names and passwords must be like.
    package let accounts: AccountRules
    /// The same where the application asks for good passwords (`ForeignOptions.hasPasswordPolicy`).
    package let strictAccounts: AccountRules
    /// The keys by which an application is known, the one that names it first. A protocol with keys can be switched on.
    package let keys: [Key]
    /// What an application can decide for the protocol, beside what it can decide for each; see `ProtocolRule`.
    package let rules: Set<ProtocolRule.Name>
    /// How much its apps counted on to store in a user: an application that switches the protocol on allows as much.
    package var limits = ProfileLimits.standard

    package init(
        name: Session.ProtocolName, title: String, token: SessionToken.Form, sessions: SessionRules?,
        accounts: AccountRules, strictAccounts: AccountRules? = nil, keys: [Key] = [],
        rules: Set<ProtocolRule.Name> = []
    ) {
        self.name = name
        self.title = title
        self.token = token
        self.sessions = sessions
        self.accounts = accounts
        self.strictAccounts = strictAccounts ?? accounts
        self.keys = keys
        self.rules = rules
    }

    /// What holds for user names and passwords under an application's options.
    package func accountRules(under options: ForeignOptions) -> AccountRules {
        options.hasPasswordPolicy ? strictAccounts : accounts
    }

    /// What is known of a key; `nil` for one that the protocol does not have.
    package subscript(key: ProtocolKey) -> Key? { keys.first { $0.name == key } }

    /// What a protocol knows of one of its keys.
    package struct Key: Hashable, Sendable {
        package let name: ProtocolKey
        package let keeping: Keeping
        package let form: Form
        /// Whether it is made when others were brought along and this one was not.
        package let isNeeded: Bool
        /// Whether it is ever made. One that only apps in the stores have is brought along, or is not there.
        package let isMade: Bool

        package init(
            _ name: ProtocolKey, _ keeping: Keeping, _ form: Form, isNeeded: Bool = true, isMade: Bool = true
        ) {
            self.name = name
            self.keeping = keeping
            self.form = form
            self.isNeeded = isNeeded
            self.isMade = isMade
        }

        /// How a key is kept.
        package enum Keeping: Hashable, Sendable {
            /// It names the application: requests are looked up by it.
            case open
            /// It ships inside the app. It is sealed, because some protocols compute with it, and can be shown again.
            case sealed
            /// It makes an administrator. Only a digest is kept, and it is shown once (requirement 40).
            case digested
        }

        /// What a new key is like.
        package enum Form: Hashable, Sendable {
            /// So many random bytes, two digits each.
            case hexadecimal(byteCount: Int)
            /// So many random letters and digits.
            case letters(count: Int)
            /// The first segment of a path, made from the application's id. `/` and any segment but the reserved ones
            /// can be brought along.
            case path(reserved: Set<String>)
        }
    }

    /// Okaeri's own protocol.
    package static let native = ProtocolProfile(
        name: .native, title: "Okaeri", token: .named, sessions: nil, accounts: .native)
    /// The hosted pages: a day of disuse, because a browser may be a stranger's.
    package static let pages = ProtocolProfile(
        name: .pages, title: "Okaeri", token: .base64URL(byteCount: 32),
        sessions: SessionRules(idleLifetime: .days(1), lifetime: .days(30)), accounts: .native)
}

/// The protocols that this program speaks.
package struct ProtocolRegistry: Sendable {
    /// Those that an application can switch on, in the order in which they are shown.
    package let foreign: [ProtocolProfile]
    private let all: [ProtocolProfile]

    package init(foreign: [ProtocolProfile]) {
        self.foreign = foreign
        all = [.native, .pages] + foreign
    }

    /// The profile of a protocol. One that this program does not speak, of which sessions may still be stored, has
    /// endless sessions and no keys.
    package subscript(name: Session.ProtocolName) -> ProtocolProfile {
        // A handful of short names: a hash would cost more than to look at each.
        all.first { $0.name == name }
            ?? ProtocolProfile(
                name: name, title: name.rawValue, token: .base64URL(byteCount: 32), sessions: SessionRules(),
                accounts: .native)
    }

    /// Since when sessions of these applications may not have been used to be over now.
    func disuse(in applications: [Application], at now: Timestamp) -> SessionExpiry.Disuse {
        let shortest = all.map { profile in
            let spans = applications.map { $0.settings.sessionRules(of: profile).idleLifetime }
            return (name: profile.name, span: spans.min() ?? .zero)
        }.sorted { $0.span < $1.span }
        return SessionExpiry.Disuse(
            of: shortest[0].name, since: now - shortest[0].span, ofOthers: now - shortest[1].span)
    }

    /// The profile of a protocol that an application can switch on.
    ///
    /// - Throws: `fieldsRefused` for every other name.
    package func foreign(_ name: Session.ProtocolName) throws(DomainError) -> ProtocolProfile {
        guard let profile = foreign.first(where: { $0.name == name }) else {
            throw .fieldsRefused([ValidationError(field: "protocol", rule: .notListed)])
        }
        return profile
    }
}

extension ApplicationSettings {
    /// The rules for the sessions of a protocol: those that were set, or else those of its own service.
    package func sessionRules(of profile: ProtocolProfile) -> SessionRules {
        guard let standard = profile.sessions else {
            return SessionRules(idleLifetime: sessionIdleLifetime, lifetime: sessionLifetime)
        }
        return foreignSessions[profile.name] ?? standard
    }
}
