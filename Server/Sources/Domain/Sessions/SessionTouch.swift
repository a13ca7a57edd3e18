/// A session was used.
package struct SessionTouch: Hashable, Sendable {
    package var id: Identifier<Session>
    package var user: Identifier<User>
    package var application: Identifier<Application>
    package var at: Timestamp
    package var address: String?
    /// Whether the session was not used before on that day, UTC: only then the user's day is written too.
    package var isFirstOfDay: Bool

    package init(
        id: Identifier<Session>, user: Identifier<User>, application: Identifier<Application>, at: Timestamp,
        address: String?, isFirstOfDay: Bool
    ) {
        self.id = id
        self.user = user
        self.application = application
        self.at = at
        self.address = address
        self.isFirstOfDay = isFirstOfDay
    }
}
