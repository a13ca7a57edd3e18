import Domain
import enum OkaeriWire.JSONValue

/// The members of a JSON body. SDKs send back whatever they once received, so that unknown ones are never refused.
struct NCMBBody {
    let members: [String: JSONValue]

    /// A text that must be there and not be empty.
    ///
    /// - Throws: `E400003` when it is missing, null or empty; `E400002` for another type.
    func text(_ name: String, missing: NCMBFault) throws(NCMBFault) -> String {
        switch members[name] {
        case nil, .null?: throw missing
        case .string(let text)?:
            guard !text.isEmpty else { throw missing }
            return text
        default: throw .wrongType(name)
        }
    }

    /// The mail address that the body asks for; null and an empty text take it away.
    var mailAddress: ValueChange<String> {
        get throws(NCMBFault) {
            switch members["mailAddress"] {
            case nil: .unchanged
            case .null?, ""?: .removed
            case .string(let text)?: .set(text)
            default: throw .wrongType("mailAddress")
            }
        }
    }

    /// The address that a mail is asked for.
    var requestedAddress: String {
        get throws(NCMBFault) {
            switch members["mailAddress"] {
            case nil: throw .empty("mailAddress")
            case .null?: throw .absent("mailAddress")
            case .string(let text)? where MailAddress(text) != nil: text
            default: throw .malformed("mailAddress")
            }
        }
    }

    /// The first values of a new member.
    func profile(in application: Application) throws -> UserRegistration.Profile {
        let operations = try operations
        let excess = ProfileRules.faults(ofChange: operations, within: application.settings.fieldRules.limits)
        guard excess.isEmpty else { throw DomainError.fieldsRefused(excess) }
        var fields: [String: JSONValue] = [:]
        for (name, operation) in operations {
            do {
                fields[name] = try operation.applied(to: nil)
            } catch {
                throw NCMBFault.wrongType(name)
            }
        }
        return UserRegistration.Profile(fields: fields, acl: try acl)
    }

    /// What is changed of a member.
    ///
    /// - Parameters:
    ///   - application: Where.
    ///   - isOwn: Whether the member asks.
    ///   - generatedName: The name that the member is shown with, when it has chosen none.
    /// - Returns: the edit, but for what `authData` says.
    /// - Throws: `NCMBFault`.
    func edit(
        in application: Application, isOwn: Bool, generatedName: String?
    ) throws(NCMBFault) -> UserEdit {
        var edit = UserEdit(
            compatible: .operations(try operations),
            identifiers: NewIdentifiers(email: try mailAddress, rules: .ncmb(in: application)))
        // Others are shown no address, and send that back with the whole object.
        if case .removed = edit.identifiers.email, !isOwn { edit.identifiers.email = .unchanged }
        if let acl = try acl { edit.acl = .set(acl) }
        if members["userName"] != nil {
            let name = try text("userName", missing: .empty("userName"))
            // A generated name that is sent back is no choice.
            if name != generatedName { edit.identifiers.username = .set(name) }
        }
        return edit
    }

    private var operations: [String: FieldOperation] {
        get throws(NCMBFault) {
            var operations: [String: FieldOperation] = [:]
            for (name, value) in try MemberFields.custom(in: members) {
                operations[name] = try MemberFields.operation(name, value)
            }
            return operations
        }
    }

    private var acl: ACL? {
        get throws(NCMBFault) {
            switch members["acl"] {
            case nil, .null?: nil
            case let value?: try MemberFields.acl(value)
            }
        }
    }
}
