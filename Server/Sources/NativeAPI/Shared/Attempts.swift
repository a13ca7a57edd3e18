import Domain
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
}
