/// A member of a request body that the API does not know. The server answers it as `unknown_member`.
public struct UnknownMember: Error, Hashable, Sendable {
    /// Where the member stands, from the body's root: `device.colour`.
    public var path: String

    /// Names the member by its path.
    public init(path: String) {
        self.path = path
    }
}

extension Decoder {
    /// The members of an object that may hold no others than `Key` lists.
    ///
    /// Request bodies are closed, so that a misspelt member is told instead of lost; answers stay open, so that an
    /// older app reads a newer server.
    ///
    /// - Throws: `UnknownMember` for the first unknown name in alphabetical order, `DecodingError` when this is no
    ///   object.
    public func closedContainer<Key: CodingKey & CaseIterable>(
        keyedBy keys: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let known = Set(keys.allCases.map(\.stringValue))
        let present = try container(keyedBy: AnyMember.self)
        let unknown = present.allKeys.map(\.stringValue).filter { !known.contains($0) }.min()
        if let unknown {
            throw UnknownMember(path: (codingPath.map(\.stringValue) + [unknown]).joined(separator: "."))
        }
        return try container(keyedBy: keys)
    }
}

/// A member of any name.
struct AnyMember: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
