import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

/// A request's body: a JSON object, whatever media type it says it is.
struct KiiBody: Sendable {
    var members: [String: JSONValue]

    /// A text member; `nil` when it is missing or null.
    ///
    /// - Throws: `KiiFault.invalid` for another type.
    func text(_ name: String) throws(KiiFault) -> String? {
        switch members[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .invalid([name])
        }
    }

    /// A text member that must be there.
    func requiredText(_ name: String) throws(KiiFault) -> String {
        guard let text = try text(name) else { throw .invalid([name]) }
        return text
    }

    /// An instant in milliseconds since 1970; `nil` when it is missing or null.
    func instant(_ names: String...) throws(KiiFault) -> Timestamp? {
        for name in names {
            switch members[name] {
            case nil, .null?: continue
            case .integer(let milliseconds)?:
                guard let time = Timestamp(exactly: milliseconds) else { throw .invalid([name]) }
                return time
            case .string(let text)?:
                guard let time = Int64(text, radix: 10).flatMap(Timestamp.init(exactly:)) else {
                    throw .invalid([name])
                }
                return time
            default: throw .invalid([name])
            }
        }
        return nil
    }
}

extension KiiAPI {
    /// The body; empty when there is none.
    ///
    /// - Throws: `KiiFault.notJSON`, `RequestError`.
    func body(of request: Request, _ context: ServerContext) async throws -> KiiBody {
        let buffer = try await readBody(request, context)
        guard buffer.readableBytes > 0 else { return KiiBody(members: [:]) }
        let bytes = Array(buffer.readableBytesView)
        if request.hasMediaType(["application/x-www-form-urlencoded"]) {
            return KiiBody(members: try Self.form(bytes))
        }
        guard case .object(let members)? = try? JSONValue(parsing: bytes) else {
            // Why it is no JSON helps nobody: SDKs write it.
            throw KiiFault.notJSON
        }
        return KiiBody(members: members)
    }

    /// Longer forms are nobody's.
    private static let maximumFields = 100

    private static func form(_ bytes: [UInt8]) throws(KiiFault) -> [String: JSONValue] {
        let items = bytes.split(separator: UInt8(ascii: "&"), maxSplits: maximumFields)
        guard items.count <= maximumFields else { throw .notJSON }
        var members: [String: JSONValue] = [:]
        for item in items {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.text(of: parts[0], plusIsSpace: true),
                let value = PercentEncoding.text(of: parts.count > 1 ? parts[1] : [], plusIsSpace: true)
            else { throw .notJSON }
            members[name] = .string(value)
        }
        return members
    }
}
