/// Tells apart where a person has moved the focus to, and what a view says of the focus before it has done what the form
/// wants.
package struct FocusWatch: Hashable, Sendable {
    /// Where the focus was when it was last looked at; nowhere before a view appears.
    private var former: FieldID?

    package init() {}

    /// Takes where the focus is now.
    ///
    /// - Parameters:
    ///   - focus: The field that has it.
    ///   - wanted: The field of which the form knows.
    /// - Returns: Whether the form has to hear of it.
    package mutating func takes(_ focus: FieldID?, wanted: FieldID?) -> Bool {
        guard focus != former else { return false }
        former = focus
        return focus != wanted
    }
}
