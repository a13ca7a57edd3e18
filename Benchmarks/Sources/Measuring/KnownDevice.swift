import Crypto
import Foundation

/// A device that the seeded database knows: its key, and the token of its open session.
package struct KnownDevice: Sendable {
    package let key: DeviceKey
    package let token: String

    package init(key: DeviceKey, token: String) {
        self.key = key
        self.token = token
    }

    /// One line of the side file: the key's secret number in base64, a space, the token.
    package var line: String { "\(key.secretNumber.base64EncodedString()) \(token)\n" }

    /// Reads devices from a side file.
    ///
    /// - Parameters:
    ///   - path: Where `seed` wrote it.
    ///   - lines: Which of its lines.
    /// - Returns: The devices in the file's order.
    /// - Throws: When the file cannot be read or a key in it is none.
    package static func read(from path: String, lines: Range<Int>) throws -> [KnownDevice] {
        try split(path, lines).map { parts in
            guard parts.count == 2, let number = Data(base64Encoded: String(parts[0])) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return KnownDevice(
                key: DeviceKey(try P256.Signing.PrivateKey(rawRepresentation: number)), token: String(parts[1]))
        }
    }

    /// Reads the tokens alone, which is quicker.
    ///
    /// - Parameters:
    ///   - path: Where `seed` wrote the side file.
    ///   - lines: Which of its lines.
    /// - Returns: The tokens in the file's order.
    /// - Throws: When the file cannot be read.
    package static func readTokens(from path: String, lines: Range<Int>) throws -> [String] {
        try split(path, lines).compactMap { $0.last.map(String.init) }
    }

    private static func split(_ path: String, _ lines: Range<Int>) throws -> [[Substring]] {
        try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            .split(separator: "\n").prefix(lines.upperBound).dropFirst(lines.lowerBound)
            .map { $0.split(separator: " ") }
    }
}
