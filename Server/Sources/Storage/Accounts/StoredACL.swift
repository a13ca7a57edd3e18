import Domain

/// An access list in its column: subjects, and what they may, as the backends write it.
struct StoredACL: Codable {
    struct Rights: Codable {
        var read: Bool?
        var write: Bool?
    }

    private let entries: [String: Rights]

    init(_ list: ACL) {
        var entries: [String: Rights] = [:]
        for (subject, rights) in list.entries {
            entries[subject.text] = Rights(
                read: rights.contains(.read) ? true : nil, write: rights.contains(.write) ? true : nil)
        }
        self.entries = entries
    }

    init(from decoder: any Decoder) throws {
        entries = try [String: Rights](from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try entries.encode(to: encoder)
    }

    var list: ACL {
        var list = ACL()
        for (subject, rights) in entries {
            var granted: ACL.Rights = []
            if rights.read == true { granted.insert(.read) }
            if rights.write == true { granted.insert(.write) }
            list.entries[ACL.Subject(text: subject)] = granted
        }
        return list
    }
}

extension JSONText {
    static func encode(listed list: ACL) throws(DomainError) -> String {
        try encode(StoredACL(list))
    }
}
