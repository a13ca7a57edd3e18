import Domain
import HTTPSupport
import NIOCore
@_spi(TotalConversions) import enum OkaeriWire.JSONValue
import enum OkaeriWire.StreamSafeText

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

    /// A whole number, which some clients write as a text; `nil` when it is missing or null.
    func number(_ name: String) throws(KiiFault) -> Int64? {
        switch members[name] {
        case nil, .null?: return nil
        case .integer(let number)?: return number
        case .string(let text)?:
            guard let number = Int64(text, radix: 10) else { throw .invalid([name]) }
            return number
        default: throw .invalid([name])
        }
    }

    /// A truth; `nil` when it is missing or null.
    func truth(_ name: String) throws(KiiFault) -> Bool? {
        switch members[name] {
        case nil, .null?: return nil
        case .bool(let truth)?: return truth
        default: throw .invalid([name])
        }
    }

    /// An instant in milliseconds since 1970: the first of these members that is there and not null. For a token
    /// without an end SDKs send the end of their own calendar, which is beyond this one's: Unity by a millisecond,
    /// JavaScript by 260,000 years.
    func instant(_ names: String...) throws(KiiFault) -> Timestamp? {
        for name in names {
            if case .number(let milliseconds)? = members[name] {
                return Timestamp(milliseconds: Int64(clamping: milliseconds))
            }
            if let milliseconds = try number(name) { return Timestamp(milliseconds: milliseconds) }
        }
        return nil
    }
}

extension KiiBody {
    /// The items of a form, which clients send for tokens alone.
    ///
    /// - Throws: `KiiFault` 400 for a form that has no such form, or is larger than any is.
    init(form body: ByteBuffer) throws(KiiFault) {
        if let excess = QueryItems.excess(ofForm: body) {
            throw KiiFault(400, "INVALID_JSON", "InvalidJson", excess)
        }
        guard let text = StreamSafeText.text(of: body.readableBytesView) else { throw .notJSON }
        do {
            members = try QueryItems(parsing: text[...]).items.mapValues { .string($0) }
        } catch {
            throw .notJSON
        }
    }
}
