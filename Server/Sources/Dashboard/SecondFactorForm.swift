import Domain
import PageSupport

/// The second factors' part of the form of an application's settings.
enum SecondFactorForm {
    private static let mode = "secondFactors.mode"
    private static let demandedFor = "secondFactors.demandedFor"
    private static let switches: [(name: String, path: any WritableKeyPath<SecondFactorRules, Bool> & Sendable)] = [
        ("secondFactors.deviceKeysCount", \.deviceKeysCount),
        ("secondFactors.transferCodesCount", \.transferCodesCount),
        ("secondFactors.exemptsOldProtocols", \.exemptsOldProtocols),
    ]

    /// What can stand in the field of the changes that need the second factor.
    static var demandable: String { AccountChange.demandable.map(\.rawValue).sorted().joined(separator: ", ") }

    /// The rules that were sent. A form that does not have this part leaves them.
    ///
    /// - Throws: `fieldsRefused` for a word that there is not.
    static func rules(_ form: FormValues, _ before: SecondFactorRules) throws(DomainError) -> SecondFactorRules {
        guard let sent = form[mode] else { return before }
        var (rules, faults) = (before, [ValidationError]())
        if let chosen = SecondFactorRules.Mode(rawValue: sent) {
            rules.mode = chosen
        } else {
            faults.append(ValidationError(field: mode, rule: .notListed))
        }
        let words = form.text(demandedFor).split { $0.isWhitespace || $0 == "," }
        let changes = words.compactMap { AccountChange(rawValue: String($0)) }
        if changes.count < words.count { faults.append(ValidationError(field: demandedFor, rule: .notListed)) }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        rules.demandedFor = Set(changes)
        for (name, path) in switches { rules[keyPath: path] = !form.text(name).isEmpty }
        return rules
    }

    /// The fields, each with its name, its present value and its kind; choices are texts of the table by the value.
    static func fields(
        _ rules: SecondFactorRules
    ) -> [(name: String, value: String, kind: PageField.Kind, choices: [String])] {
        [
            (mode, rules.mode.rawValue, .select, SecondFactorRules.Mode.allCases.map(\.rawValue)),
            (demandedFor, rules.demandedFor.map(\.rawValue).sorted().joined(separator: "\n"), .multiline, []),
        ] + switches.map { ($0.name, rules[keyPath: $0.path] ? "yes" : "", .checkbox, []) }
    }
}
