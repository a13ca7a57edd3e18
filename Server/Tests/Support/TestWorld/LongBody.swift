import OkaeriWire

/// Bodies of requests with as many elements as a body can hold, a hundred thousand at the most.
package enum LongBody {
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
        var text = before
        for number in 0..<maximumElements where text.utf8.count < maximumBytes {
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

    /// How long a response to a body may take: a second or, where the machine is slow or the build has no optimizations, twenty
    /// times of what it takes to read the body alone.
    package static func patience(with body: String) -> Duration {
        let bytes = Array(body.utf8)
        // A body that cannot be read is over as soon for the server.
        let reading = ContinuousClock().measure { _ = try? JSONValue(parsing: bytes) }
        return max(.seconds(1), reading * 20)
    }
}
