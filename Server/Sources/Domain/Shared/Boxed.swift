/// A value behind a reference, which copies of its owner share until one of them changes it: a copy retains one reference
/// instead of every part. For large values in what is passed along.
@propertyWrapper
package struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    // Unchecked: `value` changes only while nobody else has the box.
    private final class Box: @unchecked Sendable {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var box: Box

    package init(wrappedValue: Value) {
        box = Box(wrappedValue)
    }

    package var wrappedValue: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }

    package static func == (left: Boxed, right: Boxed) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(box.value)
    }
}
