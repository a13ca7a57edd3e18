/// A finished log-in.
package struct LogIn: Sendable {
    /// Whether it made the user.
    package var isNew: Bool
    package var user: User
    /// The time of the log-in before this one.
    package var previousLogInAt: Timestamp?
    package var session: Session
    /// The only time that the token is returned.
    package var token: Secret
    /// When the token ends, if that is before the session: then another one is fetched with a refresh token.
    package var tokenExpiresAt: Timestamp?
    /// How long the session lives unused.
    package var idleLifetime: Duration
    /// How much there is that the device has not acknowledged; see `ListNotices`.
    package var noticeCount: Int
    /// What holds for the user's fields where it is shown.
    package var fieldRules: FieldRules
    /// What the user may where it is shown.
    package var accessRules = AccessRules()

    package init(
        isNew: Bool, user: User, previousLogInAt: Timestamp?, session: Session, token: Secret, idleLifetime: Duration,
        noticeCount: Int = 0, fieldRules: FieldRules
    ) {
        self.isNew = isNew
        self.user = user
        self.previousLogInAt = previousLogInAt
        self.session = session
        self.token = token
        self.idleLifetime = idleLifetime
        self.noticeCount = noticeCount
        self.fieldRules = fieldRules
    }
}
