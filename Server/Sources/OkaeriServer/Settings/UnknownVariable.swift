package import Logging

/// A variable of the environment that looks like a setting and is none: what it was meant to say goes unheard.
package struct UnknownVariable: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// The variable that was meant, as far as its letters tell.
    package let suggestion: String?

    private static let prefix = "OKAERI_"
    /// What this repository's scripts and tests set, and what Kubernetes sets in the pods beside a service `okaeri`.
    private static let others = ["OKAERI_TEST_", "OKAERI_PROGRAM", "OKAERI_SERVICE_", "OKAERI_PORT"]

    /// The unknown ones of an environment, by name.
    ///
    /// - Parameters:
    ///   - environment: The process's variables.
    ///   - more: Variables that commands read beside the settings.
    /// - Returns: the variables, each with what was meant.
    package static func all(in environment: [String: String], beside more: [String]) -> [UnknownVariable] {
        let known = Setting.all.map(\.variable) + [Setting.fileVariable] + more
        return environment.sorted { $0.key < $1.key }.compactMap { name, value in
            guard name.hasPrefix(prefix), !known.contains(name), !others.contains(where: name.hasPrefix),
                !isOfService(name, value)
            else { return nil }
            return UnknownVariable(name: name, suggestion: Spelling.nearest(to: name, among: known))
        }
    }

    /// Whether Kubernetes sets it in the pods beside a service `okaeri-…`: its host, its ports by number and name, and the same in
    /// the older form of Docker's links.
    private static func isOfService(_ name: String, _ value: String) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") {
            return true
        }
        // A number there is what somebody meant as a setting.
        if name.hasSuffix("_PORT"), value.contains("://") { return true }
        let parts = name.split(separator: "_")
        return parts.indices.dropLast(2).contains { index in
            parts[index] == "PORT" && UInt16(parts[index + 1], radix: 10) != nil
                && ["TCP", "UDP", "SCTP"].contains(parts[index + 2])
        }
    }

    /// Says in the log which variables of a server's environment go unheard.
    package static func warn(in environment: [String: String], beside more: [String], _ logger: Logger) {
        for unknown in all(in: environment, beside: more) { logger.warning("\(unknown)") }
    }

    package var description: String {
        "\(name) is no setting and says nothing." + (suggestion.map { " Did you mean \($0)?" } ?? "")
    }
}

/// Which word was meant by one that is misspelt.
package enum Spelling {
    /// Longer texts are no slips of the keyboard.
    private static let maximumCharacters = 64

    /// The word that is a few slips away, of which there may be one for four letters; `nil` when none is.
    package static func nearest(to text: String, among words: [String]) -> String? {
        guard text.count <= maximumCharacters else { return nil }
        let found = words.map { (word: $0, slips: slips(from: Array(text), to: Array($0))) }.min { $0.slips < $1.slips }
        guard let found, found.slips <= max(1, min(text.count, found.word.count) / 4), found.slips <= 4 else {
            return nil
        }
        return found.word
    }

    /// How many letters are missing, too many, others or exchanged with their neighbour (optimal string alignment).
    private static func slips(from text: [Character], to word: [Character]) -> Int {
        var rows = [Array(0...word.count)]
        for (line, sign) in text.enumerated() {
            var row = [line + 1]
            for (column, other) in word.enumerated() {
                let replaced = rows[line][column] + (sign == other ? 0 : 1)
                var least = min(rows[line][column + 1] + 1, row[column] + 1, replaced)
                if line > 0, column > 0, sign == word[column - 1], text[line - 1] == other {
                    least = min(least, rows[line - 1][column - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows.last?.last ?? 0
    }
}
