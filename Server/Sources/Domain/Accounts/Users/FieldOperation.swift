package import enum OkaeriWire.JSONValue

/// What happens to one custom field: the operations that the mobile backends share.
package indirect enum FieldOperation: Hashable, Sendable {
    case set(JSONValue)
    case remove
    /// Adds a number; a field that is not there, or null, counts as 0.
    case increment(JSONValue)
    /// Appends to a list; a field that is not there counts as empty.
    case append([JSONValue])
    /// Appends what is not in the list yet.
    case appendMissing([JSONValue])
    /// Takes all that equals one of these out of a list.
    case removeAll([JSONValue])
    /// Does something to members of an object; a field that is not there counts as one without members.
    case members([String: FieldOperation])

    /// Whether it goes by what is there.
    var comparesValue: Bool {
        switch self {
        case .set, .remove: false
        case .increment, .append, .appendMissing, .removeAll, .members: true
        }
    }

    /// Does it to a value.
    ///
    /// - Parameter value: What is there; `nil` for nothing.
    /// - Returns: what is there afterwards; `nil` for nothing.
    /// - Throws: `ValidationError.Rule.otherType` when the operation does not go with the value.
    package func applied(to value: JSONValue?) throws(ValidationErrorRule) -> JSONValue? {
        switch self {
        case .set(let new): return new
        case .remove: return nil
        case .increment(let amount):
            let before: JSONValue = value == nil || value == .null ? 0 : value ?? 0
            return try Self.sum(before, amount)
        case .append(let elements): return .array(try Self.list(value) + elements)
        case .appendMissing(let elements):
            var list = try Self.list(value)
            // The set holds what is asked for, of which there is little: the list can be long.
            var missing = Set(elements.map(ListedValue.init))
            for item in list where !missing.isEmpty { missing.remove(ListedValue(item)) }
            for element in elements where missing.remove(ListedValue(element)) != nil { list.append(element) }
            return .array(list)
        case .removeAll(let elements):
            let unwanted = Set(elements.map(ListedValue.init))
            return .array(try Self.list(value).filter { !unwanted.contains(ListedValue($0)) })
        case .members(let operations):
            var members: [String: JSONValue]
            switch value {
            case nil, .null?: members = [:]
            case .object(let present)?: members = present
            default: throw ValidationErrorRule(rule: .otherType)
            }
            for (name, operation) in operations { members[name] = try operation.applied(to: members[name]) }
            return .object(members)
        }
    }

    private static func list(_ value: JSONValue?) throws(ValidationErrorRule) -> [JSONValue] {
        switch value {
        case nil, .null?: return []
        case .array(let list)?: return list
        default: throw ValidationErrorRule(rule: .otherType)
        }
    }

    /// Whole numbers stay whole as long as they fit.
    private static func sum(_ value: JSONValue, _ amount: JSONValue) throws(ValidationErrorRule) -> JSONValue {
        if case .integer(let left) = value, case .integer(let right) = amount {
            let (sum, overflow) = left.addingReportingOverflow(right)
            if !overflow { return .integer(sum) }
        }
        guard let left = value.double, let right = amount.double, (left + right).isFinite else {
            throw ValidationErrorRule(rule: .otherType)
        }
        return .number(left + right)
    }
}

/// A value in a list, as operations compare it: numbers are equal when their values are, however they were written.
private enum ListedValue: Hashable {
    case number(Double)
    case other(JSONValue)

    init(_ value: JSONValue) {
        self = value.double.map(Self.number) ?? .other(value)
    }
}

/// A rule that a value breaks, as an error.
package struct ValidationErrorRule: Error, Hashable, Sendable {
    package var rule: ValidationError.Rule
}

extension JSONValue {
    /// The number; `nil` for everything else.
    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }
}

extension [String: JSONValue] {
    /// These members after operations on some of them.
    ///
    /// - Returns: the members, and the rules that were broken.
    func applying(_ operations: [String: FieldOperation]) -> (fields: [String: JSONValue], faults: [ValidationError]) {
        var (fields, faults) = (self, [ValidationError]())
        for (name, operation) in operations.sorted(by: { $0.key < $1.key }) {
            do {
                fields[name] = try operation.applied(to: fields[name])
            } catch {
                faults.append(ValidationError(field: "fields.\(name)", rule: error.rule))
            }
        }
        return (fields, faults)
    }
}
