/// A user as somebody may see it: without the fields that are hidden from them. Adapters write users only in this form.
package struct UserView: Hashable, Sendable {
    package let user: User

    fileprivate init(_ user: User, to actor: FieldActor, _ rules: FieldRules) {
        guard !rules.isEmpty, actor != .server else {
            self.user = user
            return
        }
        var shown = user
        shown.fields = rules.shown(user.fields, to: actor)
        self.user = shown
    }
}

extension User {
    /// The user as somebody may see it.
    package func shown(to actor: FieldActor, _ rules: FieldRules) -> UserView { UserView(self, to: actor, rules) }

    /// The user as somebody may see it.
    package func shown(to actor: FieldActor, in application: Application) -> UserView {
        UserView(self, to: actor, application.settings.fieldRules)
    }
}

extension Authenticated {
    /// The user as it sees itself.
    package var userView: UserView { user.shown(to: .owner, in: application) }
}

extension LogIn {
    /// The user as it sees itself.
    package var userView: UserView { user.shown(to: .owner, fieldRules) }
}
