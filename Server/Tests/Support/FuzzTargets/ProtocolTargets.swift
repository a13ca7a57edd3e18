import Domain
import OkaeriWire

@testable import KiiAPI
@testable import NCMBAPI
@testable import ParseAPI

extension FuzzTarget {
    /// Searches, changes and access lists, as each protocol writes them.
    static let protocols = [
        FuzzTarget("parse-where") { input in
            guard let value = try? JSONValue(parsing: input, maximumDepth: 24) else { return }
            _ = try? WhereClause.condition(value, for: .everything)
            _ = try? WhereClause.condition(value, for: .user(nil, seesUnlisted: true, seesDisabled: false))
        },
        FuzzTarget("parse-order", maximumBytes: 1024) { input in
            _ = try? WhereClause.order(String(input: input), for: .everything)
        },
        FuzzTarget("parse-change") { input in
            guard case .object(let members)? = try? JSONValue(parsing: input) else { return }
            guard let change = try? UserChange(members, of: Identifier(rawValue: "user"), isMaster: true) else {
                return
            }
            applyTwice(change.fields.operations)
        },
        FuzzTarget("parse-acl") { input in
            guard let value = try? JSONValue(parsing: input), let list = try? UserFields.acl(value) else {
                return
            }
            _ = (list.faults(field: "ACL"), list.rights(of: Identifier(rawValue: "user")))
        },
        FuzzTarget("parse-value") { input in
            guard let value = try? JSONValue(parsing: input) else { return }
            _ = (ParseValue.time(value).map(ParseValue.date), try? ParseValue.checked(value, "field"))
        },
        FuzzTarget("ncmb-where") { input in
            guard let value = try? MemberSearch.value(String(input: input)) else { return }
            _ = try? MemberSearch(for: ForeignOptions()).condition(value)
        },
        FuzzTarget("ncmb-order", maximumBytes: 1024) { input in
            _ = try? MemberSearch(for: ForeignOptions()).order(String(input: input))
        },
        FuzzTarget("ncmb-change") { input in
            guard case .object(let members)? = try? JSONValue(parsing: input) else { return }
            guard let custom = try? MemberFields.custom(in: members) else { return }
            applyTwice(custom.compactMapValues { try? MemberFields.operation("field", $0) })
        },
        FuzzTarget("ncmb-acl") { input in
            guard let value = try? JSONValue(parsing: input), let list = try? MemberFields.acl(value) else {
                return
            }
            _ = (list.faults(field: "acl"), list.rights(of: Identifier(rawValue: "user")))
        },
        FuzzTarget("ncmb-timestamp", maximumBytes: 300) { input in
            _ = NCMBTimestamp(String(input: input))?.isWithin(.seconds(300), of: FuzzClock().now)
        },
        FuzzTarget("kii-clause") { input in
            guard let value = try? JSONValue(parsing: input) else { return }
            _ = try? KiiClause.condition(value)
        },
        FuzzTarget("kii-phone", maximumBytes: 300) { input in
            let text = String(input: input)
            _ = (KiiPhoneNumber.global(text), KiiPhoneNumber.global(text, country: "JP"))
        },
        FuzzTarget("text-expression", maximumBytes: 2048) { input in
            _ = try? TextExpression.condition(String(input: input), flags: "ix", on: .custom(["field"]))
        },
    ]

    /// Applies operations to nothing, and then to what they made.
    private static func applyTwice(_ operations: [String: FieldOperation]) {
        for operation in operations.values {
            let first = try? operation.applied(to: nil)
            _ = try? operation.applied(to: first ?? nil)
        }
    }
}
