import Foundation
import OkaeriWire

/// Writes JSON.
enum JSONBytesOfTest {
    static func bytes(of value: JSONValue) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }
}
