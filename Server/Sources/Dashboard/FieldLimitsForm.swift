import Domain
import PageSupport

/// The form of how much a user may hold: fields, their bytes, and the longest name that apps of old protocols choose.
enum FieldLimitsForm {
    /// One limit, by the name that its field has in the form.
    private struct Limit: Sendable {
        let name: String
        let range: ClosedRange<Int64>
        let path: any WritableKeyPath<ProfileLimits, Int> & Sendable

        /// Its name in the texts, and what the domain calls it in a fault.
        var fullName: String { "limits.\(name)" }
    }

    private static let limits = [
        Limit(name: "fields", range: ProfileLimits.fieldsRange, path: \.fields),
        Limit(name: "fieldsBytes", range: ProfileLimits.fieldsBytesRange, path: \.fieldsBytes),
        Limit(name: "userNameCharacters", range: ProfileLimits.userNameRange, path: \.userNameCharacters),
    ]

    /// The change that was sent. What is no number is beyond all bounds.
    static func change(_ form: FormValues) -> @Sendable (inout FieldRules) -> Void {
        let sent = limits.map { ($0, Int(form.text($0.name), radix: 10) ?? -1) }
        return { rules in
            for (limit, value) in sent { rules.limits[keyPath: limit.path] = value }
        }
    }

    /// The form as the page of fields shows it.
    ///
    /// - Parameters:
    ///   - request: Who looks.
    ///   - form: What was sent, when it was refused.
    ///   - present: What holds.
    ///   - faults: What is wrong with what was sent.
    /// - Returns: the model.
    static func model(
        _ request: DashboardRequest, _ form: FormValues, _ present: ProfileLimits, _ faults: [ValidationError]
    ) -> PageTemplates.Model {
        let fields = limits.map { limit in
            let bounds = request.text(
                "rules.range", ["least": String(limit.range.lowerBound), "most": String(limit.range.upperBound)])
            var field = PageField(
                limit.name, label: request.text(limit.fullName), kind: .number,
                value: form[limit.name] ?? String(present[keyPath: limit.path]))
            field.hint = bounds
            if faults.contains(where: { $0.field == limit.fullName }) { field.error = bounds }
            return field.model
        }
        return [
            "title": request.text("limits.title"), "note": request.text("limits.note"),
            "button": request.text("settings.save"), "link": "\(request.pagePath)/limits", "fields": fields,
        ]
    }
}
