import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// Operations on fields against the plainest way to do the same: lists that are gone through one value after the other.
@Suite("Operations on fields, any of them in any order")
struct FieldOperationModelTests {
    private static let values: [JSONValue] = [
        nil, true, false, 0, 1, 1.0, 2, -3, 0.5, .integer(.max), "", "1", "a", [], [1, "a"], [:], ["a": 1], ["a": [2]],
    ]

    private static func value(_ draw: inout SeededGenerator) -> JSONValue {
        draw.isOne(in: 3) ? .array(draw.list(of: draw.number(below: 5)) { $0.pick(values) }) : draw.pick(values)
    }

    private static func operation(_ draw: inout SeededGenerator, depth: Int = 0) -> FieldOperation {
        let elements = draw.list(of: draw.number(below: 4)) { $0.pick(values) }
        switch draw.number(below: depth > 1 ? 6 : 7) {
        case 0: return .set(value(&draw))
        case 1: return .remove
        case 2: return .increment(draw.pick(values))
        case 3: return .append(elements)
        case 4: return .appendMissing(elements)
        case 5: return .removeAll(elements)
        default:
            let names = draw.pick([[], ["a"], ["a", "b"]])
            return .members(Dictionary(uniqueKeysWithValues: names.map { ($0, operation(&draw, depth: depth + 1)) }))
        }
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// Numbers are the same when they are equal; all else when it is the same value.
    private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        if let one = number(one), let other = number(other) { return one == other }
        return one == other
    }

    private struct Refused: Error {}

    private static func list(_ value: JSONValue?) throws -> [JSONValue] {
        guard let value, value != .null else { return [] }
        guard case .array(let list) = value else { throw Refused() }
        return list
    }

    private static func model(_ operation: FieldOperation, on value: JSONValue?) throws -> JSONValue? {
        switch operation {
        case .set(let new): return new
        case .remove: return nil
        case .increment(let amount):
            let before: JSONValue = if let value, value != .null { value } else { 0 }
            if case .integer(let one) = before, case .integer(let two) = amount,
                !one.addingReportingOverflow(two).overflow
            {
                return .integer(one + two)
            }
            guard let one = number(before), let two = number(amount) else { throw Refused() }
            return .number(one + two)
        case .append(let elements): return .array(try list(value) + elements)
        case .appendMissing(let elements):
            var list = try list(value)
            for element in elements where !list.contains(where: { isSame($0, element) }) { list.append(element) }
            return .array(list)
        case .removeAll(let elements):
            return .array(try list(value).filter { item in !elements.contains { isSame($0, item) } })
        case .members(let operations):
            var members: [String: JSONValue] = [:]
            switch value {
            case nil, .null?: break
            case .object(let present)?: members = present
            default: throw Refused()
            }
            for (name, operation) in operations { members[name] = try model(operation, on: members[name]) }
            return .object(members)
        }
    }

    private enum Outcome: Equatable {
        case value(JSONValue?)
        case refused
    }

    private static func wanted(_ operation: FieldOperation, on value: JSONValue?) -> Outcome {
        do { return .value(try model(operation, on: value)) } catch { return .refused }
    }

    private static func found(_ operation: FieldOperation, on value: JSONValue?) -> Outcome {
        do throws(ValidationErrorRule) {
            return .value(try operation.applied(to: value))
        } catch {
            return error.rule == .otherType ? .refused : .value(nil)
        }
    }

    @Test("give what going through the values one by one gives", arguments: UInt64(0)..<400)
    func model(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        var value: JSONValue?
        for _ in 0..<6 {
            let operation = Self.operation(&draw)
            let found = Self.found(operation, on: value)
            #expect(found == Self.wanted(operation, on: value), "\(operation) on \(String(describing: value))")
            if case .value(let after) = found { value = after }
        }
    }

    @Test(
        "that are refused leave their field as it was and name it, and the others are done", arguments: UInt64(0)..<100)
    func fields(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        var (before, operations): ([String: JSONValue], [String: FieldOperation]) = ([:], [:])
        for name in ["a", "b", "c", "d"] {
            if !draw.isOne(in: 4) { before[name] = Self.value(&draw) }
            if !draw.isOne(in: 4) { operations[name] = Self.operation(&draw) }
        }
        let (after, faults) = before.applying(operations)
        for name in ["a", "b", "c", "d"] {
            let outcome = operations[name].map { Self.wanted($0, on: before[name]) } ?? .value(before[name])
            let isRefused = outcome == .refused
            #expect(faults.contains { $0.field == "fields.\(name)" } == isRefused, "\(name): \(operations)")
            #expect(
                Outcome.value(after[name]) == (isRefused ? .value(before[name]) : outcome), "\(name): \(operations)")
        }
        #expect(faults.map(\.field) == faults.map(\.field).sorted())
    }
}
