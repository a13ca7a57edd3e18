import Foundation

/// How long a password withstands guessing, in four steps. A hint for the person: what counts is the server's rule.
public enum PasswordStrength: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// Guessed at once.
    case veryWeak
    /// Guessed soon.
    case weak
    /// Good enough where guessing is slowed down, as here.
    case fair
    /// Not guessed in a lifetime.
    case strong

    /// Orders by strength.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Estimates a password: what is repeated, in a row on the alphabet or the keyboard, known to everybody, or about the
    /// person, counts as one character.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - context: Words about the person: user name, mail address.
    public init(of password: String, context: [String] = []) {
        // What is longer than this is strong whatever it is, and need not be read to its end.
        var rest = String(password.prefix(128)).compatible.lowercased()
        let words = Self.commonWords + context.flatMap(Self.words)
        for word in words.sorted(by: { $0.count > $1.count }) {
            rest = rest.replacingOccurrences(of: word, with: "\u{1}")
        }
        let bits = Double(Self.length(of: rest)) * Self.bitsPerCharacter(password)
        self = bits < 28 ? .veryWeak : bits < 40 ? .weak : bits < 60 ? .fair : .strong
    }

    private static func words(_ text: String) -> [String] {
        text.compatible.lowercased()
            .split { !$0.isLetter && !$0.isNumber }.map(String.init).filter { $0.count >= 3 }
    }

    /// How many characters are not foreseen by the one before them.
    private static func length(of text: String) -> Int {
        var count = 0
        var previous: UInt32?
        for scalar in text.unicodeScalars {
            let isForeseen = previous.map { (Int(clamping: scalar.value) - Int(clamping: $0)).magnitude <= 1 } ?? false
            if !isForeseen { count += 1 }
            previous = scalar.value
        }
        return count
    }

    private static func bitsPerCharacter(_ password: String) -> Double {
        var size = 0.0
        let scalars = password.unicodeScalars.prefix(128)
        if scalars.contains(where: { (0x61...0x7a).contains($0.value) }) { size += 26 }
        if scalars.contains(where: { (0x41...0x5a).contains($0.value) }) { size += 26 }
        if scalars.contains(where: { (0x30...0x39).contains($0.value) }) { size += 10 }
        if scalars.contains(where: { $0.isASCII && !$0.properties.isAlphabetic && !(0x30...0x39).contains($0.value) }) {
            size += 33
        }
        if scalars.contains(where: { !$0.isASCII }) { size += 80 }
        return size > 0 ? log2(size) : 0
    }

    private static let commonWords = [
        "password", "passwort", "qwerty", "qwertz", "azerty", "asdfgh", "zxcvbn", "iloveyou", "sakura", "welcome",
        "dragon", "monkey", "letmein", "admin", "login", "football", "baseball", "pokemon", "naruto", "doraemon",
        "p@ssw0rd", "passw0rd", "abc123", "1q2w3e", "1qaz2wsx", "qazwsx", "secret", "summer", "winter", "hello",
        "okaeri", "1234", "4321", "0000", "1111", "2000", "2024", "2025", "2026",
    ]
}
