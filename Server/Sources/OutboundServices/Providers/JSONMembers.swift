package import Domain
package import enum OkaeriWire.JSONValue

/// The members of a JSON object that somebody else wrote.
package struct JSONMembers: Sendable {
    package let values: [String: JSONValue]

    package init(_ values: [String: JSONValue]) {
        self.values = values
    }

    /// - Returns: `nil` when the bytes are no JSON object.
    package init?(parsing bytes: [UInt8]) {
        // What is wrong with it interests nobody here.
        guard case .object(let values)? = try? JSONValue(parsing: bytes, maximumDepth: 16) else { return nil }
        self.values = values
    }

    /// - Returns: `nil` when the value is no object.
    package init?(object value: JSONValue) {
        guard case .object(let values) = value else { return nil }
        self.values = values
    }

    package func text(_ name: String) -> String? {
        guard case .string(let text)? = values[name] else { return nil }
        return text
    }

    /// The longest name of a user at a provider (OpenID Connect Core §2).
    private static let maximumSubjectBytes = 255

    /// The name of a user at a provider.
    func subject(_ name: String) -> String? {
        text(name).flatMap { (1...Self.maximumSubjectBytes).contains($0.utf8.count) ? $0 : nil }
    }

    /// Whether there is such a member, whatever it is; null is none.
    package func has(_ name: String) -> Bool { values[name] ?? .null != .null }

    /// A NumericDate (RFC 7519 §2).
    ///
    /// - Returns: `nil` for anything else, and for a number beyond the years 0000 to 9999. A caller that does without a time asks
    ///   first whether it is there (`has`): one that cannot be understood is no reason to do without it.
    package func time(_ name: String) -> Timestamp? {
        switch values[name] {
        case .integer(let number)?: Timestamp(secondsSince1970: Double(number))
        case .number(let number)?: Timestamp(secondsSince1970: number)
        default: nil
        }
    }

    /// A truth value, which Apple writes as a text at times (requirement 37).
    package func flag(_ name: String) -> Bool {
        values[name] == .bool(true) || values[name] == .string("true")
    }

    /// A text or a list of texts.
    package func texts(_ name: String) -> [String] {
        switch values[name] {
        case .string(let text)?: [text]
        case .array(let list)?:
            list.compactMap { value in
                guard case .string(let text) = value else { return nil }
                return text
            }
        default: []
        }
    }

    func bytes(_ name: String) -> [UInt8]? {
        text(name).flatMap { Base64URL.bytes(of: $0.utf8) }
    }
}
