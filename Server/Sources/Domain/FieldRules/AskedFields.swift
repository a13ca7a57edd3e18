extension FieldRule {
    /// Whether people can type such a value into a form.
    package var isTyped: Bool { kind != .object && kind != .array }

    /// Whether nobody registers without an answer of their own.
    package var needsAnswer: Bool { isRequired && standard == nil }

    /// Whether sign-up forms ask for it: nobody registers without it, or it has a label; as far as people type such values
    /// and may write them.
    package var isAsked: Bool { writer == .owner && isTyped && (needsAnswer || !labels.isEmpty) }
}

extension FieldRules {
    /// The fields that sign-up forms ask for, by name.
    package var asked: [FieldRule] { sorted.filter(\.isAsked) }
}
