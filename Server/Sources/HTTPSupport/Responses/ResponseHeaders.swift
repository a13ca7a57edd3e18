package import HTTPTypes
import Synchronization

/// Headers that belong to an answer whatever it turns out to be, also when it becomes an error.
package final class ResponseHeaders: Sendable {
    private let fields = Mutex<[HTTPField]>([])

    package init() {}

    /// Adds a header in place of one of the same name.
    package func set(_ field: HTTPField) {
        fields.withLock { fields in
            fields.removeAll { $0.name == field.name }
            fields.append(field)
        }
    }

    /// All headers that were added.
    var all: [HTTPField] { fields.withLock { $0 } }
}
