import Crypto
package import Domain

/// Asks a service that tells which leaked passwords have a SHA-1 digest that begins with five given digits, so that it learns
/// neither the password nor its digest (k-anonymity, as Have I Been Pwned has it): `GET URL/` and five digits, answered by lines of
/// the other 35 digits, a colon and how often it was found. Padding lines have the count 0.
package struct BreachedPasswordRange: BreachedPasswords {
    private let url: String
    private let call: any WebCaller

    /// The longest answer that is read; it has some 40 KB.
    package static let maximumBytes = 1 << 20
    private static let prefixDigits = 5

    /// - Parameters:
    ///   - url: What stands before the slash and the digits, such as `https://api.pwnedpasswords.com/range`.
    ///   - call: Asks it, within a time and a size.
    package init(url: String, call: any WebCaller) {
        self.url = url
        self.call = call
    }

    package func contain(_ password: Password) async throws(BreachListUnavailable) -> Bool {
        for bytes in password.readings {
            let digest = Self.digest(of: bytes)
            // The answer's length would tell which range was asked for, but for the padding.
            let asked = WebCall(
                .get, "\(url)/\(String(decoding: digest.prefix(Self.prefixDigits), as: UTF8.self))",
                headers: [(name: "Add-Padding", value: "true")])
            let answer: WebResponse
            do {
                // In a task of its own: who leaves meanwhile would have a password that nobody looked up.
                answer = try await Task { [call] in try await call(asked) }.value
            } catch {
                throw BreachListUnavailable(reason: "the password range service gives no answer")
            }
            guard answer.status == 200 else {
                throw BreachListUnavailable(reason: "the password range service answered \(answer.status)")
            }
            // What a caller cuts off could end with a whole line.
            guard answer.body.count <= Self.maximumBytes else {
                throw BreachListUnavailable(reason: "the password range service answers without end")
            }
            if try Self.holds(answer.body, Array(digest.dropFirst(Self.prefixDigits))) { return true }
        }
        return false
    }

    /// Whether one of the lines has these digits and a count above 0.
    private static func holds(_ body: [UInt8], _ wanted: [UInt8]) throws(BreachListUnavailable) -> Bool {
        var isThere = false
        for line in body.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let digits = line.prefix(wanted.count)
            let count = line.dropFirst(wanted.count + 1)
            guard digits.count == wanted.count, digits.allSatisfy({ Hexadecimal.digit($0) != nil }),
                line.dropFirst(wanted.count).first == UInt8(ascii: ":"),
                !count.isEmpty, count.allSatisfy({ (0x30...0x39).contains($0) })
            else { throw BreachListUnavailable(reason: "the password range service answers in another form") }
            if digits.elementsEqual(wanted, by: { $0 & 0xdf == $1 & 0xdf }) {
                isThere = isThere || count.contains { $0 != 0x30 }
            }
        }
        return isThere
    }

    /// 40 digits in capitals.
    private static func digest(of bytes: [UInt8]) -> [UInt8] {
        Array(Hexadecimal.capitals(of: Insecure.SHA1.hash(data: bytes)).utf8)
    }
}
