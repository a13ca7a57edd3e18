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

    private static let maximumFormItems = 200
    private static let maximumFormBytes = 65_536

    /// Why a form is not taken apart: clients of old protocols send a few short items. Without bounds a mebibyte of names with accents
    /// takes as long as one of JSON did (decision 0266).
    ///
    /// - Parameter body: The form, as it came.
    /// - Returns: a sentence without its end; `nil` for a form that is short enough.
    package static func excess(ofForm body: ByteBuffer) -> String? {
        guard body.readableBytes <= maximumFormBytes else { return "The form has more than \(maximumFormBytes) bytes" }
        let separators = body.readableBytesView.count { $0 == UInt8(ascii: "&") }
        return separators < maximumFormItems ? nil : "The form has more than \(maximumFormItems) items"
    }
}
