/// A user as another service kept it.
package struct ImportedUser: Sendable {
    /// With its own id and times; identities and identifiers among its values.
    package var user: User
    /// A hash that came along.
    package var hash: PasswordHash?
    /// A password that is known, to be hashed here. A hash that came along counts more.
    package var password: Secret?
    /// An id that a client made.
    package var anonymousId: AnonymousId?
    /// Names at providers, by which those vouch for the user.
    package var providerNames: [Identity.Provider: String]
    /// Sessions that go on.
    package var sessions: [ImportedSession] = []
    /// Tokens that the other service issued and apps hold. They go on counting, in any form that they have.
    package var tokens: [Secret]

    package init(
        user: User, hash: PasswordHash? = nil, password: Secret? = nil, anonymousId: AnonymousId? = nil,
        providerNames: [Identity.Provider: String] = [:], tokens: [Secret] = []
    ) {
        self.user = user
        self.hash = hash
        self.password = password
        self.anonymousId = anonymousId
        self.providerNames = providerNames
        self.tokens = tokens
    }
}

/// What became of one imported user.
package enum ImportOutcome: Hashable, Sendable {
    case imported
    /// A user of this id is there, from an earlier run. Tokens that the record brings along are taken all the same.
    case present
    /// Values break their rules, or belong to somebody else.
    case refused([FieldFault])

    package var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
