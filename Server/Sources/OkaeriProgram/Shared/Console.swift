import Foundation

/// What the program writes for the person or program that called it.
enum Console {
    /// Writes lines to standard output, at once.
    static func write(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Writes a value as one JSON document.
    static func write(json value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            write(String(decoding: try encoder.encode(value), as: UTF8.self))
        } catch {
            // Only a number that JSON does not have could stand in the way.
            preconditionFailure("\(type(of: value)) cannot be written as JSON: \(error)")
        }
    }

    /// Writes a remark to standard error.
    static func tell(_ text: String) {
        write(text, to: .standardError)
    }

    /// Writes to standard error why the program fails.
    static func tellFault(_ sentence: String) {
        tell("okaeri: \(sentence)")
    }

    private static func write(_ text: String, to file: FileHandle) {
        // Nobody is left to tell when the reader has gone.
        try? file.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }
}

extension BinaryInteger {
    /// The number with its noun: `1 user`, `2 users`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
