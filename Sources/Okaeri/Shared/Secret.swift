/// A text that must not reach a log: however it is printed, it shows as `<secret>`.
package struct Secret: Hashable, Sendable {
    /// The text itself. To be written where it is needed and nowhere else.
    package let revealed: String

    /// Hides a text.
    package init(_ text: String) {
        revealed = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Codable {
    package init(from decoder: any Decoder) throws {
        revealed = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }
}
