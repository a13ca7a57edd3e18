/// What an operator can decide for one application.
package struct ApplicationSettings: Hashable, Sendable {
    /// Whether every request must carry a proof of possession bound to its token (RFC 9449 §7).
    package var proofRequired: Bool
    /// How long a session lives without use.
    package var sessionIdleLifetime: Duration
    /// How long a session lives at the most (requirement 15).
    package var sessionLifetime: Duration
    /// Who may be named as the audience of an access token, beside the application itself.
    package var audiences: [String]
    /// A link into the app with `{code}` in place of a transfer code, for QR codes; without it they hold the code alone.
    package var transferLink: String?
    /// How long a user that asked to be deleted can still be restored. Not shorter than `Transfer.undoSpan`.
    package var deletionGrace: Duration

    /// What stands for the code in `transferLink`.
    package static let transferCodePlace = "{code}"

    package init(
        proofRequired: Bool = false, sessionIdleLifetime: Duration = .days(60),
        sessionLifetime: Duration = .days(400), audiences: [String] = [],
        transferLink: String? = nil, deletionGrace: Duration = .days(7)
    ) {
        self.proofRequired = proofRequired
        self.sessionIdleLifetime = sessionIdleLifetime
        self.sessionLifetime = sessionLifetime
        self.audiences = audiences
        self.transferLink = transferLink
        self.deletionGrace = deletionGrace
    }
}
