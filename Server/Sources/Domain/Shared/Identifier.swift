/// The id of a `Subject`: 16 characters base62 when made here; imported ones may have another form.
package struct Identifier<Subject>: Hashable, Sendable {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Ids are the same when their bytes are, as in the databases. Texts are the same in Swift when their signs are, written in
    /// whichever way, such as “é” as one sign or as two: one imported user would be taken for the other.
    package static func == (one: Identifier, other: Identifier) -> Bool {
        one.rawValue == other.rawValue && one.rawValue.utf8.elementsEqual(other.rawValue.utf8)
    }
}

extension Identifier {
    /// The smallest id that could be made at an instant: ids made before it are smaller, at or after it not.
    package static func first(at instant: Timestamp) -> Self {
        Self(rawValue: Base62.text(of: UInt64(clamping: instant.milliseconds), characterCount: 8))
    }

    /// When an id was made here; `nil` for one of another form.
    package var instant: Timestamp? {
        guard rawValue.utf8.count == 16, let milliseconds = Base62.number(of: rawValue.prefix(8)) else { return nil }
        return Timestamp(milliseconds: Int64(clamping: milliseconds))
    }

    /// The moment in an id of the form of a UUID of version 7 (RFC 9562 §5.7); `nil` for one of another form.
    package var dashedInstant: Timestamp? {
        let parts = rawValue.pieces(at: "-", keepsEmpty: true)
        guard rawValue.utf8.count == 36, parts.map(\.utf8.count) == [8, 4, 4, 4, 12], parts[2].first == "7",
            let milliseconds = Int64(parts[0] + parts[1], radix: 16)
        else { return nil }
        return Timestamp(exactly: milliseconds)
    }
}

extension Identifier: CustomStringConvertible {
    package var description: String { rawValue }
}
