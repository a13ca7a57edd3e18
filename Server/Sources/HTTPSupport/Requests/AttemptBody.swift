package import Domain
import Foundation

extension Attempt {
    /// The attempt with what it asks; `nil` without a name.
    ///
    /// - Parameters:
    ///   - name: What the client called it.
    ///   - body: The request's body without its passwords, of which not even a digest may be kept.
    /// - Throws: when the body cannot be written, which no body that was read is.
    package init?(name: String?, body: some Encodable) throws {
        guard let name else { return nil }
        // Not the fast encoder of answers: members must stand in the same order each time.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        self.init(name: name, request: try encoder.encode(body))
    }
}
