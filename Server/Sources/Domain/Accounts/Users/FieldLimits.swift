package import enum OkaeriWire.JSONValue

/// What one change of a user's fields may ask for. It is looked at before anything is done, so that what a transaction
/// does with a change is in proportion to what fields may hold (requirement 47).
extension ProfileRules {
    /// The most fields, and members within fields, that one change names.
    package static let maximumOperations = 500
    /// The most values that one operation appends to a list or takes out of it.
    package static let maximumOperands = 1000

    /// The rules that operations on fields break.
    package static func faults(
        ofChange operations: [String: FieldOperation], within limits: ProfileLimits = .standard
    ) -> [ValidationError] {
        var size = FieldChangeSize(limits)
        for (name, operation) in operations where !size.isExceeded { size.add(operation, of: name) }
        return size.faults
    }

    /// The rules that a patch of fields breaks, or all fields of a user that are written anew.
    package static func faults(
        ofPatch fields: [String: JSONValue], within limits: ProfileLimits = .standard
    ) -> [ValidationError] {
        var size = FieldChangeSize(limits)
        for (name, value) in fields where !size.isExceeded { size.add(.set(value), of: name) }
        return size.faults
    }
}

/// How much a change asks for. Nothing more is counted once it is too much.
private struct FieldChangeSize {
    private(set) var faults: [ValidationError] = []
    private var operations = 0
    private var bytes: JSONByteCount
    private let maximumBytes: Int

    init(_ limits: ProfileLimits) {
        maximumBytes = limits.changeBytes
        bytes = JSONByteCount(limit: limits.changeBytes)
    }

    var isExceeded: Bool { !faults.isEmpty }

    mutating func add(_ operation: FieldOperation, of name: String) {
        count(operation, of: name)
        bytes.add(name: name)
        guard !isExceeded, bytes.isExceeded else { return }
        faults = [ValidationError(field: "fields", rule: .tooManyBytes(maximum: maximumBytes))]
    }

    private mutating func count(_ operation: FieldOperation, of name: String) {
        guard !isExceeded, !bytes.isExceeded else { return }
        operations += 1
        guard operations <= ProfileRules.maximumOperations else {
            faults = [ValidationError(field: "fields", rule: .tooManyFields(maximum: ProfileRules.maximumOperations))]
            return
        }
        switch operation {
        case .remove: break
        case .set(let value), .increment(let value): bytes.add(value)
        case .append(let elements), .appendMissing(let elements), .removeAll(let elements):
            guard elements.count <= ProfileRules.maximumOperands else {
                let rule = ValidationError.Rule.tooManyFields(maximum: ProfileRules.maximumOperands)
                faults = [ValidationError(field: ProfileRules.path(of: name), rule: rule)]
                return
            }
            for element in elements where !bytes.isExceeded { bytes.add(element) }
        case .members(let operations):
            for (member, operation) in operations where !isExceeded {
                bytes.add(name: member)
                count(operation, of: name)
            }
        }
    }
}

extension JSONValue {
    /// Whether it holds more values than a limit, itself and all that is inside. Whatever is beyond is not looked at.
    package func holds(moreThan limit: Int) -> Bool {
        var left = limit
        return !takesNoMore(than: &left)
    }

    /// Takes what it holds of what is left, itself and all that is inside. Whatever is beyond is not looked at.
    ///
    /// - Returns: whether there was enough; else nothing is left.
    package func takesNoMore(than left: inout Int) -> Bool {
        left -= 1
        guard left >= 0 else { return false }
        switch self {
        case .array(let elements):
            for element in elements { guard element.takesNoMore(than: &left) else { return false } }
        case .object(let members):
            for member in members.values { guard member.takesNoMore(than: &left) else { return false } }
        case .null, .bool, .integer, .number, .string: break
        }
        return true
    }

    /// Whether U+0000 stands in a text or a name anywhere inside, which PostgreSQL's JSON cannot hold.
    var holdsNull: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let elements): elements.contains(where: \.holdsNull)
        case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.holdsNull }
        case .null, .bool, .integer, .number: false
        }
    }
}

/// What is put together of users for one response. No search reads more, but several may, and one user may stand in a
/// response many times.
package struct ResponseSize: Sendable {
    private var bytes = 0

    package init() {}

    /// Whether there is room for more.
    package mutating func hasRoom(for bytes: Int) -> Bool {
        guard bytes <= SearchLimits.maximumBytes - self.bytes else { return false }
        self.bytes += bytes
        return true
    }

    /// - Throws: `searchTooLarge` when there is no room for it.
    package mutating func add(_ bytes: Int) throws(DomainError) {
        guard hasRoom(for: bytes) else { throw .searchTooLarge }
    }

    /// About the length of a value as JSON. Of one that fits in no response it is more than fits, and no more is looked at.
    package static func of(_ value: JSONValue) -> Int {
        var count = JSONByteCount(limit: SearchLimits.maximumBytes)
        count.add(value)
        return count.bytes
    }

    /// About the length of a user as JSON.
    package static func of(_ user: User) -> Int {
        let entries = (user.acl?.entries.count ?? 0) * 2 * ACL.maximumSubjectBytes
        return of(.object(user.fields)) + entries + user.identities.count * 512 + 1024
    }
}

/// How many bytes values take as JSON, without writing it. Beyond a limit nothing is counted any more.
struct JSONByteCount {
    private(set) var bytes = 0
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var isExceeded: Bool { bytes > limit }

    /// Counts a value; inside an object or a list with the comma behind it.
    mutating func add(_ value: JSONValue) {
        switch value {
        case .null: bytes += 4
        case .bool(let truth): bytes += truth ? 4 : 5
        case .integer(let number): add(number)
        case .number(let number): bytes += number.description.utf8.count
        case .string(let text): add(text: text)
        case .array(let elements):
            bytes += 2 + max(0, elements.count - 1)
            for element in elements where !isExceeded { add(element) }
        case .object(let members):
            bytes += 2 + max(0, members.count - 1)
            for (name, member) in members where !isExceeded {
                add(name: name)
                add(member)
            }
        }
    }

    /// Counts the name of a member with its colon.
    mutating func add(name: String) {
        add(text: name)
        bytes += 1
    }

    private mutating func add(_ number: Int64) {
        bytes += number < 0 ? 2 : 1
        var rest = number.magnitude / 10
        while rest > 0 {
            bytes += 1
            rest /= 10
        }
    }

    private mutating func add(text: String) {
        bytes += 2 + text.utf8.count
        guard !isExceeded else { return }
        for byte in text.utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5c {
            switch byte {
            case 0x22, 0x5c, 0x08, 0x09, 0x0a, 0x0c, 0x0d: bytes += 1
            default: bytes += 5
            }
        }
    }
}
