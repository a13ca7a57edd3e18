import ArgumentParser
import Domain

/// A rule for one field, as `score=max`.
struct MergeRuleArgument: ExpressibleByArgument {
    let field: String
    let rule: MergeRule

    init?(argument: String) {
        let parts = argument.split(separator: "=")
        guard parts.count == 2, let rule = MergeRule(rawValue: String(parts[1])) else { return nil }
        (field, self.rule) = (String(parts[0]), rule)
    }
}
