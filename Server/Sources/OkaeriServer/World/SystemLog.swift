package import Domain
import Foundation
package import Logging

/// Writes one line for each event to standard error:
/// `2026-11-21T09:15:42.123Z error okaeri: request failed request_id=QXIYd0000000000 status=503`, or the same as a
/// JSON object.
///
/// Metadata is put into words only when a line is written. Hummingbird names each request in its logger's metadata, so
/// anything done there would be done at each request.
package struct SystemLog: LogHandler {
    /// How a line is written.
    package enum Form: String, Sendable {
        case text
        case json
    }

    /// Hummingbird's own name for a request; ours is `request_id`.
    private static let hiddenKeys: Set<String> = ["hb.request.id"]

    package var logLevel = Logger.Level.info
    package var metadata = Logger.Metadata()
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let form: Form
    private let clock: any WallClock

    /// - Parameters:
    ///   - label: What the lines are of.
    ///   - form: How they are written.
    ///   - clock: The time of the lines.
    package init(label: String, form: Form = .text, clock: any WallClock = SystemClock()) {
        self.label = label
        self.form = form
        self.clock = clock
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = line(of: event) + "\n"
        // One call, so that lines of several threads do not mix.
        _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// What is written of an event: one line, whatever strangers sent.
    package func line(of event: LogEvent) -> String {
        let provided = metadataProvider?.get() ?? [:]
        var values = provided.merging(metadata) { $1 }.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { values["error"] = "\(error)" }
        for key in Self.hiddenKeys { values[key] = nil }
        let time = Self.text(of: clock.now)
        let message = Self.printable("\(event.message)")
        switch form {
        case .text:
            var line = "\(time) \(event.level) \(label): \(message)"
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                line += " \(Self.printable(key))=\(Self.quoted("\(value)"))"
            }
            return line
        case .json:
            let shown = values.map { (Self.printable($0.key), Self.printable("\($0.value)")) }
            return JSONLine(
                time: time, level: "\(event.level)", logger: label, message: message,
                values: Dictionary(shown) { first, _ in first }
            ).text
        }
    }

    /// A line as a JSON object. The values have an object of their own, so that none can stand for time, level or
    /// message.
    private struct JSONLine: Encodable {
        var time: String
        var level: String
        var logger: String
        var message: String
        var values: [String: String]

        var text: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Texts always encode.
            guard let bytes = try? encoder.encode(self) else { return "{}" }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// RFC 3339 in UTC with milliseconds.
    private static func text(of time: Timestamp) -> String {
        var seconds = time_t(time.milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: some BinaryInteger, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
            + "T\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
            + ".\(digits(time.milliseconds % 1000, 3))Z"
    }

    /// A value in quotation marks when it has anything but letters, digits and simple marks; inside them, marks and
    /// backslashes stand behind a backslash, so that no value can pretend to be two.
    private static func quoted(_ value: String) -> String {
        let isSimple =
            !value.isEmpty
            && value.utf8.allSatisfy {
                (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
            }
        if isSimple { return value }
        // By scalars: a mark that is joined with an accent is no character of its own.
        var escaped = "\"".unicodeScalars
        for scalar in printable(value).unicodeScalars {
            if scalar == "\\" || scalar == "\"" { escaped.append("\\") }
            escaped.append(scalar)
        }
        escaped.append("\"")
        return String(escaped)
    }

    /// Without control characters and what else ends lines, so that nothing that was sent can begin a line of its own;
    /// and without what turns the direction of writing, so that a line reads as it is.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { isUnprintable($0) ? "\u{fffd}" : $0 }))
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
