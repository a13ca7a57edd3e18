import Domain
import Foundation
import OkaeriWire

/// A row, in whichever of the forms.
struct ParseRow {
    let members: [String: JSONValue]

    init(_ record: JSONValue) throws(ParseExport.Fault) {
        guard case .object(let members) = record else { throw ParseExport.Fault(description: "is no object") }
        self.members = members
    }

    func text(_ name: String) -> String? {
        guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
        return text
    }

    /// The first of these that is there: a plain text, a date of Parse, or one of MongoDB, which may be a text or a number
    /// of milliseconds.
    func time(_ times: inout ImportedTimes, _ names: String...) -> Timestamp? {
        guard let name = names.first(where: { members[$0] != nil && members[$0] != .null }) else { return nil }
        return times.time(Self.sent(members[name] ?? .null), name)
    }

    private static func sent(_ value: JSONValue) -> ImportedTimes.Sent {
        if let time = ParseValue.time(value) { return .time(time) }
        guard case .object(let members) = value, let date = members["$date"] else { return .other }
        switch date {
        case .integer(let milliseconds): return .milliseconds(milliseconds)
        case .number(let milliseconds): return .number(milliseconds)
        case .object(let number):
            guard case .string(let text)? = number["$numberLong"], let milliseconds = Double(text) else {
                return .other
            }
            return Int64(text, radix: 10).map { .milliseconds($0) } ?? .number(milliseconds)
        default: return ParseValue.time(date).map { .time($0) } ?? .other
        }
    }

    /// The id that a pointer names: an object, or `_User$id` in a column with a prefix.
    func pointer(_ name: String) -> String? {
        if case .object(let pointer)? = members[name], case .string(let id)? = pointer["objectId"] { return id }
        guard let text = text("_p_\(name)") ?? text(name) else { return nil }
        let id = text.cut(at: "$")?.after ?? text[...]
        return id.isEmpty ? nil : String(id)
    }

    var method: Session.LogInMethod {
        guard case .object(let created)? = members["createdWith"] else { return .password }
        switch (created["action"], created["authProvider"]) {
        case ("signup"?, _): return .signUp
        case ("create"?, _): return .creation
        case ("upgrade"?, _): return .upgrade
        case (_, "masterkey"?): return .administrator
        case (_, .string(let name)?):
            let provider = AuthDataObject.provider(named: name)?.rawValue ?? name
            return Session.LogInMethod(rawValue: String(provider.prefix(64)))
        default: return .password
        }
    }

    /// By provider: one member, or a column of each, or both.
    var authData: [String: JSONValue] {
        let prefix = "_auth_data_"
        let columns = Dictionary(
            members.filter { $0.key.hasPrefix(prefix) }.map { (String($0.key.dropFirst(prefix.count)), $0.value) },
            uniquingKeysWith: { first, _ in first })
        // A Parse Server leaves an empty member beside its columns.
        guard case .object(let authData)? = members["authData"] else { return columns }
        return authData.merging(columns) { member, column in member == .null ? column : member }
    }

