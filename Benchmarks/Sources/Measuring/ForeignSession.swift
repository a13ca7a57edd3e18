import Crypto
import Foundation

/// The sessions of one user in the foreign protocols.
package struct ForeignSession: Sendable {
    package let user: String
    package let ncmbToken: String
    package let parseToken: String
    package let kiiToken: String
    package let envelopeToken: String

    package init(user: String, ncmbToken: String, parseToken: String, kiiToken: String, envelopeToken: String) {
        self.user = user
        self.ncmbToken = ncmbToken
        self.parseToken = parseToken
        self.kiiToken = kiiToken
        self.envelopeToken = envelopeToken
    }

    /// One line of the side file.
    package var line: String { "\(user) \(ncmbToken) \(parseToken) \(kiiToken) \(envelopeToken)\n" }

    /// Reads sessions from a side file.
    ///
    /// - Parameters:
    ///   - path: Where `seed --foreign-sessions` wrote it.
    ///   - lines: Which of its lines.
    /// - Returns: The sessions in the file's order.
    /// - Throws: When the file cannot be read.
    package static func read(from path: String, lines: Range<Int>) throws -> [ForeignSession] {
        try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            .split(separator: "\n").prefix(lines.upperBound).dropFirst(lines.lowerBound)
            .map { line in
                let parts = line.split(separator: " ").map(String.init)
                guard parts.count == 5 else { throw CocoaError(.fileReadCorruptFile) }
                return ForeignSession(
                    user: parts[0], ncmbToken: parts[1], parseToken: parts[2], kiiToken: parts[3],
                    envelopeToken: parts[4])
            }
    }
}

/// The keys by which the measured application is known in the foreign protocols. They are public, and good for nothing
/// but measuring.
package enum ForeignKeys {
    package static let ncmbApplicationKey = "6145f91061916580c742f806bab67649d10f45920246ff459404c46f00ff3e56"
    package static let ncmbClientKey = "1343d198b510a0315db1c03f3aa0e32418b7a743f8e4b47cbff670601345cf75"
    package static let parseApplicationId = "app1"
    package static let parseRestKey = "rest0123456789abcdef0123456789abcdef"
    package static let kiiAppId = "a1b2c3d4"
    package static let envelopeBasePath = "/"

    /// The signature of a request of NCMB's protocol without a query.
    package static func signature(_ method: String, host: String, path: String, timestamp: String) -> String {
        let text = """
            \(method)
            \(host)
            \(path)
            SignatureMethod=HmacSHA256&SignatureVersion=2&X-NCMB-Application-Key=\(ncmbApplicationKey)\
            &X-NCMB-Timestamp=\(timestamp)
            """
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(ncmbClientKey.utf8)))
        return Data(code).base64EncodedString()
    }
}
