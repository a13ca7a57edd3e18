/// A session was used.
package struct SessionUse: Hashable, Sendable {
    package var id: Identifier<Session>
    package var user: Identifier<User>
    package var application: Identifier<Application>
    package var at: Timestamp
    package var address: String?

    package init(
        id: Identifier<Session>, user: Identifier<User>, application: Identifier<Application>, at: Timestamp,
        address: String?
    ) {
        self.id = id
        self.user = user
        self.application = application
        self.at = at
        self.address = address
    }
}