    /// The app's own fields. What begins with an underscore is the server's, but for pointers.
    /// The schema says what plain values are.
    ///
    /// - Parameters:
    ///   - schema: Of users.
    ///   - reserved: Names that are no custom fields.
    /// - Returns: the fields that can be read, and what is wrong with the others, which an import may leave out.
    func fields(
        _ schema: ParseSchema?, reserved: Set<String>
    ) -> (fields: [String: JSONValue], faults: [ValidationError]) {
        var fields: [String: JSONValue] = schema?.relations.filter { UserFields.isName($0.key) } ?? [:]
        var faults: [ValidationError] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key })
        where value != .null && !reserved.contains(Self.ownName(of: name)) {
            do throws(ParseFault) {
                if let field = try Self.field(name, value, schema) { fields[Self.ownName(of: name)] = field }
            } catch {
                faults.append(ValidationError(field: ProfileRules.path(of: name), rule: Self.rule(error, of: name)))
            }
        }
        return (fields, faults)
    }

    /// A field's name without what MongoDB has in front of a pointer's.
    private static func ownName(of name: String) -> String {
        name.hasPrefix("_p_") ? String(name.dropFirst(3)) : name
    }

    /// A field as Parse has it; `nil` for what is the server's.
    ///
    /// - Throws: 105, 111, 121.
    private static func field(
        _ name: String, _ value: JSONValue, _ schema: ParseSchema?
    ) throws(ParseFault) -> JSONValue? {
        if name.hasPrefix("_p_"), case .string(let text) = value {
            guard let parts = text.cut(at: "$"), !parts.before.isEmpty, !parts.after.isEmpty else {
                throw .wrongType(name, expected: "Pointer", got: "String")
            }
            return .object([
                "__type": "Pointer", "className": .string(String(parts.before)),
                "objectId": .string(String(parts.after)),
            ])
        }
        guard !name.hasPrefix("_"), name != "bcryptPassword" else { return nil }
        guard UserFields.isName(name) else { throw .invalidField(name) }
        let plain = try Self.plain(value, name)
        return try ParseValue.checked(schema?.typed(plain, name) ?? plain, name)
    }

    /// The rule that a field breaks.
    private static func rule(_ fault: ParseFault, of name: String) -> ValidationError.Rule {
        if fault == .invalidDate(name) { return .notOfKind(.date) }
        if fault == .invalidNumber(name) { return .notOfKind(.number) }
        return fault.code == 111 ? .otherType : .notAFieldName
    }

    /// Dates and numbers of MongoDB as those of Parse.
    ///
    /// - Throws: 111 for a date beyond the years 0000 to 9999, and for a number that JSON does not have.
    private static func plain(_ value: JSONValue, _ name: String) throws(ParseFault) -> JSONValue {
        switch value {
        case .object(let members):
            if members["$date"] != nil {
                var times = ImportedTimes()
                guard let time = times.time(sent(value), name) else { throw .invalidDate(name) }
                return ParseValue.date(time)
            }
            if let base64 = Self.binary(members) { return .object(["__type": "Bytes", "base64": .string(base64)]) }
            for type in ["$numberLong", "$numberInt"] {
                if case .string(let text)? = members[type], let number = Int64(text, radix: 10) {
                    return .integer(number)
                }
            }
            if case .string(let text)? = members["$numberDouble"], let number = Double(text) {
                // JSON has neither NaN nor infinite numbers, which MongoDB has.
                guard number.isFinite else { throw .invalidNumber(name) }
                return .number(number)
            }
            var plain: [String: JSONValue] = [:]
            for (key, value) in members { plain[key] = try Self.plain(value, name) }
            return .object(plain)
        case .array(let values):
            var plain: [JSONValue] = []
            for value in values { plain.append(try Self.plain(value, name)) }
            return .array(plain)
        default: return value
        }
    }

    /// The bytes of a value of MongoDB, in the present form or that of before 2019.
    private static func binary(_ members: [String: JSONValue]) -> String? {
        switch members["$binary"] {
        case .string(let base64)?: return base64
        case .object(let binary)?:
            guard case .string(let base64)? = binary["base64"] else { return nil }
            return base64
        default: return nil
        }
    }

    /// The list, or the two columns of who reads and who writes. Without any of them the standard holds.
    func acl() throws(ParseFault) -> ACL? {
        if let acl = members["ACL"], acl != .null { return try UserFields.acl(acl) }
        guard case .array(let readers)? = members["_rperm"] else { return nil }
        var writers: [JSONValue] = []
        if case .array(let list)? = members["_wperm"] { writers = list }
        var list = ACL()
        for (names, right) in [(readers, ACL.Rights.read), (writers, .write)] {
            for case .string(let name) in names where !name.isEmpty {
                list.entries[ACL.Subject(text: name), default: []].insert(right)
            }
        }
        return list
    }
}
