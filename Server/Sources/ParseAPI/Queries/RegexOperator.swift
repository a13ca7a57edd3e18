import Domain
import OkaeriWire

/// `$regex` and `$options`. Expressions of texts, dots and alternatives are compared by the database; all others, with classes,
/// groups and repetitions, by `RegularExpression`.
enum RegexOperator {
    /// - Throws: 102.
    static func formula(
        _ operand: JSONValue, _ options: JSONValue?, on field: UserField
    ) throws(ParseFault) -> SearchFormula {
        guard case .string(let expression) = operand else { throw ParseFault(102, "bad regex") }
        let flags = try flags(options)
        // What the one refuses may be for the other.
        if let condition = try? TextExpression.condition(expression, flags: flags, on: field) {
            return .database(condition)
        }
        do {
            return .expression(field, try RegularExpression(expression, flags: flags))
        } catch {
            throw ParseFault(
                102,
                "This regular expression is not offered: references, look-around and more than 1,000 steps are not.")
        }
    }

    private static func flags(_ options: JSONValue?) throws(ParseFault) -> String {
        var flags = ""
        switch options {
        case nil: break
        case .string(let text)?: flags = text
        default: throw ParseFault(102, "Bad $options value for query")
        }
        guard flags.utf8.count <= 10, flags.allSatisfy({ "imxs".contains($0) }) else {
            throw .invalidQuery("Bad $options value for query: \(flags.prefix(10))")
        }
        return flags
    }
}
