import enum OkaeriWire.JSONValue
import TestWorld
import Testing

@testable import Domain

@Suite("Bringing the values of two users together")
struct MergeRulesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let rule: MergeRule
        let staying: JSONValue
        let going: JSONValue
        let result: JSONValue
        var testDescription: String { "\(rule) \(staying) \(going)" }
    }

    static let cases = [
        Case(rule: .keep, staying: 1, going: 2, result: 1), Case(rule: .take, staying: 1, going: 2, result: 2),
        Case(rule: .max, staying: 1, going: 2, result: 2), Case(rule: .max, staying: 2.5, going: 2, result: 2.5),
        // Of two that are equal the staying user's own stays as it is written.
        Case(rule: .max, staying: 3, going: .number(3), result: 3),
        Case(rule: .max, staying: .number(3), going: 3, result: .number(3)),
        Case(rule: .max, staying: 2, going: 2.5, result: 2.5), Case(rule: .max, staying: 3, going: 2.5, result: 3),
        Case(rule: .max, staying: "a", going: 9, result: "a"), Case(rule: .sum, staying: 1, going: 2, result: 3),
        Case(rule: .sum, staying: 1, going: 0.5, result: 1.5),
        Case(rule: .sum, staying: .integer(.max), going: 1, result: .number(Double(Int64.max) + 1)),
        Case(rule: .sum, staying: .number(1.7e308), going: .number(1.7e308), result: .number(1.7e308)),
        Case(rule: .sum, staying: true, going: 1, result: true),
        Case(rule: .union, staying: [1, 2], going: [2, 3], result: [1, 2, 3]),
        Case(rule: .union, staying: ["a": 1], going: ["a": 2, "b": 3], result: ["a": 1, "b": 3]),
        Case(rule: .union, staying: [1], going: ["a": 2], result: [1]),
    ]

    @Test("follows the application's rule for a field that both have", arguments: cases)
    func rule(_ one: Case) {
        let now = StandingClock().now
        func user(_ fields: [String: JSONValue]) -> User {
            User(
                id: Identifier(rawValue: "x"), application: Identifier(rawValue: "a"), fields: fields, createdAt: now,
                updatedAt: now)
        }
        let merged = MergeRules(["f": one.rule]).merged(
            user(["f": one.staying, "only": 1]), with: user(["f": one.going, "other": 2]))
        #expect(merged.fields == ["f": one.result, "only": 1, "other": 2])
        // What becomes a claim is the staying user's own, whatever the rule.
        let fixed = MergeRules(["f": one.rule], fixed: ["f", "other"]).merged(
            user(["f": one.staying, "only": 1]), with: user(["f": one.going, "other": 2]))
        #expect(fixed.fields == ["f": one.staying, "only": 1])
    }

    /// The shortest of several times that two lists of so many values take to become one.
    private func time(of count: Int) -> Duration {
        let one = JSONValue.array((0..<Int64(count)).map { .integer($0 % 7) })
        let two = JSONValue.array((0..<Int64(count)).map { .integer(1000 + $0) })
        return (0..<9).map { _ in
            ContinuousClock().measure {
                guard case .array(let all) = MergeRules.merged(one, with: two, .union) else { return }
                #expect(all.count == 2 * count)
            }
        }.min() ?? .zero
    }

    @Test("takes work in proportion to two lists, not to their product")
    func growth() {
        let (short, long) = (time(of: 1000), time(of: 16_000))
        // 16 times as much in proportion, 256 times by their product.
        #expect(long < short * 128)
    }
}
