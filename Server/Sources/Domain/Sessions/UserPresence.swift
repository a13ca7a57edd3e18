/// A user was there on a day, UTC: what lists of users are sorted by, and what is counted.
package struct UserPresence: Hashable, Sendable {
    package var user: Identifier<User>
    package var application: Identifier<Application>
    /// Any time of the day.
    package var at: Timestamp

    package init(of user: Identifier<User>, in application: Identifier<Application>, at time: Timestamp) {
        self.user = user
        self.application = application
        at = time
    }
}
