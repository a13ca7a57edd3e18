import Foundation
import Hummingbird

/// The items of a request's query. A plus is a space, as Android and Kotlin write it.
struct NCMBQuery {
    private let items: [String: String]

    /// - Throws: `E400000` for an item that is there twice, or that is no text.
    init(_ request: Request) throws(NCMBFault) {
        var items: [String: String] = [:]
        let target = request.head.path ?? ""
        guard let question = target.firstIndex(of: "?") else {
            self.items = [:]
            return
        }
        for item in target[target.index(after: question)...].split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : ""),
                items.updateValue(value, forKey: name) == nil
            else { throw .badRequest }
        }
        self.items = items
    }

    subscript(name: String) -> String? { items[name] }

    /// A whole number that is not negative.
    func number(_ name: String) throws(NCMBFault) -> Int? {
        guard let text = items[name] else { return nil }
        guard let number = Int(text), number >= 0 else { throw .notValid(name) }
        return number
    }

    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
