package import Hummingbird
package import NIOCore

/// The items of a request's query or of a form, as browsers and SDKs write them: a plus is a space.
package struct QueryItems: Sendable {
    /// An item that is there twice, or that is no text, or none that is stream-safe.
    package struct Fault: Error, Hashable {
        /// As it was sent.
        package let name: String
    }

    package private(set) var items: [String: String] = [:]

    /// - Throws: `Fault`.
    package init(_ request: Request) throws(Fault) {
        let target = request.head.path ?? ""
        let question = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        try self.init(parsing: question.map { target[target.utf8.index(after: $0)...] } ?? "")
    }

    /// - Parameter text: `name=value&name=value`
    /// - Throws: `Fault`.
    package init(parsing text: Substring) throws(Fault) {
        for item in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.text(of: parts[0], plusIsSpace: true),
                let value = PercentEncoding.text(of: parts.count > 1 ? parts[1] : "".utf8[...], plusIsSpace: true),
                items.updateValue(value, forKey: name) == nil
            else { throw Fault(name: MemberFault.printable(String(Substring(parts[0])))) }
        }
    }

    package subscript(name: String) -> String? { items[name] }

    /// How many items a form of an old protocol has, whose SDKs and pages send few. Without a bound a mebibyte of names with accents
    /// takes as long as one of JSON did (decision 0266).
    package static let maximumItemsOfForm = 200

    /// Whether a form has more items than any has; looked at before it is taken apart.
    package static func areTooMany(inForm form: ByteBuffer) -> Bool {
        form.readableBytesView.count(where: { $0 == UInt8(ascii: "&") }) >= maximumItemsOfForm
    }
}
