/// The id of a `Subject`: 16 characters base62 when made here; imported ones may have another form.
package struct Identifier<Subject>: Hashable, Sendable {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension Identifier {
    /// The smallest id that could be made at an instant: ids made before it are smaller, at or after it not.
    package static func first(at instant: Timestamp) -> Self {
        Self(rawValue: Base62.text(of: UInt64(clamping: instant.milliseconds), characterCount: 8))
    }
}

extension Identifier: CustomStringConvertible {
    package var description: String { rawValue }
}
