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
///
/// What says what a user may does not move: neither roles and groups nor the fields that become claims. Somebody with a
/// stolen session of one account could otherwise carry its rights into an account of their own, for good.
package struct MergeRules: Sendable {
    let rules: [String: MergeRule]
    /// Fields that stay as they are.
    let fixed: Set<String>

    package init(_ rules: [String: MergeRule], fixed: Set<String> = []) {
        self.rules = rules
        self.fixed = fixed
    }

    package init(_ settings: ApplicationSettings) {
        self.init(settings.mergeRules, fixed: Set(settings.access.claimedFields))
    }

    /// The user that stays, with what the one that goes brings in. Identities are not looked at here.
    package func merged(_ staying: User, with going: User) -> User {
        var user = staying
        user.displayName = staying.displayName ?? going.displayName
        user.locale = staying.locale ?? going.locale
        let brought = going.fields.filter { !fixed.contains($0.key) }
        user.fields = staying.fields.merging(brought) { present, _ in present }
        for (name, value) in brought {
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
            .array(united(one, two))
        case (.union, .object(let one), .object(let two)): .object(one.merging(two) { present, _ in present })
        case (.union, _, _): present
        }
    }

    /// What is in either list, as often as the first one has it. The work grows with the lists, not with their product: a
    /// merge happens in the writer that all share.
    private static func united(_ one: [JSONValue], _ two: [JSONValue]) -> [JSONValue] {
        var known = Set(one)
        return one + two.filter { known.insert($0).inserted }
    }
}
