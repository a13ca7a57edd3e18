public import Okaeri

/// A text for people that is not in a language yet; ``ScreenTexts`` has the words.
public enum ScreenMessage: Hashable, Sendable {
    /// One of the string table, with values for its placeholders: `{minimum}`.
    case key(TextKey, [String: String] = [:])
    /// What an error tells.
    case error(OkaeriError)
    /// A text that the app gave.
    case literal(String)
    /// A text that the app gave in several languages.
    case localized([String: String])
}

extension ValidationError {
    /// What stands beside the field.
    public var message: ScreenMessage {
        switch self {
        case .required: .key(.faultRequired)
        case .tooShort(let minimum): .key(.faultTooShort, ["minimum": String(minimum)])
        case .tooLong(let maximum): .key(.faultTooLong, ["maximum": String(maximum)])
        case .notAMailAddress: .key(.faultMailAddress)
        case .notAUserName: .key(.faultUserName)
        case .notAPhoneNumber: .key(.faultPhoneNumber)
        case .notANumber: .key(.faultNumber)
        case .notADate: .key(.faultDate)
        case .notAnAddress: .key(.faultAddress)
        case .notAChoice: .key(.faultChoice)
        case .controlCharacter: .key(.faultControlCharacter)
        case .notAccepted: .key(.faultNotAccepted)
        case .tooCommon: .key(.faultTooCommon)
        case .breached: .key(.faultBreached)
        case .containsContext: .key(.faultContainsContext)
        case .mixedScripts: .key(.faultMixedScripts)
        case .taken: .key(.faultTaken)
        case .notACode: .key(.faultCode)
        case .told(let text): .literal(text)
        case .refused: .key(.faultRefused)
        }
    }

    /// What stands beside a certain field: ParseUI's own words where it had some.
    public func message(in field: FormField) -> ScreenMessage {
        switch (self, field.kind) {
        case (.required, .username): .key(.signUpUsernameMissing)
        case (.required, .newPassword): .key(.signUpPasswordMissing)
        case (.required, .email): .key(.signUpEmailMissing)
        case (.tooShort(let minimum), .newPassword): .key(.passwordTooShort, ["minimum": String(minimum)])
        case (.notAMailAddress, .email): .key(.signUpEmailInvalid)
        case (.taken, .username): .key(.usernameTaken, ["name": field.text])
        case (.taken, .email): .key(.emailTaken, ["name": field.text])
        default: message
        }
    }
}

/// The words for people, in the language that they prefer among those that there are.
public struct ScreenTexts: Sendable {
    private let languages: [String]
    private let own: [String: [String: String]]

    /// Chooses words.
    ///
    /// - Parameters:
    ///   - languages: BCP 47 tags, best first. English is the last resort.
    ///   - own: Words instead of the standard ones, by language and key, as a theme has them.
    public init(languages: [String] = SystemLanguages.preferred(), own: [String: [String: String]] = [:]) {
        self.languages = languages
        self.own = own
    }

    /// The tag of the language in use: `en`, `ja`, `ko`, or one that the theme brings.
    public var language: String {
        for language in languages {
            let primary = Self.primary(language)
            if ["en", "ja", "ko"].contains(primary) || own[primary] != nil { return primary }
        }
        return "en"
    }

    /// The words of a message.
    public func callAsFunction(_ message: ScreenMessage) -> String {
        switch message {
        case .key(let key, let values): words(key, values)
        case .error(let error): error.message(in: languages)
        case .literal(let text): text
        case .localized(let texts):
            LocalizedWords.text(texts, in: languages)
        }
    }

    /// The words of a key.
    public func callAsFunction(_ key: TextKey, _ values: [String: String] = [:]) -> String {
        words(key, values)
    }

    private func words(_ key: TextKey, _ values: [String: String]) -> String {
        var pattern = TextTable.entries[key].map { entry in
            switch language {
            case "ja": entry.japanese
            case "ko": entry.korean
            default: entry.english
            }
        }
        if let text = own[language]?[key.rawValue] { pattern = text }
        return Self.filled(pattern ?? "", values)
    }

    /// Values are put in once: a value that looks like a placeholder is not looked at again.
    private static func filled(_ pattern: String, _ values: [String: String]) -> String {
        var result = ""
        var rest = Substring(pattern)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            result += rest[..<open]
            // Isolates keep a name of the other direction from turning the sentence around it.
            result += values[name].map { "\u{2068}\($0)\u{2069}" } ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private static func primary(_ language: String) -> String {
        language.prefix { $0 != "-" && $0 != "_" }.lowercased()
    }
}

/// The standard words. A test sees to it that every key has a text in every language, with the same placeholders.
enum TextTable {
    struct Entry {
        let english: String
        let japanese: String
        let korean: String

        init(_ english: String, _ japanese: String, _ korean: String) {
            self.english = english
            self.japanese = japanese
            self.korean = korean
        }
    }

    /// Built once: screens draw from it with every key stroke.
    static let entries: [TextKey: Entry] = fields.merging(ways) { $1 }.merging(accounts) { $1 }
        .merging(secondFactors) { $1 }
}
