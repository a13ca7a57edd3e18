/// Hands out containers to write to. Error paths are not kept: only a number that is not finite can fail.
struct JSONByteEncoder: Encoder {
    let writer: JSONByteWriter
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.beginObject()
        return KeyedEncodingContainer(JSONByteMembers<Key>(writer: writer, depth: writer.depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.beginList()
        return JSONByteList(writer: writer, depth: writer.depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONByteValue(writer: writer)
    }
}

/// The members of an object.
private struct JSONByteMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONByteWriter
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    private func begin(_ key: Key) {
        writer.closeAll(above: depth)
        writer.separate()
        writer.write(name: key.stringValue)
    }

    func encodeNil(forKey key: Key) {
        begin(key)
        writer.write(literal: "null")
    }

    func encode(_ value: Bool, forKey key: Key) {
        begin(key)
        writer.write(literal: value ? "true" : "false")
    }

    func encode(_ value: String, forKey key: Key) {
        begin(key)
        writer.write(text: value)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        begin(key)
        try writer.write(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        begin(key)
        return JSONByteEncoder(writer: writer).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        begin(key)
        return JSONByteEncoder(writer: writer).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        writer.closeAll(above: depth)
        writer.separate()
        writer.write(name: "super")
        return JSONByteEncoder(writer: writer)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        begin(key)
        return JSONByteEncoder(writer: writer)
    }
}

/// The values of a list.
private struct JSONByteList: UnkeyedEncodingContainer {
    let writer: JSONByteWriter
    let depth: Int
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(writer: JSONByteWriter, depth: Int) {
        self.writer = writer
        self.depth = depth
    }

    private mutating func begin() {
        writer.closeAll(above: depth)
        writer.separate()
        count += 1
    }

    mutating func encodeNil() {
        begin()
        writer.write(literal: "null")
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        begin()
        try writer.write(value)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        begin()
        return JSONByteEncoder(writer: writer).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        begin()
        return JSONByteEncoder(writer: writer).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        begin()
        return JSONByteEncoder(writer: writer)
    }
}

/// One value.
private struct JSONByteValue: SingleValueEncodingContainer {
    let writer: JSONByteWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { writer.write(literal: "null") }
    func encode(_ value: Bool) { writer.write(literal: value ? "true" : "false") }
    func encode(_ value: String) { writer.write(text: value) }
    func encode(_ value: Double) throws { try writer.write(number: value) }
    func encode(_ value: Float) throws { try writer.write(number: Double(value)) }
    func encode(_ value: Int) { writer.write(integer: value) }
    func encode(_ value: Int8) { writer.write(integer: value) }
    func encode(_ value: Int16) { writer.write(integer: value) }
    func encode(_ value: Int32) { writer.write(integer: value) }
    func encode(_ value: Int64) { writer.write(integer: value) }
    func encode(_ value: UInt) { writer.write(integer: value) }
    func encode(_ value: UInt8) { writer.write(integer: value) }
    func encode(_ value: UInt16) { writer.write(integer: value) }
    func encode(_ value: UInt32) { writer.write(integer: value) }
    func encode(_ value: UInt64) { writer.write(integer: value) }
    func encode<Value: Encodable>(_ value: Value) throws { try writer.write(value) }
}
