import HTTPTypes
package import Hummingbird

/// The header `Authorization`, when its scheme is one that carries a session token.
package struct Authorization: Equatable, Sendable {
    package enum Scheme: Sendable {
        case bearer
        case proof
    }

    package let scheme: Scheme
    package let token: Substring

    /// - Returns: `nil` for any other scheme.
    package init?(_ text: String) {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let name = text[..<space]
        if Self.isEqual(name, to: "bearer") {
            scheme = .bearer
        } else if Self.isEqual(name, to: "dpop") {
            scheme = .proof
        } else {
            return nil
        }
        token = text[text.utf8.index(after: space)...].drop { $0 == " " }
    }

    /// Compares without regard to the case of ASCII letters (RFC 9110 §11.1).
    private static func isEqual(_ name: Substring, to lowercase: StaticString) -> Bool {
        guard name.utf8.count == lowercase.utf8CodeUnitCount else { return false }
        return zip(name.utf8, UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount))
            .allSatisfy { $0 | 0x20 == $1 }
    }
}

extension Request {
    /// What the header `Authorization` holds; `nil` without it, and for schemes that carry no session token.
    package var authorization: Authorization? { headers.value(of: .authorization).flatMap(Authorization.init) }

    /// The token of the header `Authorization`, when its scheme is `Bearer` (RFC 6750 §2.1).
    package var bearerToken: Substring? {
        guard let authorization, authorization.scheme == .bearer else { return nil }
        return authorization.token
    }
}
