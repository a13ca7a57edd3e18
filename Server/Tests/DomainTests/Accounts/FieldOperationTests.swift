import Domain
import Foundation
import OkaeriWire
import Testing

@Suite("An operation on a field")
struct FieldOperationTests {
    struct Example: Sendable {
        var operation: FieldOperation
        var before: JSONValue?
        var after: JSONValue?

        init(_ operation: FieldOperation, _ before: JSONValue?, _ after: JSONValue? = nil) {
            self.operation = operation
            self.before = before
            self.after = after
        }
    }

    @Test(
        "gives what the backends give",
        arguments: [
            Example(.set("x"), 1, "x"), Example(.remove, 1), Example(.remove, nil), Example(.increment(2), 3, 5),
            Example(.increment(-1), nil, -1), Example(.increment(0.5), 1, 1.5),
            Example(.increment(1), JSONValue.null, 1),
            Example(.increment(1), .integer(.max), .number(9_223_372_036_854_775_808)),
            Example(.append([1, 2]), [1], [1, 1, 2]), Example(.append([1]), nil, [1]),
            Example(.appendMissing([1, 2, 2]), [1], [1, 2]), Example(.appendMissing([1.0]), [1], [1]),
            Example(.removeAll([1, "x"]), [1, 2, "x", 1], [2]), Example(.removeAll([1]), nil, []),
        ])
    func applied(_ example: Example) throws {
        #expect(try example.operation.applied(to: example.before) == example.after)
    }

    @Test(
        "is refused on a value that it does not go with",
        arguments: [
            Example(.increment(1), "1"), Example(.increment("1"), 1), Example(.append([1]), 1),
            Example(.removeAll([1]), ["a": 1]), Example(.appendMissing([1]), true),
            Example(.increment(.number(1e308)), .number(1.7e308)),
        ])
    func refused(_ example: Example) {
        #expect(throws: ValidationErrorRule.self) { try example.operation.applied(to: example.before) }
    }

    @Test("compares numbers by their value and everything else by what it is")
    func comparison() throws {
        let before: JSONValue = [1, 1.0, "1", true, nil, ["a": 1], [1], 0]
        let missing = FieldOperation.appendMissing([1.0, "1", true, nil, ["a": 1], [1], -0.0, ["a": 2], [1, 1], false])
        #expect(
            try missing.applied(to: before) == [1, 1.0, "1", true, nil, ["a": 1], [1], 0, ["a": 2], [1, 1], false])
        let gone = FieldOperation.removeAll([1, true, ["a": 1]])
        #expect(try gone.applied(to: before) == ["1", nil, [1], 0])
    }

    @Test("takes time by the length of both lists", arguments: [true, false])
    func time(appends: Bool) throws {
        let list = (0..<60_000).map { JSONValue.string("value \($0)") }
        let operation: FieldOperation = appends ? .appendMissing(list) : .removeAll(list)
        let start = ContinuousClock.now
        #expect(try operation.applied(to: .array(list)) == .array(appends ? list : []))
        #expect(start.duration(to: .now) < .seconds(60))
    }

    @Test("is refused with too many values, whatever it does with them")
    func operands() {
        let most = [JSONValue](repeating: 1, count: ProfileRules.maximumOperands)
        let wanted = [
            ValidationError(field: "fields.list", rule: .tooManyFields(maximum: ProfileRules.maximumOperands))
        ]
        for operation in [FieldOperation.append, FieldOperation.appendMissing, FieldOperation.removeAll] {
            #expect(ProfileRules.faults(ofChange: ["list": operation(most)]).isEmpty)
            #expect(ProfileRules.faults(ofChange: ["list": operation(most + [1])]) == wanted)
            #expect(ProfileRules.faults(ofChange: ["list": .members(["in": operation(most + [1])])]) == wanted)
        }
    }

    @Test("is refused with too many others, on fields and inside them")
    func operations() {
        let names = (1...ProfileRules.maximumOperations).map { ("f\($0)", FieldOperation.remove) }
        let most = Dictionary(uniqueKeysWithValues: names)
        let wanted = [ValidationError(field: "fields", rule: .tooManyFields(maximum: ProfileRules.maximumOperations))]
        #expect(ProfileRules.faults(ofChange: most).isEmpty)
        #expect(ProfileRules.faults(ofChange: most.merging(["more": .remove]) { $1 }) == wanted)
        #expect(ProfileRules.faults(ofChange: ["a": .members(most)]) == wanted)
    }

    @Test("is refused with more bytes than all fields can make use of, counted as JSON")
    func bytes() throws {
        let values: [JSONValue] = [
            nil, true, false, 0, -12, .integer(.min), 1.5, 1e300, "", "\"\\/\n\u{1}\u{8}あ", [], [1, [2, [:]]],
            ["a": [nil], "\"": ["b": "c"]],
        ]
        for value in values {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            let count = try encoder.encode(["a": value]).count
            // A field named `a` with its value takes two braces less than the object.
            let rest = ProfileLimits.standard.changeBytes - (count - 2)
            func faults(_ length: Int) -> [ValidationError] {
                // Four bytes for the name with its colon, two for the quotes.
                ProfileRules.faults(ofPatch: ["a": value, "b": .string(String(repeating: "x", count: length - 6))])
            }
            #expect(faults(rest).isEmpty, "\(value)")
            #expect(!faults(rest + 1).isEmpty, "\(value)")
        }
    }
}
