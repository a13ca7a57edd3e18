import Foundation
import OkaeriWire

/// Bodies of requests with as many elements as a body can hold: one with more values is refused before anything looks at it.
package enum LongBody {
    private static let maximumValues = 65_000
    /// Of what lists hold four times as much would be read.
    private static let maximumElements = 100_000
    /// A little less than a request may have.
    package static let maximumBytes = 1_000_000

    /// A text with a list in it.
    ///
    /// - Parameters:
    ///   - before: What stands before the first element.
    ///   - element: An element, with a percent sign where its number stands.
    ///   - after: What stands behind the last one.
    ///   - maximumBytes: How long it may be, but for its end.
    ///   - separator: What stands between two elements.
    /// - Returns: the text.
    package static func list(
        _ before: String, _ element: String, _ after: String, maximumBytes: Int = LongBody.maximumBytes,
        separator: String = ","
    ) -> String {
        let parts = element.split(separator: "%", omittingEmptySubsequences: false)
        let values = 1 + element.utf8.count { $0 == UInt8(ascii: ":") }
        var text = before
        let most = values == 1 ? maximumElements : maximumValues / values
        for number in 0..<most where text.utf8.count < maximumBytes {
            if number > 0 { text += separator }
            text += parts.joined(separator: String(number))
        }
        return text + after
    }

    /// What any route can get: an array, an object, and an object that has one member again and again.
    package static let shapes = [
        list("[", "%", "]"), list("{", #""m%":1"#, "}"), list("{", #""m":%"#, "}"), list("{", #""m%":{}"#, "}"),
        list(#"{"list":["#, "%", "]}"), list(#"{"object":{"#, #""m%":1"#, "}}"),
    ]

    /// Of what there is to send, what one route gets: the next one gets others, so that routes together get everything. Each gets
    /// all with `OKAERI_TEST_LONG_BODIES=all`, which takes minutes.
    ///
    /// - Parameters:
    ///   - items: What there is.
    ///   - route: Which route it is.
    ///   - share: How many of them one route gets.
    /// - Returns: what it gets.
    package static func chosen<Item>(of items: [Item], at route: Int, share: Int) -> [Item] {
        guard ProcessInfo.processInfo.environment["OKAERI_TEST_LONG_BODIES"] != "all" else { return items }
        return (0..<min(share, items.count)).map { items[(route * share + $0) % items.count] }
    }

    /// How long a response to a body may take: three seconds or, where the machine is slow or the build has no optimizations, twenty
    /// times of what it takes to read the body alone.
    package static func patience(with body: String) -> Duration {
        let bytes = Array(body.utf8)
        // A body that cannot be read is over as soon for the server.
        let reading = ContinuousClock().measure { _ = try? JSONValue(parsing: bytes) }
        return max(.seconds(3), reading * 20)
    }
}
