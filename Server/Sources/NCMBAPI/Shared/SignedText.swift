import Crypto
import Foundation

/// The text over which a request is signed: method, host, path, and sorted items, in four lines.
struct SignedText: Sendable {
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - method: In capitals.
    ///   - host: As the client has it in its address, without port.
    ///   - target: The raw request target. Nothing is decoded: each SDK encodes a query in its own way, and signs that.
    ///   - applicationKey: The header's value.
    ///   - timestamp: The header's value, exactly as it came.
    init(method: String, host: Substring, target: String, applicationKey: String, timestamp: String) {
        let question = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = question.map { target[..<$0] } ?? target[...]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(target.utf8.count + 256)
        bytes += method.utf8
        bytes.append(Self.lineFeed)
        bytes += host.utf8
        bytes.append(Self.lineFeed)
        bytes += path.utf8
        bytes.append(Self.lineFeed)
        var items = [
            Item("SignatureMethod=HmacSHA256"), Item("SignatureVersion=2"),
            Item("X-NCMB-Application-Key=\(applicationKey)"), Item("X-NCMB-Timestamp=\(timestamp)"),
        ]
        if method == "GET", let question {
            let query = target[target.utf8.index(after: question)...]
            items += query.utf8.split(separator: UInt8(ascii: "&")).map { Item(Substring($0)) }
            items.sort { $0.name.lexicographicallyPrecedes($1.name) }
        }
        for (place, item) in items.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: "&")) }
            bytes += item.text.utf8
        }
        self.bytes = bytes
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private struct Item {
        let text: Substring

        init(_ text: Substring) {
            self.text = text
        }

        init(_ text: String) {
            self.text = text[...]
        }

        /// A value may hold further equals signs.
        var name: Substring.UTF8View.SubSequence { text.utf8.prefix { $0 != UInt8(ascii: "=") } }
    }

    /// The signature in Base64 with padding.
    ///
    /// - Parameters:
    ///   - key: The client key's text.
    ///   - body: What an answer holds; `nil`, and an empty one, for nothing.
    /// - Returns: the text.
    func signature(key: SymmetricKey, body: UnsafeRawBufferPointer? = nil) -> String {
        var code = HMAC<SHA256>(key: key)
        code.update(data: bytes)
        if let body, !body.isEmpty {
            code.update(data: [Self.lineFeed])
            code.update(data: body)
        }
        return Data(code.finalize()).base64EncodedString()
    }

    /// Whether a signature is this text's, compared in constant time.
    func isSigned(by signature: Data, key: SymmetricKey) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
    }
}
