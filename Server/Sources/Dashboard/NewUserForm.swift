import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// The form below the list of users that makes one for somebody, without a password.
enum NewUserForm {
    private static let fields: [(name: String, kind: PageField.Kind)] = [
        ("email", .email), ("username", .text), ("phone", .tel), ("displayName", .text), ("locale", .text),
    ]

    static let routes: [DashboardRoute] = [
        DashboardRoute(UsersPage.page, post: "", .createUser, also: [.readPersonalData, .listUserListViews], create)
    ]

    @Sendable private static func create(_ request: DashboardRequest) async throws -> Response {
        let form = try await request.form()
        func change(_ name: String) -> ValueChange<String> { ValueChange(given: form.typed(name)) }
        let identifiers = NewIdentifiers(
            username: change("username"), email: change("email"), phone: change("phone"), rules: .native)
        do {
            guard !identifiers.isEmpty else {
                throw DomainError.fieldsRefused([ValidationError(field: "email", rule: .required)])
            }
            let user = try await request.modules.accounts.createUser(
                identifiers, .init(displayName: form.typed("displayName"), locale: form.typed("locale")),
                in: try request.targetApplication(), by: try request.auditActor())
            return request.redirect(to: "\(request.path(of: user.id))?done=created")
        } catch {
            guard let errors = UserFormErrors(error, request) else { throw error }
            // The list around the form is a reading of its own.
            return try await request.perform(UsersPage.page.action) { _ in
                try await UsersPage.draw(request, form, errors, status: .unprocessableContent)
            }
        }
    }

    /// The form, with what was typed and what is wrong with it.
    static func model(
        _ request: DashboardRequest, _ form: FormValues, _ errors: UserFormErrors?
    ) -> PageTemplates.Model {
        [
            "title": request.text("users.new"), "note": request.text("users.newHint"),
            "button": request.text("users.make"),
            "fields": fields.map { name, kind in
                PageField(
                    name, label: request.text("user.\(name)"), kind: kind, value: form.text(name), error: errors?[name],
                    isRequired: false
                ).model
            },
        ]
    }
}
