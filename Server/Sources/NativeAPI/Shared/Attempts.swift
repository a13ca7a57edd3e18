import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension Attempt {
    /// Longest `Idempotency-Key`.
    static let maximumNameBytes = 255

    /// The attempt that the header `Idempotency-Key` names; `nil` without it.
    static func name(of request: Request) throws(RequestError) -> String? {
        guard let name = request.headers.value(of: .idempotencyKey) else { return nil }
        guard (1...maximumNameBytes).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw .headerInvalid(
                name: HeaderName.idempotencyKey, rule: "1 to \(maximumNameBytes) visible ASCII characters")
        }
        return name
    }

    /// The attempt with what it asks; `nil` without a name.
    ///
    /// - Parameters:
    ///   - name: What `name(of:)` gave.
    ///   - body: The request's body without its passwords, of which not even a digest may be kept.
    /// - Throws: when the body cannot be written, which no body that was read is.
    init?(name: String?, body: some Encodable) throws {
        guard let name else { return nil }
        // Not the fast encoder of answers: members must stand in the same order each time.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        self.init(name: name, request: try encoder.encode(body))
    }
}
