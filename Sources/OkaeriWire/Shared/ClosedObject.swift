/// A member of a request body that the API does not know. The server refuses it as `unknown_member`.
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
    /// Request bodies are closed, so that a misspelt member is reported instead of lost; responses stay open, so that an
    /// older app reads a newer server.
    ///
    /// - Throws: `UnknownMember` for the first unknown name in alphabetical order, `DecodingError` when this is no
    ///   object.
    public func closedContainer<Key: CodingKey>(keyedBy keys: Key.Type) throws -> KeyedDecodingContainer<Key> {
        // Without key paths, which are made anew at each use.
        let present =
            try (self as? JSONValueDecoder)?.memberNames
            ?? container(keyedBy: AnyMember.self).allKeys.map { $0.stringValue }
        if let unknown = present.lazy.filter({ Key(stringValue: $0) == nil }).min() {
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
