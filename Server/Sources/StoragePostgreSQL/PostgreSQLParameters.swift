import Storage

/// Values in PostgreSQL's binary form, as the statement's parameters want them.
struct PostgreSQLParameters: ~Copyable {
    /// Types by their object ids in PostgreSQL's catalogue.
    enum TypeID {
        static let boolean: UInt32 = 16
        static let bytes: UInt32 = 17
        static let int8: UInt32 = 20
        static let int2: UInt32 = 21
        static let int4: UInt32 = 23
        static let text: UInt32 = 25
        static let varchar: UInt32 = 1043
        static let numeric: UInt32 = 1700
    }

    private var bytes: [UInt8] = []
    /// Where each value begins; `nil` for null.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []

    /// - Parameters:
    ///   - values: What to bind.
    ///   - types: What the server has found the parameters to be.
    init(_ values: [Value], types: [UInt32]) {
        starts.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        for (position, value) in values.enumerated() {
            let start = bytes.count
            switch value {
            case .null:
                starts.append(nil)
                lengths.append(0)
                continue
            case .integer(let number): append(number, type: position < types.count ? types[position] : TypeID.int8)
            case .text(let text): append(text)
            case .bytes(let blob): bytes += blob
            }
            starts.append(start)
            lengths.append(Int32(clamping: bytes.count - start))
        }
    }

    private mutating func append(_ number: Int64, type: UInt32) {
        switch type {
        case TypeID.int4: withUnsafeBytes(of: Int32(clamping: number).bigEndian) { bytes += $0 }
        case TypeID.int2: withUnsafeBytes(of: Int16(clamping: number).bigEndian) { bytes += $0 }
        case TypeID.boolean: bytes.append(number == 0 ? 0 : 1)
        case TypeID.text, TypeID.varchar: bytes += String(number).utf8
        default: withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        }
    }

    /// PostgreSQL's texts cannot hold U+0000, and refuse the whole statement. Rules let no control character into what
    /// is stored; in what is looked up, U+FFFD instead of it finds nothing, as it should.
    private mutating func append(_ text: String) {
        let start = bytes.count
        bytes += text.utf8
        guard bytes[start...].contains(0) else { return }
        bytes.removeSubrange(start...)
        bytes += text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : String($0) }.joined().utf8
    }

    /// Writes each value behind its length, -1 for null, as `COPY` wants them.
    borrowing func appendFields(to target: inout [UInt8]) {
        for position in starts.indices {
            let length = starts[position] == nil ? -1 : lengths[position]
            withUnsafeBytes(of: length.bigEndian) { target += $0 }
            if let start = starts[position] { target += bytes[start..<start + Int(clamping: length)] }
        }
    }

    borrowing func withPointers<Value>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Value
    ) -> Value {
        guard !starts.isEmpty else { return body(0, nil, nil, nil) }
        let binary = [Int32](repeating: 1, count: starts.count)
        // One byte more, so that even an empty value has an address: no address means null.
        return (bytes + [0]).withUnsafeBytes { buffer in
            let pointers = starts.map { start -> UnsafePointer<CChar>? in
                start.flatMap { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return body(Int32(clamping: starts.count), pointers, lengths, binary)
        }
    }
}
