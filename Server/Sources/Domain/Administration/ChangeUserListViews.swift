/// Keeps a view of the list of users under its name, instead of one that has the name, or forgets one.
package struct ChangeUserListViews: Sendable {
    let editApplication: EditApplication

    /// - Parameters:
    ///   - name: The view's name.
    ///   - view: The view; `nil` to forget the one of the name.
    ///   - id: Whose users.
    ///   - isCurrent: Whether the views are still as the caller has seen them; may be asked twice.
    ///   - who: Who does it.
    /// - Returns: all views afterwards, by name.
    /// - Throws: `applicationUnknown`, `fieldsRefused`, `administration(notFound)` when there is none to forget,
    ///   `administration(changedMeanwhile)`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        _ name: String, to view: UserListView?, of id: Identifier<Application>,
        isCurrent: @escaping @Sendable ([UserListView]) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> [UserListView] {
        let faults = view?.faults() ?? []
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        return try await editApplication(
            id, .userListViewsChanged, isCurrent: { isCurrent($0.settings.userListViews) }, by: who
        ) { application throws(DomainError) in
            var views = application.settings.userListViews
            let position = views.firstIndex { $0.name == name }
            guard view != nil || position != nil else { throw .administration(.notFound) }
            if let position { views.remove(at: position) }
            if let view { views.append(view) }
            guard views.count <= UserListView.maximum else {
                throw .fieldsRefused([
                    ValidationError(field: "name", rule: .tooManyFields(maximum: UserListView.maximum))
                ])
            }
            application.settings.userListViews = views.sorted { $0.name < $1.name }
            // Never what is searched: it may be the name of a user.
            return ["view": name, "kept": String(view != nil)]
        }.settings.userListViews
    }
}

extension AuditEntry.Action {
    package static let userListViewsChanged = AuditEntry.Action(rawValue: "user-list-views.changed")
}
