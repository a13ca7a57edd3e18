import enum OkaeriWire.JSONValue

/// What becomes of a field that both users have. The application chooses by the field's name.
package enum MergeRule: String, Hashable, Sendable, CaseIterable {
    /// The value of the user that stays.
    case keep
    /// The value of the user that goes.
    case take
    /// The larger number.
    case max
    /// Both numbers together.
    case sum
    /// What is in either: the elements of two lists, the members of two objects.
    case union
}

/// Brings the values of two users together. A value that only one of them has is kept, whatever the rule.
package struct MergeRules: Sendable {
    let rules: [String: MergeRule]

    package init(_ rules: [String: MergeRule]) {
        self.rules = rules
    }

    /// The user that stays, with what the one that goes brings in. Identities are not looked at here.
    package func merged(_ staying: User, with going: User) -> User {
        var user = staying
        user.displayName = staying.displayName ?? going.displayName
        user.locale = staying.locale ?? going.locale
        user.fields = staying.fields.merging(going.fields) { present, _ in present }
        for (name, value) in going.fields {
            guard let present = staying.fields[name] else { continue }
            user.fields[name] = Self.merged(present, with: value, rules[name] ?? .keep)
        }
        return user
    }

    /// Values of a type that a rule is not about stay as they are.
    static func merged(_ present: JSONValue, with other: JSONValue, _ rule: MergeRule) -> JSONValue {
        switch (rule, present, other) {
        case (.keep, _, _): present
        case (.take, _, _): other
        case (.max, .integer(let one), .integer(let two)): .integer(Swift.max(one, two))
        case (.max, _, _):
            if let one = present.double, let two = other.double { one >= two ? present : other } else { present }
        case (.sum, .integer(let one), .integer(let two)):
            one.addingReportingOverflow(two).overflow
                ? .number(Double(one) + Double(two)) : .integer(one + two)
        case (.sum, _, _):
            if let one = present.double, let two = other.double, (one + two).isFinite {
                .number(one + two)
            } else {
                present
            }
        case (.union, .array(let one), .array(let two)):
            .array(two.reduce(into: one) { all, value in if !all.contains(value) { all.append(value) } })
        case (.union, .object(let one), .object(let two)): .object(one.merging(two) { present, _ in present })
        case (.union, _, _): present
        }
    }
}

extension JSONValue {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }
}
