import Domain
import HTTPSupport
import OkaeriWire

/// Values of fields, as apps send them.
enum ParseValue {
    /// Checks a value and brings its dates into the one form that all SDKs read: UTC, milliseconds, `Z`.
    ///
    /// - Throws: 111 for a typed value of a wrong form, 121 for a name inside it that would mean something else elsewhere.
    static func checked(_ value: JSONValue, _ name: String) throws(ParseFault) -> JSONValue {
        switch value {
        case .null, .bool, .integer, .number, .string: return value
        case .array(let values):
            var checked: [JSONValue] = []
            for value in values { checked.append(try Self.checked(value, name)) }
            return .array(checked)
        case .object(let members):
            if case .string(let type)? = members["__type"] { return try typed(members, type, name) }
            var checked: [String: JSONValue] = [:]
            for (key, value) in members {
                guard !UserFields.prohibited.contains(key) else { throw .prohibited(key) }
                guard !key.utf8.contains(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: ".") }) else {
                    throw ParseFault(121, "Nested keys should not contain the '$' or '.' characters")
                }
                checked[key] = try Self.checked(value, name)
            }
            return .object(checked)
        }
    }

    private static func typed(
        _ members: [String: JSONValue], _ type: String, _ name: String
    ) throws(ParseFault) -> JSONValue {
        func isText(_ member: String) -> Bool {
            if case .string? = members[member] { true } else { false }
        }
        func isNumber(_ member: String) -> Bool {
            switch members[member] {
            case .integer?, .number?: true
            default: false
            }
        }
        switch type {
        case "Date":
            guard let time = time(.object(members)) else { break }
            return date(time)
        case "Pointer" where isText("className") && isText("objectId"):
            return .object([
                "__type": "Pointer", "className": members["className"] ?? .null,
                "objectId": members["objectId"] ?? .null,
            ])
        case "Object" where isText("className") && isText("objectId"):
            return .object([
                "__type": "Pointer", "className": members["className"] ?? .null,
                "objectId": members["objectId"] ?? .null,
            ])
        case "GeoPoint" where isNumber("latitude") && isNumber("longitude"): return .object(members)
        case "Bytes" where isText("base64"): return .object(members)
        case "File" where isText("name"): return .object(members)
        case "Polygon", "Relation": return .object(members)
        default: break
        }
        throw ParseFault(111, "This is not a valid \(MemberFault.printable(type)): \(MemberFault.printable(name)).")
    }

    /// A date in a field, or a session's end.
    static func date(_ time: Timestamp) -> JSONValue { .object(["__type": "Date", "iso": .string(time.text)]) }

    static func pointer(to user: Identifier<User>) -> JSONValue {
        .object(["__type": "Pointer", "className": "_User", "objectId": .string(user.rawValue)])
    }

    /// The time of a date, or of a text in its form; `nil` for everything else.
    static func time(_ value: JSONValue) -> Timestamp? {
        switch value {
        case .object(let members):
            guard members["__type"] == "Date", let iso = members["iso"] else { return nil }
            return time(iso)
        case .string(let text): return WireTime(text).map { Timestamp(milliseconds: $0.millisecondsSince1970) }
        default: return nil
        }
    }

    /// Parse's word for what a value is.
    static func typeName(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "Boolean"
        case .integer, .number: "Number"
        case .string: "String"
        case .array: "Array"
        case .object(let members): if case .string(let type)? = members["__type"] { type } else { "Object" }
        }
    }
}

extension Timestamp {
    /// As Parse writes times: plain text, UTC, three digits of fraction.
    var text: String { wire.description }
}
