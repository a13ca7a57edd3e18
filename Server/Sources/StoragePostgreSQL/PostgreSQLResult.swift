import CLibPQ
import Storage

/// What a statement answered, in PostgreSQL's binary form.
final class PostgreSQLResult {
    fileprivate let handle: OpaquePointer?

    init(_ handle: OpaquePointer?) {
        self.handle = handle
    }

    deinit {
        PQclear(handle)
    }

    var status: ExecStatusType { PQresultStatus(handle) }
    var rowCount: Int { Int(clamping: PQntuples(handle)) }
    /// How many bytes its values have.
    var byteCount: Int {
        var sum = 0
        for row in 0..<PQntuples(handle) {
            for column in 0..<PQnfields(handle) { sum += Int(clamping: PQgetlength(handle, row, column)) }
        }
        return sum
    }
    /// How many rows the statement changed.
    var changedRows: Int { Int(String(cString: PQcmdTuples(handle)), radix: 10) ?? 0 }

    /// The fault that stands for a result.
    var fault: PostgreSQLFault {
        let state = PQresultErrorField(handle, 67 /* PG_DIAG_SQLSTATE, the character C */).map { String(cString: $0) }
        let message = PQresultErrorField(handle, 77 /* PG_DIAG_MESSAGE_PRIMARY, M */).map { String(cString: $0) }
        guard let state else { return PostgreSQLFault(.lost, String(cString: PQresultErrorMessage(handle))) }
        return PostgreSQLFault(state: state, message: message ?? "")
    }

    /// What a described statement wants of its parameters.
    var parameterTypes: [UInt32] { (0..<PQnparams(handle)).map { PQparamtype(handle, $0) } }

    /// The types of the columns.
    var columnTypes: [UInt32] { (0..<PQnfields(handle)).map { PQftype(handle, $0) } }

    /// All rows, each value as what it is.
    func values() -> [[Value]] {
        let types = columnTypes
        return (0..<rowCount).map { number in
            let row = row(number)
            return types.enumerated().map { column, type in
                if row.isNull(column) { return .null }
                switch type {
                case PostgreSQLParameters.TypeID.bytes: return .bytes(row.bytes(column))
                case PostgreSQLParameters.TypeID.int8, PostgreSQLParameters.TypeID.int4,
                    PostgreSQLParameters.TypeID.int2, PostgreSQLParameters.TypeID.boolean:
                    return .integer(row.integer(column))
                default: return .text(row.text(column))
                }
            }
        }
    }

    func row(_ number: Int) -> PostgreSQLRow { PostgreSQLRow(result: self, row: Int32(clamping: number)) }
}

/// The rows of a statement, each as it came, within a number of bytes.
struct PostgreSQLRows {
    private(set) var results: [PostgreSQLResult] = []
    private(set) var bytesLeft: Int
    private let keepsFirst: Bool

    /// - Parameters:
    ///   - maximumBytes: How many bytes its values may have.
    ///   - keepsFirst: Whether the first rows are kept when there are more, and one at least; otherwise none is.
    init(maximumBytes: Int, keepsFirst: Bool = false) {
        bytesLeft = maximumBytes
        self.keepsFirst = keepsFirst
    }

    var isTooLarge: Bool { bytesLeft < 0 }

    mutating func add(_ row: PostgreSQLResult) {
        guard !isTooLarge else { return }
        bytesLeft -= row.byteCount
        guard isTooLarge else { return results.append(row) }
        if !keepsFirst { results = [] } else if results.isEmpty { results.append(row) }
    }
}

/// One row of a result.
struct PostgreSQLRow: RowReader {
    fileprivate let result: PostgreSQLResult
    fileprivate let row: Int32

    func isNull(_ column: Int) -> Bool {
        PQgetisnull(result.handle, row, Int32(clamping: column)) != 0
    }

    func integer(_ column: Int) -> Int64 {
        let value = value(column)
        switch PQftype(result.handle, Int32(clamping: column)) {
        case PostgreSQLParameters.TypeID.int8 where value.count == 8:
            return Int64(bigEndian: value.loadUnaligned(as: Int64.self))
        case PostgreSQLParameters.TypeID.int4 where value.count == 4:
            return Int64(clamping: Int32(bigEndian: value.loadUnaligned(as: Int32.self)))
        case PostgreSQLParameters.TypeID.int2 where value.count == 2:
            return Int64(clamping: Int16(bigEndian: value.loadUnaligned(as: Int16.self)))
        case PostgreSQLParameters.TypeID.boolean: return value.first == 1 ? 1 : 0
        case PostgreSQLParameters.TypeID.numeric: return Self.whole(value)
        default: return Int64(String(decoding: value, as: UTF8.self), radix: 10) ?? 0
        }
    }

    func text(_ column: Int) -> String {
        switch PQftype(result.handle, Int32(clamping: column)) {
        case PostgreSQLParameters.TypeID.int8, PostgreSQLParameters.TypeID.int4, PostgreSQLParameters.TypeID.int2,
            PostgreSQLParameters.TypeID.numeric:
            isNull(column) ? "" : String(integer(column))
        default: String(decoding: value(column), as: UTF8.self)
        }
    }

    func bytes(_ column: Int) -> [UInt8] {
        Array(value(column))
    }

    private func value(_ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result.handle, row, Int32(clamping: column)),
            count: Int(clamping: PQgetlength(result.handle, row, Int32(clamping: column))))
    }

    /// The whole part of a `numeric`, which is what PostgreSQL makes of a sum: digits to the base 10,000 behind a head
    /// of their count, the weight of the first, and the sign.
    private static func whole(_ value: UnsafeRawBufferPointer) -> Int64 {
        func word(_ position: Int) -> Int {
            Int(clamping: Int16(bigEndian: value.loadUnaligned(fromByteOffset: position * 2, as: Int16.self)))
        }
        guard value.count >= 8, word(0) >= 0, value.count >= 8 + word(0) * 2 else { return 0 }
        let (count, weight) = (word(0), word(1))
        var number: Int64 = 0
        if weight >= 0 {
            for position in 0...weight {
                number = number &* 10_000 &+ Int64(clamping: position < count ? word(4 + position) : 0)
            }
        }
        return word(2) == 0x4000 ? 0 &- number : number
    }
}
