import Foundation
import Synchronization

/// What the program writes for the person or program that called it. Names, addresses and the words of other servers stand in it:
/// nothing that steers a terminal is let through, but what is written here.
enum Console {
    /// Moves the cursor to the corner and clears what is behind it (ECMA-48 §8.3.21, §8.3.39).
    private static let clear = "\u{1B}[H\u{1B}[J"

    /// The system's number of why standard output did not take everything; 0 while it did.
    private static let fault = Atomic<Int32>(0)

    /// Why standard output did not take everything, as on a full disk; `nil` when it did, or when its reader has gone.
    static var outputFault: String? {
        let number = fault.load(ordering: .relaxed)
        return number == 0 || number == EPIPE ? nil : String(cString: strerror(number))
    }

    /// Writes lines to standard output, at once.
    static func write(_ text: String) { put(text.readable) }

    /// Writes lines in the place of what the terminal shows.
    static func write(page text: String) { put(clear + text.readable) }

    private static func put(_ text: String) {
        let missed = write(line(text), to: STDOUT_FILENO)
        if missed != 0 { fault.store(missed, ordering: .relaxed) }
    }

    /// Writes a value as one JSON document.
    static func write(json value: some Encodable) { write(value, .prettyPrinted) }

    /// Writes one of many values as JSON in a line, for programs that read on while more comes.
    static func write(jsonLine value: some Encodable) { write(value, []) }

    private static func write(_ value: some Encodable, _ form: JSONEncoder.OutputFormatting) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [form, .sortedKeys, .withoutEscapingSlashes]
        do {
            put(escaped(String(decoding: try encoder.encode(value), as: UTF8.self)))
        } catch {
            // Only a number that JSON does not have could stand in the way.
            preconditionFailure("\(type(of: value)) cannot be written as JSON: \(error)")
        }
    }

    /// JSON in which what steers a terminal is written as its number, which means the same to a program.
    private static func escaped(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 >= 0x7F }) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            if scalar.isPrintable || scalar == "\n" || scalar.value > 0xFFFF {
                escaped.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            }
        }
        return escaped
    }

    /// Writes a remark to standard error.
    static func tell(_ text: String) {
        // Nobody is left to tell when the reader has gone.
        _ = write(line(text.readable), to: STDERR_FILENO)
    }

    /// Writes to standard error what does not end its line, such as what goes on, with what steers the terminal for it.
    static func show(_ text: String) {
        // Nobody is left to show it to when the terminal has gone.
        _ = write(text, to: STDERR_FILENO)
    }

    /// Writes to standard error why the program fails.
    static func tellFault(_ sentence: String) {
        tell("okaeri: \(sentence)")
    }

    private static func line(_ text: String) -> String { text.hasSuffix("\n") ? text : text + "\n" }

    /// - Returns: the system's number of why not everything was taken; 0 when it was.
    private static func write(_ text: String, to file: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                // Somebody made the terminal or pipe one that does not wait.
                var ready = pollfd(fd: file, events: Int16(clamping: POLLOUT), revents: 0)
                _ = poll(&ready, 1, 1000)
            } else if count == 0 || errno != EINTR {
                return count == 0 ? EIO : errno
            }
        }
        return 0
    }
}

extension BinaryInteger {
    /// The number with its noun: `1 user`, `2 users`, `2 entries`.
    ///
    /// - Parameters:
    ///   - noun: What is counted.
    ///   - plural: The same for several; `nil` where an s is all that it takes.
    /// - Returns: both.
    func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}

/// One line on the terminal that is written over again and again, while a person looks on.
final class ProgressLine: Sendable {
    private let isShown: Bool
    private let hasText = Mutex(false)

    /// - Parameter isWanted: Whether anything is shown on a terminal; a program that reads the output needs none.
    init(isWanted: Bool = true) {
        isShown = isWanted && isatty(STDERR_FILENO) != 0
    }

    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        hasText.withLock { $0 = true }
        Console.show("\r\u{1B}[K" + text())
    }

    /// Takes the line away.
    func end() {
        if hasText.withLock({ $0 }) { Console.show("\r\u{1B}[K") }
    }
}
