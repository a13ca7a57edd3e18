import enum OkaeriWire.JSONValue

/// A JSON object whose members keep their order, as the samples of NCMB's documentation have it.
struct NCMBObject: Encodable {
    private(set) var members: [(name: String, value: JSONValue)]

    init(_ members: [(String, JSONValue)]) {
        self.members = members.map { (name: $0.0, value: $0.1) }
    }

    /// Adds a member at the end.
    mutating func append(_ name: String, _ value: JSONValue) {
        members.append((name: name, value: value))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in members { try container.encode(value, forKey: Name(stringValue: name)) }
    }

    /// The members by name, without their order.
    var fields: [String: JSONValue] {
        Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// As one value among others.
    var value: JSONValue { .object(fields) }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }
}
