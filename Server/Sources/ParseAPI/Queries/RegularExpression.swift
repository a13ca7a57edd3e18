import Domain
import OkaeriWire

/// `$regex` and `$options`.
enum RegularExpression {
    /// - Throws: 102.
    static func condition(
        _ operand: JSONValue, _ options: JSONValue?, on field: UserField
    ) throws(ParseFault) -> UserCondition {
        guard case .string(let expression) = operand else { throw ParseFault(102, "bad regex") }
        var flags = ""
        switch options {
        case nil: break
        case .string(let text)?: flags = text
        default: throw ParseFault(102, "Bad $options value for query")
        }
        guard flags.utf8.count <= 10, flags.allSatisfy({ "imxs".contains($0) }) else {
            throw .invalidQuery("Bad $options value for query: \(flags.prefix(10))")
        }
        do {
            return try TextExpression.condition(expression, flags: flags, on: field)
        } catch {
            throw ParseFault(
                102,
                "This regular expression is not offered: up to 20 texts, alternatives, anchors, the dot, .* and .+ "
                    + "are; groups, classes and other repetitions are not.")
        }
    }
}
