import Domain
import HTTPSupport
import OkaeriWire

/// What a body asks of an object's custom fields.
struct FieldChanges {
    private(set) var operations: [String: FieldOperation] = [:]
    /// Fields whose values the response has, because the client cannot know them.
    private(set) var echoed: Set<String> = []
    /// Names that are no custom fields.
    private let reserved: Set<String>
    private let isCreation: Bool

    /// The longest name with the names of members within a field behind it.
    static let maximumNameBytes = 1024

    /// - Parameters:
    ///   - reserved: Names that are no custom fields.
    ///   - isCreation: Whether the object is new.
    init(reserved: Set<String>, isCreation: Bool) {
        self.reserved = reserved
        self.isCreation = isCreation
    }

    /// Takes a member of the body in.
    ///
    /// - Throws: 105, 107, 108, 111, 121.
    mutating func take(_ name: String, _ value: JSONValue) throws(ParseFault) {
        guard name.utf8.count <= Self.maximumNameBytes else { throw .invalidField(name) }
        let path = name.pieces(at: ".", keepsEmpty: true).map(String.init)
        if let name = path.first(where: UserFields.prohibited.contains) { throw .prohibited(name) }
        guard let first = path.first, UserFields.isName(first), !reserved.contains(first),
            path.count <= 8, path.allSatisfy({ part in !part.isEmpty && !part.utf8.contains { $0 == 0x24 || $0 == 0 } })
        else { throw .invalidField(name) }
        let (operation, isEchoed) = try UserFields.operation(name, value, isCreation: isCreation)
        guard let operation else { return }
        if isEchoed { echoed.insert(first) }
        operations[first] = try Self.inside(path.dropFirst(), operation, beside: operations[first], name)
    }

    /// An operation on a member within a field, beside others within it.
    private static func inside(
        _ path: ArraySlice<String>, _ operation: FieldOperation, beside present: FieldOperation?, _ name: String
    ) throws(ParseFault) -> FieldOperation {
        guard let first = path.first else {
            guard present == nil else { throw .invalidField(name) }
            return operation
        }
        var members: [String: FieldOperation] = [:]
        switch present {
        case nil: break
        case .members(let others)?: members = others
        default: throw .invalidField(name)
        }
        members[first] = try inside(path.dropFirst(), operation, beside: members[first], name)
        return .members(members)
    }

    /// The fields of a new object.
    ///
    /// - Throws: 111 for an operation that does not go with nothing.
    func newFields() throws(ParseFault) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for (name, operation) in operations {
            do {
                fields[name] = try operation.applied(to: nil)
            } catch {
                throw ParseFault(111, "The operation does not go with nothing: \(name).")
            }
        }
        return fields
    }

    /// - Throws: 116 for more than one change may ask for.
    func checkSize() throws(ParseFault) {
        let excess = ProfileRules.faults(ofChange: operations)
        guard excess.isEmpty else { throw ParseFault(.fieldsRefused(excess)) }
    }
}
