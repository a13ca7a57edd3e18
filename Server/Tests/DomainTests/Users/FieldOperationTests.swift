import Domain
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
        #expect(throws: FieldFaultRule.self) { try example.operation.applied(to: example.before) }
    }
}
