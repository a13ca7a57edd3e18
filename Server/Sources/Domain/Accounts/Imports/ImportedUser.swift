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
    /// What an export of this server has beside it, with open secrets. The user is then stored exactly as it is.
    package var credentials: UserCredentials?
    /// What the record holds and no user can have, such as a time in year 12000. The user is refused for it, or taken in
    /// without it: see `ImportUsers`.
    package var faults: [ValidationError] = []

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

/// Reads the times of a record, and keeps what is wrong with them: no reader of a format has bounds of its own.
package struct ImportedTimes: Sendable {
    /// What another service wrote as a time.
    package enum Sent: Hashable, Sendable {
        /// Nothing.
        case none
        case milliseconds(Int64)
        /// A number of milliseconds with a fraction, or too large to be whole.
        case number(Double)
        case time(Timestamp)
        /// Something that is no time.
        case other
    }

    package private(set) var faults: [ValidationError] = []

    package init() {}

    /// A time of a record.
    ///
    /// - Parameters:
    ///   - sent: What stands there.
    ///   - field: The record's own name for it, for the report.
    /// - Returns: the time; `nil` when there is none, or none that can be taken.
    package mutating func time(_ sent: Sent, _ field: String) -> Timestamp? {
        let time: Timestamp?
        switch sent {
        case .none: return nil
        case .time(let known): return known
        case .other:
            faults.append(ValidationError(field: field, rule: .notOfKind(.date)))
            return nil
        case .milliseconds(let number): time = Timestamp(exactly: number)
        case .number(let number): time = Timestamp(secondsSince1970: number / 1000)
        }
        if time == nil { faults.append(ValidationError(field: field, rule: .outOfRange(Timestamp.range))) }
        return time
    }
}

/// What became of one imported user.
package enum ImportOutcome: Hashable, Sendable {
    case imported
    /// Taken in without what broke a rule or belongs to somebody else.
    case importedInPart([ValidationError])
    /// A user of this id is there, from an earlier run. Tokens that the record brings along are taken all the same.
    case present
    /// Values break their rules, or belong to somebody else.
    case refused([ValidationError])

    /// Whether a user was made.
    var isNew: Bool {
        switch self {
        case .imported, .importedInPart: true
        case .present, .refused: false
        }
    }

    package var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
