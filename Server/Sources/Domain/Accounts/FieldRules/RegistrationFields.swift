extension FieldRule {
    /// Whether nobody registers without an answer of their own.
    package var needsAnswer: Bool { isRequired && standard == nil }

    /// Whether sign-up forms ask for it: nobody registers without it, or it has a label; as far as people may write it.
    package var isAsked: Bool { writer == .owner && (needsAnswer || !labels.isEmpty) }
}

extension FieldRules {
    /// The fields that sign-up forms ask for, by name.
    package var asked: [FieldRule] { sorted.filter(\.isAsked) }
}
