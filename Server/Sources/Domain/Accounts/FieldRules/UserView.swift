/// A user as somebody may see it: without the fields that are hidden from them. Adapters write users only in this form.
package struct UserView: Hashable, Sendable {
    package let user: User
    /// What the user may. Others than the user and operators do not see it.
    package let access: Access

    fileprivate init(_ user: User, to actor: FieldActor, _ rules: FieldRules, _ accessRules: AccessRules) {
        access = actor == .others ? .none : accessRules.access(of: user, rules)
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
    fileprivate func shown(to actor: FieldActor, _ rules: FieldRules, _ accessRules: AccessRules) -> UserView {
        UserView(self, to: actor, rules, accessRules)
    }

    /// The user as somebody may see it.
    package func shown(to actor: FieldActor, in application: Application) -> UserView {
        shown(to: actor, application.settings.fieldRules, application.settings.access)
    }
}

extension Authenticated {
    /// The user as it sees itself.
    package var userView: UserView { user.shown(to: .owner, in: application) }
}

extension LogIn {
    /// The user as it sees itself.
    package var userView: UserView { user.shown(to: .owner, fieldRules, accessRules) }
}
