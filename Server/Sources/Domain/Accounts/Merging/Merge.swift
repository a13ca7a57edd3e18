package import enum OkaeriWire.JSONValue

/// One user took over everything of another; what is needed to undo it.
package struct Merge: Hashable, Sendable {
    package static let undoSpan: Duration = .days(7)

    package let id: Identifier<Merge>
    package let application: Identifier<Application>
    /// The user that stayed.
    package let user: Identifier<User>
    /// The user that went. It is there, out of reach, until the merge cannot be undone any more.
    package let leftUser: Identifier<User>
    package let moved: Moved
    package let mergedAt: Timestamp

    package init(
        id: Identifier<Merge>, application: Identifier<Application>, user: Identifier<User>,
        leftUser: Identifier<User>, moved: Moved, mergedAt: Timestamp
    ) {
        self.id = id
        self.application = application
        self.user = user
        self.leftUser = leftUser
        self.moved = moved
        self.mergedAt = mergedAt
    }

    package var undoEnd: Timestamp { mergedAt + Self.undoSpan }

    /// What went from one user to the other.
    package struct Moved: Hashable, Sendable {
        package var identities: [Identity]
        /// What the user that stayed was before and after, so that later changes survive the undoing.
        package var before: Profile
        package var after: Profile
        /// Devices that had joined the user that went.
        package var transfers: [Identifier<Transfer>]

        package init(
            identities: [Identity], before: Profile, after: Profile, transfers: [Identifier<Transfer>] = []
        ) {
            self.identities = identities
            self.before = before
            self.after = after
            self.transfers = transfers
        }
    }

    package struct Profile: Hashable, Sendable {
        package var displayName: String?
        package var locale: String?
        package var fields: [String: JSONValue]

        package init(displayName: String?, locale: String?, fields: [String: JSONValue]) {
            self.displayName = displayName
            self.locale = locale
            self.fields = fields
        }

        init(_ user: User) {
            self.init(displayName: user.displayName, locale: user.locale, fields: user.fields)
        }
    }
}
