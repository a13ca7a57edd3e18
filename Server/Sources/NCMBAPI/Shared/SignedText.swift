import Crypto
import Domain
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(target.utf8.count + 256)
        for line in [method[...], host, question.map { target[..<$0] } ?? target[...]] {
            bytes.append(line)
            bytes.append(Self.lineFeed)
        }
        if method == "GET", let question {
            bytes.append(items: target[target.utf8.index(after: question)...], applicationKey, timestamp)
        } else {
            bytes.append("SignatureMethod=HmacSHA256&SignatureVersion=2&X-NCMB-Application-Key=")
            bytes.append(applicationKey[...])
            bytes.append("&X-NCMB-Timestamp=")
            bytes.append(timestamp[...])
        }
        self.bytes = bytes
    }

    fileprivate static let lineFeed = UInt8(ascii: "\n")

    /// The code of this text.
    ///
    /// - Parameter key: The client key.
    /// - Returns: what requests and answers are signed with.
    func begun(by key: HMAC<SHA256>) -> Signature {
        var code = key
        code.update(data: bytes)
        return Signature(code: code)
    }

    /// The authentication code of a request, from which that of its answer follows.
    struct Signature: Sendable {
        fileprivate let code: HMAC<SHA256>

        /// Whether a signature is the request's, compared in constant time.
        func isEqual(to signature: SecretDigest) -> Bool { SecretDigest(keyed: code.finalize()) == signature }

        /// The signature in Base64 with padding.
        ///
        /// - Parameter body: What an answer holds; an empty one for nothing.
        /// - Returns: the header's value.
        func text(over body: UnsafeRawBufferPointer) -> String {
            var code = code
            if !body.isEmpty {
                var line: [UInt8] = []
                line.reserveCapacity(body.count + 1)
                line.append(SignedText.lineFeed)
                line.append(contentsOf: body)
                code.update(data: line)
            }
            return Data(code.finalize()).base64EncodedString()
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: Substring) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// The items of a query among those that are always signed, sorted by their names. A value may hold further equals
    /// signs.
    fileprivate mutating func append(items query: Substring, _ applicationKey: String, _ timestamp: String) {
        func name(_ item: Substring) -> Substring.UTF8View.SubSequence { item.utf8.prefix { $0 != UInt8(ascii: "=") } }
        let always: [Substring] = [
            "SignatureMethod=HmacSHA256", "SignatureVersion=2", "X-NCMB-Application-Key=\(applicationKey)",
            "X-NCMB-Timestamp=\(timestamp)",
        ]
        let items = always + query.utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
        for (index, item) in items.sorted(by: { name($0).lexicographicallyPrecedes(name($1)) }).enumerated() {
            if index > 0 { append(UInt8(ascii: "&")) }
            append(item)
        }
    }
}
