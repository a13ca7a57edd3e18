import Domain
import OkaeriWire

extension FieldRules {
    /// The fields that sign-up forms of apps ask for: what nobody registers without, and what has a label, as far as people
    /// may write them. Lists and objects are left to the app, which knows what stands in them, and to the hosted pages.
    var profileFields: [ProfileField] {
        asked.compactMap { rule in
            let kind: ProfileField.Kind
            switch rule.kind {
            case .any, .string: kind = .text
            case .integer, .number: kind = .number
            case .boolean: kind = .checkbox
            case .date: kind = .date
            case .object, .array: return nil
            }
            return ProfileField(
                name: rule.name, kind: kind,
                label: LocalizedText(rule.labels.isEmpty ? ["en": rule.name] : rule.labels),
                // A box that nobody ticked is an answer: no.
                isRequired: rule.needsAnswer && kind != .checkbox)
        }
    }
}
