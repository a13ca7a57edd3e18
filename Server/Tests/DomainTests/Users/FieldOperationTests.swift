import Domain
import OkaeriWire
import Testing

@Suite("An operation on a field")
struct FieldOperationTests {
    @Test(
        "gives what the backends give",
        arguments: [
            (FieldOperation.set("x"), JSONValue?.some(1), JSONValue?.some("x")), (.remove, 1, nil), (.remove, nil, nil),
            (.increment(2), 3, 5), (.increment(-1), nil, -1), (.increment(0.5), 1, 1.5), (.increment(1), .null, 1),
            (.increment(1), .integer(.max), .number(9_223_372_036_854_775_808)),
            (.append([1, 2]), [1], [1, 1, 2]), (.append([1]), nil, [1]), (.appendMissing([1, 2, 2]), [1], [1, 2]),
            (.appendMissing([1.0]), [1], [1]), (.removeAll([1, "x"]), [1, 2, "x", 1], [2]), (.removeAll([1]), nil, []),
        ])
    func applied(_ operation: FieldOperation, _ before: JSONValue?, _ after: JSONValue?) throws {
        #expect(try operation.applied(to: before) == after)
    }

    @Test(
        "is refused on a value that it does not go with",
        arguments: [
            (FieldOperation.increment(1), JSONValue.string("1")), (.increment("1"), 1), (.append([1]), 1),
            (.removeAll([1]), ["a": 1]), (.appendMissing([1]), true),
            (.increment(.number(1e308)), .number(1.7e308)),
        ])
    func refused(_ operation: FieldOperation, _ before: JSONValue) {
        #expect(throws: FieldFaultRule.self) { try operation.applied(to: before) }
    }
}
