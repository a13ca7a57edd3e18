/// The id of a `Subject`: 16 characters base62 when made here; imported ones may have another form.
package struct Identifier<Subject>: Hashable, Sendable {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension Identifier: CustomStringConvertible {
    package var description: String { rawValue }
}
