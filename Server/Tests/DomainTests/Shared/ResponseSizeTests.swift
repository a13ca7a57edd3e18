import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// How much one request may ask for, and one response hold.
@Suite("The size of requests and responses")
struct ResponseSizeTests {
    @Test("of a response is up to its last byte, and what did not fit does not count")
    func room() {
        var size = ResponseSize()
        let fits = [SearchLimits.maximumBytes - 1, 2, 1, 0, 1].map { size.hasRoom(for: $0) }
        #expect(fits == [true, false, true, true, false])
        let full = size
        #expect(throws: DomainError.searchTooLarge) {
            var more = full
            try more.add(1)
        }
        #expect(throws: Never.self) {
            var more = full
            try more.add(0)
        }
    }

    @Test("of a user grows with identities and the access list", arguments: [0, 1, 7], [nil, 0, 3] as [Int?])
    func user(identities: Int, entries: Int?) {
        let now = StandingClock().now
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"),
            fields: ["a": 1],
            identities: (0..<identities).map { Identity(provider: .google, subject: "\($0)", linkedAt: now) },
            createdAt: now, updatedAt: now)
        user.acl = entries.map { count in
            var acl = ACL()
            for number in 0..<count { acl.entries[.role("\(number)")] = .read }
            return acl
        }
        // {"a":1}
        #expect(ResponseSize.of(user) == 7 + identities * 512 + (entries ?? 0) * 256 + 1024)
    }

    @Test("of a value that fits in no response is more than fits")
    func tooLarge() {
        let text = String(repeating: "x", count: SearchLimits.maximumBytes + 1)
        #expect(ResponseSize.of(.string(text)) > SearchLimits.maximumBytes)
        #expect(ResponseSize.of(.array([.string(text), 1])) > SearchLimits.maximumBytes)
        #expect(ResponseSize.of("x") == 3)
    }

    private static func change(_ name: String, of count: Int) -> FieldOperation {
        let elements = [JSONValue](repeating: 1, count: count)
        return switch name {
        case "append": .append(elements)
        case "appendMissing": .appendMissing(elements)
        default: .removeAll(elements)
        }
    }

    @Test(
        "of one operation is a thousand values", arguments: ["append", "appendMissing", "removeAll"],
        [0, 999, 1000, 1001])
    func operands(name: String, count: Int) {
        let fault = ValidationError(field: ProfileRules.path(of: "f"), rule: .tooManyFields(maximum: 1000))
        #expect(
            ProfileRules.faults(ofChange: ["f": Self.change(name, of: count)]) == (count > 1000 ? [fault] : []))
    }

    @Test("of one change is five hundred operations, also within fields", arguments: [1, 499, 500, 501])
    func operations(count: Int) {
        let fault = ValidationError(field: "fields", rule: .tooManyFields(maximum: 500))
        let flat = Dictionary(uniqueKeysWithValues: (0..<count).map { ("f\($0)", FieldOperation.remove) })
        #expect(ProfileRules.faults(ofChange: flat) == (count > 500 ? [fault] : []))
        // The field itself is one of them.
        #expect(ProfileRules.faults(ofChange: ["f": .members(flat)]) == (count > 499 ? [fault] : []))
    }

    @Test(
        "of a value is the number of values in it, itself among them",
        arguments: [
            (1, 1), ("text", 1), (.null, 1), ([], 1), ([:], 1), ([1, 2], 3), (["a": 1, "b": [1]], 4), ([[[1]]], 4),
        ] as [(JSONValue, Int)])
    func values(value: JSONValue, count: Int) {
        for limit in 0...6 { #expect(value.holds(moreThan: limit) == (count > limit), "\(limit)") }
    }
}
