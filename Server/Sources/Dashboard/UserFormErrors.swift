import Domain
import PageSupport

/// What is wrong with a form of a user's page: at which field it stands, and what an admin reads there.
struct UserFormErrors {
    /// The fields of the page's forms, in their order.
    private static let fields = ["into", "confirm", "displayName", "locale", "username", "email", "phone", "fields"]
    private static let ownFields = "fields."

    /// The first error of each field.
    private let texts: [String: String]

    /// `nil` for an error of no field of the page.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: Knows the admin's language.
    init?(_ error: any Error, _ request: DashboardRequest) {
        guard let error = error as? DomainError else { return nil }
        var found = error.identifierKinds.map { ($0.rawValue, request.text("user.bad.taken")) }
        for fault in error.validationErrors ?? [] {
            let words = Self.words(of: fault, request)
            // All of a user's own fields stand in one.
            let own: Substring? =
                fault.field.hasPrefix(Self.ownFields) ? fault.field.dropFirst(Self.ownFields.count) : nil
            found.append(own.map { ("fields", "\($0): \(words)") } ?? (fault.field, words))
        }
        found.removeAll { !Self.fields.contains($0.0) }
        guard !found.isEmpty else { return nil }
        texts = Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// The error of a field.
    subscript(field: String) -> String? { texts[field] }

    /// What stands above the page, with the names of the fields.
    func summary(_ request: DashboardRequest) -> [(field: String?, text: String)] {
        Self.fields.compactMap { field in
            guard let text = texts[field] else { return nil }
            return (field, "\(request.text("user.\(Self.labels[field] ?? field)")): \(text)")
        }
    }

    private static let labels = ["into": "mergeInto", "confirm": "delete"]

    private static func words(of fault: ValidationError, _ request: DashboardRequest) -> String {
        let words: (name: String, values: [String: String]) =
            switch (fault.field, fault.rule) {
            case ("confirm", _): ("confirm", [:])
            case ("into", .notListed): ("into", [:])
            case ("into", _): ("intoOther", [:])
            case ("fields", .otherType): ("json", [:])
            case (_, .tooLong(let maximum)): ("tooLong", ["maximum": String(maximum)])
            case (_, .tooShort(let minimum)): ("tooShort", ["minimum": String(minimum)])
            case (_, .controlCharacter): ("controlCharacter", [:])
            case (_, .notALanguageTag): ("notALanguageTag", [:])
            case (_, .notAUserName): ("notAUserName", [:])
            case (_, .mixedScripts): ("mixedScripts", [:])
            case (_, .notAMailAddress): ("notAMailAddress", [:])
            case (_, .notAPhoneNumber): ("notAPhoneNumber", [:])
            case (_, .required), (_, .empty): ("required", [:])
            case (_, .lastWayIn): ("lastWayIn", [:])
            default: ("other", [:])
            }
        return request.text("user.bad.\(words.name)", words.values)
    }
}

extension UserPageModel {
    /// What is typed before a merge and a deletion.
    func confirmations(_ form: FormValues, _ errors: UserFormErrors?) -> PageTemplates.Model {
        let into = PageField(
            "into", label: request.text("user.mergeInto"), kind: .code, value: form.text("into"),
            error: errors?["into"])
        let confirm = PageField(
            "confirm", label: "\(request.text("user.confirm")) \(found.user.id)", kind: .code,
            error: errors?["confirm"])
        return [
            "into": into.model, "merges": into.error != nil, "confirm": confirm.model,
            "deletes": confirm.error != nil,
        ]
    }
}
