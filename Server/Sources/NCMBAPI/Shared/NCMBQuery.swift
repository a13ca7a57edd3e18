import HTTPSupport
import Hummingbird

/// The items of a request's query. A plus is a space, as Android and Kotlin write it.
struct NCMBQuery {
    private let items: QueryItems

    /// - Throws: `E400000` for an item that is there twice, or that is no text.
    init(_ request: Request) throws(NCMBFault) {
        do {
            items = try QueryItems(request)
        } catch {
            throw .badRequest
        }
    }

    subscript(name: String) -> String? { items[name] }

    /// A whole number that is not negative.
    func number(_ name: String) throws(NCMBFault) -> Int? {
        guard let text = items[name] else { return nil }
        guard let number = Int(text, radix: 10), number >= 0 else { throw .notValid(name) }
        return number
    }
}
